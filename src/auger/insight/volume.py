"""How much of a box of losses a front attains: of the unit cube, with 0 the best and 1 the worst of interest.

Exact with two and three objectives; with more, counted in a sample of points, which makes it rise without noise.

points (n, k)   losses as shares of the box, clipped to at least 0
"""

from __future__ import annotations

import numpy as np

from auger import pareto
from auger.types import Array, Index

# With more objectives, or with more points on the front, the volume is sampled.
_EXACT, _MOST = 3, 1000

_N_DRAWS = 20_000


def attained(points: Array) -> tuple[Index, Array]:
    """The volume that the points dominate as they arrive.

    Returns:
        The positions (m,) of the points that add to it, and the volume (m,) after each of them.

    Example:
        >>> steps, volumes = attained(np.array([[0.5, 0.5], [0.6, 0.6], [0.0, 0.75]]))
        >>> steps.tolist(), volumes.tolist()
        ([0, 2], [0.25, 0.375])
    """
    inside = np.flatnonzero((points < 1).all(axis=1))
    is_exact = points.shape[1] <= _EXACT and np.count_nonzero(pareto.front(points[inside])) <= _MOST
    gains = _one_by_one(points[inside]) if is_exact else _first_in_sample(points[inside])
    adds = gains > 0
    return inside[adds], np.cumsum(gains[adds])


def _one_by_one(points: Array) -> Array:
    """What each point adds to the volume of those before it, shape (n,)."""
    gains = np.zeros(len(points))
    front = points[:0]
    for i, point in enumerate(points):
        if not (front <= point).all(axis=1).any():
            gains[i] = _gain(point, front)
            front = np.concatenate([front[~(front >= point).all(axis=1)], points[i : i + 1]])
    return gains


def _gain(point: Array, others: Array) -> float:
    """The volume that a point (k,) dominates and the others (n, k) do not."""
    shared = pareto.hypervolume(np.maximum(others, point), np.ones(len(point)))
    return max(float(np.prod(1 - point)) - shared, 0.0)


def _first_in_sample(points: Array) -> Array:
    """The share of draws that each point is the first to dominate, shape (n,)."""
    gains = np.zeros(len(points))
    left = np.random.default_rng(0).random((_N_DRAWS, points.shape[1]))
    for i, point in enumerate(points):
        is_reached = (point <= left).all(axis=1)
        gains[i] = np.count_nonzero(is_reached) / _N_DRAWS
        left = left[~is_reached]
    return gains
