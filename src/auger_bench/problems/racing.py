"""Racing lines: the fastest lap through waypoints across a track (Jain and Morari 2020; section 5 of the BORE paper).

A configuration moves each of D waypoints sideways from the center line. A natural cubic spline through them is the
path, and the lap time is the least time in which a car with limited grip and drive can follow it, a convex problem
(Lipp and Boyd 2014). The center lines are in the folder ``tracks``, whose LICENSE says where they come from.

Notation
    c      center line, (N, 2), m; the first point is not repeated at the end
    theta  distance along the center line, (N,), m
    S      points sampled along the path, (M, 2), m
    tau    position on the path in [0, 1]; sample j is at tau = j h with h = 1 / (M - 1)
    b      (d tau / dt)² at the samples, (M,), 1/s²; b_0 = 0: a standing start
The derivatives S' and S'' by tau, and the acceleration, live at the M - 1 midpoints between samples.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from auger.errors import AugerError, nearest
from auger.space import Float
from auger.types import Array
from auger_bench.problems.interface import Problem, import_library, vector_problem

_M = 100
_H = 1 / (_M - 1)
_GRIP = 9.81  # m/s²: friction coefficient 1, times gravity
# Clarabel's settings. Its default, 1e-8, is at times more than its arithmetic gives; a lap moves by less than 1e-7 of
# itself. Its own scaling (equilibration) takes up to 45 iterations where the units of `_Lap` take at most 20.
_ACCURACY = {"tol_gap_rel": 1e-7, "tol_gap_abs": 1e-7, "tol_feas": 1e-7, "equilibrate_enable": False}
_END_GAP = 0.001  # m; the last sample stands this far before the last waypoint


@dataclass(frozen=True)
class _Track:
    width: float  # m
    drive: float  # share of the grip that can accelerate the car: the weight on its driven rear axle, l_f / (l_f + l_r)
    nodes: tuple[int, ...]  # points of the center line that become waypoints


_F110 = 0.15875 / (0.15875 + 0.17145)  # the 1:10 car
_ORCA = 0.029 / (0.029 + 0.033)  # the 1:43 car

_TRACKS = {
    "ucb": _Track(
        width=0.80,
        drive=_F110,
        nodes=(10, 32, 44, 67, 83, 100, 113, 127, 144, 160, 175, 191),
    ),
    "ethz-a": _Track(
        width=0.46,
        drive=_ORCA,
        nodes=(7, 21, 37, 52, 66, 81, 97, 111, 136, 160, 175, 191, 205, 220, 236, 250, 275, 299, 337, 376),
    ),
    "ethz-b": _Track(
        width=0.37,
        drive=_ORCA,
        nodes=(33, 67, 116, 166, 203, 239, 274, 309, 344, 362, 382, 407, 434, 448, 470, 514, 550, 586, 622, 657, 665),
    ),
}

#: The names of the tracks.
TRACKS = tuple(_TRACKS)


def racing(track: str) -> Problem:
    """Lap time in seconds, minimized, on one of the paper's tracks.

    Parameters ``x0``, ``x1``, ...: the distance of each waypoint from the center line, in meters, positive to the left
    of the direction of travel. The bounds keep 5 % of the track's width free. The lowest lap time is unknown.

    Args:
        track: "ucb" (UC Berkeley, 12 dimensions), "ethz-a" (ETH Zurich A, 20) or "ethz-b" (ETH Zurich B, 21).

    Raises:
        AugerError: no such track.
        DataError: CVXPY or Clarabel is not installed.
    """
    if track not in _TRACKS:
        raise AugerError(f"`track` must be a race track. Got {track!r}. {nearest(track, TRACKS)}")
    settings = _TRACKS[track]
    cvxpy = import_library("cvxpy", "Racing needs CVXPY with Clarabel", "clarabel")
    line = _Line(center_line(track), settings.nodes)
    lap = _Lap(cvxpy, settings.drive)
    reach = 0.95 * settings.width / 2
    axes = [Float(-reach, reach)] * len(settings.nodes)
    return vector_problem(f"racing-{track}", lambda shifts: lap.time(line.samples(shifts)), axes)


def center_line(track: str) -> Array:
    """The points of a track's center line, (N, 2), in meters.

    Example:
        >>> center_line("ucb").shape
        (192, 2)
    """
    with (files("auger_bench") / "problems" / "tracks" / f"{track}.csv").open() as file:
        return np.loadtxt(file, delimiter=",", skiprows=1)


class _Line:
    """The path for some shifts of the waypoints. Everything that does not depend on the shifts is computed once."""

    def __init__(self, c: Array, nodes: tuple[int, ...]) -> None:
        theta = _distance(c)
        length = theta[-1] + np.linalg.norm(c[0] - c[-1])
        at, eps = theta[list(nodes)], length / (5 * len(nodes))
        along = _interpolate(at + eps, theta, c) - _interpolate(at - eps, theta, c)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        self.left = np.column_stack([-along[:, 1], along[:, 0]])  # (D, 2), unit normals
        # the lap starts at the first point and ends, past the start, at the first node; both ends are fixed
        self.waypoints = c[[0, *nodes, nodes[0]]]  # (D + 2, 2), unshifted

    def samples(self, shifts: Array) -> Array:
        """S, (M, 2), for the shifts (D,)."""
        from scipy.interpolate import CubicSpline  # slow to import

        waypoints = self.waypoints.copy()
        waypoints[1:-1] += shifts[:, None] * self.left
        s = _distance(waypoints)
        spline = CubicSpline(s, waypoints, bc_type="natural")
        return np.asarray(spline(np.linspace(0.0, s[-1] - _END_GAP, _M)), dtype=np.float64)


def _distance(points: Array) -> Array:
    """Distance of each point from the first, along straight lines between neighbors."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def _interpolate(at: Array, theta: Array, c: Array) -> Array:
    """Points at distances `at`; beyond the last point of c, along its last segment (the original does not wrap)."""
    i = np.clip(np.searchsorted(theta, at, side="right") - 1, 0, len(c) - 2)
    part = (at - theta[i]) / (theta[i + 1] - theta[i])
    return c[i] + part[:, None] * (c[i + 1] - c[i])


def _second_difference() -> Array:
    """The matrix, (M - 1, M), from S to S'' at the midpoints: six neighbors each, fewer at the ends."""
    D = np.zeros((_M - 1, _M))
    for j in range(2, _M - 3):
        D[j, j - 2 : j + 4] = np.array([-5, 39, -34, -34, 39, -5]) / 48
    for j in (1, _M - 3):
        D[j, j - 1 : j + 3] = np.array([1, -1, -1, 1]) / 2
    D[0, :3] = D[-1, -3:] = np.array([1, -2, 1]) / 2
    return D / _H**2


class _Lap:
    """The least time to follow a path, with the acceleration of the car limited.

    The car's mass cancels, and so do the forces: with a_j = (b_{j+1} - b_j) / 2h, the acceleration at midpoint j is
    S'_j a_j + S''_j (b_j + b_{j+1}) / 2, linear in b. Split along and across S'_j, its coefficients are the parameters
    of one convex program, which CVXPY compiles once. Inside, the unit of length is the length of the path, and the
    unit of acceleration is the grip: without them, some sharp corners end as "optimal_inaccurate".
    """

    def __init__(self, cvxpy: Any, drive: float) -> None:
        self._solver, self._failure = cvxpy.CLARABEL, cvxpy.SolverError
        self._lock = threading.Lock()  # two threads must not set the parameters of one program
        self._ahead, self._behind, self._across = (cvxpy.Parameter(_M - 1) for _ in range(3))
        # b_0 is no variable: its zero is at the edge of the square root, where solvers lose accuracy
        self._b = cvxpy.Variable(_M - 1)  # b_1 ... b_{M-1}
        root = cvxpy.sqrt(self._b)
        b_before, root_before = (cvxpy.hstack([np.zeros(1), v[:-1]]) for v in (self._b, root))
        along = cvxpy.multiply(self._ahead, self._b) + cvxpy.multiply(self._behind, b_before)
        across = cvxpy.multiply(self._across, self._b + b_before)
        self._program = cvxpy.Problem(
            cvxpy.Minimize(2 * _H * cvxpy.sum(cvxpy.inv_pos(root + root_before))),
            [cvxpy.norm(cvxpy.vstack([along, across]), axis=0) <= 1.0, along <= drive],
        )
        self._second = _second_difference()

    def time(self, S: Array) -> float:
        """Seconds from the first sample to the last, from a standing start."""
        length = _distance(S)[-1]
        first, second = np.diff(S, axis=0) / (_H * length), self._second @ S / length
        speed = np.linalg.norm(first, axis=1)  # per unit of d tau / dt
        heading = first / speed[:, None]
        along = (heading * second).sum(axis=1)
        across = heading[:, 0] * second[:, 1] - heading[:, 1] * second[:, 0]
        b = self._solve(speed / (2 * _H) + along / 2, -speed / (2 * _H) + along / 2, across / 2)
        root = np.sqrt(np.abs(np.concatenate([[0.0], b])))
        return float((2 * _H / (root[1:] + root[:-1])).sum() * np.sqrt(length / _GRIP))

    def _solve(self, ahead: Array, behind: Array, across: Array) -> Array:
        """b_1 ... b_{M-1}, (M - 1,), given the coefficients of b_{j+1}, b_j, and b_j + b_{j+1}."""
        with self._lock:
            self._ahead.value, self._behind.value, self._across.value = ahead, behind, across
            try:
                # a warm start would let the last digits of a lap depend on the laps before it
                self._program.solve(solver=self._solver, warm_start=False, **_ACCURACY)
            except self._failure as error:
                raise AugerError(f"Clarabel found no lap time: {error}") from error
            if self._b.value is None:  # every path can be driven slowly enough: only a numerical failure leads here
                raise AugerError(f"Clarabel found no lap time: it calls the problem {self._program.status}.")
            return np.array(self._b.value, dtype=np.float64)
