"""One trial as a child process: started, watched, ended when it must be, and its value read."""

from __future__ import annotations

import errno
import logging
import os
import selectors
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from auger.errors import StudyError
from auger.studies.definition.definition import Definition
from auger.studies.definition.value_rules import STREAMS, NoValueError, ReportRule, as_number, last_said, said_in_file
from auger.studies.trial.outcome import RESULT, Outcome, read_result, write_result
from auger.studies.trial.output import Stream
from auger.studies.trial.process_group import Group
from auger.studies.trial.program import find_program, invocation
from auger.types import Config

__all__ = ["Outcome", "read_result", "run_trial"]

_log = logging.getLogger("auger")

OnReport = Callable[[int, float], bool]

# Seconds between SIGTERM and SIGKILL: time to write a checkpoint.
GRACE = 5.0
# How often the stop event is looked at, and the end of the program where it cannot be waited for.
_LOOK = 0.1
_LOOK_CLOSELY = 0.01


def run_trial(
    definition: Definition,
    number: int,
    config: Config,
    *,
    on_report: OnReport | None = None,
    stop: threading.Event,
) -> Outcome:
    """Run the program of a study for one configuration. Whatever the program does, this returns an Outcome.

    What it prints is kept in the files ``stdout`` and ``stderr`` of the trial's folder, and unless it was stopped the
    outcome in ``result.json``, before this returns.

    Args:
        definition: of the study.
        number: of the trial.
        config: its configuration.
        on_report: called with each step and value on the way, in this thread; True ends the trial as pruned. If it
            raises, the program is killed and the exception comes through.
        stop: ends the trial as stopped when it is set.
    """
    if os.name != "posix":
        raise StudyError("Trials run in process groups, which Windows does not have: use WSL, Linux or macOS.")
    if stop.is_set():
        return Outcome("stopped", error="stopped before it began")
    folder = definition.trials_folder / str(number)
    try:
        _make_ready(folder, definition.value.path)
        run = _Run(definition, number, config, folder, on_report, stop)
    except (OSError, ValueError) as error:
        return Outcome("failed", error=f"cannot start: {reason(error)}")
    outcome = run.outcome()
    if outcome.state != "stopped":
        try:
            write_result(folder, config, outcome)
        except OSError as error:
            _log.warning("trial %d: its result cannot be kept in %s: %s", number, folder, reason(error))
    return outcome


def _make_ready(folder: Path, value_path: str | None) -> None:
    """Make the trial's folder. What another trial of this number left there must not be taken for this one's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (RESULT, value_path):
        if name is not None:
            (folder / name).unlink(missing_ok=True)


class _Run:
    """A trial that is running."""

    def __init__(
        self,
        definition: Definition,
        number: int,
        config: Config,
        folder: Path,
        on_report: OnReport | None,
        stop: threading.Event,
    ) -> None:
        self._definition = definition
        self._folder = folder
        self._stop = stop
        self._reports = _Reports(definition.report, on_report)
        self._said: Any = None  # what should be the value
        self._ending: Outcome | None = None  # why we end it: a state and an error
        self._kill_at = float("inf")
        arguments, environment = invocation(definition, number, config)
        home = Path(definition.home)
        if find_program(arguments[0], environment, home) is None:
            raise FileNotFoundError(f"there is no program {arguments[0]!r}")
        self._group = Group(arguments, environment, home, definition.limits.memory)
        self._start = time.monotonic()
        self._streams = [Stream(name, self._group.streams[name], folder / name) for name in STREAMS]

    def outcome(self) -> Outcome:
        """Watch it until it has ended, and say what came of it."""
        try:
            self._watch()
            exit_code = self._group.kill()
            seconds = time.monotonic() - self._start
            for stream in self._streams:
                self._take(stream, stream.drain())  # too late to be pruned
        finally:  # also when a report raises, or Ctrl-C comes
            self._group.kill()
            self._group.close()
            for stream in self._streams:
                stream.close()
        ended = self._ending or self._ended(exit_code)
        return Outcome(ended.state, ended.value, ended.error, seconds, exit_code)

    # -- watching ---------------------------------------------------------------------------------------

    def _watch(self) -> None:
        with selectors.DefaultSelector() as selector:
            for stream in self._streams:
                selector.register(stream.descriptor, selectors.EVENT_READ, stream)
            if self._group.ended is not None:
                selector.register(self._group.ended, selectors.EVENT_READ)
            while not self._group.has_ended():
                self._look_at_the_clock()
                for key, _ in selector.select(self._pause()):
                    if key.data is not None and self._take(key.data, key.data.read()):
                        self._end(Outcome("pruned"))
                    if key.data is not None and key.data.is_at_end:
                        selector.unregister(key.fd)  # closed by the program, which may go on

    def _pause(self) -> float:
        """How long to wait for output: until a limit is reached, or it is time to look at the stop event."""
        look = _LOOK if self._group.ended is not None else _LOOK_CLOSELY
        limit = self._definition.limits.time
        deadline = self._kill_at if self._ending or limit is None else self._start + limit
        return max(min(look, deadline - time.monotonic()), 0.0)

    def _look_at_the_clock(self) -> None:
        now, limit = time.monotonic(), self._definition.limits.time
        if self._ending is None:
            if self._stop.is_set():
                self._end(Outcome("stopped", error="stopped"))
            elif limit is not None and now - self._start >= limit:
                self._end(Outcome("failed", error=f"time limit of {limit:g} s"))
        elif now >= self._kill_at:
            self._group.signal(signal.SIGKILL)
            self._kill_at = now + GRACE  # the system may take a while to end it

    def _end(self, reason: Outcome) -> None:
        """Ask all of it to end; what is still there after a grace is killed."""
        self._ending = reason
        self._kill_at = time.monotonic() + GRACE
        self._group.signal(signal.SIGTERM)

    def _take(self, stream: Stream, text: str) -> bool:
        """Look for values in some lines; True when the trial is to be pruned."""
        if not text:
            return False
        if stream.name == self._definition.value.stream:
            said = last_said(text, self._definition.value)
            self._said = self._said if said is None else said
        return self._ending is None and self._reports.take(stream.name, text)

    # -- the end ----------------------------------------------------------------------------------------

    def _ended(self, exit_code: int) -> Outcome:
        """What came of a program that ended by itself."""
        try:
            if exit_code:
                raise NoValueError(self._how(exit_code))
            return Outcome("complete", self._number())
        except NoValueError as error:
            lost = [stream.error for stream in self._streams if stream.error is not None]
            note = f" (its output could not be kept: {reason(lost[0])})" if lost else ""
            return Outcome("failed", error=f"{error}{note}")

    def _how(self, exit_code: int) -> str:
        how = f"exit code {exit_code}" if exit_code > 0 else f"killed by signal {_signal(-exit_code)}"
        stdout, stderr = (stream.last_line for stream in self._streams)
        return f"{how}: {stderr or stdout}" if stderr or stdout else how

    def _number(self) -> float:
        rule = self._definition.value
        if rule.path is not None:
            is_function = self._definition.command.function is not None
            if is_function and not (self._folder / rule.path).exists():
                raise NoValueError("ended without a value")
            return as_number(said_in_file(self._folder / rule.path, rule), "returned" if is_function else "wrote")
        if self._said is None:
            raise NoValueError(f"no {rule.wanted} in its {'output' if rule.stream == 'stdout' else 'stderr'}")
        return as_number(self._said)


class _Reports:
    """Hands on the values on the way, each step once."""

    def __init__(self, rule: ReportRule | None, on_report: OnReport | None) -> None:
        self._rule = rule
        self._on_report = on_report
        self._steps: set[int] = set()

    def take(self, stream: str, text: str) -> bool:
        """Report what some lines of a stream say; True when the trial is to be pruned."""
        if self._on_report is None or self._rule is None or self._rule.stream != stream:
            return False
        for step, value in self._rule.reports(text):
            known = len(self._steps) if step is None else step
            if known not in self._steps:
                self._steps.add(known)
                if self._on_report(known, value):
                    return True
        return False


def reason(error: Exception) -> str:
    """What is wrong, in one line."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left{f' for {error.filename}' if error.filename else ''}"
    return str(error)


def _signal(number: int) -> str:
    names = {known.value: known.name for known in signal.Signals}
    return f"{number} ({names[number]})" if number in names else str(number)
