"""The trials of a study as a History, each encoded once, when it is first seen to be finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from auger.history import History, State, Trial
from auger.hosts.optuna.columns import Column
from auger.space import Space
from auger.suggest import Memory
from auger.types import Array

# Failed trials with one of these user attributes were never evaluated to an end, through no fault of theirs.
_NO_ANSWER = ("auger:surplus", "auger:stopped", "auger:died")

_STATES = {TrialState.COMPLETE: State.COMPLETE, TrialState.PRUNED: State.PRUNED, TrialState.FAIL: State.FAILED}


@dataclass(frozen=True)
class Frame:
    """What a study searches: a column a parameter, and the space they make up together."""

    columns: dict[str, Column]
    space: Space

    def encode(self, configs: Sequence[Mapping[str, Any]]) -> Array:
        """Optuna's params of n trials to rows (n, d); NaN for what a trial did not have."""
        X = np.full((len(configs), len(self.columns)), np.nan)
        for j, (name, column) in enumerate(self.columns.items()):
            on = [i for i, config in enumerate(configs) if name in config]
            X[on, j] = column.encode([configs[i][name] for i in on])
        return X

    def decode(self, row: Array) -> dict[str, Any]:
        """A row (d,) to Optuna's params; inactive ones are left out."""
        values = zip(self.columns.items(), row[:, np.newaxis], strict=True)
        return {name: column.decode(entry)[0] for (name, column), entry in values if not np.isnan(entry[0])}


class Ledger:
    """What a sampler remembers of one study. Forgetting it costs time only."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.history = History(frame.space)
        self.memory = Memory()
        self._n_settled = 0  # so many trials at the start of the study are finished and taken in
        self._ahead: set[int] = set()  # numbers of finished ones after those

    def update(self, trials: Sequence[FrozenTrial], directions: Sequence[StudyDirection]) -> list[FrozenTrial]:
        """Take in the trials that finished since the last time, in the order they did; return those running."""
        rest = trials[self._n_settled :]
        new = [trial for trial in rest if trial.state.is_finished() and trial.number not in self._ahead]
        self._take(sorted(new, key=_completion), directions)
        self._ahead.update(trial.number for trial in new)
        while self._n_settled < len(trials) and trials[self._n_settled].number in self._ahead:
            self._ahead.remove(trials[self._n_settled].number)
            self._n_settled += 1
        return [trial for trial in rest if trial.state is TrialState.RUNNING]

    def _take(self, trials: Sequence[FrozenTrial], directions: Sequence[StudyDirection]) -> None:
        trials = [trial for trial in trials if trial.params and not _has_no_answer(trial)]
        X = self.frame.encode([trial.params for trial in trials])
        # one by one: each is an answer of its own, whether they came together or not
        for trial, row in zip(trials, X, strict=True):
            self.history.extend([_answer(len(self.history), trial, directions)], row[np.newaxis])


def _completion(trial: FrozenTrial) -> tuple[float, int]:
    done = trial.datetime_complete
    return (0.0 if done is None else done.timestamp(), trial.number)


def _has_no_answer(trial: FrozenTrial) -> bool:
    return trial.state is TrialState.FAIL and not trial.user_attrs.keys().isdisjoint(_NO_ANSWER)


def _answer(number: int, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> Trial:
    sign = -1.0 if directions[0] is StudyDirection.MAXIMIZE else 1.0
    value = _value(trial)
    return Trial(number, trial.params, _STATES[trial.state], None if value is None else sign * value)


def _value(trial: FrozenTrial) -> float | None:
    """The value of a complete trial, the last one reported of a pruned one, if any."""
    if trial.state is TrialState.FAIL:
        return None
    if trial.values is not None:
        return float(trial.values[0])
    return None if trial.last_step is None else float(trial.intermediate_values[trial.last_step])
