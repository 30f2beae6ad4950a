"""How the value of a trial, and the values on its way, are read from what its program printed or wrote.

A rule looks at whole lines. Of several lines that it understands, the last has the value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from auger.checks import is_number
from auger.errors import StudyError
from auger.studies.definition.checks import check_choice
from auger.studies.definition.location import about

STREAMS = ("stdout", "stderr")

# A number that stands alone: not inside a word (x86), a version (1.2.3) or a unit (3.2s). NaN and infinity are
# numbers too, so that a program that printed one is told what is wrong instead of what it printed before.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)(?!\w|\.[0-9])",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\r\n]+")
# A file with a value is read as a whole, up to this many bytes.
_MAX_FILE = 64 * 2**20


class NoValueError(Exception):
    """There is no value, and why, in one line."""


@dataclass(frozen=True)
class ValueRule:
    """Where the value of a trial is.

    Args:
        read: ``"last number"``: the last number on the stream; ``"json"``: under ``key`` in the last line that is a
            JSON object with it; ``"regex"``: the group of ``pattern`` in the last line that it is found in;
            ``"file"``: in the file ``path``, by ``key`` when it holds JSON, by ``pattern``, or its last number.
        key: of a JSON object; ``"test.loss"`` is "loss" inside "test", unless there is a key "test.loss".
        pattern: a regular expression with one group, or a group named ``value``.
        path: of the file, inside the trial's folder.
        stream: ``"stdout"`` or ``"stderr"``.

    Example:
        >>> last_said("epoch 1 loss 0.7\\nepoch 2 loss 0.5\\ndone in 3.2s", ValueRule())
        '0.5'
    """

    read: str = "last number"
    key: str | None = None
    pattern: str | None = None
    path: str | None = None
    stream: str = "stdout"

    def __post_init__(self) -> None:
        takes = {"last number": (), "json": ("key",), "regex": ("pattern",), "file": ("path", "key", "pattern")}
        check_choice(self.read, takes, "value.read")
        check_choice(self.stream, STREAMS, "value.stream")
        _check_fits(self, "value", ("key", "pattern", "path"), takes[self.read])
        if self.read == "file" and self.key is not None and self.pattern is not None:
            raise StudyError("`key` and `pattern` exclude each other. Got both.", "value.pattern")
        if self.path is not None and (PurePath(self.path).is_absolute() or ".." in PurePath(self.path).parts):
            raise StudyError(
                f"must be a path inside the trial's folder, which is in AUGER_FOLDER. Got {self.path!r}.",
                "value.path",
            )

    def said(self, line: str) -> Any:
        """What a line says by ``key`` or ``pattern``: something that should be a number; None for nothing."""
        if self.key is not None:
            return _json_value(line, self.key)
        assert self.pattern is not None
        regex = compiled(self.pattern)
        matches = list(regex.finditer(line))
        return matches[-1][_value_group(regex)] if matches else None

    def is_worth_a_look(self, text: str) -> bool:
        """Whether some line of a text may say something; much faster than a look at each in a flood of output."""
        if self.key is not None:
            return "{" in text
        if self.pattern is not None:
            return True
        text = text.lower()
        return any(part in text for part in (*"0123456789", "nan", "inf"))

    @property
    def wanted(self) -> str:
        """What is looked for, for the message that it is not there."""
        if self.key is not None:
            return f"JSON line with {self.key!r}"
        return "number" if self.pattern is None else f"match of {self.pattern!r}"


@dataclass(frozen=True)
class ReportRule:
    """Where the values on the way to a trial's value are: one on each line that the rule understands.

    Args:
        read: ``"json"``: lines that are JSON objects with ``key`` (and ``step``); ``"regex"``: lines in which
            ``pattern`` is found.
        key: the key of the value.
        step: the key of the step, a whole number; without it, steps are counted 0, 1, 2, ...
        pattern: a regular expression with a group for the value, as in `ValueRule`, and where steps are numbered one
            named ``step``.
        stream: ``"stdout"`` or ``"stderr"``.

    Example:
        >>> rule = ReportRule("regex", pattern=r"epoch (?P<step>\\d+): loss (?P<value>\\S+)")
        >>> list(rule.reports("epoch 3: loss 0.5"))
        [(3, 0.5)]
    """

    read: str = "json"
    key: str | None = None
    step: str | None = None
    pattern: str | None = None
    stream: str = "stdout"

    def __post_init__(self) -> None:
        takes = {"json": ("key", "step"), "regex": ("pattern",)}
        check_choice(self.read, takes, "report.read")
        check_choice(self.stream, STREAMS, "report.stream")
        _check_fits(self, "report", ("key", "step", "pattern"), takes[self.read])

    def reports(self, text: str) -> Iterator[tuple[int | None, float]]:
        """The (step, value) of each line that has one; the step is None where it is to be counted."""
        if self.key is not None and "{" not in text:
            return
        for line in _LINE.findall(text):
            step, value = self._said(line)
            if value is not None:
                try:
                    report = (None if step is None else _whole(step)), _plain_number(value)
                except ValueError:  # a line that looks like a report and is none
                    continue
                yield report

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
    """The regular expression, or a StudyError that says why it is none. Python keeps the last few hundred."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise StudyError(f"must be a regular expression: {error}. Got {pattern!r}.") from error


def last_said(text: str, rule: ValueRule) -> Any:
    """What the last line says that says something, or None."""
    if not rule.is_worth_a_look(text):
        return None
    if rule.key is None and rule.pattern is None:
        return last_number(text)  # which has no line end inside
    says = (rule.said(line) for line in _from_the_end(text))
    return next((said for said in says if said is not None), None)


def _from_the_end(text: str) -> Iterator[str]:
    """The lines of a text, the last first; cut one by one, as most texts are not looked through to their beginning."""
    text = text.replace("\r", "\n")
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if start < end:
            yield text[start:end]
        end = start - 1


def said_in_file(path: Path, rule: ValueRule) -> Any:
    """What a file says, or a NoValueError."""
    try:
        if path.stat().st_size > _MAX_FILE:
            raise NoValueError(f"{path.name} is larger than {_MAX_FILE // 2**20} MiB")
        text = path.read_bytes().decode(errors="replace")
    except OSError as error:
        raise NoValueError(f"{path.name}: {error.strerror}") from error
    said = None if rule.key is None else _json_value(text, rule.key)
    if said is None:  # JSON on one line among others, or no JSON at all
        said = last_said(text, rule)
    if said is None:
        raise NoValueError(f"no {rule.wanted} in {path.name}")
    return said


def as_number(said: Any, verb: str = "printed") -> float:
    """The finite number that was said, or a NoValueError that quotes it."""
    try:
        value = _plain_number(said)
    except ValueError as error:
        text = repr(said)
        raise NoValueError(f"{verb} {text if len(text) <= 60 else text[:57] + '...'}, which is no number") from error
    if not math.isfinite(value):
        raise NoValueError(f"{verb} {'NaN' if math.isnan(value) else value}")
    return value


def _plain_number(said: Any) -> float:
    if isinstance(said, str):
        return float(said.strip())
    if not is_number(said):
        raise ValueError(said)
    try:
        return float(said)
    except OverflowError:  # an integer beyond 1e308
        return math.inf if said > 0 else -math.inf


def _whole(said: Any) -> int:
    step = _plain_number(said)
    if not (math.isfinite(step) and step >= 0 and step == int(step)):
        raise ValueError(said)
    return int(step)


def last_number(text: str) -> str | None:
    """The last number in a text; of a long one the end is looked at first, which is most often enough."""
    size = 1000
    while True:
        found: list[str] = _NUMBER.findall(text[-size:])
        if len(found) > 1 or (found and size >= len(text)):  # a first one could be the rest of a longer one
            return found[-1]
        if size >= len(text):
            return None
        size *= 10


def _value_group(pattern: re.Pattern[str]) -> str | int:
    return "value" if "value" in pattern.groupindex else 1


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


def _check_fits(rule: ValueRule | ReportRule, table: str, settings: tuple[str, ...], takes: tuple[str, ...]) -> None:
    """The first of ``takes`` is needed, the others are possible, and nothing else is."""
    for name in settings:
        value = getattr(rule, name)
        if value is None:
            continue
        if name not in takes:
            raise StudyError(
                f"does not go together with `read = {json.dumps(rule.read)}`. Got {value!r}.", f"{table}.{name}"
            )
        if not isinstance(value, str) or not value:
            raise StudyError(f"must be text in quotes. Got {value!r}.", f"{table}.{name}")
    if takes and getattr(rule, takes[0]) is None:
        raise StudyError(f"`read = {json.dumps(rule.read)}` needs a `{takes[0]}`.", f"{table}.read")
    if rule.pattern is not None:
        _check_pattern(rule.pattern, f"{table}.pattern")


def _check_pattern(pattern: str, place: str) -> None:
    with about(place):
        regex = compiled(pattern)
    # with several groups, none of them named, it would be a guess
    if "value" not in regex.groupindex and regex.groups != 1:
        raise StudyError(
            f"must have one group, as in 'loss: (\\S+)', or a group named value, '(?P<value>...)'. "
            f"Got {pattern!r}, which has {regex.groups}.",
            place,
        )


# What function.py leaves in its trial's folder.
FUNCTION_VALUE = ValueRule("file", key="value", path="value.json")
