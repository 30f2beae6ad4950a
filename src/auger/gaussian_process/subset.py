"""Which rows a process learns from, and which determine its hyperparameters: both bound the cost."""

from __future__ import annotations

import math

import numpy as np

from auger.history import lowest
from auger.types import Array, Index

# A step towards the hyperparameters reads at most this many squared differences, parameters times pairs of rows.
# Up to 16 parameters that is as many rows as the process learns from, with 50 of them it is 144.
_DIFFERENCES = 2**19


def subset(y: Array, size: int) -> Index:
    """Positions of up to ``size`` of the rows with values y (n,), in ascending order: best, recent, and some others."""
    n = len(y)
    if n <= size:
        return np.arange(n)
    n_best, n_recent = size - size // 2, size // 4
    is_best = np.zeros(n, dtype=bool)
    is_best[lowest(y, n_best)] = True  # NaN goes last
    others = np.flatnonzero(~is_best)
    n_old = len(others) - n_recent
    spread = np.linspace(0, n_old - 1, size - n_best - n_recent).round().astype(np.intp)
    return np.sort(np.concatenate([np.flatnonzero(is_best), others[spread], others[n_old:]]))


def max_rows(n_parameters: int) -> int:
    """The largest number of rows that determine hyperparameters, which bounds the cost in many dimensions.

    Example:
        >>> [max_rows(d) for d in (1, 16, 50, 1000, 10**6)]
        [1024, 256, 144, 32, 4]
    """
    return max(math.isqrt(2 * _DIFFERENCES // n_parameters), 4)


def checkpoint(n: int) -> int:
    """How many of n answers determine the hyperparameters: the last of 1, 4, 7, 10, ... not above n; 0 of 0.

    The next one after c comes 3 later, or c // 20 later where that is more. Every sixth part instead of every twentieth
    was worse (272 runs on the tuning problems: 97 won, 124 lost).

    Example:
        >>> [checkpoint(n) for n in (1, 10, 12, 13, 200)]
        [1, 10, 10, 13, 194]
    """
    return _last(n, 20)


def anchor(n: int) -> int:
    """How many of n answers determine the hyperparameters that the search for those of `checkpoint` starts from.

    These lie further apart, half as many again, and their own search starts from the prior.

    Example:
        >>> [anchor(n) for n in (1, 4, 10, 13, 14, 100, 200)]
        [1, 4, 10, 10, 10, 73, 163]
    """
    return _last(n, 2)


def _last(n: int, share: int) -> int:
    """The last of 1, 4, 7, 10, ... not above n; 0 of 0. After c comes c + max(3, c // share)."""
    c = following = min(n, 1)
    while c and following <= n:
        c, following = following, following + max(3, following // share)
    return c
