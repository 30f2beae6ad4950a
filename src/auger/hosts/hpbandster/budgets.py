"""The configurations tried on each budget, and the budget to learn from.

Values on different budgets do not compare. The highest budget with enough values leads, as in BOHB: suggestions are
learned from its values, and a configuration tried on other budgets only is not tried again. (The plug-in of the paper's
authors learns from the values of all budgets in one pool.) A configuration that failed on one budget counts as failed
on all.
"""

from __future__ import annotations

import math

import numpy as np

from auger.history import History
from auger.recipes import Recipe, Turns
from auger.space import Space
from auger.suggest import Memory, Suggestion, suggest
from auger.trial import State
from auger.types import Array, Config

# After so many suggestions that were tried on another budget, all configurations of other budgets count as pending.
_MAX_REPEATS = 10


class Budgets:
    """One history per budget, and the configurations that are running."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._histories: dict[float, History] = {}
        self._memories: dict[float, Memory] = {}
        self._tried = History(space)  # each configuration once, whatever its budgets: to recognize repeats
        self._pending: list[bytes] = []
        self._failed: list[Config] = []
        self._n_asked = 0

    def ask(self, recipe: Recipe | Turns, seed: int) -> Suggestion:
        """Suggest the next configuration; it counts as running until it is told."""
        budget = self.lead(recipe.at(0, 0).n_initial)
        if budget is None:  # the initial design does not learn from values, so any budget's history serves
            suggestion = self._without_others(self._largest(), recipe, seed, None)
        else:
            suggestion = self._new(self._histories[budget], recipe, seed, self._memories[budget])
        self._n_asked += 1
        self._pending.append(_key(suggestion.row))
        self._remember(suggestion.row)
        return suggestion

    def lead(self, n_least: int) -> float | None:
        """The highest budget with at least ``n_least`` values; None where no budget has as many."""
        enough = [budget for budget, history in self._histories.items() if _n_values(history) >= n_least]
        return max(enough, default=None)

    def tell(self, config: Config, budget: float, value: float | None) -> None:
        """Record the value of a configuration on a budget; None if it failed there."""
        row = self.space.encode([config])[0]
        self._remember(row)
        if _key(row) in self._pending:
            self._pending.remove(_key(row))
        if budget not in self._histories:
            self._histories[budget] = History(self.space)
            self._memories[budget] = Memory()
            for failed in self._failed:
                _finish(self._histories[budget], failed, None)
        if value is None:
            self._failed.append(config)
        for other, history in self._histories.items():
            if other == budget or value is None:
                _finish(history, config, value)

    def _largest(self) -> History:
        """The history with the most values; an empty one where there is none."""
        return max(self._histories.values(), key=_n_values, default=History(self.space))

    def _new(self, history: History, recipe: Recipe | Turns, seed: int, memory: Memory) -> Suggestion:
        """A suggestion that was not tried on any budget, as long as one is left, unless the recipe allows repeats."""
        repeats = recipe.at(self._n_asked, len(history.finished)).repeats
        pending = np.array([np.frombuffer(key) for key in self._pending]).reshape(-1, len(self.space))
        for _ in range(_MAX_REPEATS):
            with history.pending(pending):
                suggestion = suggest(history, recipe, seed=seed, number=self._n_asked, memory=memory)
            if repeats or not self._tried.contains(suggestion.row[np.newaxis])[0]:
                return suggestion
            pending = np.concatenate([pending, suggestion.row[np.newaxis]])
        return self._without_others(history, recipe, seed, memory)

    def _without_others(self, history: History, recipe: Recipe | Turns, seed: int, memory: Memory | None) -> Suggestion:
        """A suggestion with every configuration that was tried on other budgets counted as pending."""
        others = self._tried.X[~history.contains(self._tried.X)]
        with history.pending(others):
            return suggest(history, recipe, seed=seed, number=self._n_asked, memory=memory)

    def _remember(self, row: Array) -> None:
        if not self._tried.contains(row[np.newaxis])[0]:
            config = self.space.decode(row[np.newaxis])[0]
            self._tried.start(config, row=row)


def _n_values(history: History) -> int:
    return int(np.count_nonzero(np.isfinite(history.y)))


def _finish(history: History, config: Config, value: float | None) -> None:
    number = history.start(config).number
    if value is None or not math.isfinite(value):
        history.finish(number, state=State.FAILED, error="no loss")
    else:
        history.finish(number, value=value)


def _key(row: Array) -> bytes:
    return (np.ascontiguousarray(row, dtype=np.float64) + 0.0).tobytes()
