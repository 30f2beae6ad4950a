"""Is it worth going on with a trial, given its configuration and its values so far?

chance      the probability that it ends up better than the best complete trial, by `auger.curves.final_values`
rest        what is left of its cost, where that of a complete trial is 1
spent       what all finished trials have cost, in the same unit
price       rest / (1 + spent): the chance that the same cost, spent on new trials, would have

Of trials that are all alike, the one to come is the best with the chance 1 / (1 + n), n being those before it. So what
was spent has bought one best, and each unit more buys the next with the chance 1 / (1 + spent). Going on is worth it as
long as the chance is not below the price (the marginal value theorem of Charnov, 1976). A sampler that learns does
better than that with new trials; asking twice as much of a trial, or three times, was worse all the same (see
docs/multi-fidelity.md): trials that go on to the end are what it learns most from.

A trial should be looked at once in each stage, at the steps 1, 2, 3, 4, 6, 8, 12, 16, 24, ... or the first one after
each of these: who is looked at after each of a thousand steps is unlucky once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.curves.final_values import known, learn
from auger.curves.stages import Curve
from auger.history import History, State
from auger.types import Array


@dataclass(frozen=True)
class Prospect:
    """What is to be expected of a trial.

    Attributes:
        chance: to end up better than the best complete trial.
        price: the chance that new trials would have, for the cost that is left.
    """

    chance: float
    price: float

    @property
    def is_worth_it(self) -> bool:
        """Whether to go on."""
        return self.chance >= self.price


_GO_ON = Prospect(1.0, 0.0)


class Prospects:
    """What the finished trials of a history say about those that are under way.

    Args:
        history: of which at least one trial is complete with a finite value.
    """

    def __init__(self, history: History) -> None:
        complete = history.has_state(State.COMPLETE)
        steps = [trial.steps for trial in history]
        self._full = max((steps[i][-1][0] for i in np.flatnonzero(complete) if steps[i]), default=0.0)
        # epochs counted from 0: after step 0 there is one
        self._offset = 1.0 if any(each and each[0][0] == 0 for each in steps) else 0.0
        self._spent = math.fsum(1.0 if done else self._share(each) for each, done in zip(steps, complete, strict=True))
        self._ends = learn(history, np.flatnonzero(known(history)))

    def _share(self, steps: Curve) -> float:
        """How much of the cost of a complete trial was spent up to the last of these steps."""
        if not steps or not self._full:
            return 0.0
        return min((steps[-1][0] + self._offset) / (self._full + self._offset), 1.0)

    def of(self, row: Array, steps: Curve) -> Prospect:
        """The prospect of a trial with the encoded row (d,) and at least one value on its way, by step.

        A trial goes on that has come as far as any complete one. One whose last value is NaN or infinity has no chance.
        """
        share = self._share(steps)
        if not 0 < share < 1:
            return _GO_ON
        price = (1 - share) / (1 + self._spent)
        if not math.isfinite(steps[-1][1]):
            return Prospect(0.0 if steps[-1][1] != -math.inf else 1.0, price)
        mean, deviation = self._ends.after(row, steps)
        return Prospect(0.5 * math.erfc((mean - self._ends.best) / (deviation * math.sqrt(2))), price)
