"""Runs of a whole budget: the loop behind `minimize` and `minimize_several`, in this thread or in several."""

from __future__ import annotations

import logging
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from auger import text
from auger.checks import check_whole, is_number
from auger.configs import tidied
from auger.errors import (
    AugerError,
    ConfigError,
    NoCompletedTrialError,
    ObjectiveError,
    SearchError,
    StopSearch,
    TrialError,
)
from auger.optimizer import Optimizer
from auger.past_results import minimized_values
from auger.space import Space
from auger.trial import State, Trial
from auger.types import Config

_log = logging.getLogger("auger")

# Seconds that one wait for a trial takes at most.
_WAIT = 0.5

T = TypeVar("T")
Callback = Callable[[Trial], object]


def run_trials(
    optimizer: Optimizer,
    fun: Callable[[Config], Any],
    *,
    n_trials: int | None,
    timeout: float | None,
    n_jobs: int,
    enqueue: Iterable[Mapping[str, Any]],
    fixed: Mapping[str, Any] | None,
    callback: Callback | Iterable[Callback] | None,
    raise_errors: bool,
) -> Run:
    """Run trials until the budget is spent, a callback ends them, or Ctrl-C does. See `minimize` for the arguments."""
    deadline = _deadline(n_trials, timeout)
    n_threads = _n_threads(n_jobs)
    values = tidied({} if fixed is None else fixed, optimizer.space)
    optimizer.space.limits(values)  # refuses values that no config has
    for config in enqueue:
        optimizer.enqueue(_merged(config, values, optimizer.space))
    run = Run(optimizer, fun, values, _callbacks(callback), raise_errors, n_trials, deadline)
    try:
        _in_threads(run, n_threads) if n_threads > 1 else run.here()
    except KeyboardInterrupt as error:
        run.last_error, run.is_interrupted = error, True
    return run


# -- arguments ------------------------------------------------------------------------------------------


def check_function(fun: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(fun):
        raise TypeError(f"`fun` must be a function that takes a config. Got {fun!r}.")


def _deadline(n_trials: Any, timeout: Any) -> float:
    """When to start no more trials, on the monotonic clock; infinity without a limit."""
    if n_trials is None and timeout is None:
        raise ValueError("A run needs `n_trials`, `timeout` or both, to know when to end. Got neither.")
    if n_trials is not None:
        check_whole(n_trials, 1, "`n_trials`")
    if timeout is None:
        return math.inf
    if not is_number(timeout) or not timeout > 0:
        raise ValueError(f"`timeout` must be a number of seconds above 0. Got {timeout!r}.")
    return time.monotonic() + float(timeout)


def _n_threads(n_jobs: Any) -> int:
    if n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)  # the cores that this process may use; not everywhere
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    return check_whole(n_jobs, 1, "`n_jobs`, unless it is -1,")


def _callbacks(callback: Any) -> list[Callback]:
    if callback is None or callable(callback):
        return [] if callback is None else [callback]
    callbacks = list(callback) if isinstance(callback, Iterable) else [callback]
    if not all(map(callable, callbacks)):
        raise TypeError(f"`callback` must be a function that takes a trial, or a list of them. Got {callback!r}.")
    return callbacks


def _merged(config: Any, fixed: Config, space: Space) -> Config:
    """An enqueued config with the values that all trials must have."""
    values = tidied(config, space)
    for name, value in fixed.items():
        if values.get(name, value) != value:
            raise ConfigError(f"Parameter {name!r} is fixed to {value!r}. An enqueued config has {values[name]!r}.")
    return {**values, **fixed}


# -- the run --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    """What came of calling the objective: a value or an error, and the seconds it took."""

    trial: Trial
    value: Any
    error: BaseException | None
    seconds: float


@dataclass
class Run:
    """A run: which trials to start, and what to do with their results. One thread uses it, except for `evaluate`."""

    optimizer: Optimizer
    fun: Callable[[Config], Any]
    fixed: Config
    callbacks: list[Callback]
    raise_errors: bool
    n_trials: int | None
    deadline: float
    n_started: int = field(default=0, init=False)
    is_stopped: bool = field(default=False, init=False)
    is_interrupted: bool = field(default=False, init=False)
    last_error: BaseException | None = field(default=None, init=False)

    @property
    def _wanted(self) -> str:
        return "a number" if len(self.optimizer.objectives) == 1 else "one number per objective"

    def _is_of_the_right_kind(self, outcome: _Outcome) -> bool:
        """Whether the objective returned what it should, though perhaps NaN."""
        try:
            minimized_values(self.optimizer.objectives, outcome.value, outcome.trial.number)
        except AugerError:
            return False
        return True

    def has_more(self) -> bool:
        """Whether to start another trial."""
        if self.is_stopped or self.is_interrupted or (self.n_trials is not None and self.n_started >= self.n_trials):
            return False
        return self.n_started == 0 or time.monotonic() < self.deadline

    def start(self) -> Trial:
        """Ask for the next trial."""
        trial = outside(self.optimizer, partial(self.optimizer.ask, fixed=self.fixed))
        self.n_started += 1
        return trial

    def here(self) -> None:
        """Run one trial after the other in this thread."""
        while self.has_more():
            self.finish(self.evaluate(self.start(), (Exception, SystemExit)))

    def evaluate(self, trial: Trial, caught: Any) -> _Outcome:
        """Call the objective; errors of the types ``caught`` are part of the outcome."""
        value, error, start = None, None, time.perf_counter()
        try:
            value = self.fun(dict(trial.config))
        except caught as raised:
            error = raised
        return _Outcome(trial, value, error, time.perf_counter() - start)

    def finish(self, outcome: _Outcome) -> None:
        """Tell the optimizer, and call the callbacks."""
        error = outcome.error
        done = None
        if error is None:
            try:
                done = self.optimizer.tell(outcome.trial, outcome.value, cost=outcome.seconds)
            except (TrialError, ObjectiveError) as refused:
                if not len(self.optimizer.history.leaders(1)) and not self._is_of_the_right_kind(outcome):
                    raise TrialError(f"`fun` must return {self._wanted}. {refused}") from refused
                error = refused
        if done is None:
            if self.raise_errors or not isinstance(error, (Exception, SystemExit)):
                assert error is not None
                raise error
            self.last_error = error
            self.is_stopped |= isinstance(error, StopSearch)
            done = self.optimizer.tell(outcome.trial, error=error, cost=outcome.seconds)
            _log.warning("trial %d failed: %s", done.number, done.error)
        _log.info("trial %d %s: %s", done.number, done.state.value, done.value if len(done.values) < 2 else done.values)
        for callback in self.callbacks:
            try:
                outside(self.optimizer, partial(callback, done))
            except StopSearch:
                self.is_stopped = True


def _in_threads(run: Run, n_threads: int) -> None:
    """Run trials in threads. They evaluate the objective, and nothing else."""
    tasks: SimpleQueue[Trial | None] = SimpleQueue()
    outcomes: SimpleQueue[_Outcome] = SimpleQueue()

    def work() -> None:
        while (trial := tasks.get()) is not None:
            outcomes.put(run.evaluate(trial, BaseException))

    for i in range(n_threads):  # daemons: a trial that hangs must not keep the program from ending
        threading.Thread(target=work, daemon=True, name=f"auger-trial-{i}").start()
    n_running = 0

    def interrupt(error: KeyboardInterrupt) -> None:
        """Start no more trials, and wait for those that run; a second time, leave them."""
        if run.is_interrupted:
            raise error
        run.last_error, run.is_interrupted = error, True
        _log.warning("interrupted: %s still run; Ctrl-C again to leave them", text.count(n_running, "trial"))

    try:
        with _noting_interrupts(interrupt):
            while run.has_more() or n_running:
                try:
                    while n_running < n_threads and run.has_more():
                        trial = run.start()
                        n_running += 1
                        tasks.put(trial)
                    outcome = _next(outcomes)
                    n_running -= 1
                    run.finish(outcome)
                except KeyboardInterrupt as error:  # a callback's, or that of a program with its own handler
                    interrupt(error)
    finally:
        for _ in range(n_threads):
            tasks.put(None)


def _next(outcomes: SimpleQueue[_Outcome]) -> _Outcome:
    """The next outcome. A Ctrl-C just before a wait is only noticed after it, so no wait is long."""
    while True:
        try:
            return outcomes.get(timeout=_WAIT)
        except Empty:
            pass


@contextmanager
def _noting_interrupts(interrupt: Callable[[KeyboardInterrupt], None]) -> Iterator[None]:
    """Have Ctrl-C call a function. KeyboardInterrupt, raised at any point, could lose an outcome that was just taken.

    In other threads than the main one Ctrl-C is not seen, and a program's own handler of it is left alone.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: interrupt(KeyboardInterrupt()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def outside(optimizer: Optimizer, call: Callable[[], T]) -> T:
    """Call something other than the objective. If it fails, the run is over, and the error carries the trials."""
    try:
        return call()
    except StopSearch:
        raise
    except Exception as error:
        raise SearchError(
            f"The run ended after {len(optimizer.history)} trials with {type(error).__name__}: {error} "
            "The trials so far are in `.optimizer` of this exception.",
            optimizer,
        ) from error


def nothing_returned(trials: list[Trial], last_error: BaseException | None) -> NoCompletedTrialError:
    """The error of a run in which no trial returned a value."""
    if isinstance(last_error, KeyboardInterrupt):
        return NoCompletedTrialError("The run was interrupted before any trial returned a value.", trials)
    n_failed = sum(trial.state is State.FAILED for trial in trials)
    last = f" The last error: {type(last_error).__name__}: {last_error}" if last_error else " No value was finite."
    return NoCompletedTrialError(f"No trial returned a value: {n_failed} of {len(trials)} failed.{last}", trials)
