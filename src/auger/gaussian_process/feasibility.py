"""The logarithm of the probability that a constraint is satisfied, and its slopes, without underflow."""

from __future__ import annotations

import numpy as np

from auger.types import Array

_LOG_SQRT_2PI = 0.5 * float(np.log(2 * np.pi))


def log_feasibility(mean: Array, deviation: Array, limit: float) -> Array:
    """log P(C <= limit) for C ~ N(mean, deviation^2), shape (m,); deviations must be above 0.

    Example:
        >>> np.exp(log_feasibility(np.array([0.0, 1.0]), np.array([1.0, 1.0]), 0.0)).round(3).tolist()
        [0.5, 0.159]
    """
    from scipy.special import log_ndtr  # 0.1 s to import

    return np.asarray(log_ndtr((limit - mean) / deviation))


def with_slopes(mean: Array, deviation: Array, limit: float) -> tuple[Array, Array, Array]:
    """`log_feasibility`, and how it changes with the mean and with the deviation, each of shape (m,)."""
    from scipy.special import log_ndtr  # 0.1 s to import

    u = (limit - mean) / deviation
    value = np.asarray(log_ndtr(u))
    ratio = np.exp(-0.5 * u * u - _LOG_SQRT_2PI - value) / deviation  # phi / Phi: about -u far below the limit
    return value, -ratio, -ratio * u
