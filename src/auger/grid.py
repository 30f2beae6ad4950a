"""All columns at once: what the parameters do one by one, as arithmetic on whole rows.

Every column is a grid. Almost all are evenly spaced, entry k of column j being k / divisor[j] (divisor 1 for codes,
10**13 or so for a continuous Float), so snapping a pool is one rounding instead of one call a parameter; only
logarithmic integers are spaced otherwise and are asked themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auger.parameters import Parameter
from auger.types import Array


class Grid:
    """The columns of a space. Rows (n, d) are latent: no NaN."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        last = np.array([kind.n_steps or 0 for kind in parameters], dtype=np.float64)
        is_ordered = np.array([kind.is_ordered for kind in parameters])
        self._last = last
        self._divisor = np.where(is_ordered, np.maximum(last, 1.0), 1.0)
        self._top = np.where(is_ordered, np.minimum(last, 1.0), last)
        self._size = np.array([kind.n_values or 0 for kind in parameters], dtype=np.float64)
        self._is_finite = self._size > 0
        self._uneven = [(j, kind) for j, kind in enumerate(parameters) if kind.n_steps is None]

    def snap(self, rows: Array) -> Array:
        """The nearest entries. Adding 0.0 turns -0.0, which has bits of its own, into 0.0."""
        X = np.rint(np.minimum(np.maximum(rows, 0.0), self._top) * self._divisor) / self._divisor + 0.0
        for j, kind in self._uneven:
            X[:, j] = kind.snap(rows[:, j])
        return np.asarray(X)

    def quantile(self, u: Array) -> Array:
        """Uniform numbers in [0, 1) to entries, each of a finite column equally likely."""
        X = np.where(self._is_finite, np.floor(u * self._size), np.rint(u * self._divisor)) / self._divisor
        for j, kind in self._uneven:
            X[:, j] = kind.quantile(u[:, j])
        return np.asarray(X)

    def neighbor(self, rows: Array, towards: Array) -> Array:
        """The next entries of ordered columns, up where ``towards`` is 1, down where -1, turned back at the ends."""
        index = np.rint(rows * self._divisor)
        moved = index + towards
        X = np.where((moved < 0) | (moved > self._last), index - towards, moved) / self._divisor
        for j, kind in self._uneven:
            X[:, j] = kind.neighbor(rows[:, j], towards[:, j])
        return np.asarray(X)

    def other_choice(self, rows: Array, u: Array) -> Array:
        """One of the other codes of each choice, by uniform numbers; a single choice stays. Ordered columns: noise."""
        size = np.maximum(self._size, 1.0)
        return np.asarray((rows + np.where(size > 1, 1 + np.floor(u * (size - 1)), 0)) % size)
