"""Are values noisy, or is the function rough? Three Gaussian processes explain them, and the likelihood decides.

    noise        a smooth function and noise
    roughness    a function without noise, as rough as it likes
    ripples      the smooth function of the first, and ripples in place of its noise

There is noise where neither roughness nor ripples explain the values nearly as well as noise does. That takes
neighbours, or repeats, that disagree: a sparse sample of a rough function looks the same as noise, and counts as none.

y (n,)       targets, as `auger.gaussian_process.warp` makes them of values
distances    (d, n * (n - 1) / 2), as `auger.gaussian_process.kernel.squares` makes them of rows
theta        log lengthscales (d), log amplitude, log noise; the last two are variances
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from auger.gaussian_process.belief import Belief, around
from auger.gaussian_process.cholesky import cholesky
from auger.gaussian_process.kernel import matern
from auger.gaussian_process.likelihood import hyperparameters, log_likelihood, prior
from auger.types import Array

# Noise must explain the values better than the others by so many nats, which is 20 to 1.
_EVIDENCE = 3.0

# The prior of log noise, wide enough for deviations from 0.004 to 1 of the targets', and what counts as none.
_NOISE, _NOISE_WIDTH = -5.0, 3.0
_NO_NOISE = -16.0

# Where the search for it starts: the two ends may be different maxima.
_LITTLE, _MUCH = -9.0, -2.0

# The width of the prior of log lengthscales without noise: seven times shorter than usual is nothing special.
_ROUGH_WIDTH = 2.0

# Lengthscales of ripples are so many times shorter than those of the function. At 32 Rastrigin's are ripples, though
# Ackley's are noise in a few runs; at 64 too much noise counts as ripples.
_RIPPLES = 32.0
# Their variance, in units of that of the noise: at close quarters ripples look smaller than they are.
_HEIGHTS = (1.0, 1.6, 3.0)


def noise(distances: Array, y: Array) -> Array | None:
    """The theta of a process with noise that explains targets y (n,); None where there is no evidence of noise."""
    height, theta = _with_noise(distances, y)
    for start in _rough_starts(theta):
        if height - _climb(start, _without_noise(len(distances)), distances, y)[0] < _EVIDENCE:
            return None
    return None if _against_ripples(theta, distances, y) < _EVIDENCE else theta


def _belief(n_parameters: int, log_noise: float, noise_width: float, lengthscale_width: float | None = None) -> Belief:
    usual = prior(n_parameters, has_trend=False)
    center, width = usual.center, usual.width
    center[-1], width[-1] = log_noise, noise_width or 1.0
    if lengthscale_width is not None:
        width[:n_parameters] = lengthscale_width
    belief = around(center, width)
    belief.low[-1], belief.high[-1] = (_NO_NOISE, 0.5) if noise_width else (log_noise, log_noise)  # of targets' 1
    return belief


def _without_noise(n_parameters: int) -> Belief:
    return _belief(n_parameters, _NO_NOISE, 0.0, _ROUGH_WIDTH)


def _with_noise(distances: Array, y: Array) -> tuple[float, Array]:
    belief = _belief(len(distances), _NOISE, _NOISE_WIDTH)
    starts = [np.append(belief.center[:-1], log_noise) for log_noise in (_LITTLE, _MUCH)]
    return max(
        (_climb(start, belief, distances, y) for start in starts), key=lambda height_and_theta: height_and_theta[0]
    )


def _rough_starts(theta: Array) -> Iterator[Array]:
    """Where to look for a rough function: as smooth as usual, rougher than theta, and rougher than usual."""
    center = _without_noise(len(theta) - 2).center
    shorter = np.append(np.ones(len(theta) - 2), [0.0, 0.0])
    yield center
    yield np.append(theta[:-1], _NO_NOISE) - shorter
    yield center - 1.5 * shorter


def _climb(start: Array, belief: Belief, distances: Array, y: Array) -> tuple[float, Array]:
    return belief.climb(lambda theta: log_likelihood(theta, distances, y), start)


def _against_ripples(theta: Array, distances: Array, y: Array) -> float:
    """By how many nats noise explains the targets better than ripples in its place."""
    lengthscale, amplitude, variance, *_ = hyperparameters(theta, len(distances))
    square = lengthscale**-2.0 @ distances
    function, ripples = amplitude * matern(square)[0], matern(_RIPPLES**2 * square)[0]
    as_noise = _log_density(function, amplitude + variance, y)
    as_ripples = [
        _log_density(
            function + height * variance * ripples, amplitude + height * variance + float(np.exp(_NO_NOISE)), y
        )
        for height in _HEIGHTS
    ]
    return as_noise - max(as_ripples)


def _log_density(pairs: Array, diagonal: float, y: Array) -> float:
    """log N(y; 0, K), up to a constant, with the pairs of `squares` and this diagonal in K."""
    from scipy.linalg import solve_triangular  # 0.1 s to import

    K = np.zeros((len(y), len(y)), order="F")
    k, i = np.triu_indices(len(y), 1)
    K[i, k] = pairs
    np.fill_diagonal(K, diagonal)
    L = cholesky(K)
    z = solve_triangular(L, y, lower=True)
    return -0.5 * float(z @ z) - float(np.log(L.diagonal()).sum())
