"""What a search has tried, over one fit or several: its Optimizer, and the candidates with their scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from auger.errors import ConfigError
from auger.hosts.sklearn.fits import Candidate
from auger.hosts.sklearn.folds import KeptFolds
from auger.hosts.sklearn.spaces import SearchSpace
from auger.optimizer import Optimizer
from auger.preference import Preference, choose
from auger.space import EXHAUSTIVE_LIMIT
from auger.trial import Trial
from auger.types import Config


class Run:
    """Turns trials of an Optimizer into candidates, and their scores into its values.

    Attributes:
        search_space, optimizer: what is searched, and what suggests.
        estimator, scoring: what a fit that continues this run must have, too.
        metrics: what is optimized, None for the only metric; it stays the same, too.
        candidates: those with a result, in the order of their trials.
        folds: what is known of the folds of the last fit; None before the first.
    """

    def __init__(self, search_space: SearchSpace, optimizer: Optimizer, estimator: Any, scoring: Any) -> None:
        self.search_space = search_space
        self.optimizer = optimizer
        self.estimator = estimator
        self.scoring = scoring
        self.metrics: tuple[str | None, ...] = ()
        self.candidates: list[Candidate] = []
        self.folds: KeptFolds | None = None
        self._queue: list[dict[str, Any]] = []  # parameters of candidates to try first, those that were not asked yet
        self._enqueued: list[Config] = []  # all of them as configs
        self._asked: list[Candidate] = []  # without a result yet; an interrupt leaves some here

    def enqueue(self, candidates: Sequence[Mapping[str, Any]]) -> None:
        """Try these candidates next, except those that were tried before. All are checked before any is queued."""
        scratch = Optimizer(self.optimizer.space, seed=0)
        configs = []
        for i, params in enumerate(candidates):
            try:
                config = self.search_space.config(params)
                scratch.enqueue(config)
            except ConfigError as error:
                raise ConfigError(f"`enqueue`, candidate {i + 1}: {error}") from error
            configs.append(config)
        tried = [*self._enqueued, *(trial.config for trial in self.optimizer.history)]
        for config, params in zip(configs, candidates, strict=True):
            if config not in tried:
                self.optimizer.enqueue(config)
                self._enqueued.append(config)
                self._queue.append(dict(params))

    @property
    def n_configs(self) -> float:
        """How many configurations the space has; infinity if they cannot be counted."""
        space = self.optimizer.space
        return len(space.members) if space.cardinality <= EXHAUSTIVE_LIMIT else math.inf

    @property
    def n_left(self) -> float:
        """How many of them were not tried."""
        n_tried = len({row.tobytes() for row in self.optimizer.history.X}) - len(self._asked)
        return max(self.n_configs - n_tried, 0)

    def ask(self, n: int) -> list[Candidate]:
        """The next candidates; first those that an interrupt left without a result."""
        batch = self._asked[:n]
        for candidate in batch:
            candidate.reset()
        while len(batch) < n:
            candidate = self._next()
            self._asked.append(candidate)
            batch.append(candidate)
        return batch

    def _next(self) -> Candidate:
        n_queued = len(self.optimizer.queue)
        trial = self.optimizer.ask()
        params = self.search_space.params(trial.config)
        if len(self.optimizer.queue) < n_queued:  # the values as they were passed: a quantile changes the last digits
            passed = self._queue.pop(0)
            params |= {name: value for name, value in passed.items() if name in params}
        return Candidate(trial.number, params, trial.origin.value, trial.reason)

    def record(self, batch: Sequence[Candidate]) -> list[Trial]:
        """Learn from candidates with a result, and return their trials. Those recorded before change nothing."""
        trials = []
        for candidate in batch:
            if candidate in self._asked:
                trials.append(self._tell(candidate))
                if candidate not in self.candidates:
                    self.candidates.append(candidate)
                self._asked.remove(candidate)
        return trials

    def _tell(self, candidate: Candidate) -> Trial:
        number = candidate.number
        if self.optimizer.history.trials[number].is_finished:  # an interrupt came right after it was told
            return self.optimizer.trials[number]
        if candidate.is_failed:
            return self.optimizer.tell(number, error=candidate.error, cost=candidate.seconds)
        values = candidate.values if len(candidate.values) > 1 else candidate.values[0]
        return self.optimizer.tell(number, values, pruned=candidate.is_stopped, cost=candidate.seconds)

    @property
    def front(self) -> list[int]:
        """Which candidates no other beats in all objectives, the best in the first objective first."""
        positions = {candidate.number: i for i, candidate in enumerate(self.candidates)}
        return [positions[trial.number] for trial in self.optimizer.history.front if trial.number in positions]

    def chosen(self, preference: Preference) -> int:
        """Which candidate of the front is preferred; the first of all where the front is empty, with a warning."""
        history = self.optimizer.history
        trial = choose(history.front, history.objectives, preference)
        if trial is None:  # scikit-learn, too, refits the first where all scores are NaN: its error often says why
            warnings.warn(
                "No candidate has finite values of all objectives. The first is refitted, which failed: "
                f"{self.candidates[0].error}",
                UserWarning,
                stacklevel=7,  # the line that calls fit
            )
            return 0
        return next(i for i, candidate in enumerate(self.candidates) if candidate.number == trial.number)
