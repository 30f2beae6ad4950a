"""Encoded rows as models see them that need numbers only, or distances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from auger.space.parameter import Parameter
from auger.types import Array


class Views:
    """The views of rows X (n, d) of some parameters: see `Space.one_hot` and `Space.euclidean`.

    Attributes:
        one_hot_column: for each column of `one_hot`, the column of X that it comes from.
        euclidean_column: the same for `euclidean`.
    """

    def __init__(self, parameters: Sequence[Parameter], *, is_conditional: bool) -> None:
        self._is_ordered = np.array([parameter.is_ordered for parameter in parameters])
        self._is_conditional = is_conditional
        # one code per column of `one_hot`; NaN for a position
        codes = [[np.nan] if parameter.is_ordered else range(parameter.n_values or 0) for parameter in parameters]
        self._code = np.concatenate([np.asarray(code, dtype=np.float64) for code in codes])
        self.one_hot_column = np.repeat(np.arange(len(parameters)), list(map(len, codes)))
        inactive = np.flatnonzero(~self._is_ordered & is_conditional)
        self.euclidean_column = np.concatenate([self.one_hot_column, inactive])

    def one_hot(self, X: Array, inactive: float) -> Array:
        """A 0/1 column per choice, positions elsewhere."""
        # rows that hosts bring may lack a parameter that is active by the conditions: look at the rows themselves
        has_gaps = bool(np.isnan(X).any())
        if self._is_ordered.all() and not has_gaps:
            return X
        wide = X[:, self.one_hot_column]
        view = np.where(np.isnan(self._code), wide, wide == self._code)
        if has_gaps:
            view[np.isnan(view)] = inactive
        return np.asarray(view)

    def euclidean(self, X: Array) -> Array:
        """Rows whose distances are those of the configurations."""
        wide = self.one_hot(X, inactive=0.5)
        V = np.where(self._is_ordered[self.one_hot_column], wide - 0.5, wide * math.sqrt(0.5))
        if not self._is_conditional:
            return V
        return np.concatenate([V, np.isnan(X[:, ~self._is_ordered]) * math.sqrt(0.5)], axis=1)
