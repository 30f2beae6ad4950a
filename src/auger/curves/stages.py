"""Curves, and how to compare them: the values on the way of trials, thinned to a few stages, on one scale.

stage        steps 1, 2, 3, 4, 6, 8, 12, 16, ...: those between two of them count as the lower (`stage_of`)
t            a value, compressed (`auger.gaussian_process.warp`), moved and scaled so that stages compare, then bent
s            how far: the logarithm of the step, 0 at the first that anyone reported, 1 in the end

Stages are compared by the trials that came to both: from one to the next, t is moved and scaled so that their median
and, as far as their number allows, their deviation stay the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auger.gaussian_process.warp import Warp, warp
from auger.history import State, Trial
from auger.types import Array, Index, Mask

# The deviation of a stage is that of the stage before as if it had been seen in so many trials.
_N_ALIKE = 4.0
# Compressed values are of the order of 1; what differs by less does not differ.
_ROUNDING = 1e-9

Curve = Sequence[tuple[float, float]]


def stage_of(step: float | Array) -> Array:
    """Steps, rounded down to two binary digits.

    Example:
        >>> stage_of(np.array([0, 1, 2, 3, 5, 6, 7, 8, 11, 12, 100.0])).tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 6.0, 8.0, 8.0, 12.0, 96.0]
    """
    fraction, exponent = np.frexp(step)
    return np.asarray(np.ldexp(np.floor(fraction * 4), exponent - 2))


class Points(NamedTuple):
    """Values on the way, and in the end, where the stage is infinity and the step the last that was reported.

    Attributes:
        stage, step, value: each of shape (k,).
    """

    stage: Array
    step: Array
    value: Array

    def take(self, places: Index | Mask) -> Points:
        """Some of them."""
        return Points(*(column[places] for column in self))


def points_of(steps: Curve) -> Points:
    """The first report of each stage, and of the last stage the last one. NaN and infinities are no reports.

    Example:
        >>> points = points_of([(1, 0.9), (4, 0.5), (5, 0.4), (8, math.nan), (9, 0.3), (10, 0.2)])
        >>> points.step.tolist(), points.value.tolist()
        ([1.0, 4.0, 10.0], [0.9, 0.5, 0.2])
    """
    reports = _reports(steps)
    places = _firsts(reports.stage)
    places[-1:] = len(reports.stage) - 1
    return reports.take(places)


def _reports(steps: Curve) -> Points:
    step, value = np.array(steps, dtype=np.float64).reshape(-1, 2).T
    return Points(stage_of(step), step, value).take(np.isfinite(value))


def _firsts(stage: Array) -> Index:
    """Where a new one of the stages (k,), in ascending order, begins."""
    return np.flatnonzero(np.diff(stage, prepend=-1.0))


def curve_of(trial: Trial) -> Points:
    """The points of a known trial; those of a complete one end with its value, in place of its last report."""
    if trial.state is not State.COMPLETE:
        return points_of(trial.steps)
    assert trial.value is not None
    reports = _reports(trial.steps[:-1])
    on_the_way = reports.take(_firsts(reports.stage))
    end = (math.inf, trial.steps[-1][0] if trial.steps else math.nan, trial.value)
    return Points(*(np.append(column, last) for column, last in zip(on_the_way, end, strict=True)))


def joined(curves: Sequence[Points]) -> Points:
    """The points of all of them, one after the other."""
    return Points(*map(np.concatenate, zip(*curves, strict=True)))


@dataclass(frozen=True, eq=False)
class Scale:
    """How steps and values are measured: learned from the points of trials, and the same for all of them.

    Attributes:
        first, last: the steps at s = 0 and s = 1; `offset` is added to all of them before logarithms are taken.
        flat: from values to compressed ones.
        stages: those that anyone came to, shape (k,); the last is infinity if there was an end.
        location, deviation: of compressed values at each of them, shape (k,).
        bent: from what is moved and scaled by these to t.
    """

    first: float
    last: float
    offset: float
    flat: Warp
    stages: Array
    location: Array
    deviation: Array
    bent: Warp

    def positions(self, points: Points) -> Array:
        """s of points, shape (k,)."""
        low, high = math.log(self.first + self.offset), math.log(self.last + self.offset)
        if not high > low:
            return np.ones(len(points.step))
        step = np.where(points.stage == math.inf, self.last, np.clip(points.step, self.first, self.last))
        return np.asarray((np.log(step + self.offset) - low) / (high - low))

    def targets(self, points: Points) -> Array:
        """t of points, shape (k,). A stage that nobody came to is like the one before."""
        at = np.maximum(np.searchsorted(self.stages, points.stage, side="right") - 1, 0)
        return self.bent((self.flat(points.value) - self.location[at]) / self.deviation[at])

    def ends(self, t: Array) -> Array:
        """The values (n,) that have these t in the end; t itself where no trial had an end."""
        if self.stages[-1] < math.inf:
            return t
        with np.errstate(over="ignore"):  # a target that no double has counts as the nearest one that has
            return self.flat.inverse(self.bent.inverse(t) * self.deviation[-1] + self.location[-1])


def scale_of(curves: Sequence[Points]) -> Scale:
    """Learn from the points of trials, each of which has one or more, by step."""
    points = joined(curves)
    flat = warp(points.value, is_bent=False)
    stages, place = np.unique(points.stage, return_inverse=True)
    trial = np.repeat(np.arange(len(curves)), [len(curve.stage) for curve in curves])
    U = np.full((len(curves), len(stages)), np.nan)  # compressed values, by trial and stage
    U[trial, place] = flat(points.value)
    location, deviation = np.zeros(len(stages)), np.ones(len(stages))
    for k in range(1, len(stages)):
        both = ~np.isnan(U[:, k - 1]) & ~np.isnan(U[:, k])
        old, new = U[both, k - 1], U[both, k]
        if not len(old):  # nobody came to both: all are compared
            old, new = (U[~np.isnan(U[:, j]), j] for j in (k - 1, k))
        deviation[k] = deviation[k - 1] * _ratio(old, new)
        middle = (np.median(old) - location[k - 1]) / deviation[k - 1]
        location[k] = np.median(new) - middle * deviation[k]
    is_last = np.append(trial[1:] != trial[:-1], True)
    bent = warp(((U - location) / deviation)[trial[is_last], place[is_last]])
    steps = points.step[~np.isnan(points.step)]
    first, last = (float(steps.min()), float(steps.max())) if len(steps) else (1.0, 1.0)
    offset = 1.0 if first == 0 else 0.0  # epochs counted from 0: after step 0 there is one
    return Scale(first, last, offset, flat, stages, location, deviation, bent)


def _ratio(old: Array, new: Array) -> float:
    """The ratio of two deviations, the closer to 1 the fewer they are of; 1 where one of them is none but rounding."""
    before, after = float(old.std()), float(new.std())
    return (after / before) ** (len(old) / (len(old) + _N_ALIKE)) if min(before, after) > _ROUNDING else 1.0
