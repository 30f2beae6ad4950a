"""Encoded rows as models see them that need numbers only, or distances.

A Categorical gives a view one column per choice. One with very many choices is *wide*: its columns are those of the
codes that occur in the rows a model learns from, and one more for all other codes. A model has learned nothing about
those others, so nothing is lost: for a tree, columns that never vary do not exist, and distances to the learned rows
are the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from auger.space.parameter import Parameter
from auger.types import Array, Index

#: A Categorical with more choices than this is wide. It is also the largest number of codes that have a column then.
WIDE = 1_000


class Views:
    """The views of rows X (n, d) of some parameters: see `Space.one_hot` and `Space.euclidean`.

    Args:
        parameters: one per column of X.
        is_conditional: whether any of them can be inactive.
        rows: shape (k, d), what a model learns from: the codes of wide choices that have a column of their own. None:
            all codes have one.

    Attributes:
        one_hot_column: for each column of `one_hot`, the column of X that it comes from.
        one_hot_code: the code that it stands for; NaN for a position, infinity for all codes without a column.
        positions: the columns of both views that are positions, one per ordered parameter.
        euclidean_column: for each column of `euclidean`, the column of X that it comes from.
        n_euclidean: how many columns `euclidean` has where every code has one.
    """

    def __init__(self, parameters: Sequence[Parameter], *, is_conditional: bool, rows: Array | None = None) -> None:
        self._is_ordered = np.array([parameter.is_ordered for parameter in parameters])
        self._is_conditional = is_conditional
        sizes = [1 if parameter.is_ordered else parameter.n_values or 0 for parameter in parameters]
        # column -> the codes that have a column of their own, ascending
        self._kept = {} if rows is None else {j: _frequent(rows[:, j]) for j in wide(parameters)}
        # one code per column of `one_hot`; NaN for a position
        codes = [
            [np.nan] if is_ordered else range(size) for is_ordered, size in zip(self._is_ordered, sizes, strict=True)
        ]
        own = list(codes)
        for j, kept in self._kept.items():
            codes[j], own[j] = range(len(kept) + 1), [*kept.tolist(), np.inf]
        self._code, self.one_hot_code = (_joined(each) for each in (codes, own))
        self.one_hot_column = np.repeat(np.arange(len(parameters)), list(map(len, codes)))
        self.positions = np.flatnonzero(self._is_ordered[self.one_hot_column])
        inactive = np.flatnonzero(~self._is_ordered & is_conditional)
        self.euclidean_column = np.concatenate([self.one_hot_column, inactive])
        self.n_euclidean = sum(sizes) + len(inactive)

    def one_hot(self, X: Array, inactive: float = 0.5) -> Array:
        """A 0/1 column per choice, positions elsewhere; see `Space.one_hot`."""
        # rows that hosts bring may lack a parameter that is active by the conditions: look at the rows themselves
        has_gaps = bool(np.isnan(X).any())
        if self._is_ordered.all() and not has_gaps:
            return X
        wide = (self._recoded(X) if self._kept else X)[:, self.one_hot_column]
        view = np.where(np.isnan(self._code), wide, wide == self._code)
        if has_gaps:
            view[np.isnan(view)] = inactive
        return np.asarray(view)

    def euclidean(self, X: Array) -> Array:
        """Rows whose distances are those of the configurations; see `Space.euclidean`."""
        wide = self.one_hot(X, inactive=0.5)
        V = np.where(self._is_ordered[self.one_hot_column], wide - 0.5, wide * math.sqrt(0.5))
        if not self._is_conditional:
            return V
        return np.concatenate([V, np.isnan(X[:, ~self._is_ordered]) * math.sqrt(0.5)], axis=1)

    def gradient(self, slope: Array, X: Array) -> Array:
        """The gradient with respect to X (m, d), from the one with respect to its one-hot view (m, p).

        0 where a column is a choice or inactive.
        """
        gradient = np.zeros(X.shape)
        gradient[:, self._is_ordered] = slope[:, self._is_ordered[self.one_hot_column]]
        gradient[np.isnan(X)] = 0.0
        return gradient

    def has_columns_of(self, other: Views) -> bool:
        """Whether each column of `one_hot` stands for the same as in the other views."""
        return np.array_equal(self.one_hot_column, other.one_hot_column) and np.array_equal(
            self.one_hot_code, other.one_hot_code, equal_nan=True
        )

    def _recoded(self, X: Array) -> Array:
        """X with new codes of wide choices: positions among those that have a column; NaN stays."""
        X = X.copy()
        for j, kept in self._kept.items():
            column = X[:, j]
            position = np.searchsorted(kept, column).astype(np.float64)
            is_kept = np.isin(column, kept)
            X[:, j] = np.where(np.isnan(column), np.nan, np.where(is_kept, position, len(kept)))
        return X


def wide(parameters: Sequence[Parameter]) -> list[int]:
    """The columns of wide choices."""
    return [
        j for j, parameter in enumerate(parameters) if not parameter.is_ordered and (parameter.n_values or 0) > WIDE
    ]


def _frequent(column: Array) -> Index:
    """Up to `WIDE` codes of a column, ascending: those that occur most often, of equals the ones that came last."""
    codes, first, counts = np.unique(column[~np.isnan(column)][::-1], return_index=True, return_counts=True)
    if len(codes) <= WIDE:
        return np.asarray(codes)
    return np.sort(codes[np.lexsort((first, -counts))[:WIDE]])


def _joined(codes: Sequence[Sequence[float] | range]) -> Array:
    return np.concatenate([np.asarray(code, dtype=np.float64) for code in codes])
