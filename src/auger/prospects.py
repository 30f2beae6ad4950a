"""Is it worth going on with a trial, given its configuration and its values so far?

p           the probability that the trial ends up good
rest        what is left of its cost, where that of a complete trial is 1
rate        good complete trials for each unit of cost spent so far, that of stopped trials included
worth       p / (rate * rest)

Going on buys p good trials for the cost of the rest; the same cost, spent on new trials, has so far bought rate * rest.
So it is worth going on as long as the worth is 1 or more, which makes the most good trials of a budget as long as the
future is like the past (the marginal value theorem of Charnov, 1976). Where pruning is too eager, fewer good ones come
of a unit of cost, the rate falls, and the next trials are spared; and the less is left to pay, the less has to be hoped
for. Two witnesses are heard, and their worths averaged:

trees       Extremely randomized trees, like those of `auto`, learn which complete trials are among the best gamma-share
            of them: from the configuration, and from where the values were, here and half way here, among those of all
            trials that came so far. They learn from complete trials only, as nobody knows what would have become of the
            others, and find out where a slow start is no bad sign. With few trials they know little.
ranks       All trials in one order (see `auger.rungs`), of which the best tenth is good. Where the trial would stand in
            it if it ended here, and where it will in the end, are taken for two normal variables whose relation is
            learned from the complete trials, starting from a correlation that is the higher the
            further the trial is. Configurations play no part. With few trials this is still a fair guess.

The trees weigh n / (n + 15) where n trials are complete.

A trial is looked at when it comes to 1, 2, 3, 4, 6, 8, 12, 16, 24, ... steps, the first step at or after each of these.
Who is looked at after each of a thousand steps is unlucky once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auger.classifiers import ExtraTrees
from auger.history import History, State, rung_of, value_at
from auger.labels import Labels
from auger.parameters import Float
from auger.rungs import merge, places
from auger.space import Space
from auger.types import Array

# With so many complete trials the trees weigh as much as the ranks.
_EQUAL_AT = 15
# The share of good trials among all that were ranked, for the ranks.
_GOOD_OF_ALL = 0.1
# What is believed of the correlation of ranks at the first step and at the last, as if it were seen in so many trials.
_AT_FIRST, _AT_LAST, _N_BELIEVED = 0.5, 0.99, 5.0


@dataclass(frozen=True)
class Prospect:
    """What is to be expected of a trial: good ones by going on, relative to those by starting anew at the same cost.

    Attributes:
        by_trees: as the trees see it; infinity where nothing is left to pay.
        by_ranks: as the ranks do.
        worth: both together.
    """

    by_trees: float
    by_ranks: float
    worth: float

    @property
    def is_worth_it(self) -> bool:
        """Whether to go on."""
        return self.worth >= 1.0


_GO_ON = Prospect(math.inf, math.inf, math.inf)


class Prospects:
    """What the finished trials of a history say about those that are under way.

    Args:
        history: of which at least two trials are complete with a value below infinity.
        gamma: the share of good trials among the complete ones, for the trees.
    """

    def __init__(self, history: History, gamma: float) -> None:
        self._history = history
        complete = history.has_state(State.COMPLETE)
        steps = [trial.steps for trial in history]
        self._full = max((steps[i][-1][0] for i in np.flatnonzero(complete) if steps[i]), default=0.0)
        # epochs counted from 0: after step 0 there is one
        self._offset = 1.0 if any(each and each[0][0] == 0 for each in steps) else 0.0
        self._spent = math.fsum(1.0 if done else self._share(each) for each, done in zip(steps, complete, strict=True))
        self._came_to = np.array([rung_of(each[-1][0]) if each else -1.0 for each in steps])
        self._came_to[complete] = np.inf

        ranked = np.flatnonzero(complete & (history.y < np.inf))
        self._complete = ranked[np.argsort(history.y[ranked], kind="stable")]
        n_good = max(min(math.ceil(gamma * len(ranked) - 1e-9), len(ranked) - 1), 1)
        self._is_good = np.arange(len(ranked)) < n_good
        self._space = _with_ranks(history.space)

        stopped = history.has_state(State.PRUNED) & (self._came_to >= 0)
        self._order = merge(self._complete, np.flatnonzero(stopped), history)
        n_best = math.ceil(_GOOD_OF_ALL * len(self._order) - 1e-9)
        self._best_share = min(n_best / len(self._order), 0.5)
        # where none of them is complete there is no saying what they cost: as if one were
        self._n_best_complete = max(int(np.count_nonzero(complete[self._order[:n_best]])), 1)
        self._lines: dict[float, tuple[Array, float]] = {}

    def _share(self, steps: Sequence[tuple[float, float]]) -> float:
        """How much of the cost of a complete trial was spent up to the last of these steps."""
        if not steps or not self._full:
            return 0.0
        return min((steps[-1][0] + self._offset) / (self._full + self._offset), 1.0)

    def of(self, row: Array, steps: Sequence[tuple[float, float]], rng: np.random.Generator) -> Prospect:
        """The prospect of a trial with the encoded row (d,) and at least one value on its way, by step.

        A trial has to go on that has come as far as any complete one, or where no complete one was, or that has hardly
        come further since it was last looked at.
        """
        if len(steps) > 1 and rung_of(steps[-2][0], 2) == rung_of(steps[-1][0], 2):
            return _GO_ON
        share, rung = self._share(steps), rung_of(steps[-1][0])
        here = self._history.at(rung)
        if not 0 < share < 1 or np.isnan(here[self._complete]).all():
            return _GO_ON
        value = steps[-1][1]
        mine = math.inf if math.isnan(value) else value  # nothing is worse
        price = (1 - share) / self._spent  # rate * rest, for each good trial
        by_trees = self._by_trees(row, steps, rung, mine, rng) / (price * int(self._is_good.sum()))
        by_ranks = self._by_ranks(here, rung, share, mine) / (price * self._n_best_complete)
        weight = len(self._complete) / (len(self._complete) + _EQUAL_AT)
        return Prospect(by_trees, by_ranks, weight * by_trees + (1 - weight) * by_ranks)

    def _by_trees(
        self, row: Array, steps: Sequence[tuple[float, float]], rung: float, mine: float, rng: np.random.Generator
    ) -> float:
        before = rung_of(rung / 2)
        own_before = value_at(steps, before)
        now, then = self._history.at(rung), self._history.at(before)
        known = ~np.isnan(now[self._complete])
        rows, z = self._complete[known], self._is_good[known]
        if z.all() or not z.any():
            return float(z[0])
        ranks = np.column_stack(
            [_rank(now, np.append(now[rows], mine)), _rank(then, np.append(then[rows], own_before))]
        )
        X = np.vstack([self._history.X[rows], row])
        X = np.column_stack([X, ranks, ranks[:, 0] - ranks[:, 1]])
        labels = Labels(z, self._history.y[rows], math.nan, z.astype(np.float64), (~z).astype(np.float64))
        trees = ExtraTrees(max_features=X.shape[1]).fit(X[:-1], labels, space=self._space, rng=rng)
        return float(trees(X[-1:])[0])

    def _by_ranks(self, here: Array, rung: float, share: float, mine: float) -> float:
        from scipy.special import ndtr, ndtri  # noqa: PLC0415  (0.1 s to import)

        if rung not in self._lines:
            self._lines[rung] = self._line(here, rung, _AT_FIRST + (_AT_LAST - _AT_FIRST) * share)
        (constant, slope), deviation = self._lines[rung]
        at = ndtri((places(here[self._order], np.array([mine]))[0] + 0.5) / (len(self._order) + 1))
        return float(ndtr((ndtri(self._best_share) - constant - slope * at) / deviation))

    def _line(self, here: Array, rung: float, correlation: float) -> tuple[Array, float]:
        """From normal scores at a rung to those in the end: constant and slope (2,), and the deviation from that."""
        from scipy.special import ndtri  # noqa: PLC0415  (0.1 s to import)

        n = len(self._order)
        place = np.flatnonzero(np.isinf(self._came_to[self._order]) & ~np.isnan(here[self._order]))
        end = ndtri((place + 0.5) / n)
        start = ndtri((places(here[self._order], here[self._order[place]]) + 0.5) / (n + 1))
        A, belief = np.column_stack([np.ones(len(start)), start]), np.array([0.0, correlation])
        line = np.linalg.solve(A.T @ A + _N_BELIEVED * np.eye(2), A.T @ end + _N_BELIEVED * belief)
        squares = float(((end - A @ line) ** 2).sum()) + _N_BELIEVED * (1 - correlation**2)
        return line, math.sqrt(squares / (len(end) + _N_BELIEVED))


def _rank(values: Array, of: Array) -> Array:
    """Where some are among the values (n,) that are no NaN: between 0 and 1, NaN for NaN, and ties in the middle."""
    known = np.sort(values[~np.isnan(values)])
    below, up_to = np.searchsorted(known, of, side="left"), np.searchsorted(known, of, side="right")
    return np.where(np.isnan(of), np.nan, (below + up_to + 1) / (2 * len(known) + 2))


def _with_ranks(space: Space) -> Space:
    """The space, without conditions, and three more columns."""
    parameters: dict[str, Any] = dict(space.parameters)
    parameters = {name: replace(kind, when={}) for name, kind in parameters.items()}
    return Space({**parameters, **{f"{'+'.join(parameters)}+rank{i}": Float(-1.0, 1.0) for i in range(3)}})
