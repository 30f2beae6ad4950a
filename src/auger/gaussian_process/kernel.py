"""Matern-5/2 with one lengthscale per parameter, choices and inactive parameters included, and two trends.

    V (n, p)   rows in Euclidean space, as `auger.space.Space.euclidean` views them; column c belongs to parameter j_c
    l (d,)     lengthscales, one per parameter
    r^2        squared distance: the sum over parameters of (difference / l_j)^2

A stationary process has to learn a bowl piece by piece. The trends fit it from a few dozen values, and leave the rest
to the process. The *quadratic* is a polynomial of degree 2 in all viewed columns together, which follows a bowl across
the axes; it has about p^2 / 2 coefficients. The *bowl* is a sum of parabolas, one along each ordered parameter: it has
two for each, so that it finds the bottom of a bowl along the axes in many dimensions, too.
"""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array, Index

# One over the variance of a position that is uniform in [0, 1].
_SPREAD = 12.0

# The variance of 12 v^2 - 1 at such a position.
_ROUNDNESS = 0.8

# A parameter with more viewed columns than this is a choice, and its columns are not subtracted one by one.
_MANY = 8


def matern(square: Array) -> tuple[Array, Array]:
    """The correlation at squared distances r^2, and its slope g: along log l_j it is g * (difference_j / l_j)^2.

    (1 + s + s^2 / 3) * exp(-s) and 5/3 * (1 + s) * exp(-s), with s = sqrt(5) * r.
    """
    s = np.sqrt(5.0 * square)
    decay = np.exp(-s)
    s += 1.0
    s *= decay
    decay *= square
    decay *= 5.0 / 3.0
    decay += s
    s *= 5.0 / 3.0
    return decay, s


def squares(V: Array, column: Index, n_parameters: int) -> Array:
    """Squared differences of all pairs i > k of viewed rows (n, p), by parameter; shape (d, n * (n - 1) / 2).

    Pairs go column by column through the lower triangle: (1, 0), (2, 0), ..., (2, 1), (3, 1), ...
    """
    k, i = np.triu_indices(len(V), 1)
    out = np.zeros((n_parameters, len(i)))
    is_one_of_many = np.bincount(column, minlength=n_parameters)[column] > _MANY
    for p in np.flatnonzero(~is_one_of_many).tolist():
        difference = V[i, p] - V[k, p]
        out[column[p]] += difference * difference
    for j in np.unique(column[is_one_of_many]).tolist():
        # all columns in one product. Of a choice one column per row is not 0, so the result is the same to the bit.
        product = V[:, column == j] @ V[:, column == j].T
        own = product.diagonal()
        out[j] = own[i] + own[k] - 2.0 * product[i, k]
    return out


def trend(V: Array, W: Array, p: int | None = None) -> tuple[Array, Array]:
    """Covariance (m, n) of a random quadratic at viewed rows V (m, p) and W (n, p), and g: along v its slope is g * w.

    ((p + 12 v.w) / (2 p))^2, which is 1 on average where v = w. Pass ``p`` where columns are left out that are 0 in all
    rows; see `auger.space.Views.n_euclidean`.
    """
    return _squared(V @ W.T, p or V.shape[1])


def own_trend(V: Array, p: int | None = None) -> tuple[Array, Array]:
    """The diagonals of `trend` for V (n, p) and itself, each of shape (n,)."""
    return _squared((V * V).sum(axis=1), p or V.shape[1])


def _squared(product: Array, p: int) -> tuple[Array, Array]:
    """(p + 12 product) / (2 p), squared, and its slope; both overwrite the product, which nobody else holds."""
    product *= _SPREAD / (2 * p)
    product += 0.5
    square = product * product
    product *= _SPREAD / p
    return square, product


def parabolas(V: Array) -> tuple[Array, Array]:
    """Features f (m, 2 c + 1) and slopes g (m, 2 c) of a random sum of parabolas, one along each column of V (m, c).

    The covariance of rows v and w is f(v).f(w), which is 1 on average where v = w. Along v_j the slopes of the features
    j and c + j are the same entries of g; the last feature is constant. V holds positions only: along a choice, which
    is 0 or not, a parabola says no more than a line, and the other trend has that.
    """
    c = max(V.shape[1], 1)
    line, curve = math.sqrt(_SPREAD / (3 * c)), 1.0 / math.sqrt(3 * _ROUNDNESS * c)
    constant = np.full((len(V), 1), math.sqrt(1 / 3))
    f = np.concatenate([line * V, curve * (_SPREAD * V * V - 1.0), constant], axis=1)
    g = np.concatenate([np.full_like(V, line), (2 * curve * _SPREAD) * V], axis=1)
    return f, g


def bowl(V: Array) -> Array:
    """The covariance (n, n) of a random sum of parabolas at rows V (n, c) of positions."""
    f, _ = parabolas(V)
    return np.asarray(f @ f.T)
