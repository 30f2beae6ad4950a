"""What the trials of a study add up to: how many count, which must run again, and how long it has taken.

A trial that was stopped, or whose worker died, runs again as a new trial that names the first. All these attempts are
one *run*, and the budget counts runs. So what is due follows from the trials alone, and a process that is killed
between two steps leaves nothing half written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from optuna.trial import FrozenTrial

from auger.hosts.optuna.trials import provenance_of
from auger.provenance import Origin
from auger.schema import IMPORTED, RETRY_OF, SURPLUS
from auger.trial import State, Trial, best_of

# Nobody was at work while no trial ran for longer than this.
_PAUSE = timedelta(minutes=1)


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

    Attributes:
        n_imported: imported results, which no budget counts.
        n_confirmed: confirmations that have ended, likewise.
        n_complete, n_failed, n_pruned: runs that ended so.
        running: trials that run, or wait because they were enqueued with Optuna's own `enqueue_trial`.
        best: the best trial, by `auger.trial.best_of`; imported ones included.
    """

    def __init__(self, retries: int, translate: Callable[[Sequence[FrozenTrial]], list[Trial]]) -> None:
        self._retries, self._translate = retries, translate
        self.n_imported = self.n_confirmed = self.n_complete = self.n_failed = self.n_pruned = 0
        self.running: list[FrozenTrial] = []
        self.best: Trial | None = None
        self._runs: dict[int, _Run] = {}  # by the number of the first attempt
        self._confirmations: set[int] = set()  # those of the runs that are confirmations
        self._broken: dict[int, _Run] = {}  # runs whose last attempt died or was stopped
        self._spans: list[tuple[datetime, datetime]] = []  # when finished trials ran
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
    def due(self) -> list[int]:
        """Numbers of the first attempts of the runs to be tried again, the oldest first."""
        busy = {first_attempt(frozen) for frozen in self.running}
        return sorted(number for number, run in self._broken.items() if number not in busy and self._is_due(run))

    def seconds_spent(self, now: datetime) -> float:
        """How long the study has been at work: while trials ran, and between them, without pauses."""
        starts = [frozen.datetime_start for frozen in self.running if frozen.datetime_start is not None]
        spans = sorted([*self._spans, *((start, now) for start in starts)])
        total, end = 0.0, None
        for start, stop in [*spans, (now, now)] if spans else ():
            begin = start if end is None or start > end + _PAUSE else end
            if stop > begin:
                total, end = total + (stop - begin).total_seconds(), stop
        return total

    def _is_due(self, run: _Run) -> bool:
        return run.end is State.STOPPED or run.n_died <= self._retries

    def _run(self, frozen: FrozenTrial) -> _Run:
        if is_confirmation(frozen):
            self._confirmations.add(first_attempt(frozen))
        return self._runs.setdefault(first_attempt(frozen), _Run())

    def _take(self, frozen: FrozenTrial, trial: Trial) -> None:
        self._taken.add(trial.number)
        # when a trial ended that died is not known, only when that was noticed; an imported one has no cost
        if trial.started is not None and trial.cost is not None and trial.state is not State.DIED:
            self._spans.append((trial.started, trial.started + timedelta(seconds=trial.cost)))
        if IMPORTED in frozen.user_attrs:
            self.n_imported += 1
            return
        if SURPLUS in frozen.user_attrs:
            self._runs.pop(trial.number, None)
            return
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
        self.n_pruned += trial.state is State.PRUNED
        self.n_failed += trial.state not in (State.COMPLETE, State.PRUNED)


def is_confirmation(frozen: FrozenTrial) -> bool:
    """Whether a trial runs good settings again at the end of the study."""
    return provenance_of(frozen).origin is Origin.CONFIRMATION


def first_attempt(frozen: FrozenTrial) -> int:
    """The number of the first attempt of the run that a trial belongs to."""
    return int(frozen.user_attrs.get(RETRY_OF, frozen.number))
