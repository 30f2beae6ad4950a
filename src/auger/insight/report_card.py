"""The classifier's report card: every new trial is a test that it had not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auger.checks import check_whole
from auger.errors import AugerError
from auger.insight.memory import remembered
from auger.insight.metrics import auc, clipped, log_losses
from auger.insight.replay import Replay, checkpoints, last_of, lasting, replay
from auger.labels import share_of
from auger.types import Array, Index, Mask
from auger.view import view

# P(good) = expit(a + b logit(raw)), with a ~ N(0, 1.4^2) and b ~ N(0.3, 0.35^2) before any outcome: classifiers are far
# more confident about their own proposals than they should be. On 32 runs over random functions (trees and processes of
# `auto`, forests) this belief gave skills of 0.29 and 0.10, and one around b = 1, which takes them at their word, 0.20
# and -0.29.
_MEAN, _PRECISION = np.array([0.0, 0.3]), np.array([0.5, 8.0])
# It is learned anew for each trial of a model, or so many times.
_N_CURVES = 200


@dataclass(frozen=True)
class Point:
    """How forecasts fared over a stretch of trials that ends with the one numbered ``number``; `n` of them."""

    number: int
    log_loss: float
    brier: float
    skill: float
    n: int


@dataclass(frozen=True)
class Bin:
    """The forecasts between ``low`` and ``high``: `n` of them, on average `p`, of which the share `share` came true.

    ``error_low`` and ``error_high`` are Wilson's 95 % interval of the share.
    """

    low: float
    high: float
    p: float
    share: float
    error_low: float
    error_high: float
    n: int


@dataclass(frozen=True, eq=False)
class ReportCard:
    """Forecasts that trials would be good, made before their answers were known, and what then happened.

    Attributes:
        numbers: shape (m,), the trials judged, in the order of their answers.
        p: shape (m,), the forecast of P(good), recalibrated by how earlier ones had come out.
        is_good: shape (m,), whether the trial was among the best gamma of the answers before it.
        base: shape (m,), the share of good ones among the trials judged before.
        models: which model's turn it was.
        raw: shape (m,), what the classifier itself said.
        gamma: the share of good answers that a trial had to be among.
        n_fits: how many fits of a classifier made the forecasts.
        note: what is missing, or only roughly so, in words; empty where all is there.
    """

    numbers: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    p: Array = field(default_factory=lambda: np.empty(0))
    is_good: Mask = field(default_factory=lambda: np.empty(0, dtype=bool))
    base: Array = field(default_factory=lambda: np.empty(0))
    models: tuple[str, ...] = ()
    raw: Array = field(default_factory=lambda: np.empty(0))
    gamma: float = 0.0
    n_fits: int = 0
    note: str = ""

    @property
    def n(self) -> int:
        """How many trials were judged."""
        return len(self.p)

    @property
    def log_loss(self) -> float:
        """The mean of minus the logarithm of the probability given to what happened."""
        return _mean(log_losses(self.p, self.is_good))

    @property
    def brier(self) -> float:
        """The mean squared difference between forecast and outcome."""
        return _mean((self.p - self.is_good) ** 2)

    @property
    def auc(self) -> float:
        """How often a good trial had a higher forecast than another; NaN where all were good, or none."""
        return auc(self.p, self.is_good)

    @property
    def skill(self) -> float:
        """What share of the base rate's log loss the forecasts save; below 0 they are worse than it."""
        loss = _mean(log_losses(self.base, self.is_good))
        return 1.0 - self.log_loss / loss if loss > 0 else math.nan

    @property
    def skill_error(self) -> float:
        """The standard error of the skill, a ratio of means, as if trials were independent; NaN for fewer than two."""
        if self.n < 2:
            return math.nan
        loss, base_loss = log_losses(self.p, self.is_good), log_losses(self.base, self.is_good)
        rest = base_loss - loss - self.skill * base_loss  # mean 0: the delta method
        return float(rest.std(ddof=1) / base_loss.mean() / math.sqrt(self.n))

    @property
    def base_rate(self) -> float:
        """The share of good trials among those judged."""
        return _mean(self.is_good)

    def as_stated(self) -> ReportCard:
        """The same card for what the classifier itself said, not recalibrated."""
        return replace(self, p=self.raw)

    def by_model(self) -> dict[str, ReportCard]:
        """A card for each model, by its name, in the order of their first turns."""
        names = np.array(self.models, dtype=object)
        return {name: self._part(np.flatnonzero(names == name)) for name in dict.fromkeys(self.models)}

    def over_time(self, window: int = 50) -> list[Point]:
        """How the last ``window`` forecasts fared, after every trial from the tenth on."""
        check_whole(window, 1, "`window` of a report card", AugerError)
        ends = np.arange(min(10, window), self.n + 1)
        starts = np.maximum(ends - window, 0)

        def mean(values: Array) -> Array:
            total = np.concatenate([[0.0], np.cumsum(values)])
            return np.asarray((total[ends] - total[starts]) / (ends - starts))

        loss = mean(log_losses(self.p, self.is_good))
        skill = 1.0 - loss / mean(log_losses(self.base, self.is_good))
        square = mean((self.p - self.is_good) ** 2)
        columns = self.numbers[ends - 1], loss, square, skill, ends - starts
        return [Point(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def reliability(self, n_bins: int = 10) -> list[Bin]:
        """Forecasts in up to ``n_bins`` groups of equal width, and how often they came true; empty groups left out."""
        from scipy.stats import binomtest  # 0.4 s to import

        check_whole(n_bins, 1, "`n_bins` of a reliability diagram", AugerError)
        bin_of = np.minimum((self.p * n_bins).astype(np.intp), n_bins - 1)
        bins = []
        for number in np.unique(bin_of).tolist():
            rows = bin_of == number
            n, n_good = int(rows.sum()), int(self.is_good[rows].sum())
            interval = binomtest(n_good, n).proportion_ci(method="wilson")
            edges = number / n_bins, (number + 1) / n_bins
            bins.append(Bin(*edges, float(self.p[rows].mean()), n_good / n, interval.low, interval.high, n))
        return bins

    def _part(self, rows: Index) -> ReportCard:
        return replace(
            self,
            numbers=self.numbers[rows],
            p=self.p[rows],
            is_good=self.is_good[rows],
            base=self.base[rows],
            models=tuple(self.models[i] for i in rows.tolist()),
            raw=self.raw[rows],
        )


@remembered
def report_card(source: Any, *, max_fits: int = 100) -> ReportCard:
    """Judge the classifiers of a run by the trials that they had not seen.

    A trial is good if it is among the best gamma of the answers before it. Gamma is that of the recipe, and where
    several take turns, that of the last for all: one question, so that their scores compare. The forecast is that of
    the classifier whose turn it was, fitted without weights to the answers that were in, and then recalibrated.

    Args:
        source: whatever `view` takes.
        max_fits: so many fits are made at most, though one for each model; with more trials than that, some are judged
            by a fit that knew fewer answers than were in.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=20, seed=0)
        >>> report_card(result).n
        15
    """
    check_whole(max_fits, 1, "`max_fits` of a report card", AugerError)
    run = view(source)
    if run.history is None or not run.history.finished:
        return ReportCard(note="No trial has an answer yet.")
    replayed = replay(run, max_fits=max_fits)
    recipe = lasting(run.recipe)
    if not len(replayed.positions):
        return ReportCard(
            note=f"No trial has been judged yet: the first {recipe.n_initial} answers are there to be learned from."
        )
    finished = np.array(run.history.finished, dtype=np.intp)
    gamma = share_of(recipe.gamma, len(finished))
    notes = [_staleness(replayed.n_known, replayed.n_used)]
    if len(run.objectives) > 1:
        notes.append("With several objectives, values are ranks among all trials by now, later ones included.")
    return ReportCard(
        run.numbers[finished[replayed.positions]],
        _recalibrated(replayed),
        replayed.is_good,
        _base(replayed, gamma),
        replayed.models,
        replayed.raw,
        gamma,
        replayed.n_fits,
        " ".join(note for note in notes if note),
    )


def _mean(values: Array | Mask) -> float:
    """The mean; NaN for none."""
    return float(values.mean()) if len(values) else math.nan


def _recalibrated(replayed: Replay) -> Array:
    """The forecasts through a curve for each model, learned from outcomes that were known at the time, shape (m,).

    What is proposed is not drawn like what was learned from: it is where the classifier is most confident.
    """
    from scipy.special import expit, logit  # 0.1 s to import

    heights = np.column_stack([np.ones(len(replayed.raw)), logit(clipped(replayed.raw))])
    models = np.array(replayed.models, dtype=object)
    p = np.empty(len(replayed.raw))
    for name in dict.fromkeys(replayed.models):
        own = np.flatnonzero(models == name)
        n_used = last_of(checkpoints(replayed.n_known[own], _N_CURVES), replayed.n_known[own])
        for n_answers in np.unique(n_used).tolist():
            block, earlier = own[n_used == n_answers], own[replayed.positions[own] < n_answers]
            theta = learned_curve(heights[earlier], replayed.is_good[earlier])
            p[block] = expit(heights[block] @ theta)
    return p


def learned_curve(F: Array, z: Mask, mean: Array = _MEAN, precision: Array = _PRECISION) -> Array:
    """The most probable theta (q,) where P(yes) = expit(F theta), from m outcomes.

    Args:
        F: shape (m, q), features of the outcomes.
        z: shape (m,), whether each was yes.
        mean: shape (q,), what is believed of theta before any outcome: theta_i ~ N(mean_i, 1 / precision_i).
        precision: shape (q,).
    """
    from scipy.optimize import root  # 0.4 s to import
    from scipy.special import expit

    def slope(theta: Array) -> Array:
        return np.asarray(F.T @ (expit(F @ theta) - z) + precision * (theta - mean))

    def curvature(theta: Array) -> Array:
        p = expit(F @ theta)
        return np.asarray((F.T * (p * (1 - p))) @ F + np.diag(precision))

    # the slope of minus the log posterior, which is convex: its only root is the maximum
    return np.asarray(root(slope, mean, jac=curvature, method="lm", options={"xtol": 1e-12, "ftol": 1e-12}).x)


def _base(replayed: Replay, gamma: float) -> Array:
    """The share of good ones among the trials judged before, gamma counting as one of them, shape (m,)."""
    n_before = np.searchsorted(replayed.positions, replayed.n_known)  # answers that were in, of trials that are judged
    n_good = np.concatenate([[0], np.cumsum(replayed.is_good)])[n_before]
    return np.asarray((n_good + gamma) / (n_before + 1))


def _staleness(n_known: Index, n_used: Index) -> str:
    n_late = int(np.count_nonzero(n_used < n_known))
    if not n_late:
        return ""
    return (
        f"{n_late:,} of {len(n_known):,} trials are judged by a fit to the answers before an earlier trial, "
        f"{float(np.mean(1 - n_used / n_known)):.0%} fewer on average, to save time."
    )
