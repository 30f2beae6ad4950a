"""Follow the gradient of a score uphill from a row, with L-BFGS."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auger.classifiers.interface import Score
from auger.space import Space
from auger.types import Array

# A climb ends where a step gains less than this, relative to the score where that is above 1; SciPy's own default.
LEAST_GAIN = 2.2e-9


def climb(
    score: Score, starts: Array, space: Space, reach: tuple[Array, Array], *, least_gain: float = LEAST_GAIN
) -> Array:
    """Where climbs from rows (k, d) end, as allowed members of the space, (up to k, d).

    Ordered columns move within ``reach``, the lowest and highest entries of each climb, both (k, d); choices, and
    parents of conditional parameters, keep the values of the start.
    """
    ends = [_top(score, start, low, high, space, least_gain) for start, low, high in zip(starts, *reach, strict=True)]
    tops = space.snap(np.array(ends))
    return tops[space.allowed(tops)]


def ascend(
    height: Callable[[Array], tuple[float, Array]], start: Array, low: Array, high: Array, least_gain: float
) -> Array:
    """Where L-BFGS ends that climbs a function of x (k,) between two bounds; it returns its value and gradient (k,)."""
    from scipy.optimize import minimize  # 0.4 s to import

    def descend(x: Array) -> tuple[float, Array]:
        value, slope = height(x)
        return -value, -slope

    bounds = list(zip(low, high, strict=True))
    return np.asarray(
        minimize(descend, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": least_gain}).x
    )


def _top(score: Score, start: Array, low: Array, high: Array, space: Space, least_gain: float) -> Array:
    free = np.flatnonzero(space.is_ordered & ~space.is_parent & ~np.isnan(start))
    if not len(free):
        return start
    row = start[np.newaxis].copy()

    def height(x: Array) -> tuple[float, Array]:
        row[0, free] = x
        heights, slopes = score.ascent(row)
        return float(heights[0]), slopes[0, free]

    row[0, free] = ascend(height, start[free], low[free], high[free], least_gain)
    return np.asarray(row[0])
