"""Is it worth going on with a trial, given its configuration and its values so far?

good        among the best gamma-share of all trials, ranked as `auger.labels` has it
p           the probability that the trial ends up good
rest        what is left of its cost, where that of a complete trial is 1
rate        complete trials that are good, for each unit of cost spent so far

Going on buys p good ones for the cost of the rest, and the same cost spent on new trials has so far bought rate * rest.
So it is worth going on as long as p >= rate * rest: the rule that makes the most good ones of a budget, as long as the
future is like the past (the marginal value theorem of Charnov, 1976). Where pruning is too eager, fewer good ones come
of each unit of cost, the rate falls, and the next trials are spared.

p is asked of extremely randomized trees, as `auto`'s are, that learn from the trials which went on from the same rung:
from their configurations, and from where their values here and half way here rank among those of all that came so far.
Those that were stopped at this rung have nothing to say about what would have become of them; that they were stopped
for what is known here makes the others no less representative. While few went on, the trees are balanced by a prior:
ranks now and in the end are taken for those of two normal variables that are the more alike the further the trial is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from auger.classifiers import ExtraTrees
from auger.history import History, State, rung_of, value_at
from auger.labels import Labels, label
from auger.space import Float, Space
from auger.types import Array, Mask

# The prior counts as much as so many trials.
_PRIOR_TRIALS = 5.0
# The prior's correlation between ranks now and in the end, at the first step and at the last.
_AT_FIRST, _AT_LAST = 0.5, 0.99

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Prospect:
    """What is to be expected of a trial.

    Attributes:
        probability: that it ends up good.
        least: the probability from which on it is worth going on.
    """

    probability: float
    least: float

    @property
    def is_worth_it(self) -> bool:
        """Whether to go on."""
        return self.probability >= self.least


class Prospects:
    """What the finished trials of a history say about those that are under way.

    Args:
        history: finished trials with their values on the way, of which at least two are complete.
        gamma: the share of good trials.
    """

    def __init__(self, history: History, gamma: float) -> None:
        complete = history.has_state(State.COMPLETE)
        labels = label(history, gamma=gamma)
        self._history = history
        self._is_good: Mask = labels.z
        self._gamma = gamma
        self._last = np.array([trial.steps[-1][0] if trial.steps else 0.0 for trial in history])
        self._last[complete] = np.inf
        reached = self._last[np.isfinite(self._last)]
        steps = [trial.steps[-1][0] for trial in history if trial.state is State.COMPLETE and trial.steps]
        self._full = max(steps, default=0.0)
        cost = np.minimum(self._last, self._full).sum() / self._full if self._full else math.nan
        self._rate = np.count_nonzero(self._is_good & complete) / cost
        self._space = _space(history.space)

    def of(self, row: Array, steps: Sequence[tuple[float, float]], rng: np.random.Generator) -> Prospect:
        """The prospect of a trial with the encoded row (d,) and these values on its way, by step."""
        step = steps[-1][0]
        if not step < self._full:
            return Prospect(1.0, 0.0)
        rung = rung_of(step)
        ranks, own = self._ranks(rung, steps)
        progress = step / self._full
        p = _prior(float(own[0]), self._gamma, _AT_FIRST + (_AT_LAST - _AT_FIRST) * progress)
        went_on = np.flatnonzero(~np.isnan(ranks[:, 0]) & (self._last > step))
        z = self._is_good[went_on]
        if z.any() and not z.all():
            X = np.column_stack([self._history.X[went_on], ranks[went_on]])
            seen = Labels(z, np.zeros(len(z)), math.nan, z.astype(np.float64), (~z).astype(np.float64))
            trees = ExtraTrees(max_features=X.shape[1]).fit(X, seen, space=self._space, rng=rng)
            told = float(trees(np.concatenate([row, own])[np.newaxis])[0])
        else:
            told = float(z.mean()) if len(z) else 0.0
        p = (len(z) * told + _PRIOR_TRIALS * p) / (len(z) + _PRIOR_TRIALS)
        return Prospect(p, self._rate * (1 - progress))

    def _ranks(self, rung: float, steps: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
        """Of all trials (n, 3) and of this one (3,): ranks now and half way here, from 0 to 1, and what has changed."""
        columns, own = [], []
        for each in (rung, rung_of(rung / 2)):
            values = self._history.at(each)
            mine = value_at(steps, each)
            known = np.sort(values[~np.isnan(values)])
            columns.append(_rank(known, values))
            own.append(_rank(known, np.array([mine]))[0])
        if math.isnan(own[0]):  # a value that is NaN
            own[0] = 1.0
        columns.append(columns[0] - columns[1])
        own.append(own[0] - own[1])
        return np.column_stack(columns), np.array(own)


def _rank(known: Array, values: Array) -> Array:
    """Where values (n,) are among known ones, in order: strictly between 0 and 1, NaN for NaN; ties in the middle."""
    below, up_to = (np.searchsorted(known, values, side=side) for side in ("left", "right"))
    return np.where(np.isnan(values), np.nan, (below + up_to + 1) / (2 * len(known) + 2))


def _prior(rank: float, gamma: float, correlation: float) -> float:
    """The probability to end up among the best gamma-share, from a rank now."""
    rank = min(max(rank, 1e-9), 1 - 1e-9)
    apart = math.sqrt(1 - correlation**2)
    return _NORMAL.cdf((_NORMAL.inv_cdf(gamma) - correlation * _NORMAL.inv_cdf(rank)) / apart)


def _space(space: Space) -> Space:
    """The space and the three ranks."""
    parameters: dict[str, Any] = {name: replace(kind, when={}) for name, kind in space.parameters.items()}
    ranks = {f"rank {i} of {len(space)}": Float(-1.0, 1.0) for i in range(3)}
    return Space({**parameters, **ranks})
