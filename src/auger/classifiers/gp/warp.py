"""From values to the targets of a Gaussian process: an increasing curve that a stationary model can follow.

u       (y - median) / interquartile range; above 0 log(1 + u), so that a few awful values do not set the scale
t       u standardized, then bent by a Yeo-Johnson power, the one that makes the targets most normal; standardized

docs/auto.md has what it gains.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from auger.types import Array

# In interquartile ranges from the median: a value farther above counts as if it were here ...
_HIGHEST = 1e3
# ... and farther below, what is beyond grows like a logarithm.
_LOW = 1e2

# Powers to choose from, those that bend least first; 1 bends nothing.
_POWERS = sorted(np.linspace(-1.0, 3.0, 17).tolist(), key=lambda power: (abs(power - 1.0), power))
# A power must be more likely than those before it by this much a value: rounding must not decide between equals.
_LEAST_GAIN = 1e-6


@dataclass(frozen=True)
class Warp:
    """An increasing map from values to targets, learned by `warp`: y (n,) -> (n,).

    Beyond 1,000 scales above the median it is flat, and beyond 100 below it is logarithmic before it is bent, with the
    same slope where they meet: any double has a finite target. NaN and +inf count as the highest value it was learned
    from, -inf as the lowest.

    Attributes:
        lowest, highest: of the values.
        median: of the values.
        scale: their interquartile range; where that is 0, their mean distance from the median, and 1 where all agree.
        mean, deviation: of the compressed values; the deviation is 1 where all agree.
        power: of Yeo and Johnson (2000).
        bent_mean, bent_deviation: of the bent values.
    """

    lowest: float = 0.0
    highest: float = 0.0
    median: float = 0.0
    scale: float = 1.0
    mean: float = 0.0
    deviation: float = 1.0
    power: float = 1.0
    bent_mean: float = 0.0
    bent_deviation: float = 1.0

    def __call__(self, y: Array) -> Array:
        finite = np.nan_to_num(y, nan=self.highest, posinf=self.highest, neginf=self.lowest)
        u = (_compressed(finite, self.median, self.scale) - self.mean) / self.deviation
        return (_bent(u, self.power) - self.bent_mean) / self.bent_deviation


def warp(y: Array, *, is_bent: bool = True) -> Warp:
    """Learn from the finite ones of values (n,). Those of a * y + b with a > 0 get the same targets.

    Where there is none, every finite value is its own target, and NaN and infinity have 0.
    Without ``is_bent`` the power is 1, which bends nothing.
    """
    y = y[np.isfinite(y)]
    if not len(y):
        return Warp()
    low, median, high = np.quantile(y / 4, [0.25, 0.5, 0.75])  # quarters, so that 1e308 - (-1e308) does not overflow
    spreads = (high - low, np.sum(np.abs(y / 4 - median) / len(y)))
    # a spread beneath the rounding of the median is none
    scale = next((4 * float(spread) for spread in spreads if spread > 1e-14 * abs(median)), None)
    curve = Warp(float(y.min()), float(y.max()), 4 * float(median))
    if scale is None:
        return curve
    u = _compressed(y, curve.median, scale)
    mean, deviation = float(u.mean()), float(u.std()) or 1.0
    u = (u - mean) / deviation
    power = _most_normal(u) if is_bent else 1.0
    t = _bent(u, power)
    return replace(
        curve,
        scale=scale,
        mean=mean,
        deviation=deviation,
        power=power,
        bent_mean=float(t.mean()),
        bent_deviation=float(t.std()) or 1.0,
    )


def _compressed(y: Array, median: float, scale: float) -> Array:
    with np.errstate(over="ignore"):
        u = np.clip((y / 4 - median / 4) / (scale / 4), -np.finfo(np.float64).max, _HIGHEST)
    beyond = -_LOW * (1.0 + np.log(np.maximum(-u / _LOW, 1.0)))
    return np.where(u > 0, np.log1p(np.maximum(u, 0.0)), np.where(u < -_LOW, beyond, u))


def _bent(u: Array, power: float) -> Array:
    """Yeo and Johnson's family: (1 + u)^power above 0, (1 - u)^(2 - power) below, made to meet at 0 with slope 1."""
    above, below = np.log1p(np.maximum(u, 0.0)), np.log1p(np.maximum(-u, 0.0))
    return _powered(above, power) - _powered(below, 2.0 - power)


def _powered(log: Array, power: float) -> Array:
    return np.asarray(np.expm1(power * log) / power) if power else log


def _most_normal(u: Array) -> float:
    """The power under which standardized values (n,) are most likely normal."""
    slope = float((np.sign(u) * np.log1p(np.abs(u))).mean())
    best, highest = 1.0, -np.inf
    for power in _POWERS:
        variance = float(_bent(u, power).var())
        likelihood = (power - 1.0) * slope - 0.5 * np.log(variance) if variance > 0.0 else -np.inf
        if likelihood > highest + _LEAST_GAIN:
            best, highest = power, likelihood
    return best
