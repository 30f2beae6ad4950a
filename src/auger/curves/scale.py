"""One scale for the points of many curves, so that values at different steps compare.

t    a value, compressed (`auger.gaussian_process.warp`), then shifted and scaled so that stages compare, then bent
s    how far along: the logarithm of the step, 0 at the first step that any trial reported, 1 at the end

Two neighboring stages are compared by the trials that reached both: from one stage to the next, t is shifted and scaled
so that the median of these trials and, as far as their number allows, their deviation stay the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auger.curves.points import Points, joined
from auger.gaussian_process.warp import Warp, warp
from auger.types import Array

# The deviation of a stage is pulled towards that of the stage before, as if this many trials had shown it unchanged.
_N_UNCHANGED = 4.0
# Compressed values are of the order of 1; a smaller deviation is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Scale:
    """How steps and values are measured: learned from the points of trials, and the same for all of them.

    Attributes:
        first, last: the steps at s = 0 and s = 1; `offset` is added to steps before the logarithm is taken.
        compress: from values to compressed values.
        stages: those that any trial reached, shape (k,); the last is infinity if a trial has a final value.
        location, deviation: of compressed values at each stage, shape (k,).
        bend: from shifted and scaled values to t.
    """

    first: float
    last: float
    offset: float
    compress: Warp
    stages: Array
    location: Array
    deviation: Array
    bend: Warp

    def positions(self, points: Points) -> Array:
        """s of points, shape (k,)."""
        low, high = math.log(self.first + self.offset), math.log(self.last + self.offset)
        if not high > low:
            return np.ones(len(points.step))
        step = np.where(points.stage == math.inf, self.last, np.clip(points.step, self.first, self.last))
        return np.asarray((np.log(step + self.offset) - low) / (high - low))

    def targets(self, points: Points) -> Array:
        """t of points, shape (k,). A stage that no trial reached is measured like the one before it."""
        at = np.maximum(np.searchsorted(self.stages, points.stage, side="right") - 1, 0)
        return self.bend((self.compress(points.value) - self.location[at]) / self.deviation[at])

    def final_values(self, t: Array) -> Array:
        """The final values (n,) at these t; t itself where no trial has a final value."""
        if self.stages[-1] < math.inf:
            return t
        with np.errstate(over="ignore"):  # a t beyond all doubles counts as the largest one
            return self.compress.inverse(self.bend.inverse(t) * self.deviation[-1] + self.location[-1])


def scale_of(curves: Sequence[Points]) -> Scale:
    """Learn the scale from the points of trials, each with one point or more, by step."""
    points = joined(curves)
    compress = warp(points.value, is_bent=False)
    stages, column = np.unique(points.stage, return_inverse=True)
    trial = np.repeat(np.arange(len(curves)), [len(curve.stage) for curve in curves])
    U = np.full((len(curves), len(stages)), np.nan)  # compressed values, by trial and stage
    U[trial, column] = compress(points.value)
    location, deviation = np.zeros(len(stages)), np.ones(len(stages))
    for k in range(1, len(stages)):
        both = ~np.isnan(U[:, k - 1]) & ~np.isnan(U[:, k])
        old, new = U[both, k - 1], U[both, k]
        if not len(old):  # no trial reached both: compare all trials of the one with all of the other
            old, new = (U[~np.isnan(U[:, j]), j] for j in (k - 1, k))
        deviation[k] = deviation[k - 1] * _ratio(old, new)
        middle = (np.median(old) - location[k - 1]) / deviation[k - 1]
        location[k] = np.median(new) - middle * deviation[k]
    is_last = np.append(trial[1:] != trial[:-1], True)
    bend = warp(((U - location) / deviation)[trial[is_last], column[is_last]])
    steps = points.step[~np.isnan(points.step)]
    first, last = (float(steps.min()), float(steps.max())) if len(steps) else (1.0, 1.0)
    return Scale(first, last, step_offset(first), compress, stages, location, deviation, bend)


def step_offset(first: float) -> float:
    """What is added to steps so that they count what was done: where epochs are numbered from 0, epoch 0 is one."""
    return 1.0 if first == 0 else 0.0


def _ratio(old: Array, new: Array) -> float:
    """The ratio of the deviations of two samples, pulled towards 1 where the samples are small.

    It is 1 where one of the samples does not vary by more than rounding.
    """
    before, after = float(old.std()), float(new.std())
    return (after / before) ** (len(old) / (len(old) + _N_UNCHANGED)) if min(before, after) > _ROUNDING else 1.0
