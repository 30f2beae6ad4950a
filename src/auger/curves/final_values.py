"""What trials that were stopped early would have come to, from their curves, their configurations, and all the others.

s, t         how far, and a value, on the scale of `auger.curves.stages`
f(x, s)      t of the configuration x at s: a Gaussian process over both, the one of `auto`

A trial gives a row for each stage it came to, and one for its end if it is complete. The process then knows how far
values at s agree with those in the end, near this configuration and elsewhere: where curves cross, early values say
little, and it says so. Trials are stopped because of values that are among its data, so that the ends that are missing
are missing at random, given the data (Rubin, 1976): those who were stopped need not be left out, and do no harm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auger.classifiers.gaussian_process import checkpoint, max_rows, subset
from auger.curves.stages import Curve, Points, Scale, curve_of, joined, points_of, scale_of, stage_of
from auger.gaussian_process.kernel import view, view_column
from auger.gaussian_process.likelihood import Hyperparameters, estimate
from auger.gaussian_process.posterior import Posterior, posterior
from auger.history import History, State
from auger.space import Float, Space
from auger.types import Array, Index, Mask

# At most so many trials are learned from, half of them complete, and so many of their values.
_TRIALS, _ROWS = 96, 256


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
        >>> from auger.history import Trial
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
    curves = [curve_of(history.trials[i]) for i in chosen]
    scale, points = scale_of(curves), joined(curves)
    owner = np.repeat(np.arange(len(curves)), [len(curve.stage) for curve in curves])
    before_last = np.concatenate([np.arange(len(curve.stage))[::-1] for curve in curves])
    places = np.argsort(before_last, kind="stable")[:size]
    X, some = history.X[chosen[owner[places]]], points.take(places)
    return view(np.column_stack([X, scale.positions(some)]), space), scale.targets(some), scale
