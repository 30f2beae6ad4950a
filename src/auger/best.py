"""The settings to use of a run, in the user's own values and signs: what every door, table and report shows as best."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from auger import text
from auger.evidence import Evidence
from auger.history import History
from auger.recommend import Recommendation, recommend
from auger.types import Config
from auger.view import Baseline, View


@dataclass(frozen=True)
class Best:
    """The settings to use.

    Attributes:
        number, config, value: of the trial.
        estimate: what to expect of it on average where values are noisy, with its standard `error`; otherwise None.
        reason: why this one, in words.
        baseline: what it is compared with, unless it is that itself.
    """

    number: int
    config: Config
    value: float
    estimate: float | None
    error: float | None
    reason: str
    baseline: Baseline | None

    @property
    def gain(self) -> float | None:
        """How much better than the baseline, as a fraction of it; None where that means nothing."""
        if self.baseline is None or self.baseline.value == 0:
            return None
        return abs(self.value - self.baseline.value) / abs(self.baseline.value)

    @property
    def comparison(self) -> str | None:
        """How much better than the baseline, in words; None without a baseline."""
        if self.baseline is None:
            return None
        return text.better_than(self.gain, self.baseline.name, self.baseline.value, self.baseline.number)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {**asdict(self), "gain": self.gain}


def best_settings(view: View) -> Best | None:
    """The settings to use: of the best value or, where values are noisy, of the best expected one.

    None before any trial is complete and feasible, and with several objectives.
    """
    best = view.best
    if best is None:
        return None
    direction = view.objectives.directions[0]
    recommendation = _recommendation(view)
    if recommendation is None:
        recommendation = Recommendation(best, Evidence.NONE, len(view.complete), direction=direction)
    trial = view.by_number[recommendation.trial.number]
    baseline = view.baseline
    if baseline is not None and view.by_number[baseline.number].config == trial.config:
        baseline = None
    return Best(
        trial.number,
        trial.config,
        view.objectives.original(trial.values)[0],
        None if recommendation.estimate is None else direction.sign * recommendation.estimate,
        recommendation.error,
        recommendation.reason,
        baseline,
    )


def _recommendation(view: View) -> Recommendation | None:
    """What `recommend` says of the trials in the order of their numbers, in which the first of equals is meant."""
    if view.history is None:
        return None
    order = np.argsort(view.numbers, kind="stable")
    trials = [replace(view.history.trials[place], number=i) for i, place in enumerate(order.tolist())]
    history = History(view.history.space, objectives=view.objectives)
    history.extend(trials, np.array(view.history.X[order]))
    recommendation = recommend(history)
    if recommendation is None:
        return None
    number = int(view.numbers[order[recommendation.trial.number]])
    return replace(recommendation, trial=replace(recommendation.trial, number=number))
