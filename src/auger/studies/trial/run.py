"""One trial as a child process: started, watched, ended when it must be, and its value read."""

from __future__ import annotations

import errno
import json
import logging
import os
import selectors
import signal
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from auger.errors import StudyError
from auger.objectives import Objectives
from auger.studies.definition import Definition
from auger.studies.definition.printed_numbers import NoValueError, finite_number
from auger.studies.definition.value_rules import STREAMS, Reading, ValueRule, last_reading, missing, reading_in_file
from auger.studies.trial.outcome import RESULT, Outcome, write_result
from auger.studies.trial.output import LONGEST_LINE, Stream, kept_output
from auger.studies.trial.process_group import ProcessGroup
from auger.studies.trial.program import find_program, invocation
from auger.studies.trial.reaper import REAPER
from auger.studies.trial.reports import OnReport, Reports
from auger.text import mask, system_error
from auger.trial import State
from auger.types import Config

_log = logging.getLogger("auger")

# Seconds between SIGTERM and SIGKILL: time to write a checkpoint.
GRACE = 5.0
# Seconds between two looks at the stop event; at the end of the program, where the system cannot announce it.
_LOOK = 0.1
_LOOK_CLOSELY = 0.01


def run_trial(
    definition: Definition,
    number: int,
    config: Config,
    *,
    on_report: OnReport | None = None,
    stop: threading.Event,
    repeat: int | None = None,
    slot: str | None = None,
) -> Outcome:
    """Run the program of a study for one configuration. Whatever the program does, this returns an Outcome.

    The output of the program goes to the files ``stdout`` and ``stderr`` in the trial folder. The outcome is written to
    ``result.json`` before this returns, unless the trial was stopped.

    Args:
        definition: of the study.
        number: of the trial.
        config: its configuration.
        on_report: called with each step and its intermediate value, or one per objective, in this thread; True ends the
            trial as pruned.
            When it raises, the program is killed and the exception passes through.
        stop: ends the trial as stopped when it is set.
        repeat: which run of the trial this is, if there are several: each has a folder of its own, inside that of the
            trial, and the variable AUGER_REPEAT; None for a trial of one run.
        slot: of the trial; None: the first one, where the study has slots.
    """
    if os.name != "posix":
        raise StudyError("Trials run in process groups, which Windows does not have. Use Linux, macOS or WSL.")
    if stop.is_set():
        return Outcome(State.STOPPED, error="stopped before it began")
    folder = definition.folder_of(number, repeat)
    try:
        _prepare(folder, {rule.path for rule in definition.rules.values()})
        trial = _RunningTrial(definition, number, config, folder, on_report, stop, repeat, slot)
    except (OSError, ValueError) as error:
        return Outcome(State.FAILED, error=f"cannot start: {_error_text(error)}")
    outcome = trial.outcome()
    outcome = replace(outcome, error=outcome.error and mask(outcome.error))  # a program may tell its own passwords
    if outcome.state is not State.STOPPED:
        try:
            write_result(folder, config, outcome)
        except OSError as error:
            _log.warning("trial %d: its result cannot be kept in %s: %s", number, folder, _error_text(error))
    return outcome


def _prepare(folder: Path, value_paths: Iterable[str | None]) -> None:
    """Create the trial folder, without a result that another trial of this number has left there."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink():  # which the program of another trial may have made: files elsewhere would be replaced
        raise NotADirectoryError(errno.ENOTDIR, "it is a link", str(folder))
    for name in (RESULT, *value_paths):
        if name is not None:
            (folder / name).unlink(missing_ok=True)


class _RunningTrial:
    """A trial whose program has been started."""

    def __init__(
        self,
        definition: Definition,
        number: int,
        config: Config,
        folder: Path,
        on_report: OnReport | None,
        stop: threading.Event,
        repeat: int | None,
        slot: str | None,
    ) -> None:
        self._definition = definition
        self._folder = folder
        self._stop = stop
        self._reports = Reports(definition.report, on_report, definition.objectives.names)
        self._readings: dict[str, Reading] = {}  # the numbers on the streams, by name, as far as read
        self._n_lines = dict.fromkeys(STREAMS, 0)  # of each stream, as far as read
        self._ending: Outcome | None = None  # the state and the error, once we end the trial
        self._kill_at = float("inf")
        arguments, environment = invocation(definition, number, config, repeat, slot)
        home = Path(definition.home)
        if find_program(arguments[0], environment, home) is None:
            raise FileNotFoundError(f"there is no program {arguments[0]!r}")
        self._group = ProcessGroup(arguments, environment, home, definition.limits.memory)
        self._start = time.monotonic()
        self._streams = [Stream(name, self._group.streams[name], folder / name) for name in STREAMS]

    def outcome(self) -> Outcome:
        """Watch the program until it has ended, and return the outcome."""
        try:
            self._watch()
            n_waiting = [stream.n_waiting() for stream in self._streams]  # the last that can be the program's own
            exit_code = self._group.kill()
            seconds = time.monotonic() - self._start
            texts = [stream.drain(n) for stream, n in zip(self._streams, n_waiting, strict=True)]
            for stream, text in zip(self._streams, texts, strict=True):
                self._read_values(stream, text)
            self._pass_on_last_reports()
        finally:  # also when on_report raises, or on Ctrl-C
            self._group.kill()
            self._group.close()
            for stream in self._streams:
                stream.close()
        outcome = self._ending or self._own_end(exit_code)
        return replace(outcome, seconds=seconds, exit_code=exit_code, ignored=self._reports.ignored)

    # -- watching ---------------------------------------------------------------------------------------

    def _watch(self) -> None:
        with selectors.DefaultSelector() as selector:
            for stream in self._streams:
                selector.register(stream.descriptor, selectors.EVENT_READ, stream)
            if self._group.ended is not None:
                selector.register(self._group.ended, selectors.EVENT_READ)
            while not self._group.has_ended():
                REAPER.renew()
                self._check_time()
                if not self._reports.are_waiting:  # a program that reports faster than they are stored has to wait
                    self._read_streams(selector)
                if self._reports.pass_on(_LOOK):
                    self._end(Outcome(State.PRUNED))

    def _read_streams(self, selector: selectors.BaseSelector) -> None:
        """Read what there is, after waiting for it; nothing once the program has ended, and others may print."""
        keys = [key for key, _ in selector.select(self._pause())]
        if any(key.data is None for key in keys):
            return
        for key in keys:
            n_waiting = key.data.n_waiting()
            if self._group.has_ended():
                return
            self._read_values(key.data, key.data.read(max(n_waiting, 1)))
            if key.data.is_at_end:
                selector.unregister(key.fd)  # the program closed it, and may still run

    def _pause(self) -> float:
        """Seconds to wait for output: until a limit is reached, or the next look at the stop event."""
        look = _LOOK if self._group.ended is not None else _LOOK_CLOSELY
        limit = self._definition.limits.time
        deadline = self._kill_at if self._ending or limit is None else self._start + limit
        return max(min(look, deadline - time.monotonic()), 0.0)

    def _check_time(self) -> None:
        now, limit = time.monotonic(), self._definition.limits.time
        if self._ending is None:
            if self._stop.is_set():
                self._end(Outcome(State.STOPPED, error="stopped"))
            elif limit is not None and now - self._start >= limit:
                self._end(Outcome(State.FAILED, error=f"time limit of {limit:g} s"))
        elif now >= self._kill_at:
            self._group.signal(signal.SIGKILL)
            self._kill_at = now + GRACE  # the system may take a while to end it

    def _end(self, outcome: Outcome) -> None:
        """Ask the process group to end; what still runs after GRACE seconds is killed."""
        self._ending = outcome
        self._reports.drop()
        self._kill_at = time.monotonic() + GRACE
        self._group.signal(signal.SIGTERM)

    def _read_values(self, stream: Stream, text: str) -> None:
        """Look for values in lines of a stream."""
        if not text or self._ending is not None:
            return
        try:
            self._read_numbers(stream.name, text)
            self._reports.read(stream.name, text)
        except NoValueError as error:
            self._end(Outcome(State.FAILED, error=str(error)))

    def _read_numbers(self, stream: str, text: str) -> None:
        for name, rule in self._definition.rules.items():
            reading = last_reading(text, rule) if rule.stream == stream and rule.path is None else None
            if reading is not None:
                self._readings[name] = replace(reading, number=self._n_lines[stream] + (reading.number or 1))
        self._n_lines[stream] += text.count("\n")

    def _pass_on_last_reports(self) -> None:
        """Pass on the values that the program reported last; it is too late to prune, and a storage may be slow."""
        end = time.monotonic() + GRACE
        while self._reports.are_waiting and not self._stop.is_set() and time.monotonic() < end:
            self._reports.pass_on(_LOOK)
        self._reports.drop(is_told=True)

    # -- the end ----------------------------------------------------------------------------------------

    def _own_end(self, exit_code: int) -> Outcome:
        """The outcome of a program that ended by itself."""
        try:
            if exit_code:
                raise NoValueError(self._exit_text(exit_code))
            return self._complete()
        except NoValueError as error:
            errors = [stream.error for stream in self._streams if stream.error is not None]
            note = f" (its output could not be kept: {_error_text(errors[0])})" if errors else ""
            return Outcome(State.FAILED, error=f"{error}{note}")

    def _exit_text(self, exit_code: int) -> str:
        text = f"exit code {exit_code}" if exit_code > 0 else f"killed by signal {_signal_text(-exit_code)}"
        stdout, stderr = (stream.last_line for stream in self._streams)
        return f"{text}: {stderr or stdout}" if stderr or stdout else text

    def _complete(self) -> Outcome:
        """The outcome with all numbers. Raises a NoValueError about the first that is missing or not finite."""
        numbers, n_values = [], len(self._definition.objectives)
        for name, rule in self._definition.rules.items():
            try:
                self._readings[name], verb = self._final_reading(name, rule)
                numbers.append(finite_number(self._readings[name].raw, self._readings[name].line, verb))
            except NoValueError as error:
                if len(self._definition.names) > 1:
                    raise NoValueError(f"{name}: {error}") from error
                raise
        return Outcome(
            State.COMPLETE, tuple(numbers[:n_values]), constraints=tuple(numbers[n_values:]), readings=self._readings
        )

    def _final_reading(self, name: str, rule: ValueRule) -> tuple[Reading, str]:
        """A number as the program left it, and how it did: "printed", "wrote" or "returned" it."""
        is_function = self._definition.command.function is not None
        if rule.path is not None:
            path = self._folder / rule.path
            if is_function and not path.exists():
                raise NoValueError("ended without returning a value")
            try:
                return reading_in_file(path, rule), "returned" if is_function else "wrote"
            except NoValueError as error:
                if is_function:
                    raise NoValueError(_wrongly_returned(path, name, self._definition.names)) from error
                raise
        return self._last_reading(name, rule), "printed"

    def _last_reading(self, name: str, rule: ValueRule) -> Reading:
        """A number on a stream. A JSON object that is too long to be read may have the key, and be the last."""
        lines, reading = self._streams[STREAMS.index(rule.stream)].lines, self._readings.get(name)
        too_long = lines.too_long if reading is None else lines.too_long_object if rule.key else None
        if too_long is not None and (reading is None or too_long >= (reading.number or 0)):
            size = f"{LONGEST_LINE // 2**20} MiB"
            raise NoValueError(
                f"line {too_long} of its {rule.stream} is longer than {size}, and is not read: it may hold the value"
            )
        if reading is None:
            raise NoValueError(missing(kept_output(self._folder / rule.stream), rule, f"its {rule.stream}"))
        return reading


def _wrongly_returned(path: Path, name: str, names: Sequence[str]) -> str:
    """What a function has returned in place of a number that the study needs, and of all of them."""
    try:
        returned: Any = json.loads(path.read_text(encoding="utf-8"))
        keys = list(returned)
    except (OSError, ValueError, TypeError, RecursionError):
        keys = []
    if name in keys:
        return "the function returned None for it"
    listed, of_one = ", ".join(map(repr, names)), list(Objectives().names)
    what = "a number" if keys == of_one else f"a dict with {', '.join(map(repr, keys)) or 'nothing'}"
    return f"the function must return {'a number' if list(names) == of_one else f'a dict with {listed}'}. Got {what}"


def _error_text(error: Exception) -> str:
    """The error in one line; a full disk in plain words."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left{f' for {error.filename}' if error.filename else ''}"
    return system_error(error) if isinstance(error, OSError) else str(error)


def _signal_text(number: int) -> str:
    names = {member.value: member.name for member in signal.Signals}
    return f"{number} ({names[number]})" if number in names else str(number)
