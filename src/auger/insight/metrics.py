"""How good forecasts of yes and no were.

p (m,)     the forecast probability of yes
z (m,)     what happened
"""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array, Mask

# Forecasts closer to 0 or 1 count as if they were here: one that was certain, and wrong, would outweigh all others.
_EDGE = 1e-3


def clipped(p: Array) -> Array:
    """Probabilities kept off 0 and 1."""
    return np.clip(p, _EDGE, 1.0 - _EDGE)


def log_losses(p: Array, z: Mask) -> Array:
    """Minus the logarithm of the probability given to what happened, shape (m,)."""
    kept = clipped(p)
    return -np.log(np.where(z, kept, 1.0 - kept))


def auc(p: Array, z: Mask) -> float:
    """How often a yes had a higher forecast than a no, ties counting half; NaN where there is but one of the two."""
    n_yes = int(np.count_nonzero(z))
    n_no = len(z) - n_yes
    if not n_yes or not n_no:
        return math.nan
    _, group, n_same = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(n_same) - (n_same - 1) / 2)[group.reshape(-1)]  # ties share the mean of their ranks
    return float((rank[z].sum() - n_yes * (n_yes + 1) / 2) / (n_yes * n_no))
