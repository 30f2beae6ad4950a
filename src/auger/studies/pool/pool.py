"""The loop of a study: ask, run, tell. As many at once as there are workers, each a thread around a child process."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from queue import SimpleQueue

from auger.studies.pool.coordinator import Assignment, Desk
from auger.studies.pool.events import (
    Event,
    Finished,
    Listener,
    Started,
    Stopping,
    StorageBack,
    StorageLost,
    TrialFinished,
    TrialGivenUp,
    TrialLost,
    TrialReported,
    TrialStarted,
)
from auger.studies.pool.owners import BEAT_EVERY, new_claim
from auger.studies.pool.progress import seconds_spent
from auger.studies.storage import GaveUpError, Outages, is_outage
from auger.studies.study import Study, load_study, stored_definition
from auger.studies.trial import Outcome, run_trial

# Seconds between two looks at the trials of others, when only those are still running.
_LOOK = 1.0

# Seconds after which the main thread looks whether there was a signal.
_AWAKE = 1.0


def _wait_for(thread: threading.Thread) -> None:
    """Wait for a thread, awake once a second.

    A signal may reach the process through another thread of it. Its handler then runs when the main thread does next,
    which without a limit is never.
    """
    while thread.is_alive():
        thread.join(_AWAKE)


class Stop:
    """How somebody asks a run to end: once for no new trials, twice for the end of those that run, too."""

    def __init__(self) -> None:
        self.no_more, self.now = threading.Event(), threading.Event()
        self.asked: SimpleQueue[bool | None] = SimpleQueue()

    def ask(self, *, is_now: bool = False) -> None:
        """Ask for the next step, or for all of it. All that is done here may be done in a signal handler."""
        self.asked.put(is_now)


@dataclass
class _Held:
    """A trial of ours that is running."""

    trial: Assignment
    stop: threading.Event
    n_beats: int = 0
    unsent: list[tuple[int, float]] = field(default_factory=list)  # values on the way that the storage did not take


class Pool:
    """Works on a study with some workers until its budget is used up, or it is asked to stop.

    Args:
        study: to be worked on.
        n_workers: trials that run at once.
        listener: is told what happens, by one thread at a time.
        stop: how to end it from outside.
        is_last: stay until the trials of other processes have ended too, and retry those that died.
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
        run: Callable[..., Outcome] | None = None,
    ) -> None:
        self._stop = stop or Stop()
        self._listener, self._listening = listener, threading.RLock()
        self._n_workers, self._is_last, self._run_trial = n_workers, is_last, run or run_trial
        self._desk = Desk(study, new_claim())
        address = study.storage.address
        self._wait_out = Outages(
            address,
            self._stop.now,
            on_lost=lambda reason: self._say(StorageLost(str(address), reason)),
            on_back=lambda seconds: self._say(StorageBack(str(address), seconds)),
        ).wait_out
        self._held: dict[int, _Held] = {}
        self._holding = threading.Lock()
        self._over = threading.Event()
        self._errors: list[BaseException] = []
        self._spent, self._n_run = 0.0, 0

    def run(self) -> Finished:
        """Work. Returns how it ended; raises what a worker ran into that is neither a trial's fault nor an outage."""
        began = time.monotonic()
        attendants = [threading.Thread(target=target) for target in (self._obey, self._beat)]
        workers = [threading.Thread(target=self._work, args=(i == 0,)) for i in range(self._n_workers)]
        attendants[0].start()
        try:
            self._wait_out(self._desk.look_after_others)
            self._spent = self._wait_out(lambda: seconds_spent(self._desk.study.trials(), datetime.now()))
            self._say(self._started())
            self._wait_out(self._desk.warm_up)
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
                trial = self._wait_out(partial(self._desk.ask, uuid.uuid4().hex[:12]))
                self._mention_the_dead()
                if trial is not None:
                    self._run(trial)
                elif not (is_first and self._is_last and self._wait_out(self._desk.look_after_others)):
                    return
                else:
                    self._stop.no_more.wait(_LOOK)
        except GaveUpError:
            pass  # we were told to stop, and have told why nothing can be told
        except BaseException as error:
            self._errors.append(error)
            self._stop.no_more.set()  # the others finish what they have

    def _run(self, trial: Assignment) -> None:
        held = _Held(trial, threading.Event())
        with self._holding:
            self._held[trial.number] = held
        if self._stop.now.is_set():
            held.stop.set()
        try:
            started = TrialStarted(
                trial.number, trial.config, trial.origin, trial.reason, trial.retry_of, self._desk.counts()
            )
            self._say(started)
            definition = self._desk.study.definition
            report = None if definition.report is None else partial(self._report, held)
            outcome = self._run_trial(definition, trial.number, trial.config, on_report=report, stop=held.stop)
            self._tell(held, outcome)
        finally:
            with self._holding:
                del self._held[trial.number]
                self._n_run += 1

    def _tell(self, held: _Held, outcome: Outcome) -> None:
        trial, before = held.trial, self._desk.counts().best
        self._send(held, patiently=True)
        if not self._wait_out(lambda: self._desk.tell(trial, outcome)):
            self._say(TrialLost(trial.number))
            return
        counts = self._desk.counts()
        is_best = counts.best != before and counts.best is not None and counts.best.number == trial.number
        ended = (outcome.state, outcome.value, outcome.error, outcome.seconds)
        self._say(TrialFinished(trial.number, trial.config, *ended, is_best, counts))

    def _report(self, held: _Held, step: int, value: float) -> bool:
        self._say(TrialReported(held.trial.number, step, value))
        held.unsent.append((step, value))
        return self._send(held)

    def _send(self, held: _Held, *, patiently: bool = False) -> bool:
        """Record the values on the way; those the storage does not take wait for the next. Whether to prune."""
        is_pruned = False
        while held.unsent:
            step, value = held.unsent[0]
            record = partial(self._desk.report, held.trial, step, value)
            try:
                is_pruned = self._wait_out(record) if patiently else record()
            except Exception as error:
                if patiently or not is_outage(error):
                    raise
                return False
            held.unsent.pop(0)
        return is_pruned

    # -- beside the workers -----------------------------------------------------------------------------

    def _obey(self) -> None:
        """Wait for somebody to ask us to stop."""
        while (is_now := self._stop.asked.get()) is not None:
            if is_now or self._stop.no_more.is_set():
                self._stop.now.set()
            self._stop.no_more.set()
            with self._holding:
                held = list(self._held.values())
            if self._stop.now.is_set():
                for each in held:
                    each.stop.set()
            self._say(Stopping(self._stop.now.is_set(), len(held)))

    def _beat(self) -> None:
        """Show that our trials are alive, see whether those of others are, and whether the study was changed."""
        while not self._over.wait(BEAT_EVERY):
            try:
                self._renew()
                self._desk.look_after_others(is_urgent=False)
                self._mention_the_dead()
                self._read_definition()
            except Exception as error:
                if not is_outage(error):
                    self._errors.append(error)
                    self._stop.no_more.set()
                    return

    def _renew(self) -> None:
        with self._holding:
            held = list(self._held.values())
        for each in held:
            each.n_beats += 1
            if not self._desk.beat(each.trial, each.n_beats):
                each.stop.set()  # it was given up, and may be running elsewhere

    def _read_definition(self) -> None:
        """Take over another budget or other limits, but not the folder: that is this machine's own."""
        known = self._desk.study
        stored = replace(stored_definition(known.storage, known.definition.name), home=known.definition.home)
        if stored.to_json() != known.definition.to_json():
            self._desk.replace_study(replace(load_study(known.storage, stored.name), definition=stored))

    def _mention_the_dead(self) -> None:
        while self._desk.given_up:
            number, claim, state = self._desk.given_up.pop()
            self._say(TrialGivenUp(number, str(claim), state))

    def _say(self, event: Event) -> None:
        with self._listening, suppress(OSError):  # nobody reads what we print any more
            self._listener(event)

    def _started(self) -> Started:
        definition, address = self._desk.study.definition, str(self._desk.study.storage.address)
        budget = (definition.trials, definition.time, self._spent)
        return Started(definition.name, address, definition.direction, *budget, self._n_workers, self._desk.counts())

    def _finished(self, seconds: float) -> Finished:
        trials, counts = self._desk.study.definition.trials, self._desk.counts()
        if trials is not None and counts.finished >= trials:
            why = "trials"
        elif self._stop.no_more.is_set():
            why = "interrupted"
        else:
            why = "time" if self._desk.has_more else "trials"
        finished = Finished(why, seconds, self._n_run, counts)
        self._say(finished)
        return finished
