"""How probable lengthscales, amplitude, noise and trend are, given targets: the marginal likelihood and a prior.

y (n,)       targets ~ N(0, K),  K = amplitude * correlation(rows) + noise * identity
                                  + trend * quadratic(rows) + effects * sums of effects(rows)
theta        log lengthscales (d), log amplitude, log noise, log trend, log effects; the last four are variances
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from auger.gaussian_process.belief import Belief, around
from auger.gaussian_process.cholesky import cholesky
from auger.gaussian_process.kernel import effects, matern, squares, trend
from auger.types import Array, Index

# The prior: log l ~ N(log 0.5 + log(d) / 2, 0.8), because distances grow with the root of the number of parameters;
# log amplitude ~ N(0, 1), because targets have variance 1; log noise ~ N(-9, 2); log trend and log effects ~ N(-2, 2).
# Four widths keep the noise above 4e-8 and the amplitude below 55, so that K is well enough conditioned to be factored.
_LENGTHSCALE, _LENGTHSCALE_WIDTH = 0.5, 0.8
_AMPLITUDE, _AMPLITUDE_WIDTH = 0.0, 1.0
_NOISE, _NOISE_WIDTH = -9.0, 2.0
_TREND, _TREND_WIDTH = -2.0, 2.0


class Hyperparameters(NamedTuple):
    """What a Gaussian process learns from the data, beside its values.

    Attributes:
        lengthscale: shape (d,).
        amplitude: variance of the function.
        noise: variance of the noise.
        trend: variance of the quadratic part.
        effects: variance of the sum of the effects of single parameters.
    """

    lengthscale: Array
    amplitude: float
    noise: float
    trend: float = 0.0
    effects: float = 0.0


def estimate(
    V: Array,
    y: Array,
    column: Index,
    n_parameters: int,
    *,
    has_trend: bool = True,
    p: int | None = None,
    positions: Index | None = None,
    start: Hyperparameters | None = None,
) -> Hyperparameters:
    """The most probable hyperparameters for targets y (n,) at viewed rows V (n, p), found by L-BFGS.

    The search starts from the center of the prior, or from ``start``: from the estimate for two thirds of the rows it
    takes about half as many steps. A pure function of its arguments. The last few results are kept, and asking for one
    of them again costs nothing. Pass ``p`` where V has no columns of zeros, and the columns that are ``positions``
    where others are not.
    """
    places = np.arange(V.shape[1]) if positions is None else positions
    first = b"" if start is None else np.log([*start.lengthscale, *start[1 : 3 + 2 * has_trend]]).tobytes()
    data = V.tobytes(), y.tobytes(), column.tobytes(), places.tobytes()
    return _estimate(*data, n_parameters, has_trend, p or V.shape[1], first)


@lru_cache(maxsize=64)
def _estimate(
    rows: bytes,
    targets: bytes,
    columns: bytes,
    places: bytes,
    n_parameters: int,
    has_trend: bool,
    p: int,
    start: bytes,
) -> Hyperparameters:
    y, column = np.frombuffer(targets), np.frombuffer(columns, dtype=np.intp)
    V = np.frombuffer(rows).reshape(len(y), -1)
    distances: Array = squares(V, column, n_parameters)
    trends: tuple[Array, ...] = ()
    if has_trend:
        trends = trends_of(V, np.frombuffer(places, dtype=np.intp), n_parameters, p)
    belief = prior(n_parameters, has_trend=has_trend)
    # One start is enough: of 72 fits in runs of 80 trials, it missed the best of twelve starts by more than half a nat
    # in 10, but runs with two or three starts came out no better (7 problems, 12 seeds, 60 evaluations).
    first = np.frombuffer(start) if start else belief.center
    _, theta = belief.climb(lambda theta: log_likelihood(theta, distances, y, trends), first)
    return hyperparameters(theta, n_parameters)


def hyperparameters(theta: Array, n_parameters: int) -> Hyperparameters:
    """Undo the logarithms. A theta (d + 2,) that ends with the noise has no trends."""
    lengthscale = np.exp(theta[:n_parameters])
    lengthscale.flags.writeable = False  # shared by all calls that return this estimate
    return Hyperparameters(lengthscale, *map(math.exp, theta[n_parameters:]))


def prior(n_parameters: int, *, has_trend: bool = True) -> Belief:
    """The prior of theta (d + 4,), or (d + 2,) without trends."""
    lengthscale = math.log(_LENGTHSCALE) + 0.5 * math.log(n_parameters)
    center = [*[lengthscale] * n_parameters, _AMPLITUDE, _NOISE]
    width = [*[_LENGTHSCALE_WIDTH] * n_parameters, _AMPLITUDE_WIDTH, _NOISE_WIDTH]
    if has_trend:
        center, width = [*center, _TREND, _TREND], [*width, _TREND_WIDTH, _TREND_WIDTH]
    return around(np.array(center), np.array(width))


def trends_of(V: Array, positions: Index, n_parameters: int, p: int | None = None) -> tuple[Array, Array]:
    """The covariances (n, n) of both trends at viewed rows V (n, c), for `log_likelihood`."""
    f, _ = effects(V, positions, n_parameters)
    return trend(V, V, p)[0], f @ f.T


def log_likelihood(theta: Array, distances: Array, y: Array, trends: Sequence[Array] = ()) -> tuple[float, Array]:
    """log N(y; 0, K), and its gradient (like theta), from the `squares` of all pairs and the `trends_of` all rows.

    Without trends, theta (d + 2,) ends with the noise. With W = a a^T - K^-1 and a = K^-1 y, a derivative is
    trace(W dK) / 2 (Rasmussen and Williams, eq. 5.9).
    """
    from scipy.linalg.lapack import dpotri, dpotrs  # 0.1 s to import

    n, d = len(y), len(distances)
    lengthscale, amplitude, noise, *heights = hyperparameters(theta, d)[: 3 + len(trends)]
    weight = lengthscale**-2.0
    correlation, slope = matern(weight @ distances)
    lower = _lower(n)
    flat = np.zeros(n * n)
    flat[lower] = amplitude * correlation
    flat[:: n + 1] = amplitude + noise
    for height, covariance in zip(heights, trends, strict=True):
        flat += height * covariance.reshape(-1)
    L = cholesky(flat.reshape(n, n).T)  # Fortran's order, which LAPACK works on in place
    a = dpotrs(L, y, lower=1)[0]
    value = -0.5 * float(y @ a) - float(np.log(L.diagonal()).sum()) - 0.5 * n * math.log(2 * math.pi)
    inverse = dpotri(L, lower=1, overwrite_c=1)[0]
    W = np.outer(a, a) - inverse.T  # the transpose is in the order of `flat`; its other triangle is never read
    pairs, trace = W.reshape(-1)[lower], float(np.trace(W))
    gradient = np.empty(len(theta))
    gradient[:d] = amplitude * weight * (distances @ (pairs * slope))
    gradient[d + 1] = 0.5 * noise * trace
    for i, (height, covariance) in enumerate(zip(heights, trends, strict=True)):  # off the diagonal, pairs count twice
        own = float(W.diagonal() @ covariance.diagonal())
        gradient[d + 2 + i] = height * (float(pairs @ covariance.reshape(-1)[lower]) + 0.5 * own)
    # trace(W K) = y a - n, so what is left for the amplitude needs no product of matrices
    gradient[d] = 0.5 * (float(y @ a) - n) - float(gradient[d + 1 :].sum())
    return value, gradient


@lru_cache(maxsize=8)
def _lower(n: int) -> Index:
    """Where the pairs of `squares` lie in the lower triangle of an (n, n) matrix, column by column."""
    k, i = np.triu_indices(n, 1)
    return np.asarray(k * n + i)
