"""The logarithm of expected hypervolume improvement, and its slopes, for independent normal objectives.

    Y_j ~ N(mean_j, deviation_j^2)      minimized
    boxes (low_b, high_b)               what is left to gain beyond a front (see `auger.pareto.boxes`)

A loss y gains the volume between itself and the front: the sum over boxes of prod_j (high_j - max(y_j, low_j))_+. The
objectives are independent, so its expectation is a sum of products of expected improvements in one dimension,

    EHVI = sum_b prod_j (EI_j(high_bj) - EI_j(low_bj)),      EI_j(c) = E max(c - Y_j, 0)

(Emmerich, Yang and others 2016; Daulton and others 2020). With one objective and one box from -infinity to the best
value it is expected improvement. Bounds that several boxes share are computed once. Rows far behind the front, whose
products underflow, are computed as sums of logarithms instead, which takes three times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np

from auger.gaussian_process.improvement import log_improvement
from auger.types import Array, Index

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)

# Expected gains above this are computed as they stand: their largest products have lost no digit.
_LEAST = 1e-200


@dataclass(frozen=True, eq=False)
class Gains:
    """Boxes (b, k), by the distinct bounds that they have in each objective.

    Attributes:
        levels: shape (l,), the finite bounds of all objectives, one objective after the other.
        owner: shape (l,), the objective that each belongs to.
        low, high: shape (b, k), which level each bound is, counted from 1; 0 is -infinity.

    Example:
        >>> gains = Gains.of(np.array([[-np.inf, -np.inf], [1.0, -np.inf]]), np.array([[1.0, 3.0], [3.0, 1.0]]))
        >>> gains.levels.tolist(), gains.owner.tolist()
        ([1.0, 3.0, 1.0, 3.0], [0, 0, 1, 1])
        >>> gains.low.tolist(), gains.high.tolist()
        ([[0, 0], [1, 0]], [[1, 4], [2, 3]])
    """

    levels: Array
    owner: Index
    low: Index
    high: Index

    @classmethod
    def of(cls, low: Array, high: Array) -> Gains:
        """The boxes with these bounds, each (b, k)."""
        levels, lows, highs, n = [], [], [], 0
        for low_j, high_j in zip(low.T, high.T, strict=True):
            both = np.unique(np.concatenate([low_j, high_j]))
            finite = both[np.isfinite(both)]
            levels.append(finite)
            lows.append(np.where(np.isneginf(low_j), 0, 1 + n + np.searchsorted(finite, low_j)))
            highs.append(1 + n + np.searchsorted(finite, high_j))
            n += len(finite)
        owner = np.repeat(np.arange(len(levels)), [len(level) for level in levels])
        return cls(np.concatenate(levels), owner, np.stack(lows, axis=1), np.stack(highs, axis=1))

    def scaled(self, mean: Array, deviation: Array) -> tuple[Array, Array]:
        """(level - mean) / deviation, and the deviation, of the objective that each level belongs to, (m, l)."""
        own = deviation[:, self.owner]
        return (self.levels - mean[:, self.owner]) / own, own

    def between(self, at_levels: Array) -> list[Array]:
        """For each objective, differences (m, b) of what is at the bounds, (m, l), over boxes; 0 is at -infinity."""
        padded = np.concatenate([np.zeros((len(at_levels), 1)), at_levels], axis=1)
        return [padded[:, high] - padded[:, low] for low, high in zip(self.low.T, self.high.T, strict=True)]


def log_expected_gain(mean: Array, deviation: Array, gains: Gains) -> Array:
    """log EHVI (m,) for means and deviations (m, k); deviations must be above 0.

    Example:
        >>> gains = Gains.of(np.array([[-np.inf, -np.inf]]), np.array([[1.0, 1.0]]))  # nothing found yet
        >>> log_expected_gain(np.zeros((1, 2)), np.full((1, 2), 1e-9), gains).round(6).tolist()
        [0.0]
    """
    improvement, _, _ = _improvements(mean, deviation, gains)
    total = _product(gains.between(improvement)).sum(axis=1)
    value = np.log(np.maximum(total, _LEAST))
    is_tail = ~(total > _LEAST)
    if is_tail.any():
        value[is_tail] = _log_sum(np.sum(_log_parts(mean[is_tail], deviation[is_tail], gains), axis=0))
    return np.asarray(value)


def with_slopes(mean: Array, deviation: Array, gains: Gains) -> tuple[Array, Array, Array]:
    """`log_expected_gain` (m,), and how it changes with the means and with the deviations, each (m, k)."""
    improvement, below, at = _improvements(mean, deviation, gains)
    parts = gains.between(improvement)
    total = _product(parts).sum(axis=1)
    is_tail = ~(total > _LEAST)
    total = np.where(is_tail, 1.0, total)
    value = np.log(total)
    by_mean, by_deviation = np.empty_like(mean), np.empty_like(mean)
    # d EI(c) / d mean = -Phi(u), d EI(c) / d deviation = phi(u)
    for j, (towards_mean, towards_deviation) in enumerate(zip(gains.between(below), gains.between(at), strict=True)):
        others = _product([np.ones_like(parts[j]), *(part for i, part in enumerate(parts) if i != j)])
        by_mean[:, j] = -(others * towards_mean).sum(axis=1) / total
        by_deviation[:, j] = (others * towards_deviation).sum(axis=1) / total
    if is_tail.any():
        rows = mean[is_tail], deviation[is_tail]
        value[is_tail], by_mean[is_tail], by_deviation[is_tail] = _tail_with_slopes(*rows, gains)
    return value, by_mean, by_deviation


def probability(mean: Array, deviation: Array, gains: Gains) -> Array:
    """P(Y gains anything) (m,), for means and deviations (m, k)."""
    _, below, _ = _improvements(mean, deviation, gains)
    return np.asarray(np.clip(_product(gains.between(below)).sum(axis=1), 0.0, 1.0))


def _product(factors: list[Array]) -> Array:
    return np.asarray(reduce(np.multiply, factors))


def _improvements(mean: Array, deviation: Array, gains: Gains) -> tuple[Array, Array, Array]:
    """EI, Phi and phi at each level, (m, l)."""
    from scipy.special import ndtr  # 0.1 s to import

    u, own = gains.scaled(mean, deviation)
    below, at = ndtr(u), np.exp(-0.5 * u * u - _LOG_SQRT_2PI)
    return own * np.maximum(at + u * below, 0.0), below, at


def _tail_with_slopes(mean: Array, deviation: Array, gains: Gains) -> tuple[Array, Array, Array]:
    """`with_slopes` by logarithms."""
    from scipy.special import log_ndtr  # 0.1 s to import

    parts = _log_parts(mean, deviation, gains)
    total = np.sum(parts, axis=0)
    value = _log_sum(total)
    shares = np.exp(total - value[:, np.newaxis])
    u, _ = gains.scaled(mean, deviation)
    log_below, log_at = _with_none(log_ndtr(u)), _with_none(-0.5 * u * u - _LOG_SQRT_2PI)
    by_mean, by_deviation = np.empty_like(mean), np.empty_like(mean)
    for j, part in enumerate(parts):
        by_mean[:, j] = -_shared(shares, log_below, part, gains, j)
        by_deviation[:, j] = _shared(shares, log_at, part, gains, j)
    return value, by_mean, by_deviation


def _log_parts(mean: Array, deviation: Array, gains: Gains) -> list[Array]:
    """For each objective, log(EI(high) - EI(low)) of each box, (m, b)."""
    own = gains.owner
    logs = _with_none(log_improvement(mean[:, own], deviation[:, own], gains.levels))
    parts = []
    for low, high in zip(gains.low.T, gains.high.T, strict=True):
        # a box so thin that its bounds differ by rounding only counts as one of the smallest width that can be told
        share = np.maximum(-np.expm1(logs[:, low] - logs[:, high]), 1e-300)
        parts.append(logs[:, high] + np.log(share))
    return parts


def _with_none(logs: Array) -> Array:
    """With a column for the level -infinity, where there is nothing."""
    return np.concatenate([np.full((len(logs), 1), -np.inf), logs], axis=1)


def _log_sum(logs: Array) -> Array:
    """log of the sum of exp along the last axis."""
    highest = logs.max(axis=1)
    return np.asarray(highest + np.log(np.exp(logs - highest[:, np.newaxis]).sum(axis=1)))


def _shared(shares: Array, logs: Array, part: Array, gains: Gains, j: int) -> Array:
    """The sum over boxes of shares (m, b) times (exp(high) - exp(low)) / exp(part), shape (m,)."""
    high, low = logs[:, gains.high[:, j]], logs[:, gains.low[:, j]]
    return np.asarray((shares * (np.exp(high - part) - np.exp(low - part))).sum(axis=1))
