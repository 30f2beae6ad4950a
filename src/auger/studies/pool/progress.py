"""What the trials of a study add up to: how many count, which must run again, and how long it has taken.

A trial that was stopped, or whose worker died, runs again as a new trial that names the first. All these attempts are
one *run*, and the budget counts runs. So what is due follows from the trials alone, and a process that is killed
between two steps leaves nothing half written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial

from auger import pareto
from auger.checks import is_whole
from auger.hosts.optuna.trials import is_forgotten, provenance_of, state_of
from auger.provenance import Origin
from auger.schema import IMPORTED, RETRY_OF, SURPLUS
from auger.standing import Standing
from auger.studies.pool.work_time import WorkTime
from auger.trial import State, Trial, best_of


@dataclass
class _Run:
    """The attempts of one run: how many died, and how the last attempt ended."""

    n_died: int = 0
    end: State | None = None


class Progress:
    """The sums over the trials of a study. `read` keeps them up to date, and looks at a finished trial only once.

    Args:
        retries: how often a trial runs again whose worker died.
        translate: makes Trials of Optuna's trials, with the user's own values.
        forgotten: failures of trials with a lower number count nowhere.

    Attributes:
        n_imported: imported results, which no budget counts.
        n_confirmed: confirmations that have ended, likewise.
        n_complete, n_failed, n_pruned: runs that ended so.
        n_forgotten: failures that count nowhere.
        failures: of the program, up to the first trial that succeeded.
        running: trials that run, or wait because they were enqueued with Optuna's own `enqueue_trial`.
        n_infeasible: how many of the complete runs do not satisfy the outcome constraints.
        best: the best trial, by `auger.trial.best_of`; imported ones included.
        front: with several objectives, the trials that no other beats in all of them; imported ones included.
    """

    def __init__(
        self, retries: int, translate: Callable[[Sequence[FrozenTrial]], list[Trial]], forgotten: int = 0
    ) -> None:
        self._retries, self._translate, self._forgotten = retries, translate, forgotten
        self.n_complete = self.n_failed = self.n_pruned = 0
        self.n_imported = self.n_confirmed = self.n_forgotten = self.n_infeasible = 0
        self.failures: list[FrozenTrial] = []
        self.running: list[FrozenTrial] = []
        self.best: Trial | None = None
        self.front: list[Trial] = []
        self._runs: dict[int, _Run] = {}  # by the number of the first attempt
        self._confirmations: set[int] = set()  # those of the runs that are confirmations
        self._broken: dict[int, _Run] = {}  # runs whose last attempt died or was stopped
        self._work_time = WorkTime()
        self._n_settled = 0  # the first so many trials have finished, and were taken in
        self._taken: set[int] = set()  # numbers of other trials that were

    def read(self, frozen_trials: Sequence[FrozenTrial]) -> None:
        """Take in all trials of the study, in the order of their numbers."""
        unsettled = frozen_trials[self._n_settled :]
        self.running = [frozen for frozen in unsettled if not frozen.state.is_finished()]
        for frozen in self.running:
            self._run(frozen)
        finished = [frozen for frozen in unsettled if frozen.state.is_finished() and frozen.number not in self._taken]
        trials = self._translate(finished)
        for frozen, trial in zip(finished, trials, strict=True):
            self._take(frozen, trial)
        candidates = trials if self.best is None else [self.best, *trials]
        self.best = best_of(sorted(candidates, key=lambda trial: trial.number))
        if any(len(trial.values) > 1 for trial in trials):
            self.front = unbeaten([*self.front, *trials])
        while self._n_settled in self._taken:
            self._taken.remove(self._n_settled)
            self._n_settled += 1

    @property
    def n_started(self) -> int:
        """Runs that were started, whatever became of them: what a budget of trials is compared with."""
        return len(self._runs) - self.n_confirmations

    @property
    def n_confirmations(self) -> int:
        """Confirmations that were started, whatever became of them."""
        return len(self._confirmations & self._runs.keys())

    @property
    def n_finished(self) -> int:
        """Runs that have ended for good."""
        return self.n_complete + self.n_failed + self.n_pruned

    @property
    def has_success(self) -> bool:
        """Whether a trial has run to a value, if only an intermediate one."""
        return self.n_complete + self.n_pruned > 0

    @property
    def due(self) -> list[int]:
        """Numbers of the first attempts of the runs to be tried again, the oldest first."""
        busy = {first_attempt(frozen) for frozen in self.running}
        return sorted(number for number, run in self._broken.items() if number not in busy and self._is_due(run))

    @property
    def standing(self) -> Standing:
        """Where the study stands, as data for everything that shows it."""
        n_running = sum(state_of(frozen) is State.RUNNING for frozen in self.running)
        return Standing(
            self.n_complete,
            self.n_pruned,
            self.n_failed,
            n_running,
            len(self.running) - n_running,
            len(self.due),
            self.n_imported,
            self.n_forgotten,
            self.n_confirmed,
        )

    def seconds_spent(self, now: datetime, own: Mapping[str, float] | None = None) -> float:
        """How long the study has been at work, without pauses: see `WorkTime.seconds`."""
        return self._work_time.seconds(self.running, now, own)

    def _is_due(self, run: _Run) -> bool:
        return run.end is State.STOPPED or run.n_died <= self._retries

    def _run(self, frozen: FrozenTrial) -> _Run:
        if is_confirmation(frozen):
            self._confirmations.add(first_attempt(frozen))
        return self._runs.setdefault(first_attempt(frozen), _Run())

    def _take(self, frozen: FrozenTrial, trial: Trial) -> None:
        self._taken.add(trial.number)
        if IMPORTED in frozen.user_attrs:
            self.n_imported += 1
            return
        if SURPLUS in frozen.user_attrs:
            self._runs.pop(trial.number, None)
            return
        if is_forgotten(frozen, self._forgotten):
            self.n_forgotten += 1
            self._runs.pop(first_attempt(frozen), None)
            self._broken.pop(first_attempt(frozen), None)
            return
        self._work_time.take(frozen, trial)
        run = self._run(frozen)
        run.end = trial.state
        run.n_died += trial.state is State.DIED
        if not trial.state.is_answer and self._is_due(run):
            self._broken[first_attempt(frozen)] = run
            return
        self._broken.pop(first_attempt(frozen), None)
        if is_confirmation(frozen):
            self.n_confirmed += 1
            return
        self.n_complete += trial.state is State.COMPLETE
        self.n_infeasible += trial.state is State.COMPLETE and not trial.is_feasible
        self.n_pruned += trial.state is State.PRUNED
        self.n_failed += trial.state not in (State.COMPLETE, State.PRUNED)
        if trial.state is State.FAILED and not self.has_success:
            self.failures.append(frozen)


def unbeaten(trials: Iterable[Trial]) -> list[Trial]:
    """The complete, feasible trials that no other beats in all objectives, the best in the first objective first."""
    usable = [trial for trial in trials if trial.state is State.COMPLETE and trial.is_feasible]
    usable = [trial for trial in usable if np.isfinite(trial.values).all()]
    if not usable:
        return []
    is_unbeaten = pareto.front(np.array([trial.values for trial in usable]))
    members = [trial for trial, is_member in zip(usable, is_unbeaten.tolist(), strict=True) if is_member]
    return sorted(members, key=lambda trial: (trial.values, trial.number))


def is_confirmation(frozen: FrozenTrial) -> bool:
    """Whether a trial runs good settings again at the end of the study."""
    return provenance_of(frozen).origin is Origin.CONFIRMATION


def first_attempt(frozen: FrozenTrial) -> int:
    """The number of the first attempt of the run that a trial belongs to."""
    first: Any = frozen.user_attrs.get(RETRY_OF)
    return first if is_whole(first) and 0 <= first < frozen.number else frozen.number  # or another program stored it


def superseded(frozen_trials: Sequence[FrozenTrial]) -> frozenset[int]:
    """Numbers of the trials that were run again: another trial is a later attempt of the same run."""
    ran = [frozen for frozen in frozen_trials if SURPLUS not in frozen.user_attrs]
    last = {first_attempt(frozen): frozen.number for frozen in ran}
    return frozenset(frozen.number for frozen in ran if last[first_attempt(frozen)] != frozen.number)
