"""Whether a running trial is worth going on with, given its configuration and its intermediate values.

chance      the probability that it becomes better than the best complete trial, by `auger.curves.final_values`; with
            several objectives, that no complete trial will beat it in all of them
rest        what is left of its cost, where a complete trial costs 1
spent       what all finished trials have cost, in the same unit
members     of the front, with several objectives; otherwise 1
price       rest * members / (1 + spent): the chance that new trials would have for the same cost

If all trials are alike, the next one is the best with the chance 1 / (1 + n) after n others. So each unit of cost buys
a new best with the chance 1 / (1 + spent), and going on is worth it while the chance is not below the price (the
marginal value theorem of Charnov, 1976). A sampler that learns does better with new trials than that; multiplying the
price by 2 or 3 was worse all the same (docs/measurements/multi-fidelity.md), because complete trials are what it learns
most from. With several objectives, each of n trials that are alike is as likely to be on the front as any other: the
next one joins it with the chance members / (1 + n).

After twenty trials in a row that were stopped or failed, the next one goes on: a model that is wrong about the end of
trials would never learn it from trials that do not come to it.

A trial should be judged once per stage, at the steps 1, 2, 3, 4, 6, 8, 12, 16, 24, ... or the first one after each: a
trial that is judged after each of a thousand steps is stopped by bad luck sooner or later.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from auger.curves.final_values import learn, usable
from auger.curves.points import Curve, stage_of
from auger.curves.scale import step_offset
from auger.history import History
from auger.threads import one_thread
from auger.trial import State
from auger.types import Array


@dataclass(frozen=True)
class Prospect:
    """What to expect of a running trial.

    Attributes:
        chance: to become better than the best complete trial; with several objectives, to be on the front.
        price: the chance that new trials would have, for the cost that is left.
    """

    chance: float
    price: float

    @property
    def is_worth_it(self) -> bool:
        """Whether to go on."""
        return self.chance >= self.price


_GO_ON = Prospect(1.0, 0.0)

# So many trials in a row may end without a complete one.
_MOST_IN_A_ROW = 20

# Of the final values of a trial; prices are mostly above a hundredth.
_DRAWS = 4096


class Prospects:
    """What the finished trials of a history say about running ones.

    Args:
        history: of which at least one trial is complete with a finite value.
    """

    def __init__(self, history: History) -> None:
        complete = history.has_state(State.COMPLETE)
        curves = [trial.intermediate_values for trial in history]
        self._full = max((curves[i][-1][0] for i in np.flatnonzero(complete) if curves[i]), default=0.0)
        self._offset = max((step_offset(curve[0][0]) for curve in curves if curve), default=0.0)
        self._spent = math.fsum(
            1.0 if is_complete else self._share(curve) for curve, is_complete in zip(curves, complete, strict=True)
        )
        numbers, several = np.flatnonzero(usable(history)), range(len(history.objectives))
        self._models = [learn(history, numbers, objective) for objective in several]
        members = [trial.number for trial in history.front]
        self._n_members = len(members) if len(several) > 1 else 1
        rows = history.X[members]
        self._front = np.column_stack([model.expected(rows) for model in self._models])

    def _share(self, curve: Curve) -> float:
        """How much of the cost of a complete trial was spent up to the last step of a curve."""
        if not curve or not self._full:
            return 0.0
        return min((curve[-1][0] + self._offset) / (self._full + self._offset), 1.0)

    def of(self, row: Array, curve: Curve) -> Prospect:
        """The prospect of a trial with the encoded row (d,) and at least one intermediate value, by step.

        A trial that has come as far as any complete one goes on. One whose last value is NaN or infinity has no chance.
        """
        share = self._share(curve)
        if not 0 < share < 1:
            return _GO_ON
        price = (1 - share) * self._n_members / (1 + self._spent)
        if not all(map(math.isfinite, curve[-1][1:])):
            return Prospect(0.0, price)
        expected = [model.after(row, curve) for model in self._models]
        if len(expected) == 1:
            ((mean, deviation),) = expected
            return Prospect(0.5 * math.erfc((mean - self._models[0].best) / (deviation * math.sqrt(2))), price)
        return Prospect(_chance_of_front(np.array(expected), self._front), price)


def _chance_of_front(expected: Array, front: Array) -> float:
    """The share of draws (k,) that no member of a front (f, k) beats; of means and deviations, (k, 2), independent."""
    mean, deviation = expected.T
    draws = mean + deviation * np.random.default_rng(0).standard_normal((_DRAWS, len(mean)))
    is_beaten = np.zeros(_DRAWS, dtype=bool)
    for member in front:
        is_beaten |= (member <= draws).all(axis=1)
    return float(np.mean(~is_beaten))


class Stages:
    """Which stages trials were judged in, so that each is judged once per stage."""

    def __init__(self) -> None:
        self._judged: dict[Hashable, float] = {}  # trial -> at which step

    def is_new(self, trial: Hashable, step: float) -> bool:
        """Whether a trial, by its last step, has come to a stage in which it was not judged at another step."""
        last = self._judged.get(trial)
        if last is not None and last != step and stage_of(float(last)) == stage_of(float(step)):
            return False
        self._judged[trial] = step
        return True


class Judge:
    """Says what to expect of the running trials of one run, and keeps what it learned until there is a new answer.

    Args:
        n_startup: it says nothing before so many trials are complete and feasible, with finite values.
    """

    def __init__(self, n_startup: int = 2) -> None:
        self._n_startup = n_startup
        self._last: tuple[History, int, Prospects] | None = None

    def prospect(self, history: History, row: Array, curve: Curve) -> Prospect | None:
        """The prospect of a trial, as `Prospects.of` has it; None while too little is known, or none came to its end.

        It depends on the finished trials of the history, in the order their answers came, and on the trial itself.
        """
        is_complete = history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y)
        if not curve or np.count_nonzero(is_complete) < self._n_startup:
            return None
        last = history.finished[-_MOST_IN_A_ROW:]
        if len(last) == _MOST_IN_A_ROW and not history.has_state(State.COMPLETE)[last].any():
            return None
        with one_thread():
            if self._last is None or self._last[0] is not history or self._last[1] != len(history.finished):
                self._last = history, len(history.finished), Prospects(history.answered())
            return self._last[2].of(row, curve)
