"""From values to the targets of a Gaussian process: an increasing curve that a stationary model can follow.

What matters lies below the median and is left as it is; above it, differences are compressed, so that a few awful
values do not set the scale. Without this the process was 0.44 decades worse on our problems.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from auger.types import Array

# In interquartile ranges from the median: a value farther above counts as if it were here ...
_HIGHEST = 1e3
# ... and farther below, what is beyond grows like a logarithm.
_LOW = 1e2


@dataclass(frozen=True)
class Warp:
    """An increasing map from values to targets, learned by `warp`: y (n,) -> (n,).

    u = (y - median) / scale, then log(1 + u) above 0, then standardized. Beyond 1,000 scales above the median it is
    flat, and beyond 100 below it is logarithmic, with the same slope where they meet: any double has a finite target.
    NaN and +inf count as the highest value it was learned from, -inf as the lowest.

    Attributes:
        lowest, highest: of the values.
        median: of the values.
        scale: their interquartile range; where that is 0, their mean distance from the median, and 1 where all agree.
        mean: of the compressed values.
        deviation: their standard deviation, or 1 where all agree.
    """

    lowest: float = 0.0
    highest: float = 0.0
    median: float = 0.0
    scale: float = 1.0
    mean: float = 0.0
    deviation: float = 1.0

    def __call__(self, y: Array) -> Array:
        finite = np.nan_to_num(y, nan=self.highest, posinf=self.highest, neginf=self.lowest)
        return (_compressed(finite, self.median, self.scale) - self.mean) / self.deviation


def warp(y: Array) -> Warp:
    """Learn from the finite ones of values (n,). Those of a * y + b with a > 0 get the same targets.

    Where there is none, every finite value is its own target, and NaN and infinity have 0.
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
    return replace(curve, scale=scale, mean=float(u.mean()), deviation=float(u.std()) or 1.0)


def _compressed(y: Array, median: float, scale: float) -> Array:
    with np.errstate(over="ignore"):
        u = np.clip((y / 4 - median / 4) / (scale / 4), -np.finfo(np.float64).max, _HIGHEST)
    beyond = -_LOW * (1.0 + np.log(np.maximum(-u / _LOW, 1.0)))
    return np.where(u > 0, np.log1p(np.maximum(u, 0.0)), np.where(u < -_LOW, beyond, u))
