"""The hypervolume of a set of points: how much of the space up to a reference point at least one of them dominates.

Everything is minimized. The volumes are exact, in any number of objectives: a point adds the box between it and the
reference point, less what the others dominate of that box (While, Bradstreet and Barone 2012).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from auger.pareto import front
from auger.types import Array


def hypervolume(points: ArrayLike, reference: ArrayLike) -> float:
    """The volume that points (n, m) dominate up to the reference (m,); 0 without points.

    Example:
        >>> hypervolume([[1.0, 2.0], [2.0, 1.0], [9.0, 0.0]], [3.0, 3.0])
        3.0
    """
    corner = np.asarray(reference, dtype=np.float64)
    rows = np.asarray(points, dtype=np.float64).reshape(-1, len(corner))
    return _volume(corner - rows[(rows < corner).all(axis=1)])


def added(point: ArrayLike, points: ArrayLike, reference: ArrayLike) -> float:
    """How much the hypervolume of points (n, m) grows with one more point (m,)."""
    corner, row = np.asarray(reference, dtype=np.float64), np.asarray(point, dtype=np.float64)
    if not (row < corner).all():
        return 0.0
    others = np.asarray(points, dtype=np.float64).reshape(-1, len(corner))
    return _alone(corner - row, corner - others)


def _alone(extent: Array, others: Array) -> float:
    """The volume of the box [0, extent] outside of the boxes [0, other], for extents (m,) and (n, m)."""
    shared = np.minimum(extent, others)
    return float(extent.prod() - _volume(shared[(shared > 0).all(axis=1)]))


def _volume(extents: Array) -> float:
    """The volume of the union of the boxes [0, extent] of extents (n, m) > 0."""
    extents = np.unique(extents[front(-extents)], axis=0)[::-1]
    if extents.shape[1] == 1:
        return float(extents.max(initial=0.0))
    if extents.shape[1] == 2:  # a staircase: the first extent falls, and the second grows
        return float((extents[:, 0] * np.diff(extents[:, 1], prepend=0.0)).sum())
    # largest last extent first: what a box shares with those before it is as long as the box itself in that direction
    extents = extents[np.argsort(-extents[:, -1], kind="stable")]
    return float(sum(row[-1] * _alone(row[:-1], extents[:i, :-1]) for i, row in enumerate(extents)))
