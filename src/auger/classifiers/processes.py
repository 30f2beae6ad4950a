"""Gaussian processes side by side: one per objective and one per outcome constraint, for the score of them all.

    score = log EHVI(x) + sum over constraints of log P(c(x) <= 0)

EHVI is the expected gain of dominated volume, of targets (see `auger.gaussian_process.hypervolume_improvement`); with
one objective it is expected improvement. As long as no trial is feasible, the score is the second part alone. More than
four objectives become one, a random one each time: the largest of the weighted targets (Knowles 2006, "ParEGO").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from auger.classifiers.interface import Score
from auger.gaussian_process import hypervolume_improvement
from auger.gaussian_process.feasibility import log_feasibility
from auger.gaussian_process.feasibility import with_slopes as feasibility_with_slopes
from auger.gaussian_process.hypervolume_improvement import Gains, log_expected_gain
from auger.gaussian_process.likelihood import Hyperparameters, estimate
from auger.gaussian_process.posterior import Posterior, posterior
from auger.gaussian_process.subset import anchor, checkpoint, max_rows, subset
from auger.gaussian_process.warp import Warp, warp
from auger.labels import Kind, Labels
from auger.pareto import boxes, contributions, front
from auger.space import Space, Views
from auger.types import Array, Index, Mask

# Rows are scored in blocks of about this many pairs with the data, see `auger.classifiers.gaussian_process`.
_PAIRS = 2**15

# So many constraints get a process each; of more, the one process is of the total violation.
_MOST_CONSTRAINTS = 8

# Of more answers than a process learns from, so many know each constraint, if so many do.
_LEAST_KNOWN = 32

# Expected improvements are computed over so many members of the front at most, those that contribute most.
_MOST_MEMBERS = {1: 1, 2: 128, 3: 64, 4: 24}

# With more objectives, this share of the sum of weighted targets is added to the largest of them.
_SHARE_OF_SUM = 0.05

# The reference that nobody passed lies so far beyond the worst losses, in units of their width, ...
_BEYOND = 0.1
# ... and at least so many standard deviations of all targets.
_LEAST_WIDTH = 0.1


@dataclass(frozen=True)
class Settings:
    """What a `auger.classifiers.GaussianProcess` was told: see there."""

    is_tau: bool
    max_points: int
    has_trend: bool


@dataclass(frozen=True, eq=False)
class _Process:
    """A process of one column of losses or constraints.

    Attributes:
        posterior: given the rows it learned from, and the pending ones.
        curve: from values to targets.
        rows: shape (n,), which of the learned rows have a target here.
        targets: shape (n,).
        noise: of a target.
    """

    posterior: Posterior
    curve: Warp
    rows: Index
    targets: Array
    noise: float

    @property
    def expected(self) -> Array:
        """What the process predicts for the rows it learned from, shape (n,)."""
        return self.targets - self.noise * self.posterior.weight[: len(self.targets)]


def fit(X: Array, labels: Labels, space: Space, settings: Settings, rng: np.random.Generator) -> Score:
    """The score of labels that have losses, finite for at least one row."""
    assert labels.losses is not None
    if labels.losses.shape[1] not in _MOST_MEMBERS:
        labels = _scalarized(labels, rng)
    assert labels.losses is not None
    kinds = labels.kinds
    answered, pending = np.flatnonzero(kinds < Kind.PENDING), np.flatnonzero(kinds == Kind.PENDING)
    pending = pending[-(settings.max_points // 2) :]
    rank = np.empty(len(kinds))
    rank[_best_first(labels, kinds)] = np.arange(len(kinds))
    columns = _constraints(labels, answered)
    chosen = answered[subset(rank[answered], settings.max_points - len(pending))]
    chosen = _with_known(chosen, columns, answered, rank)
    views = space.views(X[np.concatenate([chosen, pending])])
    learner = _Learner(X, space, settings, rank, chosen, pending, views)
    objectives = [learner.learn(column, column, answered) for column in labels.losses.T]
    constraints = [learner.learn(c, np.abs(c), answered[np.isfinite(c[answered])]) for c in columns]
    limits = np.array([_limit(column) for column in columns])
    thresholds = np.array([float(p.curve(np.array([limit]))[0]) for p, limit in zip(constraints, limits, strict=True)])
    is_feasible = kinds[chosen] == Kind.FEASIBLE
    if labels.is_predicted is not None:
        is_feasible &= ~labels.is_predicted[chosen]  # nothing that is predicted is better than what was measured
    if settings.is_tau:
        is_feasible &= ~labels.z[chosen]
    is_wide = len(answered) % 4 < 2  # models take turns, so the process has every other of its turns
    gains = _gains(objectives, is_feasible, labels.reference, learner, constraints, thresholds, is_wide=is_wide)
    is_part = len(chosen) < len(answered)
    note = f"the Gaussian process learned from {len(chosen)} of {len(answered)} answers" if is_part else ""
    return _Joint(tuple(objectives), gains, tuple(constraints), thresholds, space, views, note)


def _best_first(labels: Labels, kinds: Index) -> Index:
    """The order of the rows (n,): by kind, feasible ones by rank or value, others by how far constraints are missed."""
    within = labels.y
    if labels.constraints is not None:
        with np.errstate(over="ignore"):  # an infinite sum is the worst
            violation = np.nansum(np.maximum(labels.constraints, 0.0), axis=1)
        within = np.where(kinds == Kind.FEASIBLE, within, violation)
    return np.lexsort((within, kinds))


def _scalarized(labels: Labels, rng: np.random.Generator) -> Labels:
    """Labels with one column of losses: a random mixture of the targets of all objectives."""
    assert labels.losses is not None
    has_losses = np.isfinite(labels.losses).all(axis=1)
    targets = np.stack([warp(column)(column) for column in labels.losses.T], axis=1)
    known = targets[has_losses]
    width = np.ptp(known, axis=0)
    weighted = rng.dirichlet(np.ones(len(width))) * (targets - known.min(axis=0)) / np.where(width > 0, width, 1.0)
    mixture = weighted.max(axis=1) + _SHARE_OF_SUM * weighted.sum(axis=1)
    return replace(labels, losses=np.where(has_losses, mixture, np.nan)[:, np.newaxis], reference=None)


def _constraints(labels: Labels, answered: Index) -> list[Array]:
    """The columns (n,) of outcome constraints that get a process: those of which anything is known."""
    if labels.constraints is None:
        return []
    columns = list(labels.constraints.T)
    if len(columns) > _MOST_CONSTRAINTS:
        with np.errstate(over="ignore"):
            violation = np.maximum(labels.constraints, 0.0).sum(axis=1)  # NaN where one is unknown
        satisfied = labels.constraints.max(axis=1)  # the nearest to 0, where none is missed
        columns = [np.where(violation > 0, violation, satisfied)]
    columns = [_without_infinities(column) for column in columns]
    return [column for column in columns if np.isfinite(column[answered]).any()]


def _without_infinities(column: Array) -> Array:
    """A constraint (n,) in which infinity is as bad as the worst that is known; of minus infinity nothing is known."""
    known = np.abs(column[np.isfinite(column)])
    worst = float(known.max(initial=0.0)) or 1.0
    return np.where(column == np.inf, worst, np.where(column == -np.inf, np.nan, column))


def _with_known(chosen: Index, columns: list[Array], answered: Index, rank: Array) -> Index:
    """The chosen rows, ascending, and the best of those that know a constraint which few of them know."""
    for column in columns:
        known = answered[np.isfinite(column[answered])]
        others = known[~np.isin(known, chosen)]
        n_missing = _LEAST_KNOWN - (len(known) - len(others))
        if n_missing > 0 and len(others):
            chosen = np.union1d(chosen, others[np.argsort(rank[others], kind="stable")[:n_missing]])
    return chosen


def _limit(column: Array) -> float:
    """Up to which value a constraint (n,) counts as satisfied: 0.

    If some values are exactly 0, satisfied trials all say 0, maybe, and the limit lies halfway to the smallest
    violation: a process that has learned 0 for sure must not call it a coin's toss.
    """
    missed = column[(column > 0) & np.isfinite(column)]
    return float(missed.min()) / 2 if len(missed) and (column == 0).any() else 0.0


@dataclass(frozen=True, eq=False)
class _Learner:
    """Fits processes to columns of values of the same rows."""

    X: Array
    space: Space
    settings: Settings
    rank: Array
    chosen: Index
    pending: Index
    views: Views

    def learn(self, y: Array, first: Array, answered: Index) -> _Process:
        """A process of the values y (n,) of the rows ``answered``, by age; NaN counts as the worst of them.

        Of very many rows, those where ``first`` (n,) is lowest determine hyperparameters, and some others: they depend
        on early answers only, and not on the ranks, which change with every answer.
        """
        n = checkpoint(len(answered))
        start = self._hyperparameters(y, first, answered[: anchor(n)])
        theta = start if n == anchor(n) else self._hyperparameters(y, first, answered[:n], start)
        curve = warp(y[answered])
        rows = np.flatnonzero(np.isin(self.chosen, answered))
        target = curve(y[self.chosen[rows]])
        V = self._viewed(np.concatenate([self.chosen[rows], self.pending]), self.views)
        views = self.views
        process = posterior(V, target, views.euclidean_column, theta, views.n_euclidean, views.positions)
        return _Process(process, curve, rows, target, theta.noise)

    def _hyperparameters(
        self, y: Array, first: Array, early: Index, start: Hyperparameters | None = None
    ) -> Hyperparameters:
        """Estimated from the first answers."""
        size = min(self.settings.max_points, max_rows(len(self.space)))
        chosen = early[subset(first[early], size)]
        views = self.space.views(self.X[chosen])
        return estimate(
            self._viewed(chosen, views),
            warp(y[early])(y[chosen]),
            views.euclidean_column,
            len(self.space),
            has_trend=self.settings.has_trend,
            p=views.n_euclidean,
            positions=views.positions,
            start=start,
        )

    def _viewed(self, rows: Index, views: Views) -> Array:
        return np.ascontiguousarray(views.euclidean(self.X[rows]))

    @property
    def viewed_pending(self) -> Array:
        """The pending rows as processes see them."""
        return self._viewed(self.pending, self.views)


def _gains(
    objectives: list[_Process],
    is_feasible: Mask,
    reference: Array | None,
    learner: _Learner,
    constraints: list[_Process],
    thresholds: Array,
    *,
    is_wide: bool,
) -> Gains | None:
    """What is left to gain over the feasible rows, as the processes expect their losses; None without such rows."""
    expected = np.stack([process.expected for process in objectives], axis=1)[is_feasible]
    if not len(expected):
        return None
    if len(learner.pending):
        V = learner.viewed_pending
        means = np.stack([process.posterior.predict(V)[0] for process in objectives], axis=1)
        is_hopeful = np.ones(len(V), dtype=bool)
        for process, threshold in zip(constraints, thresholds.tolist(), strict=True):
            is_hopeful &= process.posterior.predict(V)[0] <= threshold
        expected = np.concatenate([expected, means[is_hopeful]])
    members = expected[front(expected)]
    k = len(objectives)
    if reference is None:
        worst = _reference(members, expected, is_wide=is_wide)
    else:
        pairs = zip(objectives, reference.tolist(), strict=True)
        worst = np.array([float(process.curve(np.array([value]))[0]) for process, value in pairs])
    n_most = _MOST_MEMBERS[k]
    if len(members) > n_most:
        members = members[np.argsort(-contributions(members, worst), kind="stable")[:n_most]]
    return Gains.of(*boxes(members, worst))


def _reference(members: Array, expected: Array, *, is_wide: bool) -> Array:
    """The reference (k,) that nobody passed, for a front (m, k) among rows that are expected at (n, k).

    A tenth of the width beyond the worst losses: wide, of all rows, so that the ends of the front are worth a lot; or
    narrow, of the front, so that the middle is.
    """
    worst = (expected if is_wide else members).max(axis=0)
    return np.asarray(worst + np.maximum(_BEYOND * (worst - members.min(axis=0)), _LEAST_WIDTH))


@dataclass(frozen=True)
class _Joint(Score):
    objectives: tuple[_Process, ...]
    gains: Gains | None
    constraints: tuple[_Process, ...]
    thresholds: Array
    space: Space
    views: Views
    note: str = ""
    effort: float = 0.5  # with half of the candidates runs came out no worse (6 problems, 4 seeds)

    def __call__(self, X: Array) -> Array:
        """The logarithm of the expected gain, of feasible volume, shape (m,)."""
        return self._in_blocks(X, self._score)

    def probability(self, X: Array) -> Array:
        """P(x is feasible, and gains anything), shape (m,)."""
        return self._in_blocks(X, self._probability)

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """The score, shape (m,), and its gradient, shape (m, d)."""
        V, is_ordered = self.views.euclidean(X), self.space.is_ordered
        value, gradient = np.zeros(len(X)), np.zeros(X.shape)
        if self.gains is not None:
            slopes = [p.posterior.predict_with_slopes(V, self.views.positions) for p in self.objectives]
            mean, deviation = (np.stack([slope[i] for slope in slopes], axis=1) for i in range(2))
            value, by_mean, by_deviation = hypervolume_improvement.with_slopes(mean, deviation, self.gains)
            for j, slope in enumerate(slopes):
                gradient[:, is_ordered] += (
                    by_mean[:, j, np.newaxis] * slope[2] + by_deviation[:, j, np.newaxis] * slope[3]
                )
        for process, threshold in zip(self.constraints, self.thresholds.tolist(), strict=True):
            slope = process.posterior.predict_with_slopes(V, self.views.positions)
            chance, towards_mean, towards_deviation = feasibility_with_slopes(slope[0], slope[1], threshold)
            value = value + chance
            gradient[:, is_ordered] += (
                towards_mean[:, np.newaxis] * slope[2] + towards_deviation[:, np.newaxis] * slope[3]
            )
        gradient[np.isnan(X)] = 0.0
        return value, gradient

    def _score(self, V: Array) -> Array:
        total = self._log_feasible(V)
        if self.gains is not None:
            total = total + log_expected_gain(*self._predicted(V), self.gains)
        return total

    def _probability(self, V: Array) -> Array:
        feasible = np.exp(self._log_feasible(V))
        if self.gains is None:
            return np.asarray(feasible)
        return np.asarray(feasible * hypervolume_improvement.probability(*self._predicted(V), self.gains))

    def _predicted(self, V: Array) -> tuple[Array, Array]:
        """Mean and deviation of the objectives, each (m, k)."""
        pairs = [process.posterior.predict(V) for process in self.objectives]
        return np.stack([mean for mean, _ in pairs], axis=1), np.stack([deviation for _, deviation in pairs], axis=1)

    def _log_feasible(self, V: Array) -> Array:
        total = np.zeros(len(V))
        for process, threshold in zip(self.constraints, self.thresholds.tolist(), strict=True):
            total += log_feasibility(*process.posterior.predict(V), threshold)
        return total

    def _in_blocks(self, X: Array, function: Callable[[Array], Array]) -> Array:
        return np.concatenate([np.empty(0), *(function(block) for block in self._blocks(X))])

    def _blocks(self, X: Array) -> Iterator[Array]:
        V = self.views.euclidean(X)
        step = max(_PAIRS // max(len(self.objectives[0].posterior.rows), 1), 1)
        for start in range(0, len(V), step):
            yield V[start : start + step]
