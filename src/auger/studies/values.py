"""How the value of a trial, and the values on its way, are read from what its program printed or wrote.

A rule looks at whole lines. Of several lines that it understands, the last has the value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auger.checks import is_number
from auger.errors import StudyError, nearest

READS = ("last number", "json", "regex", "file")
STREAMS = ("stdout", "stderr")

# A number that stands alone: not inside a word (x86), a version (1.2.3) or a unit (3.2s). NaN and infinity are
# numbers too, so that a program that printed one is told what is wrong instead of what it printed before.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?!\w|\.\d)", re.IGNORECASE
)
_LINE = re.compile(r"[^\r\n]+")
# Files are read for their value up to this size; a result is never this long.
_MAX_FILE = 64 * 2**20

# What a line says: a text or a JSON value that should be a number; None where it says nothing.
_Meaning = Callable[[str], Any]


class NoValueError(Exception):
    """There is no value, and why, in one line."""


@dataclass(frozen=True)
class ValueRule:
    """Where the value of a trial is.

    Args:
        read: ``"last number"`` on a stream; ``"json"``: the last line that is a JSON object with ``key``;
            ``"regex"``: the last line that ``pattern`` is found in, whose group is the value; ``"file"``: in the file
            ``path``, relative to the trial's folder: under ``key`` when it is JSON, by ``pattern``, or its last number.
        key: of the JSON object; ``"test.loss"`` also looks for "loss" inside "test".
        pattern: a regular expression with one group, or one named ``value``.
        path: the file, relative to the trial's folder.
        stream: ``"stdout"`` or ``"stderr"``.
    """

    read: str = "last number"
    key: str | None = None
    pattern: str | None = None
    path: str | None = None
    stream: str = "stdout"

    def __post_init__(self) -> None:
        _check_choice("read", self.read, READS)
        _check_choice("stream", self.stream, STREAMS)
        takes = {"last number": (), "json": ("key",), "regex": ("pattern",), "file": ("path", "key", "pattern")}
        _check_fits(self, takes[self.read], ("key", "pattern", "path"))
        if self.read == "file":
            if self.path is None:
                raise StudyError("`read = 'file'` needs the `path` of the file.")
            if self.key is not None and self.pattern is not None:
                raise StudyError("`key` and `pattern` exclude each other. Got both.")
        elif takes[self.read] and getattr(self, takes[self.read][0]) is None:
            raise StudyError(f"`read = {self.read!r}` needs a `{takes[self.read][0]}`.")
        if self.pattern is not None:
            compiled(self.pattern)

    def meaning(self) -> _Meaning:
        """What a line says under this rule."""
        if self.key is not None:
            return _json_meaning(self.key)
        if self.pattern is not None:
            return _regex_meaning(compiled(self.pattern))
        return _last_number

    def number_in_file(self, folder: Path) -> float:
        """The value in the file of a trial's folder, or a NoValueError."""
        assert self.path is not None
        path = folder / self.path
        try:
            if path.stat().st_size > _MAX_FILE:
                raise NoValueError(f"{self.path} is larger than {_MAX_FILE // 2**20} MiB")
            text = path.read_bytes().decode(errors="replace")
        except OSError as error:
            raise NoValueError(f"{self.path}: {error.strerror}") from error
        found = _json_value(text, self.key) if self.key is not None else None
        if found is None:  # JSON on one line among others, or no JSON
            found = last_said(text, self.meaning())
        if found is None:
            raise NoValueError(f"no {self.wanted} in {self.path}")
        return number(found)

    @property
    def wanted(self) -> str:
        """What is looked for, for the message that it is not there."""
        if self.key is not None:
            return f"JSON line with {self.key!r}" if self.path is None else f"{self.key!r}"
        return "number" if self.pattern is None else f"match of {self.pattern!r}"


@dataclass(frozen=True)
class ReportRule:
    """Where the values on the way to a trial's value are: one on each line that the rule understands.

    Args:
        read: ``"json"``: lines that are JSON objects with ``key`` (and ``step``); ``"regex"``: lines in which
            ``pattern`` is found, with a group named ``value`` and, where steps are numbered, one named ``step``.
        key: the key of the value.
        step: the key of the step, a whole number; without it, steps are counted 0, 1, 2, ...
        pattern: the regular expression.
        stream: ``"stdout"`` or ``"stderr"``.
    """

    read: str
    key: str | None = None
    step: str | None = None
    pattern: str | None = None
    stream: str = "stdout"

    def __post_init__(self) -> None:
        _check_choice("read", self.read, ("json", "regex"))
        _check_choice("stream", self.stream, STREAMS)
        needed = "key" if self.read == "json" else "pattern"
        _check_fits(self, ("key", "step") if self.read == "json" else ("pattern",), ("key", "step", "pattern"))
        if getattr(self, needed) is None:
            raise StudyError(f"`read = {self.read!r}` needs a `{needed}`.")
        if self.pattern is not None:
            compiled(self.pattern)

    def reports(self, text: str) -> Iterator[tuple[int | None, float]]:
        """The (step, value) of each line that has one; the step is None where it is to be counted."""
        for line in _LINE.findall(text):
            try:
                step, value = self._said(line)
                if value is not None:
                    yield (None if step is None else _whole(step)), _plain_number(value)
            except ValueError:  # a line that looks like a report and is none
                continue

    def _said(self, line: str) -> tuple[Any, Any]:
        if self.key is not None:
            value = _json_value(line, self.key)
            if value is None or self.step is None:
                return None, value
            step = _json_value(line, self.step)
            return step, (None if step is None else value)
        assert self.pattern is not None
        match = compiled(self.pattern).search(line)
        if match is None:
            return None, None
        return match.groupdict().get("step"), match[_value_group(match.re)]


def compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression, with a group that holds the value, or a StudyError."""
    try:
        regex = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise StudyError(f"`pattern` must be a regular expression: {error}. Got {pattern!r}.") from error
    if "value" not in regex.groupindex and regex.groups != 1:
        raise StudyError(
            f"`pattern` must have one group, as in 'loss: (\\S+)', or a group named value, '(?P<value>...)'. "
            f"Got {pattern!r}, which has {regex.groups}."
        )
    return regex


class LastSaid:
    """What the last line that a rule understands says, of lines that come in pieces of text."""

    def __init__(self, rule: ValueRule) -> None:
        self._meaning = rule.meaning()
        self.found: Any = None

    def feed(self, text: str) -> None:
        """Look through some more whole lines."""
        found = last_said(text, self._meaning)
        if found is not None:
            self.found = found


def last_said(text: str, meaning: _Meaning) -> Any:
    """What the last line says that says something, or None."""
    for line in reversed(_LINE.findall(text)):
        found = meaning(line)
        if found is not None:
            return found
    return None


def number(said: Any) -> float:
    """The finite number that was said, or a NoValueError that quotes it."""
    try:
        value = _plain_number(said)
    except ValueError as error:
        raise NoValueError(f"printed {_short(said)}, which is no number") from error
    if not math.isfinite(value):
        raise NoValueError(f"printed {'NaN' if math.isnan(value) else value}")
    return value


def _plain_number(said: Any) -> float:
    if isinstance(said, str):
        return float(said.strip())
    if not is_number(said):
        raise ValueError(said)
    try:
        return float(said)
    except OverflowError:  # an integer beyond 1e308
        return math.inf


def _whole(said: Any) -> int:
    step = _plain_number(said)
    if not (math.isfinite(step) and step >= 0 and step == int(step)):
        raise ValueError(said)
    return int(step)


def _last_number(line: str) -> str | None:
    found = _NUMBER.findall(line)
    return found[-1] if found else None


def _regex_meaning(pattern: re.Pattern[str]) -> _Meaning:
    group = _value_group(pattern)

    def meaning(line: str) -> str | None:
        matches = list(pattern.finditer(line))
        return matches[-1][group] if matches else None

    return meaning


def _value_group(pattern: re.Pattern[str]) -> str | int:
    return "value" if "value" in pattern.groupindex else 1


def _json_meaning(key: str) -> _Meaning:
    return lambda line: _json_value(line, key)


def _json_value(text: str, key: str) -> Any:
    """What is under ``key`` in a text that is a JSON object; None where it is not, or has no such key."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if key in found:
        return found[key]
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            return None
        found = found[part]
    return found


def _short(said: Any) -> str:
    text = repr(said)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _check_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise StudyError(f"`{name}` must be one of {', '.join(map(repr, known))}. {nearest(value, known)}")


def _check_fits(rule: ValueRule | ReportRule, takes: tuple[str, ...], settings: tuple[str, ...]) -> None:
    for name in settings:
        value = getattr(rule, name)
        if value is not None and name not in takes:
            raise StudyError(f"`read = {rule.read!r}` does not take a `{name}`. Got {value!r}.")
        if value is not None and (not isinstance(value, str) or not value):
            raise StudyError(f"`{name}` must be text. Got {value!r}.")
