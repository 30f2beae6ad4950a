"""The logarithm of expected improvement, and its slopes, without underflow, however bad a row is.

EI = sigma * h(u) with u = (best - mean) / sigma and h(u) = phi(u) + u * Phi(u). Far below the incumbent h is smaller
than the smallest double, but its logarithm is an ordinary number, and a maximizer needs it there to find its way
(Ament et al. 2023, "Unexpected improvements to expected improvement", appendix A). With Mills' ratio

    R(u) = Phi(u) / phi(u) = sqrt(pi / 2) * erfcx(-u / sqrt(2)),     Q(u) = h(u) / phi(u) = 1 + u * R(u),

everything is a ratio of moderate numbers: log h = log phi + log Q, h'/h = Phi / h = R / Q, phi / h = 1 / Q.
"""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)

# Above this phi + u * Phi is computed as it stands, below through Q.
_NEAR = -1.0
# Below this 1 + u * R has lost too many digits to cancellation, and Q's series is exact to 1e-13.
_FAR = -100.0


def log_improvement(mean: Array, deviation: Array, best: float | Array) -> Array:
    """log E max(best - Y, 0) for Y ~ N(mean, deviation^2), shape (m,); deviations must be above 0.

    Arrays of other shapes are broadcast against each other.
    """
    from scipy.special import ndtr  # 0.1 s to import

    u = (best - mean) / deviation
    near, tail = np.maximum(u, _NEAR), np.minimum(u, _NEAR)
    log_near = np.log(np.exp(_log_phi(near)) + near * ndtr(near))
    log_tail = _log_phi(tail) + np.log(_ratios(tail)[1])
    return np.asarray(np.log(deviation) + np.where(u > _NEAR, log_near, log_tail))


def with_slopes(mean: Array, deviation: Array, best: float) -> tuple[Array, Array, Array]:
    """`log_improvement`, and how it changes with the mean and with the deviation, each of shape (m,)."""
    from scipy.special import ndtr  # 0.1 s to import

    u = (best - mean) / deviation
    near, tail, is_near = np.maximum(u, _NEAR), np.minimum(u, _NEAR), u > _NEAR
    phi, Phi = np.exp(_log_phi(near)), ndtr(near)
    h = phi + near * Phi
    R, Q = _ratios(tail)
    value = np.log(deviation) + np.where(is_near, np.log(h), _log_phi(tail) + np.log(Q))
    return value, -np.where(is_near, Phi / h, R / Q) / deviation, np.where(is_near, phi / h, 1 / Q) / deviation


def _log_phi(u: Array) -> Array:
    return -0.5 * u * u - _LOG_SQRT_2PI


def _ratios(u: Array) -> tuple[Array, Array]:
    """R(u) and Q(u) for u <= -1."""
    from scipy.special import erfcx  # 0.1 s to import

    R = math.sqrt(math.pi / 2) * erfcx(-u / math.sqrt(2))
    v = 1 / np.minimum(u, _FAR) ** 2
    series = v * (1 - v * (3 - v * (15 - v * 105)))
    return R, np.where(u < _FAR, series, 1 + u * R)
