"""What drives each objective: the importance of every parameter for each, and which way it works."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.insight.importance import permutation
from auger.insight.memory import remembered
from auger.types import Array
from auger.view import View, view

# Fewer trials have no trend to speak of.
_FEWEST = 5


@dataclass(frozen=True, eq=False)
class Drivers:
    """How much each of d parameters matters to each of k objectives.

    Attributes:
        names: of the parameters, those with the largest share in any objective first.
        objectives: their names.
        share: shape (d, k), of the importance by permutation for being among the best trials of one objective; columns
            add up to 1, or are 0 where nothing matters.
        error: shape (d, k), the standard deviation of that.
        trend: shape (d, k), the rank correlation of the parameter with the objective as the user knows it, over
            complete and feasible trials: near 1 where more of the one comes with more of the other, near -1 where it
            comes with less. NaN for choices without an order, and where it cannot be told.
        note: what is missing, in words.
    """

    names: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()
    share: Array = field(default_factory=lambda: np.empty((0, 0)))
    error: Array = field(default_factory=lambda: np.empty((0, 0)))
    trend: Array = field(default_factory=lambda: np.empty((0, 0)))
    note: str = ""


@remembered
def drivers(source: Any) -> Drivers:
    """What drives each objective of a run.

    Example:
        >>> from auger import minimize_several
        >>> def objective(config):
        ...     return {"error": config["x"], "seconds": -config["y"]}
        >>> directions, space = {"error": "minimize", "seconds": "minimize"}, {"x": (0.0, 1.0), "y": (0.0, 1.0)}
        >>> effects = drivers(minimize_several(objective, space, directions=directions, n_trials=30, seed=0))
        >>> x, y = effects.names.index("x"), effects.names.index("y")
        >>> bool(effects.share[x, 0] > 0.5 and effects.share[y, 1] > 0.5)
        True
        >>> effects.trend[x, 0].round(2).item(), effects.trend[y, 1].round(2).item()
        (1.0, -1.0)
    """
    run = view(source)
    if run.history is None:
        return Drivers(note="No parameter is known yet.")
    k = len(run.objectives)
    rankings = [permutation(run.only(j)) for j in range(k)]
    drops = np.array([np.maximum(np.nan_to_num(ranking.permutation), 0.0) for ranking in rankings]).T
    errors = np.array([ranking.error for ranking in rankings]).T
    totals = np.where(drops.sum(axis=0) > 0, drops.sum(axis=0), np.inf)
    share, error = drops / totals, errors / totals
    order = np.argsort(-share.max(axis=1, initial=0.0), kind="stable")
    names = tuple(run.history.space.names[i] for i in order.tolist())
    notes = dict.fromkeys(ranking.note for ranking in rankings if ranking.note and not np.any(ranking.permutation))
    return Drivers(names, run.objectives.names, share[order], error[order], _trend(run)[order], " ".join(notes))


def _trend(view: View) -> Array:
    """Rank correlations of parameters and objectives, shape (d, k)."""
    history = view.history
    assert history is not None
    at = np.searchsorted([trial.number for trial in view.trials], view.numbers)
    values = view.losses[at] * np.array(view.objectives.signs)
    trend = np.full((len(history.space), values.shape[1]), np.nan)
    for j, is_ordered in enumerate(history.space.is_ordered):
        column = history.X[:, j]
        rows = ~np.isnan(column) & ~np.isnan(values).any(axis=1)
        if not is_ordered or np.count_nonzero(rows) < _FEWEST:
            continue
        ranks = _ranks(column[rows])
        for i in range(values.shape[1]):
            trend[j, i] = _correlation(ranks, _ranks(values[rows, i]))
    return trend


def _ranks(values: Array) -> Array:
    """Ranks (n,), equal values sharing the mean of theirs."""
    _, group, n_same = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(n_same) - (n_same - 1) / 2)[group.reshape(-1)])


def _correlation(first: Array, second: Array) -> float:
    a, b = first - first.mean(), second - second.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else np.nan
