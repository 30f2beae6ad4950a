"""Predicted final values of trials that were stopped early: from their curves, their configurations, and all others.

s, t       how far along, and a value, on the scale of `auger.curves.scale`
f(x, s)    t of the configuration x at s: a Gaussian process over both, with the kernel of `auto`

A trial gives one row per stage it reached, and one for its final value if it is complete. The process then knows how
far values at s agree with final values, near this configuration and elsewhere: where curves cross, early values say
little, and the prediction says so. Trials are stopped because of values that are among the data, so the missing final
values are missing at random given the data (Rubin, 1976): stopped trials may be learned from without bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auger.curves.points import Curve, Points, joined, points_of, points_of_trial, stage_of
from auger.curves.scale import Scale, scale_of
from auger.gaussian_process.likelihood import Hyperparameters, estimate
from auger.gaussian_process.posterior import Posterior, posterior
from auger.gaussian_process.subset import checkpoint, max_rows, subset
from auger.history import History
from auger.pareto import placed, rank
from auger.space import Float, Space, Views
from auger.threads import one_thread
from auger.trial import State
from auger.types import Array, Index, Mask

# The process learns from at most this many trials, half of them complete, and this many of their points.
_MAX_TRIALS, _MAX_POINTS = 96, 256


def final_values(history: History, among: Index | None = None) -> Array | None:
    """What pruned trials would have come to, for `auger.labels.label`.

    Args:
        history: whose trials are learned from.
        among: numbers of the trials that may be learned from, ascending; None for all.

    Returns:
        Predicted final values, one per trial ``among``; NaN for trials that are not pruned, reported no finite value or
        broke an outcome constraint. With several objectives, the ranks that the predicted values would have, see
        `auger.pareto.placed`. Without any complete trial the numbers only compare with each other. None where there is
        nothing to predict.

    Example:
        >>> from auger.trial import Trial
        >>> curves = [[(1, 5.0), (9, 1.0)], [(1, 7.0), (9, 3.0)], [(1, 6.0)], [(1, 9.0)]]
        >>> states = [State.COMPLETE, State.COMPLETE, State.PRUNED, State.PRUNED]
        >>> trials = [
        ...     Trial(i, {"x": i / 8}, states[i], curve[-1][1], intermediate_values=curve)
        ...     for i, curve in enumerate(curves)
        ... ]
        >>> values = final_values(History(Space({"x": (0.0, 1.0)}), trials))
        >>> bool(values[2] < values[3])
        True
    """
    losses = final_losses(history, among)
    return None if losses is None else values_of(history, losses, among)


def values_of(history: History, losses: Array, among: Index | None = None) -> Array:
    """`final_values` from the `final_losses` (n, k) of the same trials."""
    if len(history.objectives) == 1:
        return losses[:, 0]
    numbers = np.arange(len(history)) if among is None else among
    is_predicted, is_ranked = ~np.isnan(losses).any(axis=1), history.is_comparable[numbers]
    values = np.full(len(numbers), np.nan)
    if is_ranked.any():
        ranked = numbers[is_ranked]
        values[is_predicted] = placed(losses[is_predicted], history.losses[ranked], history.y[ranked])
    else:
        values[is_predicted] = rank(losses[is_predicted])
    return values


def final_losses(history: History, among: Index | None = None) -> Array | None:
    """What pruned trials would have come to in each objective, shape (n, k), as `final_values` has it for one."""
    rows = slice(None) if among is None else among
    is_pruned = history.has_state(State.PRUNED)[rows]
    if not is_pruned.any():
        return None
    is_usable = usable(history)[rows]
    is_predicted = is_pruned & is_usable & (history.violation[rows] == 0)
    if not is_predicted.any():
        return None
    numbers = np.arange(len(history))[rows]
    losses = np.full((len(numbers), len(history.objectives)), np.nan)
    with one_thread():
        for j in range(len(history.objectives)):
            losses[is_predicted, j] = _predicted(history, numbers[is_usable], numbers[is_predicted], j)
    return losses


def usable(history: History) -> Mask:
    """Which trials can be learned from: complete or pruned, with finite values, shape (n,)."""
    is_stopped = history.has_state(State.PRUNED) & np.isfinite(history.last[:, 1:]).all(axis=1)
    return np.asarray((history.has_state(State.COMPLETE) & np.isfinite(history.y)) | is_stopped)


@dataclass(frozen=True, eq=False)
class CurveModel:
    """What curves say about final values, learned by `learn`.

    Attributes:
        space: the parameters, and s.
        scale: of steps and values.
        views: how the process sees rows.
        V, t: the data: Euclidean rows (n, p), and targets (n,).
        hyperparameters: of the process.
        process: conditioned on the data.
        learned: numbers of the trials behind the data.
        best: the lowest t that is expected of a complete, feasible trial; infinity without one.
        objective: which one was learned.
    """

    space: Space
    scale: Scale
    views: Views
    V: Array
    t: Array
    hyperparameters: Hyperparameters
    process: Posterior
    learned: Index
    best: float = math.inf
    objective: int = 0

    def after(self, row: Array, curve: Curve) -> tuple[float, float]:
        """Mean and deviation of the final t, noise included, of a trial with the encoded row (d,) and this curve."""
        points = points_of(curve, self.objective)
        own = np.column_stack([np.tile(row, (len(points.step), 1)), self.scale.positions(points)])
        V, t = np.concatenate([self.V, self.views.euclidean(own)]), np.append(self.t, self.scale.targets(points))
        process = posterior(
            V, t, self.views.euclidean_column, self.hyperparameters, self.views.n_euclidean, self.views.positions
        )
        mean, deviation = process.predict(self._at_the_end(row[np.newaxis]))
        return float(mean[0]), math.hypot(float(deviation[0]), math.sqrt(self.hyperparameters.noise))

    def expected(self, X: Array) -> Array:
        """The expected final t of encoded rows (m, d), shape (m,)."""
        return self.process.predict(self._at_the_end(X))[0]

    def _at_the_end(self, X: Array) -> Array:
        return self.views.euclidean(np.column_stack([X, np.ones(len(X))]))


def learn(history: History, numbers: Index, objective: int = 0) -> CurveModel:
    """Learn one objective from some trials (n,), one or more, all of them `usable`, numbers in ascending order."""
    space = _with_progress(history.space)
    # the first answers decide the hyperparameters, as in `GaussianProcess`, so that they last for several answers
    early = _chosen(history, numbers[: checkpoint(len(numbers))], _MAX_TRIALS // 2, objective)
    V, t, _, views = _data(history, early, space, min(_MAX_POINTS // 2, max_rows(len(space))), objective)
    hyperparameters = estimate(V, t, views.euclidean_column, len(space), p=views.n_euclidean, positions=views.positions)
    chosen = _chosen(history, numbers, _MAX_TRIALS, objective)
    V, t, scale, views = _data(history, chosen, space, _MAX_POINTS, objective)
    process = posterior(V, t, views.euclidean_column, hyperparameters, views.n_euclidean, views.positions)
    model = CurveModel(space, scale, views, V, t, hyperparameters, process, chosen, objective=objective)
    complete = chosen[(history.has_state(State.COMPLETE) & (history.violation == 0))[chosen]]
    return replace(model, best=float(model.expected(history.X[complete]).min(initial=math.inf)))


def _predicted(history: History, numbers: Index, stopped: Index, objective: int) -> Array:
    """Predicted final values of stopped trials (k,) in one objective, from trials (n,) they are among; shape (k,).

    Of several hundred trials only some are learned from. The others are predicted by how good they were when they
    stopped, by a straight line through those that are learned from.
    """
    model = learn(history, numbers, objective)
    expected = model.expected(history.X[model.learned])
    position = np.minimum(np.searchsorted(model.learned, stopped), len(model.learned) - 1)
    others = model.learned[position] != stopped
    t = expected[position]
    if others.any():
        before, own = (
            model.scale.targets(_lasts(history, some, objective)) for some in (model.learned, stopped[others])
        )
        slope = float(np.cov(before, expected)[0, 1] / max(before.var(ddof=1), 1e-9))
        t[others] = expected.mean() + slope * (own - before.mean())
    return model.scale.final_values(t)


def _lasts(history: History, numbers: Index, objective: int) -> Points:
    """The last point of each of some usable trials."""
    is_complete, step = history.has_state(State.COMPLETE)[numbers], history.last[numbers, 0]
    final, last = history.losses[numbers, objective], history.last[numbers, 1 + objective]
    stage, value = np.where(is_complete, math.inf, stage_of(step)), np.where(is_complete, final, last)
    return Points(stage, step, value)


def _with_progress(space: Space) -> Space:
    """The space, and s as one more parameter."""
    parameters: dict[str, Any] = dict(space.parameters)
    return Space({**parameters, "+".join([*parameters, "how far"]): Float(0.0, 1.0)})


def _chosen(history: History, numbers: Index, size: int, objective: int) -> Index:
    """Up to ``size`` of the trials: half of them complete, if so many are, and those that were stopped last."""
    is_complete = history.has_state(State.COMPLETE)[numbers]
    complete, stopped = numbers[is_complete], numbers[~is_complete]
    complete = complete[subset(history.losses[complete, objective], max(size // 2, size - len(stopped)))]
    return np.sort(np.concatenate([complete, stopped[max(len(stopped) + len(complete) - size, 0) :]]))


def _data(
    history: History, chosen: Index, space: Space, size: int, objective: int
) -> tuple[Array, Array, Scale, Views]:
    """Euclidean rows (n, p) and t (n,), at most ``size``: the last point of each trial, then the last but one, ..."""
    curves = [points_of_trial(history.trials[i], objective) for i in chosen]
    scale, points = scale_of(curves), joined(curves)
    owner = np.repeat(np.arange(len(curves)), [len(curve.stage) for curve in curves])
    before_last = np.concatenate([np.arange(len(curve.stage))[::-1] for curve in curves])
    rows = np.argsort(before_last, kind="stable")[:size]
    some = points.take(rows)
    X = np.column_stack([history.X[chosen[owner[rows]]], scale.positions(some)])
    views = space.views(X)
    return views.euclidean(X), scale.targets(some), scale, views
