"""The logarithm of expected hypervolume improvement, and its slopes, for independent normal objectives.

    Y_j ~ N(mean_j, deviation_j^2)      minimized
    boxes (low_b, high_b)               what is left to gain beyond a front (see `auger.pareto.boxes`)

A loss y gains the volume between itself and the front: the sum over boxes of prod_j (high_j - max(y_j, low_j))_+. The
objectives are independent, so its expectation is a sum of products of expected improvements in one dimension,

    EHVI = sum_b prod_j (EI_j(high_bj) - EI_j(low_bj)),      EI_j(c) = E max(c - Y_j, 0)

(Emmerich, Yang and others 2016; Daulton and others 2020). With one objective and one box from -infinity to the best
value it is expected improvement. Products of small numbers underflow, so everything is computed as a logarithm; bounds
that several boxes share are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.gaussian_process.improvement import log_improvement
from auger.types import Array, Index

_LOG_SQRT_2PI = 0.5 * float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Gains:
    """Boxes (b, k), by the distinct bounds that they have in each objective.

    Attributes:
        levels: for each objective, its finite bounds, ascending.
        low, high: shape (b, k), which level each bound is, counted from 1; 0 is -infinity.

    Example:
        >>> gains = Gains.of(np.array([[-np.inf, -np.inf], [1.0, -np.inf]]), np.array([[1.0, 3.0], [3.0, 1.0]]))
        >>> [level.tolist() for level in gains.levels]
        [[1.0, 3.0], [1.0, 3.0]]
        >>> gains.low.tolist(), gains.high.tolist()
        ([[0, 0], [1, 0]], [[1, 2], [2, 1]])
    """

    levels: tuple[Array, ...]
    low: Index
    high: Index

    @classmethod
    def of(cls, low: Array, high: Array) -> Gains:
        """The boxes with these bounds, each (b, k)."""
        levels = [np.unique(np.concatenate(columns)) for columns in zip(low.T, high.T, strict=True)]
        finite = tuple(level[np.isfinite(level)] for level in levels)
        pairs = list(zip(finite, low.T, high.T, strict=True))
        places = [np.searchsorted(level, [lows, highs]) + 1 for level, lows, highs in pairs]
        found = np.stack(places, axis=2)
        return cls(finite, np.where(np.isneginf(low), 0, found[0]), found[1])


def log_expected_gain(mean: Array, deviation: Array, gains: Gains) -> Array:
    """log EHVI (m,) for means and deviations (m, k); deviations must be above 0.

    Example:
        >>> gains = Gains.of(np.array([[-np.inf, -np.inf]]), np.array([[1.0, 1.0]]))  # nothing found yet
        >>> log_expected_gain(np.zeros((1, 2)), np.full((1, 2), 1e-9), gains).round(6).tolist()
        [0.0]
    """
    k = len(gains.levels)
    parts = [_log_between(_log_improvements(mean, deviation, gains, j), gains, j) for j in range(k)]
    return _log_sum(np.sum(parts, axis=0))


def with_slopes(mean: Array, deviation: Array, gains: Gains) -> tuple[Array, Array, Array]:
    """`log_expected_gain` (m,), and how it changes with the means and with the deviations, each (m, k)."""
    from scipy.special import log_ndtr  # 0.1 s to import

    k = len(gains.levels)
    parts = [_log_between(_log_improvements(mean, deviation, gains, j), gains, j) for j in range(k)]
    total = np.sum(parts, axis=0)
    value = _log_sum(total)
    shares = np.exp(total - value[:, np.newaxis])
    by_mean, by_deviation = np.empty_like(mean), np.empty_like(mean)
    for j, part in enumerate(parts):
        u = (gains.levels[j] - mean[:, j, np.newaxis]) / deviation[:, j, np.newaxis]
        # d EI(c) / d mean = -Phi(u), d EI(c) / d deviation = phi(u)
        log_below, log_at = _with_none(log_ndtr(u)), _with_none(-0.5 * u * u - _LOG_SQRT_2PI)
        by_mean[:, j] = -_shared(shares, log_below, part, gains, j)
        by_deviation[:, j] = _shared(shares, log_at, part, gains, j)
    return value, by_mean, by_deviation


def probability(mean: Array, deviation: Array, gains: Gains) -> Array:
    """P(Y gains anything) (m,), for means and deviations (m, k)."""
    from scipy.special import ndtr

    total = np.ones((len(mean), len(gains.low)))
    for j, level in enumerate(gains.levels):
        u = (level - mean[:, j, np.newaxis]) / deviation[:, j, np.newaxis]
        below = np.concatenate([np.zeros((len(mean), 1)), ndtr(u)], axis=1)
        total *= below[:, gains.high[:, j]] - below[:, gains.low[:, j]]
    return np.asarray(np.clip(total.sum(axis=1), 0.0, 1.0))


def _log_improvements(mean: Array, deviation: Array, gains: Gains, j: int) -> Array:
    """log EI_j at -infinity and at each level, shape (m, 1 + levels)."""
    return _with_none(log_improvement(mean[:, j, np.newaxis], deviation[:, j, np.newaxis], gains.levels[j]))


def _with_none(logs: Array) -> Array:
    """With a column for the level -infinity, where there is nothing."""
    return np.concatenate([np.full((len(logs), 1), -np.inf), logs], axis=1)


def _log_between(logs: Array, gains: Gains, j: int) -> Array:
    """log(exp(high) - exp(low)) of each box, shape (m, b), from the logs (m, 1 + levels) of objective j."""
    high, low = logs[:, gains.high[:, j]], logs[:, gains.low[:, j]]
    # a box so thin that its bounds differ by rounding only counts as one of the smallest width that can be told
    return np.asarray(high + np.log(np.maximum(-np.expm1(low - high), 1e-300)))


def _log_sum(logs: Array) -> Array:
    """log of the sum of exp along the last axis."""
    highest = logs.max(axis=1)
    return np.asarray(highest + np.log(np.exp(logs - highest[:, np.newaxis]).sum(axis=1)))


def _shared(shares: Array, logs: Array, part: Array, gains: Gains, j: int) -> Array:
    """The sum over boxes of shares (m, b) times (exp(high) - exp(low)) / exp(part), shape (m,)."""
    high, low = logs[:, gains.high[:, j]], logs[:, gains.low[:, j]]
    return np.asarray((shares * (np.exp(high - part) - np.exp(low - part))).sum(axis=1))
