"""Which losses others beat: as good in every objective, and better in one."""

from __future__ import annotations

import numpy as np

from auger.types import Array, Index, Mask

# Losses are compared with so many others at a time.
_PAIRS = 2**20


def front_numbers(losses: Array) -> Index:
    """The number of the front of each of the losses (n, k), from 0, shape (n,).

    Example:
        >>> front_numbers(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [3.0, 3.0]])).tolist()
        [0, 0, 1, 2]
    """
    distinct, which = np.unique(losses, axis=0, return_inverse=True)  # by the first objective, then the second, ...
    numbers = np.empty(len(distinct), dtype=np.intp)
    left, number = np.arange(len(distinct)), 0
    while len(left):
        on_front = _front_of_sorted(distinct[left])
        numbers[left[on_front]] = number
        left, number = left[~on_front], number + 1
    return numbers[which.reshape(-1)]


def front(losses: Array) -> Mask:
    """Which of the losses (n, k) no other beats by being as good in every objective and better in one, shape (n,).

    Example:
        >>> front(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])).tolist()
        [True, True, False, True]
    """
    distinct, which = np.unique(losses, axis=0, return_inverse=True)  # by the first objective, then the second, ...
    return _front_of_sorted(distinct)[which.reshape(-1)]


def _front_of_sorted(losses: Array) -> Mask:
    """The front of distinct losses (n, k) in lexicographic order: a loss is beaten by earlier ones only."""
    on_front = np.ones(len(losses), dtype=bool)
    if losses.shape[1] == 2:
        on_front[1:] = losses[1:, 1] < np.minimum.accumulate(losses[:-1, 1])
        return on_front
    start, members = 0, losses[:0]
    while start < len(losses):
        some = losses[start : start + max(_PAIRS // max(len(members), 1024), 64)]
        end = start + len(some)
        is_left = ~is_beaten(some, members)
        is_left[is_left] = ~is_beaten(some[is_left], some[is_left])
        on_front[start:end] = is_left
        start, members = end, np.concatenate([members, some[is_left]])
    return on_front


def is_beaten(losses: Array, others: Array) -> Mask:
    """Which of the losses (n, k) are beaten by one of the others (m, k) that is not equal, shape (n,)."""
    beats = np.ones((len(others), len(losses)), dtype=bool)
    is_equal = np.ones((len(others), len(losses)), dtype=bool)
    for column, other in zip(losses.T, others.T, strict=True):
        beats &= other[:, np.newaxis] <= column
        is_equal &= other[:, np.newaxis] == column
    return np.asarray((beats & ~is_equal).any(axis=0))
