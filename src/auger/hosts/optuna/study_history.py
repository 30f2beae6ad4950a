"""The trials of a study as a History, each encoded once, when it is first known to be finished."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from auger.history import History
from auger.hosts.optuna.inferred_conditions import InferredConditions, codes_of
from auger.hosts.optuna.parameters import column_of
from auger.hosts.optuna.ranges import Ranges
from auger.hosts.optuna.search_space import SearchSpace, inferred_search_space
from auger.hosts.optuna.trials import has_answer, objectives_of, sorted_constraints, trial_of
from auger.objectives import Objectives
from auger.provenance import Provenance
from auger.schema import PROPOSAL
from auger.suggest import Memory
from auger.trial import Trial
from auger.types import Array


@dataclass
class Proposal:
    """What was proposed for a running trial, in Optuna's values, and why.

    Attributes:
        params: by the name of the parameter.
        provenance: of the trial.
        stored: the attributes of the trial that say so.
    """

    params: dict[str, Any]
    provenance: Provenance
    stored: dict[str, Any] = field(default_factory=dict)


class StudyHistory:
    """What a sampler remembers of one study. Forgetting it costs time only.

    Args:
        declared: the search space that the user passed; None to infer one from the trials.
        objectives: of the study.
        forgotten: failures of trials with a lower number are not learned from, and their configurations not known.

    Attributes:
        search_space: what is searched; None before any parameter is known.
        history: the finished trials, in the order they finished; `answers` are the same as Optuna has them.
        memory: of warm fits.
        ranges: of the parameters that trials had, where no space was declared.
        proposals: what this process has proposed for trials that are still running, by their number.
    """

    def __init__(self, declared: SearchSpace | None, objectives: Objectives, forgotten: int = 0) -> None:
        self.search_space = declared
        self.history = None if declared is None else History(declared.space, objectives=objectives)
        self.memory = Memory()
        self.ranges = Ranges()
        self.proposals: dict[int, Proposal] = {}
        self._is_declared = declared is not None
        self._objectives, self._forgotten = objectives, forgotten
        self.answers: list[FrozenTrial] = []
        self._constraints: list[str] = []  # names of outcome constraints: storages return them in any order
        self._conditions = InferredConditions([], [])
        self._n_seen = 0  # so many trials of the study were looked at,
        self._unfinished: list[int] = []  # these of them had not finished,
        self._last: FrozenTrial | None = None  # and this one had

    def is_of(self, trials: Sequence[FrozenTrial]) -> bool:
        """Whether these are still the same trials: a study may be deleted, and another take its number."""
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
        answers = [trial for trial in done if trial.params and has_answer(trial, self._forgotten)]
        if not self._is_declared:
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
        ranges = self.ranges.by_name
        columns = {name: column_of(ranges[name].union) for name in sorted(ranges)} if changed else {}
        usable = {name: column for name, column in columns.items() if column is not None}
        if usable:
            self._change_columns(inferred_search_space(usable), changed)

    def _change_columns(self, search_space: SearchSpace, changed: set[str]) -> None:
        """Go on with other columns. Those that changed are encoded again, for all answers."""
        configs = [trial.params for trial in self.answers]
        X = np.full((len(configs), len(search_space.columns)), np.nan)
        for j, name in enumerate(search_space.columns):
            encoded = None if name in changed else self._column(name)
            X[:, j] = search_space.encode_column(name, configs) if encoded is None else encoded
        n_codes = [0 if levels is None else len(levels) for levels in search_space.levels]
        self._conditions = InferredConditions(n_codes, search_space.space.is_ordered.tolist())
        self.search_space, self.memory = search_space, Memory()
        if self.history is None:
            self.history = History(search_space.space, objectives=self._objectives)
            self._record(self.answers, X)
        else:
            self.history = self.history.in_space(search_space.space, X)
            self._infer_conditions(X, self.answers)

    def _column(self, name: str) -> Array | None:
        if self.search_space is None or self.history is None or name not in self.search_space.columns:
            return None
        return self.history.X[:, list(self.search_space.columns).index(name)]

    def _take(self, trials: list[FrozenTrial]) -> None:
        """Add trials to the answers."""
        if not self._is_declared:
            for trial in trials:
                self.ranges.settle(trial.distributions)
        self._name_constraints(trials)
        self.answers += trials
        if self.search_space is not None:
            self._record(trials, self.search_space.encode([trial.params for trial in trials]))

    def _name_constraints(self, trials: Sequence[FrozenTrial]) -> None:
        """Make columns for outcome constraints that are new. Where others move, the history is written anew."""
        names = {name for trial in trials for name in trial.constraints}.union(self._constraints)
        if len(names) == len(self._constraints):
            return
        self._constraints = sorted_constraints(names)
        if self.history is not None and len(self.history):
            X, self.history = self.history.X, History(self.history.space, objectives=self._objectives)
            self.history.extend(self._translated(self.answers, 0), X, one_by_one=True)
            self.memory = Memory()

    def _translated(self, trials: Sequence[FrozenTrial], n: int) -> list[Trial]:
        """Answers as trials, numbered from n."""
        names = self._constraints
        return [trial_of(trial, self._objectives, number=n + i, constraints=names) for i, trial in enumerate(trials)]

    def _record(self, trials: Sequence[FrozenTrial], X: Array) -> None:
        """Add the last of the answers to the history."""
        assert self.history is not None
        ours = self._translated(trials, len(self.history))
        self.history.extend(ours, X, one_by_one=True)  # each is an answer of its own, whether they came together or not
        if not self._is_declared:
            self._infer_conditions(X, trials)

    def _infer_conditions(self, X: Array, trials: Sequence[FrozenTrial]) -> None:
        assert self.search_space is not None and self.history is not None
        is_evidence = np.array([trial.state is not TrialState.FAIL for trial in trials], dtype=bool)
        if self._conditions.follow(codes_of(X, self.search_space.levels), is_evidence):
            self.search_space = inferred_search_space(self.search_space.columns, self._conditions.parents)
            self.history, self.memory = self.history.in_space(self.search_space.space, self.history.X), Memory()

    def settled_ranges(self) -> dict[str, BaseDistribution]:
        """The ranges that proposals have to keep, where they are narrower than what was seen."""
        settled = {name: observed.settled for name, observed in self.ranges.by_name.items()}
        return {name: distribution for name, distribution in settled.items() if distribution is not None}

    def pending(self, running: Sequence[FrozenTrial], number: int) -> Array:
        """The rows (m, d) of the running trials other than ``number``: what they have, and else what they will have."""
        assert self.search_space is not None
        configs = [self._config(trial) for trial in running if trial.number != number]
        return self.search_space.encode([config for config in configs if config])

    def _config(self, trial: FrozenTrial) -> dict[str, Any]:
        if trial.number in self.proposals:
            return {**self.proposals[trial.number].params, **trial.params}
        return {**self._published(trial), **trial.params}

    def _published(self, trial: FrozenTrial) -> dict[str, Any]:
        """What another process has proposed for a trial."""
        assert self.search_space is not None
        published = trial.system_attrs.get(PROPOSAL) or {}
        columns = self.search_space.columns
        distributions = {name: columns[name].distribution for name in published if name in columns}
        return {
            name: distribution.to_external_repr(published[name])
            for name, distribution in distributions.items()
            if distribution._contains(published[name])
        }


class StudyHistories:
    """The histories of all studies that one sampler or pruner works for. A copy starts without any.

    Args:
        declared: the search space that all of them have; None to infer it from the trials.
        forgotten: see `StudyHistory`.

    Attributes:
        lock: to be held while a history is in use.
    """

    def __init__(self, declared: SearchSpace | None = None, forgotten: int = 0) -> None:
        self.declared, self.forgotten = declared, forgotten
        self.lock = threading.RLock()
        self._by_storage: WeakKeyDictionary[BaseStorage, dict[int, StudyHistory]] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[StudyHistories], tuple[SearchSpace | None, int]]:
        return StudyHistories, (self.declared, self.forgotten)

    def find(
        self, study: Study, trials: Sequence[FrozenTrial] | None = None, declared: SearchSpace | None = None
    ) -> tuple[StudyHistory, Sequence[FrozenTrial]]:
        """The history of a study, not yet brought up to date, and all its trials by number, read unless passed.

        Where no search space is declared for all studies, this one may have one.
        """
        # all of them: Hyperband shows a sampler the trials of one bracket only, but those that were not pruned compare
        if trials is None:
            trials = _by_number(study._storage.get_all_trials(study._study_id, deepcopy=False))
        histories = self._by_storage.setdefault(study._storage, {})
        if study._study_id not in histories or not histories[study._study_id].is_of(trials):
            histories[study._study_id] = StudyHistory(self.declared or declared, objectives_of(study), self.forgotten)
        return histories[study._study_id], trials

    def proposal(self, study: Study, number: int) -> Proposal | None:
        """What this process has proposed for a trial that is still running; nothing is read from the storage."""
        known = self._by_storage.get(study._storage, {}).get(study._study_id)
        return None if known is None else known.proposals.get(number)


def _by_number(trials: list[FrozenTrial]) -> list[FrozenTrial]:
    """As many trials as there are without a gap: one that is just being made may appear after the next."""
    if not trials or trials[-1].number == len(trials) - 1:
        return trials
    return [trial for i, trial in enumerate(trials) if trial.number == i]


def _completion(trial: FrozenTrial) -> tuple[datetime, int]:
    return (trial.datetime_complete or datetime.min, trial.number)
