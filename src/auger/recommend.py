"""Which configuration to use in the end: the one with the lowest value, unless values are noisy and it was only lucky.

Where there is evidence of noise (see `auger.gaussian_process.noise`), a Gaussian process estimates
the expected value of each trial from all trials, and the lowest expected value decides. A trial that ran its program
several times counts with the value of each run.

rows      one per value that was measured: a trial of three runs has three, which are equal
X (n, d), y (n,), config (n,), owner (n,)
          the encoded configuration, the value, a number per configuration, and the trial of each row
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from auger import text
from auger.evidence import Evidence
from auger.gaussian_process.kernel import squares
from auger.gaussian_process.likelihood import hyperparameters
from auger.gaussian_process.noise import noise
from auger.gaussian_process.posterior import posterior
from auger.gaussian_process.subset import max_rows
from auger.gaussian_process.warp import warp
from auger.history import History
from auger.objectives import Direction
from auger.space import Space
from auger.threads import one_thread
from auger.trial import State, Trial
from auger.types import Array, Index

# The model learns from at most so many trials, which bounds the cost.
_MAX_POINTS = 200

# Repeats that agree rule noise out if the chance that they all agree in spite of noise is below this.
_CHANCE = 0.05

# Targets, which have variance 1, closer than this differ by rounding only.
_SAME = 1e-9


@dataclass(frozen=True)
class Recommendation:
    """What to use, and why.

    Attributes:
        trial: one that was evaluated: complete and feasible.
        evidence: of noise.
        n_values: how many finite values were compared.
        estimate: the expected value of its configuration, in the sign of the trial; None without noise: then it is
            `trial.value`.
        error: standard error of the estimate, by the model; None without an estimate.
        noise: the standard deviation of the noise; None without.
        is_best_value: whether the trial has the best value of all, and `is_best_config` its configuration.
        direction: in which the user optimizes.
    """

    trial: Trial
    evidence: Evidence
    n_values: int = 0
    estimate: float | None = None
    error: float | None = None
    noise: float | None = None
    is_best_value: bool = True
    is_best_config: bool = True
    direction: Direction = Direction.MINIMIZE

    @property
    def is_noisy(self) -> bool:
        """Whether there is evidence that values are noisy."""
        return self.evidence is Evidence.NOISE

    @property
    def reason(self) -> str:
        """Why this one, in words."""
        return text.recommended(
            self.evidence,
            self.direction,
            n_values=self.n_values,
            noise=self.noise,
            is_best_value=self.is_best_value,
            is_best_config=self.is_best_config,
        )


@dataclass(frozen=True, eq=False)
class Ranking:
    """Complete and feasible trials by what is to be expected of their configurations.

    Attributes:
        trials: one per configuration, the best first; where values are noisy, those that the model learned from.
        evidence: of noise.
        n_values: how many trials were compared.
        noise: the standard deviation of the noise; None without.
        expected: where values are noisy, what to expect of the configuration of a trial, and the standard error of
            that; otherwise None.
    """

    trials: tuple[Trial, ...]
    evidence: Evidence
    n_values: int
    noise: float | None = None
    expected: Callable[[Trial], tuple[float, float]] | None = None


def recommend(history: History) -> Recommendation | None:
    """The trial whose configuration to use; None before one is complete and feasible.

    It is `History.best`, the one with the lowest value, unless there is evidence of noise: neighbours that differ
    more than those of a rough function would, or repeats that differ. Then it has the lowest expected value.
    Failed, pruned and infeasible trials, NaN and infinity are not learned from. Nothing is drawn at random.

    Example:
        >>> from auger.space import Space
        >>> history = History(Space({"x": (0.0, 1.0)}))
        >>> for x, y in [(0.1, 3.0), (0.2, 1.0), (0.3, 2.0)]:
        ...     _ = history.finish(history.start({"x": x}).number, value=y)
        >>> recommendation = recommend(history)
        >>> recommendation.trial.number, recommendation.reason
        (1, 'the lowest of 3 values, without evidence of noise')
    """
    best, ranking = history.best, rank(history)
    if best is None or ranking is None:
        return None
    trial, (estimate, error) = ranking.trials[0], (None, None)
    if ranking.expected is not None:
        estimate, error = ranking.expected(trial)
    return Recommendation(
        trial,
        ranking.evidence,
        ranking.n_values,
        estimate=estimate,
        error=error,
        noise=ranking.noise,
        is_best_value=trial.value == best.value,
        is_best_config=np.array_equal(history.X[trial.number], history.X[best.number], equal_nan=True),
        direction=history.objectives.directions[0],
    )


def rank(history: History) -> Ranking | None:
    """The trials by the rule of `recommend`, the one to use first; None before one is complete and feasible."""
    is_compared = history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y)
    compared = np.flatnonzero(is_compared)
    if history.best is None:
        return None
    rows = _rows(history, compared)
    order = compared[np.argsort(history.y[compared], kind="stable")]
    by_value = Ranking(_distinct(history, order), Evidence.NONE, len(compared))
    if _repeats_agree(rows.config, rows.y):
        return replace(by_value, evidence=Evidence.REPEATS_AGREE)
    if len(by_value.trials) == 1 and np.ptp(rows.y) > 0:
        return _only_config(history, rows, len(compared))
    with one_thread():
        return _by_expected_value(history, rows, len(compared)) or by_value


def _only_config(history: History, rows: _Rows, n_values: int) -> Ranking:
    """The ranking of a single configuration whose values differ: there are no neighbours to learn from."""
    mean, deviation = mean_and_deviation(rows.y)
    error = deviation / math.sqrt(len(rows.y))
    return Ranking((history.trials[rows.owner[0]],), Evidence.NOISE, n_values, deviation, lambda trial: (mean, error))


def mean_and_deviation(values: Array | list[float]) -> tuple[float, float]:
    """The mean of two values or more, and their standard deviation; squares of 1e300 would overflow.

    Example:
        >>> mean_and_deviation([1.0, 3.0]), mean_and_deviation([0.0, 2e300])
        ((2.0, 1.4142135623730951), (1e+300, 1.4142135623730952e+300))
    """
    unit = math.ldexp(1.0, math.frexp(float(np.max(np.abs(values))))[1] - 1)  # a power of two rounds nothing
    scaled = np.asarray(values) / unit
    return unit * float(np.mean(scaled)), unit * float(np.std(scaled, ddof=1))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Every measured value: see the head of this file."""

    X: Array
    y: Array
    config: Index
    owner: Index


def _rows(history: History, compared: Index) -> _Rows:
    owner = np.repeat(compared, [len(history.trials[i].measured) for i in compared])
    y = np.array([value for i in compared.tolist() for value in history.trials[i].measured])
    return _Rows(history.X[owner], y, _configs(history.X[owner]), owner)


def _distinct(history: History, order: Index) -> tuple[Trial, ...]:
    """The trials at these positions, the first of each configuration."""
    _, first = np.unique(_configs(history.X[order]), return_index=True)
    return tuple(history.trials[i] for i in order[np.sort(first)].tolist())


def _configs(X: Array) -> Index:
    """Numbers 0, 1, 2, ... for rows (n, d), equal where configurations are; inactive is equal to inactive."""
    return np.unique(np.where(np.isnan(X), -1.0, X), axis=0, return_inverse=True)[1].reshape(-1)


def _repeats_agree(config: Index, y: Array) -> bool:
    """Whether configurations were repeated, always with the same value, and not because there are few values anyway.

    Two noisy values of one configuration agree about as often as one agrees with another configuration that is equally
    good, which is not more often than with any other.
    """
    pairs = np.unique(np.column_stack([config, y]), axis=0)  # each configuration with each of its values
    n_configs = int(config.max()) + 1
    if n_configs == len(y) or n_configs < len(pairs):
        return False
    _, which, n_sharing = np.unique(pairs[:, 1], return_inverse=True, return_counts=True)
    chance = float(np.mean(n_sharing[which.reshape(-1)] > 1))
    return chance ** (len(y) - n_configs) < _CHANCE


def _by_expected_value(history: History, rows: _Rows, n_values: int) -> Ranking | None:
    """The ranking where values are noisy; None without evidence of that."""
    y, space = rows.y, history.space
    curve = warp(y, is_bent=False)  # a power would give good values another noise than bad ones
    targets = curve(y)
    if np.ptp(targets) == 0:
        return None
    X, lowest = rows.X, _lowest_of_each(rows.config, y)
    chosen = _best_and_others(lowest, min(_MAX_POINTS, max_rows(len(space))))
    V, column = _viewed(space, X, chosen)
    theta = noise(squares(V[chosen], column, len(space)), targets[chosen])
    if theta is None:
        return None
    fitted = hyperparameters(theta, len(space))
    chosen = _best_and_others(lowest, _MAX_POINTS)
    V, column = _viewed(space, X, chosen)
    mean, _ = posterior(V[chosen], targets[chosen], column, fitted).predict(V[chosen])
    # the earliest of repeats, which rounding tells apart, is first
    order = chosen[np.argsort(np.round((mean - mean.min()) / _SAME), kind="stable")]

    def predicted(at: int) -> tuple[Array, Array]:
        """Mean and deviation (1,) of the target of a row, from its neighbours, whatever their values.

        Rows that were chosen because they are low were partly lucky.
        """
        V, column = _viewed(space, X, np.array([at]))
        near = _near_and_others(V / fitted.lengthscale[column], at)
        V, column = _viewed(space, X, near)
        return posterior(V[near], targets[near], column, fitted).predict(V[[at]])

    def expected(trial: Trial) -> tuple[float, float]:
        with one_thread():
            mean, deviation = predicted(int(np.flatnonzero(rows.owner == trial.number)[0]))
        return float(curve.inverse(mean)[0]), float(curve.inverse_slope(mean)[0]) * float(deviation[0])

    unit = float(curve.inverse_slope(predicted(int(order[0]))[0])[0])
    deviation_of_noise = unit * math.sqrt(fitted.noise)
    has_differing_repeats = np.any(targets - curve(lowest) > _SAME)
    if not has_differing_repeats and deviation_of_noise < 0.5 * _least_gap(y):
        return None  # the noise is no more than the rounding of the values
    ranked = _distinct(history, rows.owner[order])
    return Ranking(ranked, Evidence.NOISE, n_values, deviation_of_noise, expected)


def _viewed(space: Space, X: Array, chosen: Index) -> tuple[Array, Index]:
    """Rows (n, d) in Euclidean space, with distances to those that are ``chosen``, and what each column belongs to."""
    views = space.views(X[chosen])
    return views.euclidean(X), views.euclidean_column


def _lowest_of_each(config: Index, y: Array) -> Array:
    """For each of the values (n,), the lowest of its configuration."""
    lowest = np.full(int(config.max()) + 1, np.inf)
    np.minimum.at(lowest, config, y)
    return lowest[config]


def _least_gap(y: Array) -> float:
    """The smallest difference between values (n,) that are not the same; at least two differ."""
    gaps = np.diff(np.unique(y / 4))  # quarters, so that 1e308 - (-1e308) does not overflow
    return 4 * float(gaps[gaps > 1e-9 * gaps.max()].min())  # 0.1 + 0.2 and 0.3 are the same


def _best_and_others(lowest: Array, size: int) -> Index:
    """Positions of up to ``size`` trials, ascending: half of them the lowest, the others evenly by age.

    ``lowest`` (n,) is the lowest value of each configuration: repeats stay together, so that values that differ from a
    lucky one are not left out.
    """
    return _first_and_others(np.argsort(lowest, kind="stable"), size // 2, size)


def _near_and_others(Z: Array, at: int) -> Index:
    """Positions of up to _MAX_POINTS of the rows (n, p): three quarters the nearest to one, the others by age."""
    order = np.argsort(((Z - Z[at]) ** 2).sum(axis=1), kind="stable")
    return _first_and_others(order, _MAX_POINTS * 3 // 4, _MAX_POINTS)


def _first_and_others(order: Index, n_first: int, size: int) -> Index:
    if len(order) <= size:
        return np.arange(len(order))
    others = np.sort(order[n_first:])
    spread = np.linspace(0, len(others) - 1, size - n_first).round().astype(np.intp)
    return np.sort(np.concatenate([order[:n_first], others[spread]]))
