"""Which configuration to use in the end: the lowest value, unless values are noisy and it is merely the luckiest.

Where there is evidence of noise (see `auger.noise`), a Gaussian process says what to expect of each trial, given all
others, and the lowest expected value decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.classifiers.gp.kernel import squares, view, view_column
from auger.classifiers.gp.likelihood import hyperparameters
from auger.classifiers.gp.posterior import posterior
from auger.classifiers.gp.warp import Warp, warp
from auger.history import History, State, Trial
from auger.noise import noise
from auger.types import Array, Index

# At most so many trials are learned from, which bounds the cost.
_MAX_POINTS = 200


@dataclass(frozen=True)
class Recommendation:
    """What to use, and why.

    Attributes:
        trial: one that was evaluated: complete and feasible.
        estimate: what to expect of its configuration on average. None where nothing says that values are noisy:
            then `trial.value` is what to expect.
        error: standard error of the estimate, as far as the model can tell; None where there is none.
        reason: in words.
    """

    trial: Trial
    estimate: float | None
    error: float | None
    reason: str

    @property
    def is_noisy(self) -> bool:
        """Whether there is evidence that values are noisy."""
        return self.estimate is not None


def recommend(history: History) -> Recommendation | None:
    """The trial whose configuration to use; None before one is complete and feasible.

    It is `History.best`, the one with the lowest value, unless there is evidence of noise: neighbours that disagree
    more than those of a rough function would, or repeats that do. Then it is the one with the lowest expected value.
    Failed, pruned and infeasible trials, NaN and infinity are not learned from. There is no chance in it.

    Example:
        >>> from auger.space import Space
        >>> history = History(Space({"x": (0.0, 1.0)}))
        >>> for x, y in [(0.1, 3.0), (0.2, 1.0), (0.3, 2.0)]:
        ...     _ = history.finish(history.start({"x": x}).number, value=y)
        >>> found = recommend(history)
        >>> found.trial.number, found.reason
        (1, 'the lowest of 3 values, without evidence of noise')
    """
    best = history.best
    if best is None or best.value is None:
        return None
    if not math.isfinite(best.value):
        return Recommendation(best, None, None, f"the lowest value, {best.value}")
    known = np.flatnonzero(history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y))
    X, y = history.X[known], history.y[known]
    lowest = f"the lowest of {len(known)} values"
    if _repeats_agree(X, y):
        return Recommendation(best, None, None, f"{lowest}, and repeats gave the same again")
    found = _lowest_expected(history, known)
    return found or Recommendation(best, None, None, f"{lowest}, without evidence of noise")


def _repeats_agree(X: Array, y: Array) -> bool:
    """Whether some configurations were evaluated more than once, all of them with the same value every time."""
    rows = np.where(np.isnan(X), -1.0, X)  # inactive is equal to inactive
    n_configs = len(np.unique(rows, axis=0))
    return n_configs < len(y) and n_configs == len(np.unique(np.column_stack([rows, y]), axis=0))


def _lowest_expected(history: History, known: Index) -> Recommendation | None:
    """Among the trials numbered ``known``; None without evidence of noise."""
    y, space = history.y[known], history.space
    curve = warp(y, is_bent=False)  # a power would make the noise of good values another than that of bad ones
    targets = curve(y)
    if np.ptp(targets) == 0:
        return None
    V, column = view(history.X[known], space), view_column(space)
    chosen = _best_and_others(y)
    theta = noise(squares(V[chosen], column, len(space)), targets[chosen])
    if theta is None:
        return None
    given = hyperparameters(theta)
    mean, _ = posterior(V[chosen], targets[chosen], column, given).predict(V[chosen])
    at = chosen[np.argmin(mean)]
    # by its neighbours whatever their values: what was chosen because it is low has luck in it
    chosen = _near_and_others(V / given.lengthscale[column], at)
    (mean,), (deviation,) = posterior(V[chosen], targets[chosen], column, given).predict(V[[at]])
    estimate, unit = _value(float(mean), curve)
    deviation_of_noise = unit * math.sqrt(given.noise)
    if deviation_of_noise < 0.5 * _least_gap(y):
        return None  # values are rounded, and that is all there is of noise
    trial = history.trials[known[at]]
    which = "the lowest value, and" if trial is history.best else "not the lowest value, but"
    reason = f"{which} the lowest expected one, given noise of about {deviation_of_noise:.2g}"
    return Recommendation(trial, estimate, unit * float(deviation), reason)


def _least_gap(y: Array) -> float:
    """The smallest difference between values (n,) that are not the same; at least two differ."""
    gaps = np.diff(np.unique(y / 4))  # quarters, so that 1e308 - (-1e308) does not overflow
    return 4 * float(gaps[gaps > 1e-9 * gaps.max()].min())  # 0.1 + 0.2 and 0.3 are the same


def _best_and_others(y: Array) -> Index:
    """Positions of up to _MAX_POINTS of the values (n,): half of them the lowest, the others evenly by age."""
    return _first_and_others(np.argsort(y, kind="stable"), _MAX_POINTS // 2)


def _near_and_others(Z: Array, at: int) -> Index:
    """Positions of up to _MAX_POINTS of the rows (n, p): three quarters the nearest to one, the others by age."""
    return _first_and_others(np.argsort(((Z - Z[at]) ** 2).sum(axis=1), kind="stable"), _MAX_POINTS * 3 // 4)


def _first_and_others(order: Index, n_first: int) -> Index:
    if len(order) <= _MAX_POINTS:
        return np.arange(len(order))
    others = np.sort(order[n_first:])
    spread = np.linspace(0, len(others) - 1, _MAX_POINTS - n_first).round().astype(np.intp)
    return np.sort(np.concatenate([order[:n_first], others[spread]]))


def _value(target: float, curve: Warp) -> tuple[float, float]:
    """The value that the curve takes to this target, and by how much values change there as targets change by 1."""
    u = target * curve.deviation + curve.mean
    if u > 0:
        return curve.median + curve.scale * math.expm1(u), curve.scale * curve.deviation * math.exp(u)
    return curve.median + curve.scale * u, curve.scale * curve.deviation
