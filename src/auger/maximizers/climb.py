"""Follow the gradient of a score uphill from a row, with L-BFGS."""

from __future__ import annotations

import numpy as np

from auger.classifiers.interface import Score
from auger.space import Space
from auger.types import Array


def climb(score: Score, starts: Array, space: Space) -> Array:
    """Where climbs from rows (k, d) end, as allowed members of the space, (up to k, d).

    Ordered columns move within their range; choices, and parents of conditional parameters, keep the values of the
    start.
    """
    tops = space.snap(np.array([_top(score, start, space) for start in starts]))
    return tops[space.allowed(tops)]


def _top(score: Score, start: Array, space: Space) -> Array:
    from scipy.optimize import minimize  # 0.4 s to import

    free = np.flatnonzero(space.is_ordered & ~space.is_parent & ~np.isnan(start))
    if not len(free):
        return start
    row = start[np.newaxis].copy()

    def descend(x: Array) -> tuple[float, Array]:
        row[0, free] = x
        height, slope = score.ascent(row)
        return -float(height[0]), -slope[0, free]

    bounds = list(zip(space.grid.bottom[free], space.grid.top[free], strict=True))
    optimum = minimize(descend, start[free], jac=True, method="L-BFGS-B", bounds=bounds)
    row[0, free] = optimum.x
    return np.asarray(row[0])
