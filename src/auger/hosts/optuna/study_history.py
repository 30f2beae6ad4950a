"""The trials of a study as a History, each encoded once, when it is first seen to be finished."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from auger.history import History, Origin, State, Trial
from auger.hosts.optuna.inferred_conditions import Conditions, codes_of
from auger.hosts.optuna.parameters import column_of
from auger.hosts.optuna.ranges import Ranges
from auger.hosts.optuna.search_space import Frame, found_frame
from auger.pareto import Fronts
from auger.schema import NO_ANSWER
from auger.suggest import Memory
from auger.types import Array

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
        history: the finished trials, in the order they finished; `answers` are the same as Optuna has them.
        memory: of warm fits.
        ranges: of the parameters seen, when no space was given.
        proposals: what this process has proposed for trials that are still running, by their number.
    """

    def __init__(self, given: Frame | None, directions: Sequence[StudyDirection]) -> None:
        self.frame = given
        self.history = None if given is None else History(given.space)
        self.memory = Memory()
        self.ranges = Ranges()
        self.proposals: dict[int, Proposal] = {}
        self._is_given = given is not None
        self._signs = np.array([-1.0 if each is StudyDirection.MAXIMIZE else 1.0 for each in directions])
        self.answers: list[FrozenTrial] = []
        self._fronts = Fronts()
        self._conditions = Conditions([], [])
        self._n_seen = 0  # so many trials of the study were looked at,
        self._unfinished: list[int] = []  # these of them had not finished,
        self._last: FrozenTrial | None = None  # and this one had

    def is_of(self, trials: Sequence[FrozenTrial]) -> bool:
        """Whether these are still the trials it knows: a study may be deleted, and another take its number."""
        if self._last is None:
            return True
        if len(trials) < self._n_seen:
            return False
        same = trials[self._last.number]
        return (same._trial_id, same.datetime_complete) == (self._last._trial_id, self._last.datetime_complete)

    def update(
        self, trials: Sequence[FrozenTrial], asked: Mapping[str, BaseDistribution] | None = None
    ) -> list[FrozenTrial]:
        """Take in what became of the study's trials, and ranges that are asked for. Returns the running trials.

        Args:
            trials: all of them, by number.
            asked: by the name of the parameter.
        """
        new = [trials[number] for number in self._unfinished] + list(trials[self._n_seen :])
        running = [trial for trial in new if trial.state is TrialState.RUNNING]
        done = sorted((trial for trial in new if trial.state.is_finished()), key=_completion)
        answers = [trial for trial in done if trial.params and not _has_no_answer(trial)]
        if not self._is_given:
            self._widen([*(trial.distributions for trial in (*answers, *running)), asked or {}])
        if answers:
            self._take(answers)
        self._n_seen = len(trials)
        self._unfinished = [trial.number for trial in new if not trial.state.is_finished()]
        for trial in done:
            self._last = trial
            self.proposals.pop(trial.number, None)
        return running

    def _widen(self, distributions: Sequence[Mapping[str, BaseDistribution]]) -> None:
        """Make room for parameters and ranges that are new."""
        changed: set[str] = set()
        for each in distributions:
            changed |= self.ranges.widen(each)
        # by name: the order in which parameters were first seen depends on who looks, and when
        made = {name: column_of(self.ranges.seen[name].union) for name in sorted(self.ranges.seen)} if changed else {}
        columns = {name: column for name, column in made.items() if column is not None}
        if columns:
            self._reframe(found_frame(columns), changed)

    def _reframe(self, frame: Frame, changed: set[str]) -> None:
        """Go on with other columns. Those that changed are encoded again, for all answers."""
        configs = [trial.params for trial in self.answers]
        X = np.full((len(configs), len(frame.columns)), np.nan)
        for j, name in enumerate(frame.columns):
            known = None if name in changed else self._column(name)
            X[:, j] = frame.encode_column(name, configs) if known is None else known
        n_codes = [0 if each is None else len(each) for each in frame.levels]
        self._conditions = Conditions(n_codes, frame.space.is_ordered.tolist())
        self.frame, self.memory = frame, Memory()
        if self.history is None:
            self.history = History(frame.space)
            self._record(self.answers, X)
        else:
            self.history = self.history.moved(frame.space, X)
            self._find_conditions(X, self.answers)

    def _column(self, name: str) -> Array | None:
        if self.frame is None or self.history is None or name not in self.frame.columns:
            return None
        return self.history.X[:, list(self.frame.columns).index(name)]

    def _take(self, trials: list[FrozenTrial]) -> None:
        """Add trials to the answers."""
        if not self._is_given:
            for trial in trials:
                self.ranges.settle(trial.distributions)
        self.answers += trials
        if self.frame is not None:
            self._record(trials, self.frame.encode([trial.params for trial in trials]))

    def _record(self, trials: Sequence[FrozenTrial], X: Array) -> None:
        """Add the last of the answers to the history."""
        assert self.history is not None
        # one by one: each is an answer of its own, whether they came together or not
        for trial, row in zip(trials, X, strict=True):
            self.history.extend([self._answer(len(self.history), trial)], row[np.newaxis])
        if not self._is_given:
            self._find_conditions(X, trials)
        if len(self._signs) > 1:
            self._rank(len(trials))

    def _find_conditions(self, X: Array, trials: Sequence[FrozenTrial]) -> None:
        assert self.frame is not None and self.history is not None
        is_evidence = np.array([trial.state is not TrialState.FAIL for trial in trials], dtype=bool)
        if self._conditions.follow(codes_of(X, self.frame.levels), is_evidence):
            self.frame = found_frame(self.frame.columns, self._conditions.parents)
            self.history, self.memory = self.history.moved(self.frame.space, self.history.X), Memory()

    def _answer(self, number: int, trial: FrozenTrial) -> Trial:
        value = self._value(trial)
        constraints = tuple(math.inf if math.isnan(c) else c for c in trial.constraints.values())
        steps = tuple((step, float(self._signs[0] * each)) for step, each in trial.intermediate_values.items())
        return Trial(number, trial.params, _STATES[trial.state], value, constraints, steps=steps)

    def _value(self, trial: FrozenTrial) -> float | None:
        """The value of a complete trial; the last one reported of a pruned one, if any."""
        if trial.state is TrialState.FAIL:
            return None
        if trial.values is not None:
            return float(self._signs[0] * trial.values[0])  # of several, a rank takes its place
        last = trial.last_step
        return None if last is None else float(self._signs[0] * trial.intermediate_values[last])

    def _rank(self, n_new: int) -> None:
        """Of several objectives, the value of a feasible trial is where it stands among the others."""
        assert self.history is not None
        is_ranked = self.history.has_state(State.COMPLETE) & (self.history.violation == 0)
        n_old = len(self.answers) - n_new
        new = [self.answers[n_old + i].values for i in np.flatnonzero(is_ranked[n_old:]).tolist()]
        if new:
            y = np.array(self.history.y)
            y[is_ranked] = self._fronts.add(np.array(new) * self._signs)
            self.history.revalue(y)

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


class Shelf:
    """The ledgers of all the studies that one sampler or pruner works for. A copy starts without any.

    Args:
        given: the frame that all of them have; None to find it from the trials.

    Attributes:
        lock: to be held while a ledger is in use.
    """

    def __init__(self, given: Frame | None = None) -> None:
        self.given = given
        self.lock = threading.RLock()
        self._ledgers: WeakKeyDictionary[BaseStorage, dict[int, Ledger]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Shelf], tuple[Frame | None]]:
        return Shelf, (self.given,)

    def find(self, study: Study, trials: Sequence[FrozenTrial] | None = None) -> tuple[Ledger, Sequence[FrozenTrial]]:
        """The ledger of a study, not yet brought up to date, and all trials, by number; these are read if not given."""
        # all of them: Hyperband shows a sampler the trials of one bracket only, but those that were not pruned compare
        if trials is None:
            trials = _by_number(study._storage.get_all_trials(study._study_id, deepcopy=False))
        ledgers = self._ledgers.setdefault(study._storage, {})
        if study._study_id not in ledgers or not ledgers[study._study_id].is_of(trials):
            ledgers[study._study_id] = Ledger(self.given, study.directions)
        return ledgers[study._study_id], trials


def _by_number(trials: list[FrozenTrial]) -> list[FrozenTrial]:
    """As many trials as there are without a gap: one that is just being made may appear after the next."""
    if not trials or trials[-1].number == len(trials) - 1:
        return trials
    return [trial for i, trial in enumerate(trials) if trial.number == i]


def _completion(trial: FrozenTrial) -> tuple[datetime, int]:
    return (trial.datetime_complete or datetime.min, trial.number)


def _has_no_answer(trial: FrozenTrial) -> bool:
    return trial.state is TrialState.FAIL and not trial.user_attrs.keys().isdisjoint(NO_ANSWER)
