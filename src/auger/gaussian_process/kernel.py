"""Matern-5/2 with one lengthscale per parameter, choices and inactive parameters included, and two trends.

    V (n, p)   rows in Euclidean space, as `auger.space.Space.euclidean` views them; column c belongs to parameter j_c
    l (d,)     lengthscales, one per parameter
    r^2        squared distance: the sum over parameters of (difference / l_j)^2

A stationary process has to learn a bowl piece by piece. The trends fit it from a few dozen values, and leave the rest
to the process. The *quadratic* is a polynomial of degree 2 in all viewed columns together, which follows a bowl across
the axes; it has about p^2 / 2 coefficients. The *effects* are a sum of functions of one parameter each: a parabola
along an ordered one, a number for each value of a choice. They have some two coefficients per parameter. The parabolas
are expected to open the same way, as those of a bowl do, so that its bottom is found in many dimensions, too.
"""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array, Index

# One over the variance of a position that is uniform in [0, 1].
_SPREAD = 12.0

# The variance of 12 v^2 - 1 at such a position.
_ROUNDNESS = 0.8

# Shares of the variance of effects. A bowl whose bottom is anywhere has strong lines, and curves that agree, so that
# the bowl outweighs the curves by themselves; other shares of them came out level (19 functions, 4 seeds).
_CONSTANT, _VALUES, _LINES, _CURVES, _BOWL = 1.0, 2.0, 4.0, 1.0, 3.0

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


def effects(V: Array, positions: Index, n_parameters: int) -> tuple[Array, Array]:
    """Features f (m, q) of a random sum of effects, one for each parameter, and slopes g (m, 3 c).

    The effect of an ordered parameter is a parabola along its position, a line and a curve; that of a choice is a
    number for each value. The last feature is the *bowl*: all curves together, which so tend to agree.

    The covariance of viewed rows v and w is f(v).f(w), which is 1 on average where v = w. Along position j of c
    ``positions``, the slopes of the features j (line), c + j (curve) and -1 (bowl) are the entries j, c + j and 2 c + j
    of g.
    """
    P, others = V[:, positions], np.delete(V, positions, axis=1)
    ordered = len(positions) / n_parameters
    total = _CONSTANT + (1 - ordered) * _VALUES + ordered * (_LINES + _CURVES + _BOWL)
    constant, value, line, curve, bowl = np.sqrt(np.array([_CONSTANT, _VALUES, _LINES, _CURVES, _BOWL]) / total)
    rise, roundness = math.sqrt(_SPREAD / n_parameters), math.sqrt(1 / (_ROUNDNESS * n_parameters))
    curves, bends = roundness * (_SPREAD * P * P - 1.0), (2 * roundness * _SPREAD) * P
    values = (value * math.sqrt(2 / n_parameters)) * others  # a choice is seen as sqrt(1/2) in the column of its value
    level, whole_bowl = np.full((len(V), 1), constant), bowl * curves.sum(axis=1, keepdims=True)
    f = np.concatenate([(line * rise) * P, curve * curves, values, level, whole_bowl], axis=1)
    g = np.concatenate([np.full_like(P, line * rise), curve * bends, bowl * bends], axis=1)
    return f, g
