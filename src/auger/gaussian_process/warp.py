"""From values to the targets of a Gaussian process: an increasing curve that a stationary model can follow.

u       (y - median) / interquartile range; above 0 log(1 + u), so that a few very high values do not set the scale
t       u standardized, then bent by a Yeo-Johnson power, the one that makes the targets most normal; standardized

docs/auto.md has what it gains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from auger.types import Array

# In interquartile ranges from the median: a higher value counts as this ...
_HIGHEST = 1e3
# ... and below minus this, the distance counts as a logarithm.
_LOW = 1e2

_LARGEST = float(np.finfo(np.float64).max)

# Powers to choose from, the mildest first; 1 bends nothing.
_POWERS = np.array(sorted(np.linspace(-1.0, 3.0, 17).tolist(), key=lambda power: (abs(power - 1.0), power)))[
    :, np.newaxis
]
# A power must be more likely than those before it by this much per value: rounding must not decide between equals.
_LEAST_GAIN = 1e-6
# At most so many values determine the curve; of more, those evenly spaced by rank.
_MOST = 2048


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

    def inverse(self, t: Array) -> Array:
        """The values that have these targets, (n,) -> (n,).

        A target beyond those of all doubles counts as the nearest of them; the flat end has the value where it begins.
        """
        with np.errstate(over="ignore", divide="ignore"):
            u = _uncompressed(_unbent(self._bent_values(t), self.power) * self.deviation + self.mean)
            y = 4 * (self.median / 4 + self.scale / 4 * u)  # quarters, as in `_compressed`
        return np.clip(y, -_LARGEST, _LARGEST)

    def inverse_slope(self, t: Array) -> Array:
        """By how much values change as targets change by 1, at targets t (n,), which count as in `inverse`."""
        bent = self._bent_values(t)
        with np.errstate(over="ignore", divide="ignore"):
            c = _unbent(bent, self.power) * self.deviation + self.mean
            slope = _uncompressed_slope(c) * self.deviation * _unbent_slope(bent, self.power) * self.bent_deviation
            return np.minimum(slope * self.scale, _LARGEST)

    def _bent_values(self, t: Array) -> Array:
        """Undo the last standardization, after moving targets beyond those of all doubles to the ends."""
        return np.clip(t, *self(np.array([-_LARGEST, _LARGEST]))) * self.bent_deviation + self.bent_mean


def warp(y: Array, *, is_bent: bool = True) -> Warp:
    """Learn a warp from the finite values among y (n,). The values a * y + b with a > 0 get the same targets.

    At most 2,048 values determine the curve: of more, the lowest, the highest, and those evenly spaced between by rank.

    Without finite values, every finite value is its own target, and NaN and infinity have the target 0.
    Without ``is_bent`` the power is 1, which bends nothing.
    """
    return _learned(y.tobytes(), is_bent)


@lru_cache(maxsize=64)
def _learned(values: bytes, is_bent: bool) -> Warp:
    """Kept for the last few: a process asks for the warp of the same first answers again and again."""
    y = np.frombuffer(values)
    y = y[np.isfinite(y)]
    if not len(y):
        return Warp()
    lowest, highest = float(y.min()), float(y.max())
    if len(y) > _MOST:
        y = np.sort(y)[np.linspace(0, len(y) - 1, _MOST).round().astype(np.intp)]
    low, median, high = np.quantile(y / 4, [0.25, 0.5, 0.75])  # quarters, so that 1e308 - (-1e308) does not overflow
    spreads = (high - low, np.sum(np.abs(y / 4 - median) / len(y)))
    # a spread below the rounding of the median counts as 0
    scale = next((min(4 * float(spread), _LARGEST) for spread in spreads if spread > 1e-14 * abs(median)), None)
    curve = Warp(lowest, highest, 4 * float(median))
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
        u = np.clip((y / 4 - median / 4) / (scale / 4), -_LARGEST, _HIGHEST)
    beyond = -_LOW * (1.0 + np.log(np.maximum(-u / _LOW, 1.0)))
    return np.where(u > 0, np.log1p(np.maximum(u, 0.0)), np.where(u < -_LOW, beyond, u))


def _uncompressed(c: Array) -> Array:
    """Back from `_compressed`, in scales from the median."""
    beyond = -_LOW * np.exp(np.maximum(-c / _LOW, 1.0) - 1.0)
    return np.where(c > 0, np.expm1(np.maximum(c, 0.0)), np.where(c < -_LOW, beyond, c))


def _uncompressed_slope(c: Array) -> Array:
    return np.asarray(np.exp(np.maximum(c, 0.0)) * np.exp(np.maximum(-c / _LOW, 1.0) - 1.0))


def _bent(u: Array, power: float) -> Array:
    """Yeo and Johnson's family: (1 + u)^power above 0, (1 - u)^(2 - power) below, made to meet at 0 with slope 1."""
    above, below = np.log1p(np.maximum(u, 0.0)), np.log1p(np.maximum(-u, 0.0))
    return _powered(above, power) - _powered(below, 2.0 - power)


def _powered(log: Array, power: float) -> Array:
    return np.asarray(np.expm1(power * log) / power) if power else log


def _unbent(t: Array, power: float) -> Array:
    """Back from `_bent`."""
    above, below = _unbent_logs(t, power)
    return np.asarray(np.expm1(above) - np.expm1(below))


def _unbent_slope(t: Array, power: float) -> Array:
    above, below = _unbent_logs(t, power)
    return np.asarray(np.exp((1.0 - power) * (above - below)))


def _unbent_logs(t: Array, power: float) -> tuple[Array, Array]:
    """log(1 + u) above 0, and log(1 - u) below."""
    return _unpowered(np.maximum(t, 0.0), power), _unpowered(np.maximum(-t, 0.0), 2.0 - power)


def _unpowered(powered: Array, power: float) -> Array:
    return np.asarray(np.log1p(np.maximum(power * powered, -1.0)) / power) if power else powered


def _most_normal(u: Array) -> float:
    """The power under which standardized values (n,) are most likely normal."""
    sign, log = np.sign(u), np.log1p(np.abs(u))
    own = np.where(u > 0.0, _POWERS, 2.0 - _POWERS)  # (powers, n): what `_bent` raises each value to
    bent = np.where(own == 0.0, log, np.expm1(own * log) / np.where(own == 0.0, 1.0, own))
    variances = (sign * bent).var(axis=1)
    slope = float((sign * log).mean())
    best, highest = 1.0, -np.inf
    for power, variance in zip(_POWERS.ravel().tolist(), variances.tolist(), strict=True):
        likelihood = (power - 1.0) * slope - 0.5 * math.log(variance) if variance > 0.0 else -math.inf
        if likelihood > highest + _LEAST_GAIN:
            best, highest = power, likelihood
    return best
