"""The settings to use of a run, in the user's own values and signs: what every door, table and report shows as best."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from auger import text
from auger.confirmation import confirmed, ranked, values_of
from auger.evidence import Evidence
from auger.objectives import Direction
from auger.recommend import Ranking, mean_and_deviation
from auger.trial import Trial
from auger.types import Config
from auger.view import Baseline, View


@dataclass(frozen=True)
class Best:
    """The settings to use.

    Attributes:
        number, config, value: of the trial; the value of a trial of several runs is their mean.
        estimate: what to expect of the settings on average where values are noisy: the mean of the runs that confirmed
            them; without such, what a model of all trials expects. None where there is no sign of noise.
        error: the standard error of the estimate.
        reason: why this one, in words.
        baseline: what it is compared with, unless it is that itself; where values are noisy, with what to expect of it.
        direction: in which the user optimizes.
        n_runs: how often the program ran with these settings, as far as the estimate knows.
        low, high: the lowest and the highest value of these runs.
        is_confirmed: whether these runs came after the settings had been chosen.
    """

    number: int
    config: Config
    value: float
    estimate: float | None
    error: float | None
    reason: str
    baseline: Baseline | None
    direction: Direction = Direction.MINIMIZE
    n_runs: int = 1
    low: float | None = None
    high: float | None = None
    is_confirmed: bool = False

    @property
    def expected(self) -> float:
        """What to expect of the settings on average: the number to tell others."""
        return self.value if self.estimate is None else self.estimate

    @property
    def gain(self) -> float | None:
        """How much better than the baseline, as a fraction of it, below 0 if worse; None where that means nothing."""
        if self.baseline is None or self.baseline.value == 0:
            return None
        return self.direction.sign * (self.baseline.value - self.expected) / abs(self.baseline.value)

    @property
    def expectation(self) -> str:
        """What to expect, in words: "0.363 ± 0.021"."""
        return text.expected(self.expected, self.error, is_confirmed=self.is_confirmed)

    @property
    def runs(self) -> str:
        """The runs behind it, in words: "5 runs, 0.296 to 0.437"; empty for a single run without noise."""
        return text.run_range(self.n_runs, self.low, self.high, self.error)

    @property
    def headline(self) -> str:
        """Both: "0.363 ± 0.021, 5 runs, 0.296 to 0.437"."""
        return ", ".join(filter(None, [self.expectation, self.runs]))

    @property
    def comparison(self) -> str | None:
        """How much better than the baseline, in words; None without a baseline."""
        if self.baseline is None:
            return None
        return text.better_than(self.gain, self.baseline.name, self.baseline.value, self.baseline.number)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {**asdict(self), "direction": self.direction.value, "expected": self.expected, "gain": self.gain}


@dataclass(frozen=True)
class _Expectation:
    """What is known of the values of one configuration, minimized."""

    estimate: float | None
    error: float | None
    values: list[float]


def best_settings(view: View) -> Best | None:
    """The settings to use: of the best value or, where values are noisy, of the best expected one.

    If the best settings were run again at the end (see `auger.confirmation`), it is the best of these, and only what
    they gave then counts. None before any trial is complete and feasible, and with several objectives.
    """
    if view.best is None:
        return None
    ranking, confirmations = ranked(view), confirmed(view)
    if confirmations:
        trial, reason = confirmations[0], text.confirmed(len(confirmations), view.objectives.directions[0])
    else:
        trial, reason = _first(view, ranking)
    expectation = _expectation(view, trial, ranking, confirmations)
    sign = view.objectives.directions[0].sign
    low, high = sorted(sign * value for value in (min(expectation.values), max(expectation.values)))
    return Best(
        trial.number,
        trial.config,
        view.objectives.original(trial.values)[0],
        None if expectation.estimate is None else sign * expectation.estimate,
        expectation.error,
        reason,
        _baseline(view, trial, ranking, confirmations),
        view.objectives.directions[0],
        len(expectation.values),
        low,
        high,
        bool(confirmations),
    )


def _first(view: View, ranking: Ranking | None) -> tuple[Trial, str]:
    """The trial that a ranking recommends, and why; without a ranking the one with the best value."""
    best, direction = view.best, view.objectives.directions[0]
    assert best is not None
    if ranking is None:
        trial, ranking = best, Ranking((), Evidence.NONE, len(view.complete))
    else:
        trial = view.by_number[ranking.trials[0].number]
    reason = text.recommended(
        ranking.evidence,
        direction,
        n_values=ranking.n_values,
        noise=ranking.noise,
        is_best_value=trial.value == best.value,
        is_best_config=trial.config == best.config,
    )
    return trial, reason


def _expectation(view: View, trial: Trial, ranking: Ranking | None, confirmations: list[Trial]) -> _Expectation:
    """What to expect of the settings of a trial."""
    of_these = [other for other in confirmations if other.config == trial.config]
    values = values_of(of_these or view.trials, trial.config) or list(trial.values)
    if not of_these and ranking is not None and ranking.expected is not None and trial.is_feasible:
        return _Expectation(*ranking.expected(trial), values)
    if min(values) == max(values):
        return _Expectation(None, None, values)
    mean, deviation = mean_and_deviation(values)
    return _Expectation(mean, deviation / math.sqrt(len(values)), values)


def _baseline(view: View, trial: Trial, ranking: Ranking | None, confirmations: list[Trial]) -> Baseline | None:
    """The baseline with the value to expect of it; None where the trial has its settings."""
    baseline = view.baseline
    if baseline is None or view.by_number[baseline.number].config == trial.config:
        return None
    original = view.by_number[baseline.number]
    again = next((other for other in confirmations if other.config == original.config), original)
    estimate = _expectation(view, again, ranking, confirmations).estimate
    value = again.values[0] if estimate is None else estimate
    return replace(baseline, number=again.number, value=view.objectives.original([value])[0])
