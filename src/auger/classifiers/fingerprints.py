"""One 64-bit number for each row or example, the same for the same content: what changed between two fits?

The numbers are mixed so well that they also serve as dice: row i is in sample j if their common number is low.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from auger.types import Array, Mask

Marks = npt.NDArray[np.uint64]

# The constants of SplitMix64 (Steele, Lea and Flood, 2014): its increment, and the factors of its last steps.
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def mixed(marks: Marks) -> Marks:
    """Other numbers, each a function of one: close numbers come out far apart, and no two become equal."""
    marks = (marks ^ (marks >> _SHIFTS[0])) * _FACTORS[0]
    marks = (marks ^ (marks >> _SHIFTS[1])) * _FACTORS[1]
    return np.asarray(marks ^ (marks >> _SHIFTS[2]))


def of_rows(X: Array) -> Marks:
    """A number for each row of X (n, d), shape (n,). NaN equals NaN, and -0.0 equals 0.0.

    Example:
        >>> marks = of_rows(np.array([[0.5, np.nan], [0.5, 0.0], [0.5, np.nan], [0.5, -0.0]]))
        >>> [int(np.flatnonzero(marks == mark)[0]) for mark in marks]
        [0, 1, 0, 1]
    """
    bits = np.where(np.isnan(X), np.nan, np.asarray(X, dtype=np.float64) + 0.0).view(np.uint64)
    marks = np.zeros(len(X), dtype=np.uint64)
    for column in bits.T:
        marks = mixed(marks + column + _INCREMENT)
    return marks


def of_examples(rows: Marks, *columns: Array | Mask) -> Marks:
    """A number for each example: a row, of which ``rows`` (n,) has the number, and what else it is, each (n,)."""
    return mixed(rows + of_rows(np.column_stack(columns)))
