"""Rules that read the value of a trial, and its intermediate values, from what its program printed or wrote.

A rule looks at whole lines. Of several lines that match, the last has the value. What a line holds is its *raw value*:
text or JSON that should be a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from auger.errors import StudyError, did_you_mean
from auger.files import read_regular
from auger.studies.definition.checks import check_choice, check_text
from auger.studies.definition.location import errors_at
from auger.studies.definition.pattern_process import LINE, lines_backwards
from auger.studies.definition.patterns import compiled, first_matches, last_match
from auger.studies.definition.printed_numbers import (
    NoValueError,
    last_number,
    number_behind,
    plain_number,
    step_number,
)
from auger.text import quoted, toml_value

STREAMS = ("stdout", "stderr")
BY_NAME = "by name"

# A step, None where steps are counted, and the values there.
ReportedRow = tuple[Any, ...]

# Every number has one of these.
_IN_NUMBERS = (*"0123456789", "nan", "inf")
# The most bytes of a file that is read for its value.
_MAX_FILE = 64 * 2**20


@dataclass(frozen=True)
class Reading:
    """A raw value, and where it was read.

    Attributes:
        raw: the value, text or JSON.
        line: that holds it.
        number: of the line in its text, from 1; None where the whole text is one JSON object.
    """

    raw: Any
    line: str
    number: int | None


@dataclass(frozen=True)
class ValueRule:
    """Where the value of a trial is.

    Args:
        read: ``"last number"``: the last number on the stream; ``"json"``: under ``key`` in the last line that is a
            JSON object with that key; ``"regex"``: the group of ``pattern`` in the last line that matches;
            ``"file"``: in the file ``path``, by ``key`` when it holds JSON, by ``pattern``, or its last number;
            ``"by name"``: in the last line that is a JSON object with ``key``, or that has a number behind that name,
            as in "size: 3", "size=3" or "size 3".
        key: of a JSON object; ``"test.loss"`` is "loss" inside "test", unless there is a key "test.loss".
        pattern: a regular expression with one group, or a group named ``value``.
        path: of the file, inside the trial folder.
        stream: ``"stdout"`` or ``"stderr"``.

    Example:
        >>> last_reading("epoch 1 loss 0.7\\nepoch 2 loss 0.5\\ndone in 3.2s", ValueRule())
        Reading(raw='0.5', line='epoch 2 loss 0.5', number=2)
    """

    read: str = "last number"
    key: str | None = None
    pattern: str | None = None
    path: str | None = None
    stream: str = "stdout"

    def __post_init__(self) -> None:
        takes: dict[str, tuple[str, ...]] = {
            **{"last number": (), "json": ("key",), "regex": ("pattern",), "file": ("path", "key", "pattern")},
            BY_NAME: ("key",),
        }
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

    @property
    def target(self) -> str:
        """What the rule looks for, for the message that it is missing."""
        if self.read == BY_NAME:
            return f"number behind {self.key!r}"
        if self.key is not None:
            return f"JSON line with {self.key!r}"
        return "number" if self.pattern is None else f"match of {self.pattern!r}"


class Ignored(Enum):
    """Why a line that [report] matches is no intermediate value of its trial.

    VALUE: it holds no plain number. STEP: its step is none that a storage can keep. MANY: the trial has too many. LATE:
    the trial had ended, and the storage was still busy with those before it.
    """

    VALUE = "value"
    STEP = "step"
    MANY = "many"
    LATE = "late"


@dataclass(frozen=True)
class IgnoredReport:
    """A line that [report] matches and that is ignored.

    Attributes:
        why: it is.
        line: as printed, where something is wrong with it.
    """

    why: Ignored
    line: str | None = None


@dataclass(frozen=True)
class ReportRule:
    """Where the intermediate values of a trial are: one on each line that matches, or one per objective.

    Args:
        read: ``"json"``: lines that are JSON objects with ``key`` (and ``step``); ``"regex"``: lines that match
            ``pattern``.
        key: the key of the value; None with several objectives, whose names are the keys.
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
        _check_fits(self, "report", ("key", "step", "pattern"), takes[self.read], is_complete=self.read == "regex")

    def reports(self, text: str, names: Sequence[str] = ()) -> Iterator[ReportedRow | IgnoredReport]:
        """The step and the value of each line that matches; the step is None where steps are counted.

        With the ``names`` of several objectives, there is a value for each. A line whose step or value is no number
        that can be kept comes as an `IgnoredReport`.
        """
        for step, values, line in self._raw_reports(text, names):
            yield _report(step, values, line)

    def _raw_reports(self, text: str, names: Sequence[str]) -> Iterator[tuple[Any, Sequence[Any], str]]:
        """The raw step and values of each line that matches, and the line."""
        if self.pattern is not None:
            for match in first_matches(self.pattern, text):
                yield match.step, [match.value], match.line
            return
        keys = names if self.key is None else [self.key]
        for line in LINE.findall(text) if "{" in text else ():
            values = [_json_value(line, key) for key in keys]
            step = None if self.step is None else _json_value(line, self.step)
            if None not in values and (step is not None or self.step is None):
                yield step, values, line


def _report(raw_step: Any, raw_values: Sequence[Any], line: str) -> ReportedRow | IgnoredReport:
    try:
        values = [plain_number(raw_value) for raw_value in raw_values]
    except ValueError:
        return IgnoredReport(Ignored.VALUE, line)
    try:
        return (None if raw_step is None else step_number(raw_step), *values)
    except ValueError:
        return IgnoredReport(Ignored.STEP, line)


def last_reading(text: str, rule: ValueRule) -> Reading | None:
    """The raw value of the last line that matches, and that line; None where none does."""
    if rule.pattern is not None:
        last = last_match(rule.pattern, text)
        return None if last is None else Reading(last.value, last.line, text.count("\n", 0, last.start) + 1)
    if rule.key is not None:
        return _last_named(text, rule.key) if rule.read == BY_NAME else _last_json(text, rule.key)
    lowered = text.lower()
    if not any(part in lowered for part in _IN_NUMBERS):  # much faster in a flood of output
        return None
    match = last_number(text)  # a number has no line end inside
    return None if match is None else Reading(match[0], *line_at(text, match.start()))


def _last_json(text: str, key: str) -> Reading | None:
    for start, line in lines_backwards(text) if "{" in text else ():
        raw = _json_value(line, key)
        if raw is not None:
            return Reading(raw, line, text.count("\n", 0, start) + 1)
    return None


def _last_named(text: str, name: str) -> Reading | None:
    is_mentioned = name.rpartition(".")[2] in text or "\\u" in text  # as JSON escapes what is not ASCII
    for start, line in lines_backwards(text) if is_mentioned else ():
        raw = _json_value(line, name)
        if raw is None and not _is_json_object(line):
            raw = number_behind(name, line)
        if raw is not None:
            return Reading(raw, line, text.count("\n", 0, start) + 1)
    return None


def line_at(text: str, position: int) -> tuple[str, int]:
    """The line at a position, and its number."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    match = LINE.match(text, start)
    return "" if match is None else match[0], text.count("\n", 0, start) + 1


def reading_in_file(path: Path, rule: ValueRule) -> Reading:
    """The raw value in a file. Raises a NoValueError where there is none."""
    try:
        data = read_regular(path, _MAX_FILE + 1, follow=True)  # a link to a file is the program's own business
    except FileNotFoundError as error:
        raise NoValueError(f"the program has not written {path.name} into the folder AUGER_FOLDER") from error
    except OSError as error:
        raise NoValueError(f"{path.name} cannot be read: {error.strerror}") from error
    if len(data) > _MAX_FILE:
        raise NoValueError(f"{path.name} is larger than {_MAX_FILE // 2**20} MiB")
    text = data.decode(errors="replace")
    raw = None if rule.key is None else _json_value(text, rule.key)
    if raw is not None:
        return Reading(raw, text, None)
    reading = last_reading(text, rule)  # JSON on one line among others, or no JSON at all
    if reading is None:
        raise NoValueError(missing(text, rule, path.name))
    return reading


def missing(text: str, rule: ValueRule, source: str) -> str:
    """Why there is no value in a text, which is called ``source``: what was looked for, and what is there instead."""
    if rule.key is not None and (rule.read != BY_NAME or _has_object(text)):
        hint = _about_json(text, rule.key)
    else:
        last_line = next((line for _, line in lines_backwards(text) if line.strip()), None)
        hint = "it is empty" if last_line is None else f"its last line is {quoted(last_line)}"
    return f"no {rule.target} in {source}; {hint}"


def _about_json(text: str, key: str) -> str:
    """What the last JSON object of a text has instead of a value under ``key``, or why it is no JSON."""
    if not text.strip():
        return "it is empty"
    for line in chain([text], (line for _, line in lines_backwards(text))):
        if not line.lstrip().startswith("{"):
            continue
        try:
            return _about_keys(_JSON.decode(line), key)
        except RecursionError:
            return f"the line {quoted(line)} is nested too deeply"
        except json.JSONDecodeError as error:
            if line is not text or "\n" not in text.strip():
                return f"the line {quoted(line)} is not JSON: {error.msg}, at character {error.pos + 1}"
    return "no line begins with a brace"


def _about_keys(data: dict[str, Any], key: str) -> str:
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            names = list(data) if isinstance(data, dict) else []
            return f"the last one has {', '.join(map(repr, names)) or 'no key'}.{did_you_mean(part, names)}".rstrip(".")
        data = data[part]
    return f"its {key!r} is null"


def _whole_number(digits: str) -> int | float:
    """A whole number in JSON; an infinity where Python refuses to read so many digits."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_JSON = json.JSONDecoder(parse_int=_whole_number)


def _has_object(text: str) -> bool:
    """Whether a text is a JSON object, or has a line that is one."""
    return _is_json_object(text) or any(_is_json_object(line) for _, line in lines_backwards(text))


def _is_json_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        _JSON.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_value(text: str, key: str) -> Any:
    """The value of ``key`` in a text that is a JSON object; None where it is no object, or has no such key."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = _JSON.decode(text)
    except (ValueError, RecursionError):
        return None
    if key in data:
        return data[key]
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            return None
        data = data[part]
    return data


def _check_fits(
    rule: ValueRule | ReportRule,
    table: str,
    settings: tuple[str, ...],
    takes: tuple[str, ...],
    *,
    is_complete: bool = True,
) -> None:
    """Refuse a rule without the first setting of ``takes`` if it is to be complete, or with one that is not in it."""
    for name in settings:
        value = getattr(rule, name)
        if value is None:
            continue
        if name not in takes:
            raise StudyError(
                f"must be left out with `read = {json.dumps(rule.read)}`. Got {toml_value(value)}.", f"{table}.{name}"
            )
        check_text(value, f"{table}.{name}")
        if not value:
            raise StudyError("must not be empty.", f"{table}.{name}")
    if is_complete and takes and getattr(rule, takes[0]) is None:
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


def function_rule(name: str = "value") -> ValueRule:
    """Where a number that a function returned is: in the file that trial/function.py writes into the trial folder."""
    return ValueRule("file", key=name, path="value.json")
