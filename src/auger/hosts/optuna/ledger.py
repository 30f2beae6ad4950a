"""The trials of a study as a History, each encoded once, when it is first seen to be finished."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from auger.history import History, Origin, State, Trial
from auger.hosts.optuna.columns import column_of, columns_of
from auger.hosts.optuna.conditions import Conditions, codes_of
from auger.hosts.optuna.frame import Frame, found_frame
from auger.hosts.optuna.ranges import Ranges
from auger.hosts.optuna.ranks import rank
from auger.space import Space
from auger.suggest import Memory
from auger.types import Array

#: Failed trials with one of these user attributes were not evaluated to an end, through no fault of theirs.
NO_ANSWER = ("auger:surplus", "auger:stopped", "auger:died")

#: The system attribute in which a proposal waits for the objective to ask for it.
PROPOSAL = "auger:proposal"

_STATES = {TrialState.COMPLETE: State.COMPLETE, TrialState.PRUNED: State.PRUNED, TrialState.FAIL: State.FAILED}


@dataclass
class Proposal:
    """What was proposed for a running trial, by Optuna's values, and why."""

    params: dict[str, Any]
    origin: Origin
    reason: str


class Ledger:
    """What a sampler remembers of one study. Forgetting it costs time only.

    Attributes:
        frame: what is searched; None before any parameter was seen.
        history: the finished trials, in the order they finished.
        memory: of warm fits.
        ranges: of the parameters seen, when no space was given.
        proposals: what this process has proposed for trials that are still running, by their number.
    """

    def __init__(self, space: Space | None, directions: Sequence[StudyDirection]) -> None:
        self.frame = None if space is None else Frame(columns_of(space), space)
        self.history = None if space is None else History(space)
        self.memory = Memory()
        self.ranges = Ranges()
        self.proposals: dict[int, Proposal] = {}
        self._is_given = space is not None
        self._signs = np.array([-1.0 if each is StudyDirection.MAXIMIZE else 1.0 for each in directions])
        self._answers: list[FrozenTrial] = []  # those in the history
        self._conditions = Conditions([], [])
        self._n_settled = 0  # so many trials at the start of the study are finished and were looked at
        self._ahead: set[int] = set()  # numbers of other finished ones that were
        self._last: FrozenTrial | None = None  # the last of the settled ones

    def is_of(self, trials: Sequence[FrozenTrial]) -> bool:
        """Whether these are still the trials it knows: a study may be deleted, and another take its number."""
        if self._last is None:
            return True
        if len(trials) < self._n_settled:
            return False
        last = trials[self._n_settled - 1]
        return (last._trial_id, last.datetime_complete) == (self._last._trial_id, self._last.datetime_complete)

    def update(
        self, trials: Sequence[FrozenTrial], asked: Mapping[str, BaseDistribution] | None = None
    ) -> list[FrozenTrial]:
        """Take in what became of the study's trials, and ranges that are asked for. Returns the running trials."""
        rest = trials[self._n_settled :]
        done = [trial for trial in rest if trial.state.is_finished() and trial.number not in self._ahead]
        running = [trial for trial in rest if trial.state is TrialState.RUNNING]
        new = [trial for trial in sorted(done, key=_completion) if trial.params and not _has_no_answer(trial)]
        if not self._is_given:
            self._widen([*(trial.distributions for trial in (*new, *running)), asked or {}])
        if new:
            self._take(new)
        self._settle(trials, done)
        return running

    def _settle(self, trials: Sequence[FrozenTrial], done: Sequence[FrozenTrial]) -> None:
        self._ahead.update(trial.number for trial in done)
        for trial in done:
            self.proposals.pop(trial.number, None)
        while self._n_settled < len(trials) and trials[self._n_settled].number in self._ahead:
            self._last = trials[self._n_settled]
            self._ahead.remove(self._last.number)
            self._n_settled += 1

    def _widen(self, distributions: Sequence[Mapping[str, BaseDistribution]]) -> None:
        """Make room for parameters and ranges that are new; what is known is encoded again where they differ."""
        changed: set[str] = set()
        for each in distributions:
            changed |= self.ranges.widen(each)
        if not changed:
            return
        # by name: the order in which parameters were first seen depends on who looks, and when
        made = {name: column_of(self.ranges.seen[name].union) for name in sorted(self.ranges.seen)}
        columns = {name: column for name, column in made.items() if column is not None}
        if not columns:
            return
        frame = found_frame(columns)
        known = [] if self.frame is None else [name for name in columns if name in self.frame.columns.keys() - changed]
        X = np.full((len(self._answers), len(columns)), np.nan)
        configs = [trial.params for trial in self._answers]
        for j, name in enumerate(columns):
            X[:, j] = self._column(name) if name in known else frame.encode_column(name, configs)
        self.frame = frame
        self.history = History(frame.space) if self.history is None else self.history.moved(frame.space, X)
        levels = frame.levels
        self._conditions = Conditions(
            [0 if each is None else len(each) for each in levels], frame.space.is_ordered.tolist()
        )
        self._find_conditions(X, self._answers)

    def _column(self, name: str) -> Array:
        assert self.frame is not None and self.history is not None
        return self.history.X[:, list(self.frame.columns).index(name)]

    def _take(self, trials: Sequence[FrozenTrial]) -> None:
        if not self._is_given:
            for trial in trials:
                self.ranges.settle(trial.distributions)
        if self.frame is None or self.history is None:  # they have constants only
            return
        X = self.frame.encode([trial.params for trial in trials])
        # one by one: each is an answer of its own, whether they came together or not
        for trial, row in zip(trials, X, strict=True):
            self.history.extend([self._answer(len(self.history), trial)], row[np.newaxis])
        self._answers += trials
        if not self._is_given:
            self._find_conditions(X, trials)
        if len(self._signs) > 1:
            self.history.revalue(self._ranks())

    def _find_conditions(self, X: Array, trials: Sequence[FrozenTrial]) -> None:
        assert self.frame is not None and self.history is not None
        is_evidence = np.array([trial.state is not TrialState.FAIL for trial in trials], dtype=bool)
        if self._conditions.follow(codes_of(X, self.frame.levels), is_evidence):
            self.frame = found_frame(self.frame.columns, self._conditions.parents)
            self.history = self.history.moved(self.frame.space, self.history.X)
            self.memory = Memory()

    def _answer(self, number: int, trial: FrozenTrial) -> Trial:
        value = self._value(trial)
        constraints = tuple(math.inf if math.isnan(c) else c for c in trial.constraints.values())
        return Trial(number, trial.params, _STATES[trial.state], value, constraints)

    def _value(self, trial: FrozenTrial) -> float | None:
        """The value of a complete trial; the last one reported of a pruned one, if any."""
        if trial.state is TrialState.FAIL:
            return None
        if trial.values is not None:
            return float(self._signs[0] * trial.values[0])  # of several, a rank takes its place
        last = trial.last_step
        return None if last is None else float(self._signs[0] * trial.intermediate_values[last])

    def _ranks(self) -> Array:
        """Where each trial stands among the complete and feasible ones, shape (n,)."""
        assert self.history is not None
        ok = np.flatnonzero(self.history.has_state(State.COMPLETE) & (self.history.violation == 0))
        y = np.array(self.history.y)
        y[ok] = rank(np.array([self._answers[i].values for i in ok.tolist()]) * self._signs)
        return y

    def settled_ranges(self) -> dict[str, BaseDistribution]:
        """The ranges that proposals have to keep, where they are narrower than what was seen."""
        found = {name: each.settled for name, each in self.ranges.seen.items()}
        return {name: made for name, made in found.items() if made is not None}

    def pending(self, running: Sequence[FrozenTrial], number: int) -> Array:
        """The rows (m, d) of the running trials other than ``number``: what they have, and else what they will have."""
        assert self.frame is not None
        configs = [self._config(trial) for trial in running if trial.number != number]
        return self.frame.encode([config for config in configs if config])

    def _config(self, trial: FrozenTrial) -> dict[str, Any]:
        if trial.number in self.proposals:
            return {**self.proposals[trial.number].params, **trial.params}
        return {**self._published(trial), **trial.params}

    def _published(self, trial: FrozenTrial) -> dict[str, Any]:
        """What another process has proposed for a trial."""
        assert self.frame is not None
        published = trial.system_attrs.get(PROPOSAL) or {}
        columns = {name: self.frame.columns[name].distribution for name in published if name in self.frame.columns}
        return {
            name: made.to_external_repr(published[name])
            for name, made in columns.items()
            if made._contains(published[name])
        }


def _completion(trial: FrozenTrial) -> tuple[float, int]:
    done = trial.datetime_complete
    return (0.0 if done is None else done.timestamp(), trial.number)


def _has_no_answer(trial: FrozenTrial) -> bool:
    return trial.state is TrialState.FAIL and not trial.user_attrs.keys().isdisjoint(NO_ANSWER)
