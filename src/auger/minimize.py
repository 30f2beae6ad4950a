"""`minimize`: one call for a whole run."""

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
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from auger import notebook, table, text
from auger.checks import check_whole, is_number
from auger.configs import tidied
from auger.errors import ConfigError, NoCompletedTrialError, SearchError, StopSearch, TrialError
from auger.evidence import Evidence
from auger.files import write_whole
from auger.objectives import Direction
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns
from auger.recommend import Recommendation
from auger.space import Space
from auger.trial import State, Trial
from auger.types import Config

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger("auger")

# Seconds that one wait for a trial takes at most.
_WAIT = 0.5

T = TypeVar("T")
Callback = Callable[[Trial], object]


@dataclass(frozen=True, repr=False)
class Result:
    """What `minimize` found.

    Attributes:
        config: the configuration to use: the one with the best value or, where there is evidence that values are
            noisy, with the best expected value.
        value: what ``fun`` returned for it, noise included.
        trials: everything that was tried, by number.
        is_interrupted: whether Ctrl-C ended the run early, or the recommendation at its end.
        optimizer: continues from here: ask, tell, save.
        recommendation: why this configuration and, where values are noisy, what to expect of it.
    """

    config: Config
    value: float
    trials: list[Trial]
    is_interrupted: bool
    optimizer: Optimizer
    recommendation: Recommendation

    def to_pandas(self) -> pd.DataFrame:
        """The trials as a DataFrame, with the columns of `Optimizer.to_pandas`. Needs pandas."""
        return table.to_frame(self.trials, self.optimizer.space.names)

    def to_csv(self, path: str | Path) -> None:
        """Write the trials to a CSV file, with the columns of `Optimizer.to_pandas`."""
        write_whole(Path(path), table.to_csv(self.trials, self.optimizer.space.names))

    def __repr__(self) -> str:
        counts = text.trials(trial.state.value for trial in self.trials)
        interrupted = "; interrupted" if self.is_interrupted else ""
        return f"Result({text.best(self.value, self.config)}; {counts}{interrupted})"

    def _repr_html_(self) -> str:
        best, direction = self.recommendation.trial, self.optimizer.direction
        return notebook.run_html(self.trials, best, direction, self.recommendation.reason)


def minimize(
    fun: Callable[[Config], float],
    space: Space | Mapping[str, Any],
    *,
    n_trials: int | None = None,
    timeout: float | None = None,
    n_jobs: int = 1,
    direction: str | Direction = "minimize",
    recipe: str | Recipe | Turns = "auto",
    seed: int | None = None,
    enqueue: Iterable[Mapping[str, Any]] = (),
    fixed: Mapping[str, Any] | None = None,
    callback: Callback | Iterable[Callback] | None = None,
    raise_errors: bool = False,
) -> Result:
    """Find the configuration for which ``fun`` returns the lowest number; or the highest, with ``direction``.

    To stop single trials early, run the loop yourself, with `Optimizer.report` and `Optimizer.should_prune`.

    Args:
        fun: called with one config at a time; returns a number. NaN and infinity count as failures.
        space: a Space or a plain dict of parameters.
        n_trials: how many configurations to try; None for as many as ``timeout`` allows.
        timeout: seconds after which no new trial starts. Trials that are running are waited for, and at least one is
            run.
        n_jobs: how many trials run at the same time, in threads; -1 for as many as there are cores. A trial is learned
            from when it is complete, so that with several threads the same seed does not give the same trials. Python
            runs one thread at a time unless ``fun`` waits, or calculates outside of Python; for processes, see
            `Optimizer.ask`.
        direction: "minimize" or "maximize".
        recipe: the name of a recipe, with options if wanted, or a Recipe or Turns of your own.
        seed: for the same trials every time.
        enqueue: configs to try first, whole or in part; see `Optimizer.enqueue`.
        fixed: parameters and values that all trials must have.
        callback: called with each finished trial; or several, called in order. One call at a time, in the thread that
            called `minimize`. A callback that raises `auger.StopSearch` ends the run.
        raise_errors: let an exception of ``fun`` through. By default it makes a failed trial, which is learned
            from like any other bad value. A returned value that is not a number fails the trial in the same way,
            unless it is the first: then it is refused at once.

    Returns:
        The configuration to use, and all trials. Ctrl-C ends the run early and returns the result so far, after
        waiting for the trials that run in threads (a second Ctrl-C does not wait); while the recommendation is computed
        at the end, it returns the best value.

    Raises:
        NoCompletedTrialError: every trial failed; the last error is its cause.
        SearchError: something other than ``fun`` failed, such as the callback; its ``.optimizer`` has the trials.

    Example:
        >>> result = minimize(lambda config: (config["x"] - 2) ** 2, {"x": (-10, 10)}, n_trials=21, seed=1)
        >>> result.config
        {'x': 2}
    """
    if not callable(fun):
        raise TypeError(f"`fun` must be a function that takes a config. Got {fun!r}.")
    deadline = _deadline(n_trials, timeout)
    n_threads = _n_threads(n_jobs)
    optimizer = Optimizer(space, recipe, direction=direction, seed=seed)
    values = tidied({} if fixed is None else fixed, optimizer.space)
    optimizer.space.limits(values)  # refuses values that no config has
    for config in enqueue:
        optimizer.enqueue(_merged(config, values, optimizer.space))
    run = _Run(optimizer, fun, values, _callbacks(callback), raise_errors, n_trials, deadline)
    try:
        _in_threads(run, n_threads) if n_threads > 1 else run.here()
    except KeyboardInterrupt as error:
        run.last_error, run.is_interrupted = error, True
    try:
        recommendation = _outside(optimizer, optimizer.recommend)
    except KeyboardInterrupt:
        recommendation, run.is_interrupted = _unchecked(optimizer), True
    if recommendation is None:
        raise _nothing(optimizer.trials, run.last_error) from run.last_error
    trial = recommendation.trial
    return Result(trial.config, trial.values[0], optimizer.trials, run.is_interrupted, optimizer, recommendation)


# -- arguments ------------------------------------------------------------------------------------------


def _deadline(n_trials: Any, timeout: Any) -> float:
    """When to start no more trials, on the monotonic clock; infinity without a limit."""
    if n_trials is None and timeout is None:
        raise ValueError("`minimize` needs `n_trials`, `timeout` or both, to know when to end. Got neither.")
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
class _Run:
    """A run: which trials to start, and what to do with their results. One thread uses it, except for `evaluate`."""

    optimizer: Optimizer
    fun: Callable[[Config], float]
    fixed: Config
    callbacks: list[Callback]
    raise_errors: bool
    n_trials: int | None
    deadline: float
    n_started: int = field(default=0, init=False)
    is_stopped: bool = field(default=False, init=False)
    is_interrupted: bool = field(default=False, init=False)
    last_error: BaseException | None = field(default=None, init=False)

    def has_more(self) -> bool:
        """Whether to start another trial."""
        if self.is_stopped or self.is_interrupted or (self.n_trials is not None and self.n_started >= self.n_trials):
            return False
        return self.n_started == 0 or time.monotonic() < self.deadline

    def start(self) -> Trial:
        """Ask for the next trial."""
        trial = _outside(self.optimizer, partial(self.optimizer.ask, fixed=self.fixed))
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
            except TrialError as refused:
                if self.optimizer.best is None:
                    raise TrialError(f"`fun` must return a number. {refused}") from refused
                error = refused
        if done is None:
            if self.raise_errors or not isinstance(error, (Exception, SystemExit)):
                assert error is not None
                raise error
            self.last_error = error
            self.is_stopped |= isinstance(error, StopSearch)
            done = self.optimizer.tell(outcome.trial, error=error, cost=outcome.seconds)
            _log.warning("trial %d failed: %s", done.number, done.error)
        _log.info("trial %d %s: %s", done.number, done.state.value, done.value)
        for callback in self.callbacks:
            try:
                _outside(self.optimizer, partial(callback, done))
            except StopSearch:
                self.is_stopped = True


def _in_threads(run: _Run, n_threads: int) -> None:
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


def _outside(optimizer: Optimizer, call: Callable[[], T]) -> T:
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


def _unchecked(optimizer: Optimizer) -> Recommendation | None:
    best = optimizer.best
    return None if best is None else Recommendation(best, Evidence.NOT_CHECKED, direction=optimizer.direction)


def _nothing(trials: list[Trial], last_error: BaseException | None) -> NoCompletedTrialError:
    if isinstance(last_error, KeyboardInterrupt):
        return NoCompletedTrialError("The run was interrupted before any trial returned a value.", trials)
    n_failed = sum(trial.state is State.FAILED for trial in trials)
    last = f" The last error: {type(last_error).__name__}: {last_error}" if last_error else " No value was finite."
    return NoCompletedTrialError(f"No trial returned a value: {n_failed} of {len(trials)} failed.{last}", trials)
