"""What the trials of a study add up to: how many count, which are to be run again, and how long it has taken.

A trial that was stopped, or whose worker died, is run again as a new one that names it; the two (or more) are one
*run*, and the budget counts runs. So what is due follows from the trials themselves, and nobody who is killed between
two steps can leave it half written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from auger.schema import SURPLUS

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: User attributes of a trial: the first attempt of its run, and that it was not run by us.
RETRY_OF, IMPORTED = "auger:retry_of", "auger:imported"

#: Ends that call for another attempt; see `ending`.
DIED, STOPPED = "died", "stopped"

# Nobody was at work while no trial ran for longer than this.
_PAUSE = timedelta(minutes=1)

# How a trial without a value can have ended.
_ENDS = (DIED, STOPPED, "failed")


@dataclass
class _Run:
    """The attempts of one run: how many died, and how the last ended; "" when it ended for good."""

    n_died: int = 0
    end: str = ""


class Ledger:
    """Kept up to date by `read`; a finished trial never changes, and is looked at once.

    Args:
        retries: how often a trial is run again whose worker died.
        is_maximized: whether more is better.

    Attributes:
        n_imported: results that were brought in, which no budget counts.
        n_complete, n_failed, n_pruned: runs that ended so.
        running: trials that are running or, put there with Optuna's own `enqueue_trial`, waiting to be.
        best: the complete trial with the best value, the first of several; imported ones included.
    """

    def __init__(self, *, retries: int, is_maximized: bool) -> None:
        self.retries, self._is_maximized = retries, is_maximized
        self.n_imported = self.n_complete = self.n_failed = self.n_pruned = 0
        self.running: list[FrozenTrial] = []
        self.best: FrozenTrial | None = None
        self._runs: dict[int, _Run] = {}
        self._broken: dict[int, _Run] = {}  # those whose last attempt died or was stopped
        self._n_settled = 0  # the first so many trials are finished, and known
        self._known: set[int] = set()  # others that are

    def read(self, trials: Sequence[FrozenTrial]) -> None:
        """Take in all trials of the study, in the order of their numbers."""
        self.running = []
        for trial in trials[self._n_settled :]:
            if not trial.state.is_finished():
                self.running.append(trial)
                self._run(trial)
            elif trial.number not in self._known:
                self._known.add(trial.number)
                self._take(trial)
        while self._n_settled in self._known:
            self._known.remove(self._n_settled)
            self._n_settled += 1

    @property
    def n_started(self) -> int:
        """Runs that were started, whatever became of them: what a budget of trials is compared with."""
        return len(self._runs)

    @property
    def n_finished(self) -> int:
        """Runs that have ended for good."""
        return self.n_complete + self.n_failed + self.n_pruned

    @property
    def due(self) -> list[int]:
        """Numbers of the first attempts of the runs to be tried again, the oldest first."""
        busy = {root(trial) for trial in self.running}
        return sorted(number for number, run in self._broken.items() if number not in busy and self._is_due(run))

    def _is_due(self, run: _Run) -> bool:
        return run.end == STOPPED or run.n_died <= self.retries

    def _run(self, trial: FrozenTrial) -> _Run:
        return self._runs.setdefault(root(trial), _Run())

    def _take(self, trial: FrozenTrial) -> None:
        state = trial.state.name
        if state == "COMPLETE" and self._is_better(trial):
            self.best = trial
        if IMPORTED in trial.user_attrs:
            self.n_imported += 1
            return
        if SURPLUS in trial.user_attrs:
            self._runs.pop(trial.number, None)
            return
        run, end = self._run(trial), ending(trial)[0]
        is_broken = state == "FAIL" and end in {DIED, STOPPED}
        run.end = end if is_broken else ""
        run.n_died += end == DIED
        if is_broken and self._is_due(run):
            self._broken[root(trial)] = run
            return
        self._broken.pop(root(trial), None)
        self.n_complete += state == "COMPLETE"
        self.n_pruned += state == "PRUNED"
        self.n_failed += state == "FAIL"

    def _is_better(self, trial: FrozenTrial) -> bool:
        return self.best is None or self._rank(trial) < self._rank(self.best)

    def _rank(self, trial: FrozenTrial) -> tuple[float, int]:
        assert trial.value is not None
        return (-trial.value if self._is_maximized else trial.value, trial.number)


def ending(trial: FrozenTrial) -> tuple[str, dict[str, Any]]:
    """How a trial ended that did not end well and in time, and what is known about it; ("", {}) for others.

    It is kept in the user attribute ``auger:failed``, ``auger:died``, ``auger:stopped``, or ``auger:late`` for a result
    that was found after its worker had died.
    """
    for end in _ENDS if trial.state.name == "FAIL" else ("late",):
        facts = trial.user_attrs.get(f"auger:{end}")
        if isinstance(facts, dict):
            return end, facts
    return "", {}


def root(trial: FrozenTrial) -> int:
    """The number of the first attempt of the run that a trial belongs to."""
    return int(trial.user_attrs.get(RETRY_OF, trial.number))


def seconds_spent(trials: Sequence[FrozenTrial], now: datetime) -> float:
    """How long the study has been at work: while trials ran, and between them, but for pauses."""
    spans = sorted(span for trial in trials if (span := _span(trial, now)) is not None)
    total, end = 0.0, None
    for start, stop in [*spans, (now, now)] if spans else ():
        begin = start if end is None or start > end + _PAUSE else end
        if stop > begin:
            total, end = total + (stop - begin).total_seconds(), stop
    return total


def _span(trial: FrozenTrial, now: datetime) -> tuple[datetime, datetime] | None:
    end, facts = ending(trial)
    if trial.datetime_start is None or IMPORTED in trial.user_attrs or end == DIED:
        return None  # when a dead one ended is not known, only when it was found
    if "seconds" in facts:
        return trial.datetime_start, trial.datetime_start + timedelta(seconds=facts["seconds"])
    return trial.datetime_start, trial.datetime_complete or now
