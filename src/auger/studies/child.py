"""One trial as a child process: started, watched, ended when it must be, and its value read."""

from __future__ import annotations

import errno
import logging
import os
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from auger.studies import function
from auger.studies.command import surroundings
from auger.studies.definition import Definition
from auger.studies.group import Group
from auger.studies.outcome import RESULT, Outcome, read_result, write_result
from auger.studies.output import Lines, OutputFile
from auger.studies.values import LastSaid, NoValueError, ReportRule, number
from auger.types import Config

__all__ = ["Outcome", "read_result", "run_trial"]

_log = logging.getLogger("auger")

OnReport = Callable[[int, float], bool]

# Seconds between SIGTERM and SIGKILL: time to write a checkpoint.
GRACE = 5.0
# How often the stop event is looked at, and the end of the process where it cannot be waited for.
_LOOK = 0.1
_LOOK_CLOSELY = 0.01
_CHUNK = 2**16
# What a pipe can hold at most after its writers are gone.
_MAX_PIPE = 2**20


def run_trial(
    definition: Definition,
    number: int,
    config: Config,
    *,
    on_report: OnReport | None = None,
    stop: threading.Event,
) -> Outcome:
    """Run the program of a study for one configuration. Whatever it does, this returns an Outcome.

    Args:
        definition: of the study.
        number: of the trial.
        config: its configuration.
        on_report: called with each step and value on the way, in this thread; True ends the trial as pruned.
        stop: ends the trial as stopped when it is set.
    """
    folder = definition.trials_folder / str(number)
    if stop.is_set():
        return Outcome("stopped", error="stopped before it began")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESULT).unlink(missing_ok=True)
        run = _Run(definition, number, config, folder, on_report, stop)
    except OSError as error:
        return Outcome("failed", error=f"cannot start: {_reason(error)}")
    outcome = run.outcome()
    if outcome.state != "stopped":
        try:
            write_result(folder, config, outcome)
        except OSError as error:
            _log.warning("trial %d: its result could not be kept in %s: %s", number, folder, _reason(error))
    return outcome


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
        self._value = LastSaid(definition.value)
        self._reports = _Reports(definition.report, on_report)
        self._ending: Outcome | None = None  # why we end it: a state and an error
        self._kill_at = float("inf")
        self._last_line = {"stdout": "", "stderr": ""}
        self._lines = {"stdout": Lines(), "stderr": Lines()}
        arguments, environment = invocation(definition, number, config, folder)
        self._files = {name: OutputFile(folder / name) for name in ("stdout", "stderr")}
        try:
            self._group = Group(arguments, environment, Path(definition.home), definition.limits.memory)
        except OSError:
            self._close_files()
            raise
        self._start = time.monotonic()

    def outcome(self) -> Outcome:
        """Watch it until it has ended, and say what came of it."""
        try:
            self._watch()
            exit_code = self._group.kill()
            seconds = time.monotonic() - self._start
            self._drain()
        except BaseException:
            self._group.kill()
            raise
        finally:
            self._group.close()
            self._close_files()
        ended = self._ending or self._ended(exit_code)
        return Outcome(ended.state, ended.value, ended.error, seconds, exit_code)

    # -- watching ---------------------------------------------------------------------------------------

    def _watch(self) -> None:
        with selectors.DefaultSelector() as selector:
            for name, descriptor in self._group.streams.items():
                selector.register(descriptor, selectors.EVENT_READ, name)
            if self._group.ended is not None:
                selector.register(self._group.ended, selectors.EVENT_READ)
            while not self._group.has_ended():
                self._look_at_the_clock()
                for key, _ in selector.select(self._pause()):
                    if key.data is not None and self._read(key.data) == 0:
                        selector.unregister(key.fd)  # closed by the program, which may go on

    def _pause(self) -> float:
        """How long to wait for output: until a limit is reached, or it is time to look at the stop event."""
        now = time.monotonic()
        look = _LOOK if self._group.ended is not None else _LOOK_CLOSELY
        limit = self._definition.limits.time
        deadline = self._kill_at if self._ending or limit is None else self._start + limit
        return max(min(look, deadline - now), 0.0)

    def _look_at_the_clock(self) -> None:
        now, limit = time.monotonic(), self._definition.limits.time
        if self._ending is None:
            if self._stop.is_set():
                self._end(Outcome("stopped", error="stopped"))
            elif limit is not None and now - self._start >= limit:
                self._end(Outcome("failed", error=f"time limit of {limit:g} s"))
        elif now >= self._kill_at:
            self._group.signal(signal.SIGKILL)

    def _end(self, reason: Outcome) -> None:
        """Ask all of it to end; what is still there after a grace is killed."""
        self._ending = reason
        self._kill_at = time.monotonic() + GRACE
        self._group.signal(signal.SIGTERM)

    def _read(self, name: str) -> int | None:
        """Take in some output; 0 at its end, None where there is none at the moment."""
        try:
            data = os.read(self._group.streams[name], _CHUNK)
        except BlockingIOError:
            return None
        self._files[name].write(data)
        self._take(name, self._lines[name].feed(data))
        return len(data)

    def _drain(self) -> None:
        """Take in what is still in the pipes; not more, as a process that left the group may go on printing."""
        for name, lines in self._lines.items():
            n_read = 0
            while n_read < _MAX_PIPE and (n_new := self._read(name)):
                n_read += n_new
            self._take(name, lines.rest())

    def _take(self, name: str, text: str) -> None:
        if not text:
            return
        self._last_line[name] = _last_line(text) or self._last_line[name]
        if name == self._definition.value.stream:
            self._value.feed(text)
        if self._ending is None and self._reports.take(name, text):
            self._end(Outcome("pruned"))

    # -- the end ----------------------------------------------------------------------------------------

    def _ended(self, exit_code: int) -> Outcome:
        """What came of a program that ended by itself."""
        if exit_code:
            last = self._last_line["stderr"] or self._last_line["stdout"]
            how = f"exit code {exit_code}" if exit_code > 0 else f"killed by signal {-exit_code}"
            return Outcome("failed", error=f"{how}: {last}" if last else how)
        try:
            return Outcome("complete", self._number())
        except NoValueError as error:
            return Outcome("failed", error=str(error))

    def _number(self) -> float:
        rule = self._definition.value
        if rule.path is not None:
            return rule.number_in_file(self._folder)
        if self._value.found is None:
            lost = self._files[rule.stream].error
            where = "its output" if rule.stream == "stdout" else "its stderr"
            raise NoValueError(_reason(lost) if lost else f"no {rule.wanted} in {where}")
        return number(self._value.found)

    def _close_files(self) -> None:
        for file in self._files.values():
            file.close()


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


def invocation(definition: Definition, number: int, config: Config, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment of a trial's process."""
    command = definition.command
    variables = surroundings(definition.name, number, str(folder), config)
    environment = {**os.environ, **variables}
    # a program called "python" is found even where ours is the only one and its folder is not on the path
    environment["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
    for name, value in command.variables({**config, **variables}).items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    if command.function is not None:
        return [sys.executable, str(Path(function.__file__)), command.function], environment
    return command.arguments({**config, **variables}), environment


def _last_line(text: str) -> str:
    lines = text.rstrip().splitlines()
    return lines[-1].strip()[:500] if lines else ""


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"no space left{f' for {error.filename}' if error.filename else ''}"
    return str(error)
