"""The exact relative density ratio of two known densities, with which estimates are compared."""

from __future__ import annotations

import numpy as np

from auger.types import Array


def relative_ratio(log_l: Array, log_g: Array, gamma: float) -> Array:
    """r_gamma = l / (gamma l + (1 - gamma) g), from the logarithms of l and g, each (m,). With gamma = 0 it is l / g.

    Example:
        >>> relative_ratio(np.log([0.5, 0.5]), np.log([0.5, 0.25]), gamma=0.0).round(12).tolist()
        [1.0, 2.0]
    """
    return np.asarray(1 / (gamma + (1 - gamma) * np.exp(log_g - log_l)), dtype=np.float64)


def log_normal(x: Array, mean: float, std: float) -> Array:
    """The logarithm of the density N(mean, std^2) at x, shape (m,)."""
    return np.asarray(-0.5 * ((x - mean) / std) ** 2 - np.log(std * np.sqrt(2 * np.pi)), dtype=np.float64)
