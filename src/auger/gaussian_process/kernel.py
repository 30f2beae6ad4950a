"""Matern-5/2 with a lengthscale for each parameter, also where it is a choice or inactive, and a quadratic trend.

    X (n, d)   encoded rows, as in `auger.space`
    V (n, p)   viewed rows: what differences and products are taken of
    l (d,)     lengthscales
    r^2        squared distance: the sum over parameters of (difference / l_j)^2

The difference of two positions is what it says, with an inactive parameter in the middle, at 0.5. Two different choices
differ by 1, whichever they are, and inactive is one more choice.

The trend is a polynomial of degree 2 in all viewed columns together. A stationary process has to learn a bowl that lies
across the axes piece by piece; the trend knows it from a few dozen values, and leaves the rest to the process.
"""

from __future__ import annotations

import math

import numpy as np

from auger.space import Space
from auger.types import Array, Index

_MIDDLE = 0.5

# One over the variance of a position that may be anywhere.
_SPREAD = 12.0


def matern(square: Array) -> tuple[Array, Array]:
    """The correlation at squared distances r^2, and its slope g: along log l_j it is g * (difference_j / l_j)^2.

    (1 + s + s^2 / 3) * exp(-s) and 5/3 * (1 + s) * exp(-s), with s = sqrt(5) * r.
    """
    s = np.sqrt(5.0 * square)
    decay = np.exp(-s)
    s += 1.0
    s *= decay
    return s + (5.0 / 3.0) * square * decay, (5.0 / 3.0) * s


def view(X: Array, space: Space) -> Array:
    """Rows in ordinary space, (n, d) -> (n, p): the differences of the kernel are Euclidean distances there.

    A choice becomes a column for each of its values and, in a conditional space, one for inactive: exactly one of
    them is sqrt(1/2), so that two different choices are at distance 1.
    """
    wide = space.one_hot(X, inactive=_MIDDLE)
    is_position = space.is_ordered[space.one_hot_column]
    V = np.where(is_position, wide - _MIDDLE, wide * math.sqrt(0.5))
    if not space.is_conditional:
        return V
    return np.concatenate([V, np.isnan(X[:, ~space.is_ordered]) * math.sqrt(0.5)], axis=1)


def view_column(space: Space) -> Index:
    """For each column of `view`, the column of X it comes from, shape (p,)."""
    inactive = np.flatnonzero(~space.is_ordered & space.is_conditional)
    return np.concatenate([space.one_hot_column, inactive])


def squares(V: Array, column: Index, n_parameters: int) -> Array:
    """Squared differences of all pairs i > k of viewed rows (n, p), by parameter; shape (d, n * (n - 1) / 2).

    Pairs go column by column through the lower triangle: (1, 0), (2, 0), ..., (2, 1), (3, 1), ...
    """
    k, i = np.triu_indices(len(V), 1)
    out = np.zeros((n_parameters, len(i)))
    for p, j in enumerate(column.tolist()):
        difference = V[i, p] - V[k, p]
        out[j] += difference * difference
    return out


def trend(V: Array, W: Array) -> tuple[Array, Array]:
    """Covariance (m, n) of a random quadratic at viewed rows V (m, p) and W (n, p), and g: along v its slope is g * w.

    ((p + 12 v.w) / (2 p))^2, which is 1 on average where v = w.
    """
    return _squared(V @ W.T, V.shape[1])


def own_trend(V: Array) -> tuple[Array, Array]:
    """The diagonals of `trend` for V (n, p) and itself, each of shape (n,)."""
    return _squared((V * V).sum(axis=1), V.shape[1])


def _squared(product: Array, p: int) -> tuple[Array, Array]:
    root = (p + _SPREAD * product) / (2 * p)
    return root * root, (_SPREAD / p) * root
