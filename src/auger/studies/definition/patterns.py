"""The user's patterns, matched in a process of their own: a slow one cannot be interrupted otherwise.

A pattern such as ``(a+)+$`` takes longer than the universe exists for some lines. Python's `re` cannot be stopped in a
thread, and lets no other thread run. A process can be ended, and the trial fails.
"""

from __future__ import annotations

import atexit
import marshal
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass

from auger.errors import StudyError
from auger.studies.definition import pattern_process
from auger.studies.definition.printed_numbers import NoValueError, group_text
from auger.text import quoted

# Seconds of processor time to match a text, and for each MiB of it. An ordinary pattern takes a hundredth.
SECONDS, SECONDS_PER_MIB = 2.0, 0.25
# A process on a machine that is busy with others may take so many times as long.
_BUSY = 5


@dataclass(frozen=True)
class Match:
    """A match of a pattern.

    Attributes:
        value: what its group for the value holds.
        step: what its group for the step holds; None without such a group.
        line: in which it is.
        start: where that line begins in its text.
    """

    value: str
    step: str | None
    line: str
    start: int


def compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression; Python caches the last few hundred. Raises a StudyError for a pattern that is invalid."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise StudyError(f"must be a valid regular expression. Got {pattern!r}: {error}.") from error


def last_match(pattern: str, text: str) -> Match | None:
    """The last match in the last line that has one; None without one. Raises a NoValueError where that takes too long.

    Example:
        >>> last_match(r"loss (\\S+)", "loss 0.7\\nloss 0.6 loss 0.5\\nbye")
        Match(value='0.5', step=None, line='loss 0.6 loss 0.5', start=9)
    """
    hits = _MATCHERS.hits(pattern, text, is_last=True)
    return _match(text, hits[0]) if hits else None


def first_matches(pattern: str, text: str) -> list[Match]:
    """The first match in every line that has one. Raises a NoValueError where that takes too long.

    Example:
        >>> [match.value for match in first_matches(r"loss (\\S+)", "loss 0.7\\nloss 0.6 loss 0.5\\nbye")]
        ['0.7', '0.6']
    """
    return [_match(text, hit) for hit in _MATCHERS.hits(pattern, text, is_last=False)]


def _match(text: str, hit: pattern_process.Hit) -> Match:
    (start, end), match, value, step = hit
    line = text[start:end]
    return Match(group_text(line, value, match), step, line, start)


class _Matcher:
    """A process that matches patterns, one text at a time."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._answers = self._socket.makefile("rb")
        # Any file would do. Both processes have it open, and so share the offset in it, which tells the line.
        self._progress = os.open(pattern_process.__file__, os.O_RDONLY)
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603
                    [sys.executable, "-I", "-S", pattern_process.__file__, str(self._progress)],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL,
                    pass_fds=[self._progress],
                    cwd="/",
                    start_new_session=True,
                )
        except BaseException:
            self._close_files()
            raise

    def hits(self, pattern: str, text: str, is_last: bool) -> list[pattern_process.Hit]:
        """See `pattern_process.hits`. Raises a TimeoutError if it takes too long, an EOFError if the process dies."""
        seconds = SECONDS + SECONDS_PER_MIB * len(text) / 2**20
        self._socket.settimeout(_BUSY * seconds)
        try:
            self._socket.sendall(marshal.dumps((seconds, pattern, text, is_last)))
            hits: list[pattern_process.Hit] = marshal.load(self._answers)  # noqa: S302  (our own script wrote it)
        except (EOFError, ConnectionError) as error:
            if self._process.wait() == -signal.SIGPROF:
                raise TimeoutError from error
            raise EOFError from error
        return hits

    def line_start(self) -> int:
        """Where the line begins that was looked at last."""
        return os.lseek(self._progress, 0, os.SEEK_CUR)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._close_files()

    def _close_files(self) -> None:
        self._answers.close()
        self._socket.close()
        os.close(self._progress)


class _Matchers:
    """The processes that match patterns: one for each thread that does so at the same time, started when needed."""

    def __init__(self) -> None:
        self._idle: list[_Matcher] = []
        self._lock = threading.Lock()

    def hits(self, pattern: str, text: str, *, is_last: bool) -> list[pattern_process.Hit]:
        """See `pattern_process.hits`. Raises a NoValueError where it takes too long, or no process can be had."""
        for _ in range(2):  # a process that was idle may have been killed
            try:
                matcher = self._take()
            except OSError as error:
                raise NoValueError(f"the pattern {pattern!r} cannot be matched: {error.strerror}") from error
            try:
                hits = matcher.hits(pattern, text, is_last)
            except TimeoutError as error:
                line = pattern_process.LINE.match(text, matcher.line_start())
                matcher.close()
                raise NoValueError(
                    f"the pattern {pattern!r} takes too long on the line {quoted(line[0] if line else text)}"
                ) from error
            except EOFError:
                matcher.close()
            except BaseException:
                matcher.close()
                raise
            else:
                with self._lock:
                    self._idle.append(matcher)
                return hits
        raise NoValueError(f"the pattern {pattern!r} cannot be matched: its process ends at once")

    def close(self) -> None:
        """End the processes that are idle."""
        with self._lock:
            matchers, self._idle = self._idle, []
        for matcher in matchers:
            matcher.close()

    def _take(self) -> _Matcher:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        atexit.unregister(self.close)
        atexit.register(self.close)
        return _Matcher()


_MATCHERS = _Matchers()
