"""The classifier's report card: every new trial is a test that it had not seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.insight import metrics
from auger.insight.replay import replay
from auger.insight.view import view
from auger.types import Array, Index, Mask


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


def _none() -> Array:
    return np.empty(0)


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
        note: what is missing, or only roughly so, in words; empty where all is there.
    """

    numbers: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    p: Array = field(default_factory=_none)
    is_good: Mask = field(default_factory=lambda: np.empty(0, dtype=bool))
    base: Array = field(default_factory=_none)
    models: tuple[str, ...] = ()
    raw: Array = field(default_factory=_none)
    gamma: float = 0.0
    note: str = ""

    @property
    def n(self) -> int:
        """How many trials were judged."""
        return len(self.p)

    @property
    def log_loss(self) -> float:
        """The mean of minus the logarithm of the probability given to what happened."""
        return metrics.log_loss(self.p, self.is_good)

    @property
    def brier(self) -> float:
        """The mean squared difference between forecast and outcome."""
        return metrics.brier(self.p, self.is_good)

    @property
    def auc(self) -> float:
        """How often a good trial had a higher forecast than another; NaN where all were good, or none."""
        return metrics.auc(self.p, self.is_good)

    @property
    def skill(self) -> float:
        """What share of the base rate's log loss the forecasts save; below 0 they are worse than it."""
        return metrics.skill(self.p, self.base, self.is_good)

    @property
    def base_rate(self) -> float:
        """The share of good trials among those judged."""
        return float(self.is_good.mean()) if self.n else float("nan")

    def as_stated(self) -> ReportCard:
        """The same card for what the classifier itself said, not recalibrated."""
        return self._with(self.raw)

    def by_model(self) -> dict[str, ReportCard]:
        """A card for each model, by its name, in the order of their first turns."""
        names = np.array(self.models, dtype=object)
        return {name: self._part(np.flatnonzero(names == name)) for name in dict.fromkeys(self.models)}

    def over_time(self, window: int = 50) -> list[Point]:
        """How the last ``window`` forecasts fared, at every trial from the tenth on."""
        points = []
        for end in range(min(10, window), self.n + 1):
            part = slice(max(end - window, 0), end)
            p, z = self.p[part], self.is_good[part]
            loss, square = metrics.log_loss(p, z), metrics.brier(p, z)
            skill = metrics.skill(p, self.base[part], z)
            points.append(Point(int(self.numbers[end - 1]), loss, square, skill, len(p)))
        return points

    def reliability(self, n_bins: int = 10) -> list[Bin]:
        """Forecasts in up to ``n_bins`` groups of equal width, and how often they came true; empty groups left out."""
        place = np.minimum((self.p * n_bins).astype(np.intp), n_bins - 1)
        bins = []
        for number in np.unique(place).tolist():
            rows = place == number
            n, n_good = int(rows.sum()), int(self.is_good[rows].sum())
            low, high = metrics.wilson(n_good, n)
            edges = number / n_bins, (number + 1) / n_bins
            bins.append(Bin(*edges, float(self.p[rows].mean()), n_good / n, low, high, n))
        return bins

    def _with(self, p: Array) -> ReportCard:
        return ReportCard(self.numbers, p, self.is_good, self.base, self.models, self.raw, self.gamma, self.note)

    def _part(self, rows: Index) -> ReportCard:
        models = tuple(self.models[i] for i in rows.tolist())
        arrays = self.numbers[rows], self.p[rows], self.is_good[rows], self.base[rows]
        return ReportCard(*arrays, models, self.raw[rows], self.gamma, self.note)


def report_card(source: Any, *, max_fits: int = 100) -> ReportCard:
    """Judge the classifiers of a run by the trials that they had not seen.

    Args:
        source: whatever `view` takes.
        max_fits: at most so many fits are made; with more trials than that, some are judged by a fit that knew fewer
            answers than there were.
    """
    seen = view(source)
    if seen.history is None or not len(seen.history.finished):
        return ReportCard(note="No trial has an answer yet.")
    told = replay(seen, max_fits=max_fits)
    finished = np.array(seen.history.finished, dtype=np.intp)
    if not len(told.places):
        return ReportCard(note="No trial was proposed after enough answers to learn from.")
    before = np.cumsum(told.is_good) - told.is_good
    base = (before + 0.1) / (np.arange(len(before)) + 1)
    return ReportCard(
        seen.numbers[finished[told.places]], metrics.clipped(told.raw), told.is_good, base, told.models, told.raw, 0.1
    )
