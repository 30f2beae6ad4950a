"""A rover's path through a field of obstacles: 60 real numbers that depend on their neighbors.

As in the trajectory problems of the literature on many dimensions (Wang et al., 2018); the field is our own.

Notation
    P    control points of the path, (30, 2), in the unit square
    S    points sampled along the path, (500, 2)
"""

from __future__ import annotations

from functools import cache

import numpy as np

from auger.space import Float
from auger.types import Array
from auger_bench.problems.interface import Problem, vector_problem

_N_POINTS = 30
_DEGREE = 3
_N_SAMPLES = 500
_START, _GOAL = np.array([0.05, 0.05]), np.array([0.95, 0.95])

_N_OBSTACLES = 40
_SIDE = 0.1
_ON_OBSTACLE, _ELSEWHERE = 20.0, 1.0  # cost per unit of length
_MISS = 10.0  # cost per unit of distance of the ends of the path from start and goal, along both axes


def rover() -> Problem:
    """What the path costs: its length, twenty times as much on an obstacle, and the gaps at both ends.

    The lowest cost is unknown; the straight line from start to goal has a length of 1.27.
    """
    basis, centers = _basis(), _centers()

    def value(x: Array) -> float:
        S = basis @ x.reshape(_N_POINTS, 2)
        middle = 0.5 * (S[1:] + S[:-1])
        length = np.linalg.norm(np.diff(S, axis=0), axis=1)
        on_obstacle = np.any(np.all(np.abs(middle[:, None] - centers) < 0.5 * _SIDE, axis=2), axis=1)
        gaps = np.abs(S[0] - _START).sum() + np.abs(S[-1] - _GOAL).sum()
        return float(length @ np.where(on_obstacle, _ON_OBSTACLE, _ELSEWHERE) + _MISS * gaps)

    return vector_problem("rover", value, [Float(0.0, 1.0)] * (2 * _N_POINTS))


@cache
def _basis() -> Array:
    """S = basis @ P: cubic B-splines, (500, 30), whose path begins at the first control point and ends at the last."""
    from scipy.interpolate import BSpline  # 0.3 s to import

    inner = np.linspace(0.0, 1.0, _N_POINTS - _DEGREE + 1)
    knots = np.concatenate([np.zeros(_DEGREE), inner, np.ones(_DEGREE)])
    return np.asarray(BSpline.design_matrix(np.linspace(0.0, 1.0, _N_SAMPLES), knots, _DEGREE).toarray())


@cache
def _centers() -> Array:
    """The centers of the obstacles, (40, 2); none covers start or goal."""
    centers = np.random.default_rng(2018).random((4 * _N_OBSTACLES, 2))
    apart = [np.abs(centers - point).max(axis=1) > _SIDE for point in (_START, _GOAL)]
    return np.asarray(centers[apart[0] & apart[1]][:_N_OBSTACLES])
