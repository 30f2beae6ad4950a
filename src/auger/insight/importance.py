"""How much each parameter matters for being good: what a classifier loses when its values are shuffled.

It is asked about rows that it has not seen, or a parameter would seem to matter that it has only learned by heart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auger.insight.lens import Lens, look
from auger.insight.memory import remembered
from auger.insight.metrics import auc
from auger.labels import Kind
from auger.space import Space
from auger.threads import one_thread
from auger.types import Array, Index
from auger.view import View, index_of, view

_N_REPEATS = 6
_N_SHUFFLES = 4
_MOST_FOLDS = 5

# PED-ANOVA compares densities of the good and of all: with fewer good trials there is none to speak of.
_N_GOOD = 5


@dataclass(frozen=True, eq=False)
class Importance:
    """What is lost when the values of a parameter are shuffled.

    Attributes:
        names: of the d parameters, in the order of the space.
        permutation: shape (d,), by how much the AUC of unseen rows drops: from 0, where the parameter does not matter,
            to 0.5, where nothing else does. May come out a little below 0.
        error: shape (d,), the standard deviation of that over repeats, with other folds and other shuffles.
        ped_anova: what Optuna's PED-ANOVA says, by name, adding up to 1; None where it does not apply.
        note: what is missing, in words.
    """

    names: tuple[str, ...] = ()
    permutation: Array = field(default_factory=lambda: np.empty(0))
    error: Array = field(default_factory=lambda: np.empty(0))
    ped_anova: dict[str, float] | None = None
    note: str = ""


@remembered
def importance(source: Any, *, objective: int | str | None = None) -> Importance:
    """How much each parameter matters for being good, among the trials of a run.

    A parameter is shuffled among the trials where it is active; what that switches on takes random values.

    Args:
        source: whatever `auger.view` looks at.
        objective: by index or name: being good is then to be among the best in this one. None is being good in all: of
            several objectives, to be on the front or near it.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda c: c["x"] ** 2, {"x": (-1.0, 1.0), "idle": (0.0, 1.0)}, n_trials=25, seed=0)
        >>> x, idle = importance(result).permutation
        >>> bool(x > 0.2 > idle)
        True
    """
    run = view(source)
    if objective is not None and len(run.objectives) > 1:
        return importance(run.only(index_of(run, objective)))
    shuffled, lens = permutation(run), look(run)
    if shuffled.note or isinstance(lens, str):
        return shuffled
    densities, note = _ped_anova(lens)
    return replace(shuffled, ped_anova=densities, note=note)


@remembered
def permutation(source: Any) -> Importance:
    """The importance by permutation alone, which is quicker than both."""
    run = view(source)
    lens = look(run)
    names = () if run.history is None else tuple(run.history.space.names)
    nothing = np.zeros(len(names))
    if isinstance(lens, str):
        return Importance(names, nothing, nothing, note=lens)
    n_good = int(lens.z.sum())
    n_folds = min(n_good, len(lens.z) - n_good, _MOST_FOLDS)
    if n_folds < 2:
        note = f"{n_good} good and {len(lens.z) - n_good} other trials: two of each are needed to compare."
        return Importance(names, nothing, nothing, note=note)
    drops = np.array([_drops(lens, n_folds, np.random.default_rng(seed)) for seed in range(_N_REPEATS)])
    return Importance(names, drops.mean(axis=0), drops.std(axis=0, ddof=1))


def most_important(view: View, limit: int, objective: int | None = None) -> list[str]:
    """The names of at most ``limit`` parameters, the most important first; by the space where nothing is known yet."""
    ranking = permutation(view if objective is None else view.only(objective))
    order = np.argsort(-np.nan_to_num(ranking.permutation), kind="stable")[:limit]
    return [ranking.names[j] for j in order]


def _drops(lens: Lens, n_folds: int, rng: np.random.Generator) -> Array:
    """By how much the AUC drops for each parameter, shape (d,), with one fit for each fold."""
    n, d = lens.X.shape
    p = np.empty((d * _N_SHUFFLES + 1, n))  # the last row with nothing shuffled
    fold = _folds(lens, n_folds, rng)
    for number in range(n_folds):
        left_out = np.flatnonzero(fold == number)
        score = lens.refit(np.flatnonzero(fold != number))
        rows = lens.X[left_out]
        shuffled = [_shuffled(lens.space, rows, j, rng) for j in range(d) for _ in range(_N_SHUFFLES)]
        with one_thread():
            p[:, left_out] = score.probability(np.concatenate([*shuffled, rows])).reshape(len(p), -1)
    areas = np.array([auc(scores, lens.z) for scores in p])
    return np.asarray(areas[-1] - areas[:-1].reshape(d, _N_SHUFFLES).mean(axis=1))


def _folds(lens: Lens, n_folds: int, rng: np.random.Generator) -> Index:
    """The number of each row's fold, shape (n,); each has its share of the good rows."""
    fold = np.empty(len(lens.z), dtype=np.intp)
    for members in (np.flatnonzero(lens.z), np.flatnonzero(~lens.z)):
        fold[rng.permutation(members)] = np.arange(len(members)) % n_folds
    return fold


def _shuffled(space: Space, X: Array, column: int, rng: np.random.Generator) -> Array:
    """The rows with one column shuffled where it is active; parameters that this switches on are drawn at random."""
    shuffled = X.copy()
    on = np.flatnonzero(~np.isnan(X[:, column]))
    shuffled[on, column] = X[rng.permutation(on), column]
    return space.close(space.open(shuffled, rng)) if space.is_parent[column] else shuffled


def _ped_anova(lens: Lens) -> tuple[dict[str, float] | None, str]:
    """Optuna's importances; or None, and why there are none."""
    comparable = np.flatnonzero((lens.labels.kinds == Kind.FEASIBLE) & np.isfinite(lens.labels.y))
    n_good = int(lens.z[comparable].sum())
    if not _N_GOOD <= n_good < len(comparable):
        n_comparable = len(comparable)
        return None, f"No PED-ANOVA: {n_good} of {n_comparable} finite values are good, and it takes {_N_GOOD}."
    from auger.insight.ped_anova import ped_anova  # 0.5 s to import

    y = lens.labels.y[comparable]
    return ped_anova(lens.space, lens.X[comparable], y, share=n_good / len(comparable)), ""
