"""The intermediate values of a trial, thinned to one point per stage.

stage    steps 1, 2, 3, 4, 6, 8, 12, 16, ...; a step between two of them counts as the lower one (`stage_of`)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from auger.trial import State, Trial
from auger.types import Array, Index, Mask

#: Rows of a step and an intermediate value per objective, by step.
Curve = Sequence[tuple[float, ...]]


def stage_of(step: float | Array) -> Array:
    """Steps, rounded down to two binary digits.

    Example:
        >>> stage_of(np.array([0, 1, 2, 3, 5, 6, 7, 8, 11, 12, 100.0])).tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 6.0, 8.0, 8.0, 12.0, 96.0]
    """
    fraction, exponent = np.frexp(step)
    return np.asarray(np.ldexp(np.floor(fraction * 4), exponent - 2))


class Points(NamedTuple):
    """Points of one curve or several. A final value has the stage infinity and the last step that was reported.

    Attributes:
        stage, step, value: each of shape (k,).
    """

    stage: Array
    step: Array
    value: Array

    def take(self, rows: Index | Mask) -> Points:
        """Some of the points."""
        return Points(*(column[rows] for column in self))


def points_of(curve: Curve, objective: int = 0) -> Points:
    """The first point of each stage, but the last point of the last stage. NaN and infinity are left out.

    Of several objectives, the values of one.

    Example:
        >>> points = points_of([(1, 0.9), (4, 0.5), (5, 0.4), (8, math.nan), (9, 0.3), (10, 0.2)])
        >>> points.step.tolist(), points.value.tolist()
        ([1.0, 4.0, 10.0], [0.9, 0.5, 0.2])
    """
    points = _finite_points(curve, objective)
    rows = _first_of_each(points.stage)
    rows[-1:] = len(points.stage) - 1
    return points.take(rows)


def _finite_points(curve: Curve, objective: int) -> Points:
    pairs = [(row[0], row[1 + objective]) for row in curve]
    step, value = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return Points(stage_of(step), step, value).take(np.isfinite(value))


def _first_of_each(stage: Array) -> Index:
    """Where each new stage begins in stages (k,) in ascending order."""
    return np.flatnonzero(np.diff(stage, prepend=-1.0))


def points_of_trial(trial: Trial, objective: int = 0) -> Points:
    """The points of a trial; those of a complete one end with its final value, in place of its last report."""
    if trial.state is not State.COMPLETE:
        return points_of(trial.intermediate_values, objective)
    reported = _finite_points(trial.intermediate_values[:-1], objective)
    intermediate = reported.take(_first_of_each(reported.stage))
    last_step = trial.intermediate_values[-1][0] if trial.intermediate_values else math.nan
    final = (math.inf, last_step, trial.values[objective])
    return Points(*(np.append(column, last) for column, last in zip(intermediate, final, strict=True)))


def joined(points: Sequence[Points]) -> Points:
    """The points of several curves, one curve after the other."""
    return Points(*map(np.concatenate, zip(*points, strict=True)))
