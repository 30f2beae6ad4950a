"""Outcome constraints: how many trials satisfy each, and how that changed over the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.insight.memory import remembered
from auger.trial import State
from auger.types import Array, Index, Mask
from auger.view import view

# A share over time is that of so many trials, or of a tenth of all if that is more.
_WINDOW = 20


@dataclass(frozen=True)
class Limit:
    """An outcome constraint, as the trials met it.

    Attributes:
        name: of the constraint.
        n_trials: how many trials have a value of it.
        n_satisfied: how many of them satisfy it.
        typical: by how much trials break it, in the median of those that do; None where none does.
        n_alone: how many trials break this one and no other.
    """

    name: str
    n_trials: int
    n_satisfied: int
    typical: float | None
    n_alone: int


@dataclass(frozen=True, eq=False)
class Feasibility:
    """How the trials of a run met the outcome constraints.

    Attributes:
        limits: one per constraint.
        numbers: of the n complete trials.
        shares: shape (n, m), of the last trials up to each of them, the share that satisfies a constraint; NaN where
            none of these has a value of it.
        share: shape (n,), likewise, the share that satisfies all.
        window: how many the last trials are.
        n_feasible: how many of the n trials satisfy all.
        first: the first trial that does; None where none does.
        nearest: where none does, the trial that breaks them least, in total; None otherwise.
    """

    limits: tuple[Limit, ...] = ()
    numbers: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    shares: Array = field(default_factory=lambda: np.empty((0, 0)))
    share: Array = field(default_factory=lambda: np.empty(0))
    window: int = _WINDOW
    n_feasible: int = 0
    first: int | None = None
    nearest: int | None = None


@remembered
def feasibility(source: Any) -> Feasibility:
    """How the trials of a run met the outcome constraints; without limits where there are none.

    Example:
        >>> from auger import Optimizer
        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        >>> for trial, limit in zip(optimizer.ask(3), (2.0, -1.0, 0.0)):
        ...     _ = optimizer.tell(trial, 1.0, constraints=[limit])
        >>> counts = feasibility(optimizer)
        >>> counts.limits[0], counts.first
        (Limit(name='constraint 0', n_trials=3, n_satisfied=2, typical=2.0, n_alone=1), 1)
    """
    run = view(source)
    rows = np.array(
        [i for i, trial in enumerate(run.trials) if trial.constraints and trial.state is State.COMPLETE], dtype=np.intp
    )
    if not len(rows):
        return Feasibility()
    values = run.limits[rows]
    is_known, is_broken = ~np.isnan(values), values > 0
    n_broken = is_broken.sum(axis=1)
    limits = tuple(
        Limit(
            name,
            int(is_known[:, j].sum()),
            int((is_known[:, j] & ~is_broken[:, j]).sum()),
            2 * float(np.median(values[is_broken[:, j], j] / 2)) if is_broken[:, j].any() else None,
            int((is_broken[:, j] & (n_broken == 1)).sum()),
        )
        for j, name in enumerate(run.constraints)
    )
    numbers = np.array([run.trials[i].number for i in rows.tolist()], dtype=np.intp)
    window = max(_WINDOW, len(rows) // 10)
    is_feasible = n_broken == 0
    feasible = np.flatnonzero(is_feasible)
    total = np.where(is_broken, values, 0.0).sum(axis=1)
    return Feasibility(
        limits,
        numbers,
        _moving_share(is_known & ~is_broken, is_known, window),
        _moving_share(is_feasible[:, np.newaxis], np.ones((len(rows), 1), dtype=bool), window)[:, 0],
        window,
        len(feasible),
        int(numbers[feasible[0]]) if len(feasible) else None,
        None if len(feasible) else int(numbers[np.argmin(total)]),
    )


def _moving_share(is_met: Mask, is_known: Mask, window: int) -> Array:
    """Of the last ``window`` rows up to each, the share of known ones that are met, shape (n, m); NaN without any."""
    met, known = (_moving_sum(flags, window) for flags in (is_met, is_known))
    return np.asarray(np.where(known > 0, met / np.maximum(known, 1), np.nan))


def _moving_sum(flags: Mask, window: int) -> Array:
    total = np.cumsum(flags.astype(np.float64), axis=0)
    total[window:] -= total[:-window].copy()
    return total
