"""A Gaussian process among the classifiers: it learns the values themselves and scores by expected improvement.

Its hyperparameters are estimated from the first c answers, where c is the last of 1, 4, 7, 10, ... not above the number
of answers. So they are a function of the history alone: a new process computes them in one optimization, and a process
that remembers them saves that time for several answers in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers import processes
from auger.classifiers.interface import Classifier, Score
from auger.errors import ClassifierError
from auger.gaussian_process.improvement import log_improvement, with_slopes
from auger.gaussian_process.likelihood import Hyperparameters, estimate
from auger.gaussian_process.posterior import Posterior, left_out, posterior
from auger.gaussian_process.subset import anchor, checkpoint, max_rows, subset
from auger.gaussian_process.warp import Warp, warp
from auger.labels import Kind, Labels
from auger.space import Space, Views
from auger.types import Array, Index

# Rows are scored in blocks of about this many pairs with the data, 256 KB per array: larger ones leave the cache, and
# the system hands out their memory anew each time (twice the time with 100 answers and more).
_PAIRS = 2**15

# With fewer values than this, how well it predicts them says little.
_FEW = 20


@dataclass(frozen=True)
class GaussianProcess(Classifier):
    """A Gaussian process, Matern-5/2 and two quadratic trends; the score is the logarithm of expected improvement.

    It learns from values where other classifiers learn from labels, so weights and gamma make no difference to it,
    except that ``at="tau"`` measures improvement from the threshold. Trials without a value:

    - infeasible and failed trials, pruned trials without a predicted final value, NaN and infinity get the worst target
      of the others;
    - pending trials count as if they had the values that the process predicts, the incumbent included, so that trials
      running together spread out;
    - as long as no trial is complete and feasible, the process learns the labels instead, good as -1 and the rest as 1.

    With several objectives there is a process for each, and the score is the logarithm of the expected gain of
    dominated volume; with outcome constraints there is a process for each of these, too, and the score has the log
    probability that all are satisfied: see `auger.classifiers.processes`. Infeasible trials then have the values that
    they had.

    There is no chance in it, unless there are more than four objectives: else the generator is not used.

    Args:
        at: what improvement is measured from: ``"best"``, the lowest value that the process predicts for a row it
            learned from, which is the lowest value where there is no noise; or ``"tau"``.
        max_points: the process learns from at most so many rows, which bounds the cost: the best half, a quarter of the
            most recent, and the rest evenly from the others.
        trend: whether a quadratic function of all parameters, and a sum of effects of single parameters, are parts of
            the process.

    Example:
        >>> GaussianProcess(max_points=128)
        GaussianProcess(at='best', max_points=128, trend=True)
    """

    at: str = "best"
    max_points: int = 256
    trend: bool = True

    has_gradient = True

    def __post_init__(self) -> None:
        if self.at not in ("best", "tau"):
            raise ClassifierError(f"`at` of a GaussianProcess must be 'best' or 'tau'. Got {self.at!r}.")
        check_settings(self, ClassifierError, max_points=4)

    @property
    def libraries(self) -> tuple[str, ...]:
        return "scipy.linalg.lapack", "scipy.optimize", "scipy.special"

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        if labels.losses is not None and np.isfinite(labels.losses).any():
            settings = processes.Settings(self.at == "tau", self.max_points, self.trend)
            return processes.fit(X, labels, space, settings, rng)
        y, tau, answered, pending = _values(labels)
        pending = pending[-(self.max_points // 2) :]

        process, chosen, curve, theta, views = self._learned(X, y, answered, pending, space)
        is_tau = self.at == "tau" and np.isfinite(tau)
        best = curve(np.array([tau]))[0] if is_tau else _expected(process, curve(y[chosen]), theta.noise).min()
        is_part = len(chosen) < len(answered)
        note = f"the Gaussian process learned from {len(chosen)} of {len(answered)} answers" if is_part else ""
        threshold = curve(np.array([tau]))[0]
        return _Improvement(process, float(best), float(threshold), theta.noise, space, views, note)

    def skill(self, X: Array, labels: Labels, *, space: Space) -> float:
        """How well it orders the better half of the values, each predicted from all others: a rank correlation.

        0 with fewer than 20 values, with more answers than it learns from, where those values are all the same, and
        with several objectives or outcome constraints: to order their ranks well is not to know the way.
        """
        if labels.losses is not None:
            return 0.0
        y, _, answered, _ = _values(labels)
        if np.count_nonzero(labels.kinds == Kind.FEASIBLE) < _FEW or len(answered) > self.max_points:
            return 0.0
        process, _, curve, _, _ = self._learned(X, y, answered, answered[:0], space)
        values = y[answered]
        is_better = values <= np.nanmedian(values)  # NaN is not
        return _rank_correlation(left_out(process, curve(values))[is_better], values[is_better])

    def _learned(
        self, X: Array, y: Array, answered: Index, pending: Index, space: Space
    ) -> tuple[Posterior, Index, Warp, Hyperparameters, Views]:
        """The process of answered rows and all pending ones; which are the former; and what it was made with."""
        n = checkpoint(len(answered))
        start = self._hyperparameters(X, y, answered[: anchor(n)], space)
        theta = start if n == anchor(n) else self._hyperparameters(X, y, answered[:n], space, start)
        chosen = answered[subset(y[answered], self.max_points - len(pending))]
        curve = warp(y[answered])
        V, views = _viewed(space, X[np.concatenate([chosen, pending])])
        process = posterior(V, curve(y[chosen]), views.euclidean_column, theta, views.n_euclidean, views.positions)
        return process, chosen, curve, theta, views

    def _hyperparameters(
        self, X: Array, y: Array, early: Index, space: Space, start: Hyperparameters | None = None
    ) -> Hyperparameters:
        """Estimated from the first answers."""
        chosen = early[subset(y[early], min(self.max_points, max_rows(len(space))))]
        V, views = _viewed(space, X[chosen])
        target, column = warp(y[early])(y[chosen]), views.euclidean_column
        return estimate(
            V,
            target,
            column,
            len(space),
            has_trend=self.trend,
            p=views.n_euclidean,
            positions=views.positions,
            start=start,
        )


@dataclass(frozen=True, eq=False)
class _Improvement(Score):
    process: Posterior
    best: float
    threshold: float  # tau, as a target
    noise: float
    space: Space
    views: Views
    note: str = ""

    def __call__(self, X: Array) -> Array:
        """The logarithm of expected improvement, shape (m,), in standard deviations of the targets."""
        parts = [log_improvement(mean, deviation, self.best) for mean, deviation in self._predictions(X)]
        return np.concatenate([np.empty(0), *parts])

    def probability(self, X: Array) -> Array:
        """P(y <= tau | x) of a new answer, its noise included, shape (m,)."""
        from scipy.special import ndtr  # 0.1 s to import

        parts = [
            ndtr((self.threshold - mean) / np.sqrt(deviation**2 + self.noise))
            for mean, deviation in self._predictions(X)
        ]
        return np.concatenate([np.empty(0), *parts])

    def _predictions(self, X: Array) -> Iterator[tuple[Array, Array]]:
        """Mean and deviation of rows, block by block."""
        V = self.views.euclidean(X)
        step = max(_PAIRS // len(self.process.rows), 1)
        for start in range(0, len(V), step):
            yield self.process.predict(V[start : start + step])

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """The score, shape (m,), and its gradient, shape (m, d)."""
        mean, deviation, towards_mean, towards_deviation = self.process.predict_with_slopes(
            self.views.euclidean(X), self.views.positions
        )
        value, by_mean, by_deviation = with_slopes(mean, deviation, self.best)
        gradient = np.zeros(X.shape)
        gradient[:, self.space.is_ordered] = (
            by_mean[:, np.newaxis] * towards_mean + by_deviation[:, np.newaxis] * towards_deviation
        )
        gradient[np.isnan(X)] = 0.0
        return value, gradient


def _viewed(space: Space, rows: Array) -> tuple[Array, Views]:
    """Rows (n, d) to learn from as a process sees them, row after row in memory, and how it sees others."""
    views = space.views(rows)
    return np.ascontiguousarray(views.euclidean(rows)), views


def _expected(process: Posterior, target: Array, noise: float) -> Array:
    """What the process predicts for the rows it learned from, and for the pending ones after them.

    With K = S + noise * identity and a = K^-1 y, the means at the rows of the data are S a = y - noise * a.
    """
    means, pending = target - noise * process.weight[: len(target)], process.data[len(target) :]
    return np.concatenate([means, process.predict(pending)[0]]) if len(pending) else means


def _values(labels: Labels) -> tuple[Array, float, Index, Index]:
    """Values (n,), NaN where a row has no comparable value; tau; the rows that are answered, and pending."""
    kinds = labels.kinds
    y = np.where(kinds == Kind.FEASIBLE, labels.y, np.nan)
    if np.isfinite(y).any():
        return y, labels.tau, np.flatnonzero(kinds < Kind.PENDING), np.flatnonzero(kinds == Kind.PENDING)
    return np.where(labels.z, -1.0, 1.0), 0.0, np.arange(len(y)), np.empty(0, dtype=np.intp)


def _rank_correlation(a: Array, b: Array) -> float:
    """Spearman's, of a (n,) and b (n,), equal numbers sharing the mean of their ranks; 0 where one is constant."""
    ranks = _ranks(a), _ranks(b)
    if any(rank.min() == rank.max() for rank in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def _ranks(values: Array) -> Array:
    _, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - 0.5 * count)[inverse])
