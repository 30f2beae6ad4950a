"""All columns at once: what the parameters do one by one, as arithmetic on whole rows.

Every column is a grid. Almost all are evenly spaced, entry k of column j being k / divisor[j] (divisor 1 for codes,
10**13 or so for a continuous Float), so snapping a pool is one rounding instead of one call per parameter; only
integers on a log scale are spaced unevenly, and their parameters do the arithmetic themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auger.space.parameter import Parameter
from auger.types import Array, Mask


class Grid:
    """The columns of a space. Rows (n, d) are latent: no NaN.

    Args:
        parameters: one per column.
        bottom, top: shape (d,), the first and last entry of each column that is in use, NaN for no limit.

    Attributes:
        bottom, top: shape (d,), the same without NaN.
    """

    def __init__(self, parameters: Sequence[Parameter], bottom: Array | None = None, top: Array | None = None) -> None:
        self._parameters = parameters
        is_ordered = np.array([parameter.is_ordered for parameter in parameters])
        last = np.array([parameter.n_steps or 0 for parameter in parameters], dtype=np.float64)
        end = np.array([_last_entry(parameter) for parameter in parameters])
        none = np.full(len(parameters), np.nan)
        bottom, top = none if bottom is None else bottom, none if top is None else top
        self.bottom = np.where(np.isnan(bottom), 0.0, bottom)
        self.top = np.where(np.isnan(top), end, top)
        self._is_limited = ~(np.isnan(bottom) & np.isnan(top))
        self._divisor = np.where(is_ordered, np.maximum(last, 1.0), 1.0)
        self._first, self._last = np.rint(self.bottom * self._divisor), np.rint(self.top * self._divisor)
        self._is_finite = np.array([parameter.n_values is not None for parameter in parameters])
        self._size = self._last - self._first + 1
        self._uneven = [(j, parameter) for j, parameter in enumerate(parameters) if parameter.n_steps is None]

    @property
    def is_limited(self) -> bool:
        """Whether any column has a limit."""
        return bool(self._is_limited.any())

    @property
    def can_move(self) -> Mask:
        """Shape (d,): whether a column has more than one entry in use."""
        return self.bottom < self.top

    def levels(self, j: int) -> Array | None:
        """The entries of column j that are in use, in order; None for a continuous range."""
        if self.bottom[j] == self.top[j]:
            return self.bottom[j : j + 1]
        if not self._is_finite[j]:
            return None
        return self._parameters[j].levels(self.bottom[j], self.top[j])

    def n_levels(self, j: int) -> int | None:
        """How many entries of column j are in use; None for a continuous range."""
        if self.bottom[j] == self.top[j]:
            return 1
        if not self._is_limited[j]:
            return self._parameters[j].n_values
        return self._parameters[j].n_between(self.bottom[j], self.top[j]) if self._is_finite[j] else None

    def snap(self, rows: Array) -> Array:
        """The nearest entries. Adding 0.0 turns -0.0, which has bits of its own, into 0.0."""
        X = np.rint(np.minimum(np.maximum(rows, self.bottom), self.top) * self._divisor) / self._divisor + 0.0
        for j, parameter in self._uneven:
            X[:, j] = self._inside(parameter.snap(rows[:, j]), j)
        return np.asarray(X)

    def quantile(self, u: Array) -> Array:
        """Uniform numbers in [0, 1) to entries, each of a finite column equally likely."""
        position = np.where(self._is_finite, np.floor(u * self._size), np.rint(u * (self._last - self._first)))
        X = (self._first + position) / self._divisor
        for j, parameter in self._uneven:
            if self._is_limited[j]:
                X[:, j] = self._inside(parameter.snap(self.bottom[j] + u[:, j] * (self.top[j] - self.bottom[j])), j)
            else:
                X[:, j] = parameter.quantile(u[:, j])
        return np.asarray(X)

    def neighbor(self, rows: Array, towards: Array) -> Array:
        """The next entries of ordered columns, up where ``towards`` is 1, down where -1, or back at the ends."""
        index = np.rint(rows * self._divisor)
        moved = index + towards
        X = np.where((moved < self._first) | (moved > self._last), index - towards, moved) / self._divisor
        for j, parameter in self._uneven:
            up, back = (parameter.neighbor(rows[:, j], sign * towards[:, j]) for sign in (1.0, -1.0))
            X[:, j] = np.where(up == self._inside(up, j), up, self._inside(back, j))
        return np.asarray(X)

    def other_choice(self, rows: Array, u: Array) -> Array:
        """One of the other codes of each choice, by uniform numbers; a single choice stays. Ordered columns: noise."""
        size = np.maximum(self._size, 1.0)
        step = np.where(size > 1, 1 + np.floor(u * (size - 1)), 0)
        return np.asarray((rows - self._first + step) % size + self._first)

    def _inside(self, column: Array, j: int) -> Array:
        return np.asarray(np.minimum(np.maximum(column, self.bottom[j]), self.top[j]))


def _last_entry(parameter: Parameter) -> float:
    """Where a column ends: at 1 or the last code; at 0 when it has only one entry."""
    if parameter.n_values == 1:
        return 0.0
    return 1.0 if parameter.is_ordered else float((parameter.n_values or 1) - 1)
