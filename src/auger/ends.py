"""What trials that were stopped early would have come to, from their curves, their configurations, and all the others.

stage        steps 1, 2, 3, 4, 6, 8, 12, 16, ...: those between two of them count as the lower (`stage_of`)
t            a value, compressed (`auger.classifiers.gp.warp`), then moved and scaled so that stages compare, then bent
s            how far: the logarithm of the step, 0 at the first that anyone reported, 1 in the end
f(x, s)      t of the configuration x at s: a Gaussian process over both, the one of `auto`

A trial gives a row for each stage it came to, and one for its end if it is complete. The process then knows how far
values at s agree with those in the end, near this configuration and elsewhere: where curves cross, early values say
little, and it says so. Trials are stopped because of values that are among its data, so that the ends that are missing
are missing at random, given the data (Rubin, 1976): those who were stopped need not be left out, and do no harm.

Stages are compared by the trials that came to both: from one to the next, t is moved and scaled so that their median
and, as far as their number allows, their deviation stay the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from auger.classifiers.gp.classifier import checkpoint, max_rows, subset
from auger.classifiers.gp.kernel import view, view_column
from auger.classifiers.gp.likelihood import Hyperparameters, estimate
from auger.classifiers.gp.posterior import Posterior, posterior
from auger.classifiers.gp.warp import Warp, warp
from auger.history import History, State, Trial
from auger.parameters import Float
from auger.space import Space
from auger.types import Array, Index, Mask

# At most so many trials are learned from, half of them complete, and so many of their values.
_TRIALS, _ROWS = 96, 256
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


def _points(trial: Trial) -> Points:
    """The points of a known trial; those of a complete one end with its value, in place of its last report."""
    if trial.state is not State.COMPLETE:
        return points_of(trial.steps)
    assert trial.value is not None
    reports = _reports(trial.steps[:-1])
    on_the_way = reports.take(_firsts(reports.stage))
    end = (math.inf, trial.steps[-1][0] if trial.steps else math.nan, trial.value)
    return Points(*(np.append(column, last) for column, last in zip(on_the_way, end, strict=True)))


def _joined(curves: Sequence[Points]) -> Points:
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
    points = _joined(curves)
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


@dataclass(frozen=True, eq=False)
class Ends:
    """What curves say about ends, learned by `learn`.

    Attributes:
        space: the parameters, and s.
        scale: of steps and values.
        V, t: the data: viewed rows (n, p), and targets (n,).
        given: hyperparameters.
        process: given the data.
        learned: numbers of the trials behind the data.
        best: the lowest t that is expected of the end of a complete, feasible one; infinity where none is.
    """

    space: Space
    scale: Scale
    V: Array
    t: Array
    given: Hyperparameters
    process: Posterior
    learned: Index
    best: float = math.inf

    def after(self, row: Array, steps: Curve) -> tuple[float, float]:
        """Mean and deviation of t, as it will be seen in the end of a trial with the encoded row (d,) and a report."""
        points = points_of(steps)
        own = np.column_stack([np.tile(row, (len(points.step), 1)), self.scale.positions(points)])
        V, t = np.concatenate([self.V, view(own, self.space)]), np.append(self.t, self.scale.targets(points))
        process = posterior(V, t, view_column(self.space), self.given)
        mean, deviation = process.predict(self._at_the_end(row[np.newaxis]))
        return float(mean[0]), math.hypot(float(deviation[0]), math.sqrt(self.given.noise))

    def expected(self, X: Array) -> Array:
        """The t that is expected of encoded rows (m, d) in the end, shape (m,)."""
        return self.process.predict(self._at_the_end(X))[0]

    def _at_the_end(self, X: Array) -> Array:
        return view(np.column_stack([X, np.ones(len(X))]), self.space)


def known(history: History) -> Mask:
    """Which trials have an end, or were stopped early, with a finite value: something can be learned from them."""
    is_stopped = history.has_state(State.PRUNED) & np.isfinite(history.last[:, 1])
    return np.asarray((history.has_state(State.COMPLETE) & np.isfinite(history.y)) | is_stopped)


def learn(history: History, numbers: Index) -> Ends:
    """Learn from some trials (n,), one or more, all of them `known`, numbers in ascending order."""
    space = _with_how_far(history.space)
    # decided by the first answers, as those of `GaussianProcess` are, so that they stay for several answers in a row
    early = _chosen(history, numbers[: checkpoint(len(numbers))], _TRIALS // 2)
    V, t, _ = _data(history, early, space, min(_ROWS // 2, max_rows(len(space))))
    given = estimate(V, t, view_column(space), len(space))
    chosen = _chosen(history, numbers, _TRIALS)
    V, t, scale = _data(history, chosen, space, _ROWS)
    ends = Ends(space, scale, V, t, given, posterior(V, t, view_column(space), given), chosen)
    complete = chosen[(history.has_state(State.COMPLETE) & (history.violation == 0))[chosen]]
    return replace(ends, best=float(ends.expected(history.X[complete]).min(initial=math.inf)))


def expected_ends(history: History, numbers: Index, stopped: Index) -> Array:
    """The values that stopped trials (k,) were to have in the end, given trials (n,) that they are among; shape (k,).

    Where none of those is complete there is no telling, but the numbers compare with each other. Of several hundred
    trials only some are learned from. The others are taken to end where, on average, those did that were as good when
    they stopped.

    Example:
        >>> curves = [[(1, 5.0), (9, 1.0)], [(1, 7.0), (9, 3.0)], [(1, 6.0)], [(1, 9.0)]]
        >>> states = [State.COMPLETE, State.COMPLETE, State.PRUNED, State.PRUNED]
        >>> trials = [Trial(i, {"x": i / 8}, states[i], steps[-1][1], steps=steps) for i, steps in enumerate(curves)]
        >>> history = History(Space({"x": (0.0, 1.0)}), trials)
        >>> third, fourth = expected_ends(history, np.arange(4), np.array([2, 3]))
        >>> bool(third < fourth)
        True
    """
    ends = learn(history, numbers)
    expected = ends.expected(history.X[ends.learned])
    place = np.minimum(np.searchsorted(ends.learned, stopped), len(ends.learned) - 1)
    others = ends.learned[place] != stopped
    t = expected[place]
    if others.any():
        before, own = (ends.scale.targets(_lasts(history, some)) for some in (ends.learned, stopped[others]))
        slope = float(np.cov(before, expected)[0, 1] / max(before.var(ddof=1), 1e-9))
        t[others] = expected.mean() + slope * (own - before.mean())
    return ends.scale.ends(t)


def _lasts(history: History, numbers: Index) -> Points:
    """The last point of each of some known trials."""
    is_complete, (step, value) = history.has_state(State.COMPLETE)[numbers], history.last[numbers].T
    stage, value = np.where(is_complete, math.inf, stage_of(step)), np.where(is_complete, history.y[numbers], value)
    return Points(stage, step, value)


def _with_how_far(space: Space) -> Space:
    """The space, and s as one more parameter."""
    parameters: dict[str, Any] = dict(space.parameters)
    return Space({**parameters, "+".join([*parameters, "how far"]): Float(0.0, 1.0)})


def _chosen(history: History, numbers: Index, size: int) -> Index:
    """Up to ``size`` of the trials: half of them complete, if so many are, and those that were stopped last."""
    is_complete = history.has_state(State.COMPLETE)[numbers]
    complete, stopped = numbers[is_complete], numbers[~is_complete]
    complete = complete[subset(history.y[complete], max(size // 2, size - len(stopped)))]
    return np.sort(np.concatenate([complete, stopped[max(len(stopped) + len(complete) - size, 0) :]]))


def _data(history: History, chosen: Index, space: Space, size: int) -> tuple[Array, Array, Scale]:
    """Viewed rows (n, p) and t (n,), at most ``size``: the last point of each trial, then the one before, and so on."""
    curves = [_points(history.trials[i]) for i in chosen]
    scale, points = scale_of(curves), _joined(curves)
    owner = np.repeat(np.arange(len(curves)), [len(curve.stage) for curve in curves])
    before_last = np.concatenate([np.arange(len(curve.stage))[::-1] for curve in curves])
    places = np.argsort(before_last, kind="stable")[:size]
    X, some = history.X[chosen[owner[places]]], points.take(places)
    return view(np.column_stack([X, scale.positions(some)]), space), scale.targets(some), scale
