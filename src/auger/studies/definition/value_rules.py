"""Rules that read the value of a trial, and its intermediate values, from what its program printed or wrote.

A rule looks at whole lines. Of several lines that match, the last has the value. What a line holds is its *raw value*:
text or JSON that should be a number.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from auger.checks import is_number
from auger.errors import StudyError
from auger.studies.definition.checks import check_choice, check_text
from auger.studies.definition.location import errors_at

STREAMS = ("stdout", "stderr")

# A number that stands alone: not inside a word (x86), a version (1.2.3) or a unit (3.2s). NaN and infinity count as
# numbers, so that a program that printed one fails, instead of getting the number that it printed before.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)(?!\w|\.[0-9])",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\r\n]+")
# The most bytes of a file that is read for its value.
_MAX_FILE = 64 * 2**20


class NoValueError(Exception):
    """A trial has no value; the message says why in one line."""


@dataclass(frozen=True)
class ValueRule:
    """Where the value of a trial is.

    Args:
        read: ``"last number"``: the last number on the stream; ``"json"``: under ``key`` in the last line that is a
            JSON object with that key; ``"regex"``: the group of ``pattern`` in the last line that matches;
            ``"file"``: in the file ``path``, by ``key`` when it holds JSON, by ``pattern``, or its last number.
        key: of a JSON object; ``"test.loss"`` is "loss" inside "test", unless there is a key "test.loss".
        pattern: a regular expression with one group, or a group named ``value``.
        path: of the file, inside the trial folder.
        stream: ``"stdout"`` or ``"stderr"``.

    Example:
        >>> last_raw_value("epoch 1 loss 0.7\\nepoch 2 loss 0.5\\ndone in 3.2s", ValueRule())
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
            raise StudyError("must be left out where there is a `key`. Got both.", "value.pattern")
        if self.path is not None and (PurePath(self.path).is_absolute() or ".." in PurePath(self.path).parts):
            raise StudyError(
                f"must be a relative path inside the trial folder, which AUGER_FOLDER names. Got {self.path!r}.",
                "value.path",
            )

    def raw_value(self, line: str) -> Any:
        """The raw value of a line, by ``key`` or ``pattern``; None where the line does not match."""
        if self.key is not None:
            return _json_value(line, self.key)
        assert self.pattern is not None
        regex = compiled(self.pattern)
        matches = list(regex.finditer(line))
        return matches[-1][_value_group(regex)] if matches else None

    def may_match(self, text: str) -> bool:
        """Whether some line of a text may match: much faster than looking at each line in a flood of output."""
        if self.key is not None:
            return "{" in text
        if self.pattern is not None:
            return True
        text = text.lower()
        return any(part in text for part in (*"0123456789", "nan", "inf"))

    @property
    def target(self) -> str:
        """What the rule looks for, for the message that it is missing."""
        if self.key is not None:
            return f"JSON line with {self.key!r}"
        return "number" if self.pattern is None else f"match of {self.pattern!r}"


@dataclass(frozen=True)
class ReportRule:
    """Where the intermediate values of a trial are: one on each line that matches.

    Args:
        read: ``"json"``: lines that are JSON objects with ``key`` (and ``step``); ``"regex"``: lines that match
            ``pattern``.
        key: the key of the value.
        step: the key of the step, a whole number; without it, steps are counted 0, 1, 2, ...
        pattern: a regular expression with a group for the value, as in `ValueRule`, and a group named ``step`` where
            steps are numbered.
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
        """The (step, value) of each line that matches; the step is None where steps are counted."""
        if self.key is not None and "{" not in text:
            return
        for line in _LINE.findall(text):
            step, value = self._raw_report(line)
            if value is not None:
                with suppress(ValueError):  # a line that looks like a report and holds no number
                    yield (None if step is None else _whole(step)), _plain_number(value)

    def _raw_report(self, line: str) -> tuple[Any, Any]:
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
    """The regular expression; Python caches the last few hundred. Raises a StudyError for a pattern that is invalid."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise StudyError(f"must be a valid regular expression. Got {pattern!r}: {error}.") from error


def last_raw_value(text: str, rule: ValueRule) -> Any:
    """The raw value of the last line that matches; None where none does."""
    if not rule.may_match(text):
        return None
    if rule.key is None and rule.pattern is None:
        return last_number(text)  # a number has no line end inside
    raw_values = (rule.raw_value(line) for line in _lines_backwards(text))
    return next((raw for raw in raw_values if raw is not None), None)


def _lines_backwards(text: str) -> Iterator[str]:
    """The lines of a text, the last first; cut one by one, because few texts are read back to their beginning."""
    text = text.replace("\r", "\n")
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if start < end:
            yield text[start:end]
        end = start - 1


def raw_value_in_file(path: Path, rule: ValueRule) -> Any:
    """The raw value in a file. Raises a NoValueError where there is none."""
    try:
        if path.stat().st_size > _MAX_FILE:
            raise NoValueError(f"{path.name} is larger than {_MAX_FILE // 2**20} MiB")
        text = path.read_bytes().decode(errors="replace")
    except OSError as error:
        raise NoValueError(f"{path.name}: {error.strerror}") from error
    raw = None if rule.key is None else _json_value(text, rule.key)
    if raw is None:  # JSON on one line among others, or no JSON at all
        raw = last_raw_value(text, rule)
    if raw is None:
        raise NoValueError(f"no {rule.target} in {path.name}")
    return raw


def as_number(raw: Any, verb: str = "printed") -> float:
    """The raw value as a finite number. Raises a NoValueError that quotes it where it is none."""
    try:
        value = _plain_number(raw)
    except ValueError as error:
        text = repr(raw)
        raise NoValueError(f"{verb} {text if len(text) <= 60 else text[:57] + '...'}, which is not a number") from error
    if not math.isfinite(value):
        raise NoValueError(f"{verb} {'NaN' if math.isnan(value) else value}")
    return value


def _plain_number(raw: Any) -> float:
    if isinstance(raw, str):
        return float(raw.strip())
    if not is_number(raw):
        raise ValueError(raw)
    try:
        return float(raw)
    except OverflowError:  # an integer beyond 1e308
        return math.inf if raw > 0 else -math.inf


def _whole(raw: Any) -> int:
    step = _plain_number(raw)
    if not (math.isfinite(step) and step >= 0 and step == int(step)):
        raise ValueError(raw)
    return int(step)


def last_number(text: str) -> str | None:
    """The last number in a text, None without one; in a long text the end, which is most often enough, comes first."""
    size = 1000
    while True:
        numbers: list[str] = _NUMBER.findall(text[-size:])
        if len(numbers) > 1 or (numbers and size >= len(text)):  # the first could be the rest of a longer number
            return numbers[-1]
        if size >= len(text):
            return None
        size *= 10


def _value_group(pattern: re.Pattern[str]) -> str | int:
    return "value" if "value" in pattern.groupindex else 1


def _json_value(text: str, key: str) -> Any:
    """The value of ``key`` in a text that is a JSON object; None where it is no object, or has no such key."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if key in data:
        return data[key]
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            return None
        data = data[part]
    return data


def _check_fits(rule: ValueRule | ReportRule, table: str, settings: tuple[str, ...], takes: tuple[str, ...]) -> None:
    """Refuse a rule without the first setting of ``takes``, or with a setting that is not in it."""
    for name in settings:
        value = getattr(rule, name)
        if value is None:
            continue
        if name not in takes:
            raise StudyError(
                f"must be left out with `read = {json.dumps(rule.read)}`. Got {value!r}.", f"{table}.{name}"
            )
        check_text(value, f"{table}.{name}")
        if not value:
            raise StudyError("must not be empty.", f"{table}.{name}")
    if takes and getattr(rule, takes[0]) is None:
        raise StudyError(f"`read = {json.dumps(rule.read)}` needs a `{takes[0]}`.", f"{table}.read")
    if rule.pattern is not None:
        _check_pattern(rule.pattern, f"{table}.pattern")


def _check_pattern(pattern: str, key: str) -> None:
    with errors_at(key):
        regex = compiled(pattern)
    # with several groups, none of them named, the choice of a group would be a guess
    if "value" not in regex.groupindex and regex.groups != 1:
        raise StudyError(
            f"must have one group, such as 'loss: (\\S+)', or a group named value, '(?P<value>...)'. "
            f"Got {pattern!r}, which has {regex.groups} groups.",
            key,
        )


# The file that trial/function.py writes into the trial folder.
FUNCTION_VALUE = ValueRule("file", key="value", path="value.json")
