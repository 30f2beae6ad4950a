"""How probable lengthscales, amplitude and noise are, given targets: the marginal likelihood and a prior.

y (n,)       targets ~ N(0, K),  K = amplitude * correlation(rows) + noise * identity
theta        log lengthscales (d), log amplitude, log noise; the last two are variances
prior        theta_i ~ N(center_i, width_i^2), independent
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from auger.classifiers.gp.cholesky import cholesky
from auger.classifiers.gp.kernel import matern, squares
from auger.types import Array, Index

# The prior: log l ~ N(log 0.5 + log(d) / 2, 0.8), because distances grow with the root of the number of parameters;
# log amplitude ~ N(0, 1), because targets have variance 1; log noise ~ N(-9, 2).
_LENGTHSCALE, _LENGTHSCALE_WIDTH = 0.5, 0.8
_AMPLITUDE, _AMPLITUDE_WIDTH = 0.0, 1.0
_NOISE, _NOISE_WIDTH = -9.0, 2.0

# Nothing is looked for farther from the center of the prior than this many widths. It keeps the noise above 4e-8 and
# the amplitude below 55, so that K is well enough conditioned to be factored.
_WIDTHS = 4.0

# Steps of L-BFGS, and the relative gain that is too small for another: 20 to 40 evaluations as a rule. One start is
# enough: of 72 fits in runs of 80 trials, it missed the best of twelve starts by more than half a nat in 10, but runs
# with two or three starts came out no better (7 problems, 12 seeds, 60 evaluations).
_N_STEPS = 60
_LEAST_GAIN = 1e-5


class Hyperparameters(NamedTuple):
    """What the data decide about a Gaussian process.

    Attributes:
        lengthscale: shape (d,).
        amplitude: variance of the function.
        noise: variance of the noise.
    """

    lengthscale: Array
    amplitude: float
    noise: float


def estimate(V: Array, y: Array, column: Index, n_parameters: int) -> Hyperparameters:
    """The most probable hyperparameters for targets y (n,) at viewed rows V (n, p), found by L-BFGS.

    A pure function of its arguments: it starts from the center of the prior, never from an earlier result. The last
    few results are kept, and asking for one of them again costs nothing.
    """
    return _estimate(V.tobytes(), y.tobytes(), column.tobytes(), n_parameters)


@lru_cache(maxsize=16)
def _estimate(rows: bytes, targets: bytes, columns: bytes, n_parameters: int) -> Hyperparameters:
    from scipy.optimize import minimize  # noqa: PLC0415  (0.4 s to import)

    y, column = np.frombuffer(targets), np.frombuffer(columns, dtype=np.intp)
    distances = squares(np.frombuffer(rows).reshape(len(y), -1), column, n_parameters)
    center, width = prior(n_parameters)
    found = minimize(
        lambda theta: _negated(log_posterior(theta, distances, y)),
        center,
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(center - _WIDTHS * width, center + _WIDTHS * width, strict=True)),
        options={"maxiter": _N_STEPS, "ftol": _LEAST_GAIN},
    )
    return hyperparameters(found.x)


def _negated(both: tuple[float, Array]) -> tuple[float, Array]:
    return -both[0], -both[1]


def hyperparameters(theta: Array) -> Hyperparameters:
    """Undo the logarithms."""
    lengthscale = np.exp(theta[:-2])
    lengthscale.flags.writeable = False  # shared by everyone who asks for this estimate
    return Hyperparameters(lengthscale, math.exp(theta[-2]), math.exp(theta[-1]))


def prior(n_parameters: int) -> tuple[Array, Array]:
    """Center and width of theta, each of shape (d + 2,)."""
    lengthscale = math.log(_LENGTHSCALE) + 0.5 * math.log(n_parameters)
    center = [*[lengthscale] * n_parameters, _AMPLITUDE, _NOISE]
    width = [*[_LENGTHSCALE_WIDTH] * n_parameters, _AMPLITUDE_WIDTH, _NOISE_WIDTH]
    return np.array(center), np.array(width)


def log_posterior(theta: Array, distances: Array, y: Array) -> tuple[float, Array]:
    """The logarithm of prior times likelihood, up to a constant, and its gradient (d + 2,)."""
    center, width = prior(len(theta) - 2)
    standard = (theta - center) / width
    value, gradient = log_likelihood(theta, distances, y)
    return value - 0.5 * float(standard @ standard), gradient - standard / width


def log_likelihood(theta: Array, distances: Array, y: Array) -> tuple[float, Array]:
    """log N(y; 0, K), and its gradient (d + 2,), from the `squares` of all pairs.

    With W = a a^T - K^-1 and a = K^-1 y, a derivative is trace(W dK) / 2 (Rasmussen and Williams, eq. 5.9).
    """
    from scipy.linalg.lapack import dpotri, dpotrs  # noqa: PLC0415  (0.1 s to import)

    n, (lengthscale, amplitude, noise) = len(y), hyperparameters(theta)
    weight = lengthscale**-2.0
    correlation, slope = matern(weight @ distances)
    lower = _lower(n)
    flat = np.zeros(n * n)
    flat[lower] = amplitude * correlation
    flat[:: n + 1] = amplitude + noise
    L = cholesky(flat.reshape(n, n).T)  # Fortran's order, which LAPACK works on in place
    a = dpotrs(L, y, lower=1)[0]
    value = -0.5 * float(y @ a) - float(np.log(L.diagonal()).sum()) - 0.5 * n * math.log(2 * math.pi)
    inverse = dpotri(L, lower=1, overwrite_c=1)[0]
    W = np.outer(a, a) - inverse.T  # the transpose is in the order of `flat`; its other triangle is never looked at
    trace = float(np.trace(W))
    # trace(W K) = y a - n, so trace(W (K - noise)) needs no product of matrices; off the diagonal, pairs count twice
    gradient = np.empty(len(theta))
    gradient[:-2] = amplitude * weight * (distances @ (W.reshape(-1)[lower] * slope))
    gradient[-2] = 0.5 * (float(y @ a) - n - noise * trace)
    gradient[-1] = 0.5 * noise * trace
    return value, gradient


@lru_cache(maxsize=8)
def _lower(n: int) -> Index:
    """Where the pairs of `squares` lie in the lower triangle of an (n, n) matrix, column by column."""
    k, i = np.triu_indices(n, 1)
    return np.asarray(k * n + i)
