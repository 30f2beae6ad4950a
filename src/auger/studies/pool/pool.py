"""The loop of a study: ask, run, tell. Every worker is a thread that runs one trial at a time as a child process."""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from queue import SimpleQueue

from auger.studies.definition import Definition
from auger.studies.definition.value_rules import ReportedRow
from auger.studies.pool import events
from auger.studies.pool.coordinator import Assignment, Coordinator
from auger.studies.pool.events import Event, Finished, Listener
from auger.studies.pool.owners import BEAT_EVERY, new_owner
from auger.studies.pool.repeats import run_repeatedly
from auger.studies.pool.slots import Slots
from auger.studies.storage import GaveUpError, Outages, is_outage
from auger.studies.study import Study, load_study, stored_definition
from auger.studies.trial import Outcome, run_trial

# Seconds between two looks at the trials of other processes, when only those are still running.
_LOOK = 1.0

# Seconds after which the main thread wakes up, so that the handler of a signal can run.
_AWAKE = 1.0


def _wait_for(thread: threading.Thread) -> None:
    """Wait for a thread, and wake up once a second.

    A signal may reach the process through another thread. Its handler then runs when the main thread runs next, which
    without a time limit is never.
    """
    while thread.is_alive():
        thread.join(_AWAKE)


class Stop:
    """Asks a run to end: asked once, it starts no new trials; asked twice, it stops the running ones, too."""

    def __init__(self) -> None:
        self.no_more, self.now = threading.Event(), threading.Event()
        self.asked: SimpleQueue[bool | None] = SimpleQueue()

    def ask(self, *, is_now: bool = False) -> None:
        """Ask for the next step, or for both at once. This is safe in a signal handler."""
        self.asked.put(is_now)


@dataclass
class _RunningTrial:
    """A trial that this pool runs."""

    assignment: Assignment
    stop: threading.Event
    n_beats: int = 0
    unsent: deque[ReportedRow] = field(default_factory=deque)  # intermediate values that are not stored yet


class Pool:
    """Works on a study with some workers until its budget is used up, or it is asked to stop.

    Args:
        study: to work on.
        n_workers: how many trials run at once.
        listener: is called with every event, by one thread at a time.
        stop: ends the run from outside.
        is_last: stay until the trials of other processes have ended too, and retry the ones that died.
        keep_going: go on even if nothing succeeds because the program is broken.
        run: runs one trial; None: `run_trial`, on this machine.
    """

    def __init__(
        self,
        study: Study,
        n_workers: int,
        listener: Listener,
        stop: Stop | None = None,
        *,
        is_last: bool = True,
        keep_going: bool = False,
        run: Callable[..., Outcome] | None = None,
    ) -> None:
        self._stop = stop or Stop()
        self._listener, self._listening = listener, threading.RLock()
        self._n_workers, self._is_last, self._run_trial = n_workers, is_last, run or run_trial
        self._coordinator = Coordinator(study, new_owner(), keep_going=keep_going)
        address = study.storage.address
        self._wait_out = Outages(
            address,
            self._stop.now,
            on_lost=lambda reason: self._emit(events.StorageLost(str(address), reason)),
            on_back=lambda seconds: self._emit(events.StorageBack(str(address), seconds)),
        ).wait_out
        self._slots = Slots(study.definition.slot_names, study.definition.trials_folder)
        self._running: dict[int, _RunningTrial] = {}
        self._running_lock = threading.Lock()
        self._over = threading.Event()
        self._errors: list[BaseException] = []
        self._spent, self._n_run = 0.0, 0

    def run(self) -> Finished:
        """Work. Returns how the run ended; raises errors of a worker that are neither a trial's fault nor an outage."""
        began = time.monotonic()
        attendants = [threading.Thread(target=target) for target in (self._wait_for_stop, self._beat)]
        workers = [threading.Thread(target=self._work, args=(i == 0,)) for i in range(self._n_workers)]
        attendants[0].start()
        try:
            self._wait_out(self._coordinator.look_after_others)
            self._spent = self._coordinator.seconds_spent()
            self._emit(self._started())
            self._wait_out(self._coordinator.warm_up)
            for thread in [attendants[1], *workers]:
                thread.start()
            for thread in workers:
                _wait_for(thread)
        finally:
            self._over.set()
            self._stop.asked.put(None)
            for thread in filter(threading.Thread.is_alive, attendants):
                thread.join()
        if self._errors:
            raise self._errors[0]
        return self._finished(time.monotonic() - began)

    # -- a worker ---------------------------------------------------------------------------------------

    def _work(self, is_first: bool) -> None:
        try:
            while not self._stop.no_more.is_set():
                if self._run_next():
                    continue
                if not self._may_get_more(is_first):
                    return
                self._stop.no_more.wait(_LOOK)
        except GaveUpError:
            pass  # the run was asked to stop during an outage, which the listener knows of
        except BaseException as error:
            self._errors.append(error)
            self._stop.no_more.set()  # the other workers finish their trials

    def _run_next(self) -> bool:
        """Run the next trial, in a slot if the study has slots; False when there is none to run."""
        with self._slots.take(self._stop.no_more) as slot:
            if self._stop.no_more.is_set():
                return False
            assignment = self._wait_out(partial(self._coordinator.ask, uuid.uuid4().hex[:12]))
            self._emit_given_up()
            if assignment is not None:
                self._run(assignment, slot)
        return assignment is not None

    def _may_get_more(self, is_first: bool) -> bool:
        """Whether a worker without a trial has something to wait for.

        A running trial may show that the program works, or change what is to be confirmed. Otherwise only the first
        worker waits, for trials of other processes that may die.
        """
        if self._coordinator.breakdown is not None:
            return self._coordinator.is_any_running
        if self._coordinator.is_waiting:
            return True
        return is_first and self._is_last and self._wait_out(self._coordinator.look_after_others)

    def _run(self, assignment: Assignment, slot: str | None) -> None:
        trial, running = assignment.trial, _RunningTrial(assignment, threading.Event())
        with self._running_lock:
            self._running[trial.number] = running
        if self._stop.now.is_set():
            running.stop.set()
        try:
            provenance = (trial.origin, trial.reason, assignment.retry_of)
            self._emit(events.TrialStarted(trial.number, trial.config, *provenance, self._coordinator.counts()))
            definition = self._coordinator.study.definition
            self._tell(running, self._outcome(running, definition, slot))
        finally:
            with self._running_lock:
                del self._running[trial.number]
                self._n_run += 1

    def _outcome(self, running: _RunningTrial, definition: Definition, slot: str | None) -> Outcome:
        """Run the program of a trial, as often as it has runs."""
        assignment = running.assignment
        trial, repeats = assignment.trial, assignment.repeats
        in_slot = {} if slot is None else {"slot": slot}  # an engine has no slots

        def run(repeat: int | None) -> Outcome:
            # intermediate values are those of the first run: where it is pruned, no other run is paid for
            is_watched = definition.report is not None and repeat in (None, 0)
            report = partial(self._report, running) if is_watched else None
            outcome = self._run_trial(
                definition, trial.number, trial.config, on_report=report, stop=running.stop, repeat=repeat, **in_slot
            )
            if outcome.ignored is not None:
                self._emit(events.ReportsIgnored(trial.number, outcome.ignored.why, outcome.ignored.line))
            return outcome

        if repeats is None:
            return run(None)
        n_values = len(definition.objectives)
        return run_repeatedly(run, repeats, assignment.runs, partial(self._record, running), n_values)

    def _record(self, running: _RunningTrial, runs: list[Sequence[float]]) -> None:
        number, repeats = running.assignment.trial.number, running.assignment.repeats
        self._wait_out(lambda: self._coordinator.record(running.assignment, runs))
        value = runs[-1][0] if len(self._coordinator.study.objectives) == 1 else None
        self._emit(events.RunFinished(number, len(runs), len(repeats or ()), value, self._named(runs[-1])))

    def _tell(self, running: _RunningTrial, outcome: Outcome) -> None:
        trial, best_before = running.assignment.trial, self._coordinator.counts().best
        self._send(running, patiently=True)
        if not self._wait_out(lambda: self._coordinator.tell(running.assignment, outcome)):
            self._emit(events.TrialLost(trial.number))
            return
        counts = self._coordinator.counts()
        is_best = counts.best != best_before and counts.best is not None and counts.best.number == trial.number
        is_best |= counts.front is not None and trial.number in counts.front.numbers
        excess = self._coordinator.study.excess(outcome.constraints) if outcome.constraints else {}
        is_feasible = all(amount <= 0 for amount in excess.values())
        ended = (outcome.state, outcome.value, outcome.error, outcome.seconds, is_best, counts)
        self._emit(events.TrialFinished(trial.number, trial.config, *ended, self._named(outcome.numbers), is_feasible))

    def _named(self, numbers: Sequence[float]) -> dict[str, float]:
        """What a program gave, by name; empty where it gave nothing."""
        names = self._coordinator.study.definition.names
        return dict(zip(names, numbers, strict=True)) if numbers else {}

    def _report(self, running: _RunningTrial, step: int, *values: float) -> bool:
        names = self._coordinator.study.objectives.names
        by_name = dict(zip(names, values, strict=True)) if len(names) > 1 else {}
        value = None if by_name else values[0]
        self._emit(events.TrialReported(running.assignment.trial.number, step, value, by_name))
        running.unsent.append((step, *values))
        return self._send(running)

    def _send(self, running: _RunningTrial, *, patiently: bool = False) -> bool:
        """Store intermediate values, and return whether to prune.

        Those that fail in an outage, and after an outage those that take longer than a moment, wait for the next call.
        """
        is_pruned, end = False, time.monotonic() + _LOOK
        while running.unsent and (patiently or time.monotonic() < end):
            record = partial(self._coordinator.report, running.assignment, *running.unsent[0])
            try:
                is_pruned |= self._wait_out(record) if patiently else record()
            except Exception as error:
                if patiently or not is_outage(error):
                    raise
                return is_pruned
            running.unsent.popleft()
        return is_pruned

    # -- beside the workers -----------------------------------------------------------------------------

    def _wait_for_stop(self) -> None:
        """Pass on every request to stop, until the run is over."""
        while (is_now := self._stop.asked.get()) is not None:
            if is_now or self._stop.no_more.is_set():
                self._stop.now.set()
            self._stop.no_more.set()
            trials = self._running_trials()
            if self._stop.now.is_set():
                for trial in trials:
                    trial.stop.set()
            self._emit(events.Stopping(self._stop.now.is_set(), len(trials)))

    def _beat(self) -> None:
        """Show that the trials of this pool are alive, look after those of others, and read the definition again."""
        while not self._over.wait(BEAT_EVERY):
            try:
                self._renew_beats()
                self._coordinator.look_after_others(is_urgent=False)
                self._emit_given_up()
                self._read_definition()
            except Exception as error:
                if not is_outage(error):
                    self._errors.append(error)
                    self._stop.no_more.set()
                    return

    def _renew_beats(self) -> None:
        for trial in self._running_trials():
            trial.n_beats += 1
            if not self._coordinator.beat(trial.assignment, trial.n_beats):
                trial.stop.set()  # it was given up, and may be running elsewhere

    def _running_trials(self) -> list[_RunningTrial]:
        with self._running_lock:
            return list(self._running.values())

    def _read_definition(self) -> None:
        """Go on with another budget or other limits, but not with another folder: that is this machine's own."""
        study = self._coordinator.study
        stored = replace(stored_definition(study.storage, study.definition.name), home=study.definition.home)
        fresh = load_study(study.storage, stored.name)
        if stored.to_json() != study.definition.to_json() or fresh.forgotten != study.forgotten:
            self._coordinator.replace_study(replace(fresh, definition=stored))

    def _emit_given_up(self) -> None:
        while self._coordinator.given_up:
            number, owner, state = self._coordinator.given_up.pop()
            self._emit(events.TrialGivenUp(number, str(owner), state))

    def _emit(self, event: Event) -> None:
        with self._listening, suppress(OSError):  # what the listener prints is not read any more
            self._listener(event)

    def _started(self) -> events.Started:
        study, counts = self._coordinator.study, self._coordinator.counts()
        definition, objectives = study.definition, study.objectives.described()
        direction = study.objectives.directions[0].value if len(objectives) == 1 else None
        budget = (definition.trials, definition.time, self._spent)
        begin = (definition.name, str(study.storage.address), direction)
        return events.Started(*begin, *budget, self._n_workers, counts, objectives, definition.limited)

    def _finished(self, seconds: float) -> Finished:
        trials, counts = self._coordinator.study.definition.trials, self._coordinator.counts()
        breakdown = None if self._stop.no_more.is_set() else self._coordinator.breakdown
        if breakdown is not None:
            why = "broken"
        elif self._stop.no_more.is_set() and not self._coordinator.is_confirmed:
            why = "interrupted"
        elif trials is not None and counts.finished >= trials:
            why = "trials"
        elif self._stop.no_more.is_set():
            why = "interrupted"
        else:
            why = "time" if self._coordinator.has_more else "trials"
        finished = Finished(why, seconds, self._n_run, counts, breakdown)
        self._emit(finished)
        return finished
