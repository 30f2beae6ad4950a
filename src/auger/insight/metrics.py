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


def log_loss(p: Array, z: Mask) -> float:
    """The mean of `log_losses`; NaN for none."""
    return float(log_losses(p, z).mean()) if len(p) else math.nan


def brier(p: Array, z: Mask) -> float:
    """The mean squared difference between forecast and outcome, 0 to 1; NaN for none."""
    return float(((p - z) ** 2).mean()) if len(p) else math.nan


def auc(p: Array, z: Mask) -> float:
    """How often a yes had a higher forecast than a no, ties counting half; NaN where there is but one of the two."""
    n_yes = int(np.count_nonzero(z))
    n_no = len(z) - n_yes
    if not n_yes or not n_no:
        return math.nan
    _, group, n_same = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(n_same) - (n_same - 1) / 2)[group.reshape(-1)]  # ties share the mean of their ranks
    return float((rank[z].sum() - n_yes * (n_yes + 1) / 2) / (n_yes * n_no))


def skill(p: Array, base: Array, z: Mask) -> float:
    """What share of the base rate's log loss the forecasts save: 0 is no better, 1 is perfect; NaN for none."""
    loss = log_loss(base, z)
    return 1.0 - log_loss(p, z) / loss if loss > 0 else math.nan


def skill_error(p: Array, base: Array, z: Mask) -> float:
    """The standard error of the skill, as of a ratio of means (delta method); NaN for fewer than two."""
    if len(p) < 2:
        return math.nan
    loss, base_loss = log_losses(p, z), log_losses(base, z)
    rest = base_loss - loss - skill(p, base, z) * base_loss  # mean 0
    return float(rest.std(ddof=1) / base_loss.mean() / math.sqrt(len(p)))


def wilson(n_yes: int, n: int, *, width: float = 1.96) -> tuple[float, float]:
    """Wilson's interval for the probability of yes, by default of 95 %; (0, 1) for no observation."""
    if n == 0:
        return 0.0, 1.0
    share, square = n_yes / n, width * width
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = width / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)
