"""Numbers in what a program printed: which text is a number, and which could be one of two different numbers.

``1,5`` is 1.5 or two numbers, ``1 000`` is a thousand or two numbers, and no library reads a Unicode minus as a sign.
Such a text is *unclear*: its trial fails with an error that quotes the line, instead of a value that is a guess.
"""

from __future__ import annotations

import math
import re
from typing import Any

from auger import text
from auger.checks import LARGEST_STEP, is_number

_EXPONENT = r"(?:e[-+]?[0-9]+)?"
# A number that stands alone: not inside a word (x86), a version (1.2.3) or a unit (3.2s). NaN and infinity count as
# numbers, so that a program that printed one fails, instead of getting the number that it printed before.
PLAIN = rf"(?<![\w.])[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}|nan|inf(?:inity)?)(?!\w|\.[0-9])"
# Groups of three digits with spaces, apostrophes or commas between them, and decimals behind a comma. "1,2,3" is a
# list, and so is "0 100": no number begins with a group of zero. More than 12 groups are
# no number; without a limit, each group of a long line would be tried with all that follow it.
_GROUPED = (
    r"(?<![\w.,])[-+]?(?:"
    r"[1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f'\u2019][0-9]{3}(?![0-9])){1,12}(?:[.,][0-9]+)?"
    r"|[1-9][0-9]{0,2}(?:,[0-9]{3}(?![0-9])){1,12}(?:\.[0-9]*)?"
    r"|(?:[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,12}),[0-9]+"
    rf"){_EXPONENT}(?![0-9])(?P<unit>[^\W\d]\w*)?(?!\w|[.,'\u2019][0-9])"
)
_SIGNED = r"(?<!\w)[\u2212\u2013\u2014\u2010\u2011\ufe63\uff0d](?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?!\w)"
_UNCLEAR = re.compile(f"{_GROUPED}|{_SIGNED}", re.IGNORECASE)
_NUMBER = re.compile(f"{_GROUPED}|{_SIGNED}|{PLAIN}", re.IGNORECASE)


class NoValueError(Exception):
    """A trial has no value; the message says why in one line."""


def last_number(printed: str) -> re.Match[str] | None:
    """The last number, plain or unclear; None without one. The end of a long text, which is often enough, comes first.

    Example:
        >>> last_number("loss 0.5 after 3.2s")[0], last_number("loss 1,5")[0]
        ('0.5', '1,5')
    """
    size = 1000
    while True:
        matches = list(_NUMBER.finditer(printed, max(len(printed) - size, 0)))
        numbers = [match for match in matches if not match["unit"]]
        # the first could be the rest of a longer number
        if numbers and (numbers[-1] is not matches[0] or size >= len(printed)):
            return numbers[-1]
        if size >= len(printed):
            return None
        size *= 10


def number_behind(name: str, line: str) -> str | None:
    """The number behind the last mention of a name in a line, plain or unclear; None without one.

    Example:
        >>> number_behind("seconds", "size: 3, seconds=1.2"), number_behind("size", "max_size: 3, size 5kB")
        ('1.2', None)
    """
    number = None
    for mention in re.finditer(
        rf"(?<![\w.]){re.escape(name)}[\"']?(?:[ \t]{{0,9}}[:=][ \t]{{0,9}}|[ \t]{{1,9}})", line
    ):
        match = _NUMBER.match(line, mention.end())
        if match is not None and not match["unit"]:
            number = match[0]
    return number


def group_text(line: str, group: tuple[int, int], match: tuple[int, int]) -> str:
    """The text of a group of a match; where the match ends within an unclear number, all of that number.

    A pattern that goes on behind the group, or begins before it, says itself where the number ends.

    Args:
        line: with the match.
        group: where it begins and ends in the line.
        match: where the whole match does.

    Example:
        >>> group_text("loss 1,5", (5, 6), (0, 6)), group_text("1,5", (0, 1), (0, 2))
        ('1,5', '1')
    """
    start, end = group
    for number in _UNCLEAR.finditer(line):
        is_cut_before = number.start() < start == match[0] < number.end()
        is_cut_behind = number.start() < end == match[1] < number.end()
        if is_cut_before or is_cut_behind:
            return number[0]
    return line[start:end]


def plain_number(raw: Any) -> float:
    """A raw value as a number. Raises a ValueError where it is none."""
    if isinstance(raw, str):
        return float(raw.strip())
    if not is_number(raw):
        raise ValueError(raw)
    try:
        return float(raw)
    except OverflowError:  # an integer beyond 1e308
        return math.inf if raw > 0 else -math.inf


def step_number(raw: Any) -> int:
    """A raw value as a step: a whole number from 0 to `LARGEST_STEP`. Raises a ValueError where it is none."""
    number = plain_number(raw)
    if not (0 <= number <= LARGEST_STEP and number == int(number)):
        raise ValueError(raw)
    return int(number)


def finite_number(raw: Any, line: str = "", verb: str = "printed") -> float:
    """The raw value of a line as a finite number. Raises a NoValueError that quotes both where it is none."""
    try:
        value = plain_number(raw)
    except ValueError as error:
        raise NoValueError(_not_a_number(raw, line, verb)) from error
    if not math.isfinite(value):
        raise NoValueError(f"{verb} {'NaN' if math.isnan(value) else value}")
    return value


def _not_a_number(raw: Any, line: str, verb: str) -> str:
    quoted = text.quoted(raw)
    if isinstance(raw, str) and _UNCLEAR.fullmatch(raw.strip()):
        return (
            f"{verb} {quoted}, which can be read in more than one way, in the line {text.quoted(line)}. Print plain "
            "numbers (1.5, 1000, -5), or say with [value] which number is meant"
        )
    return f"{verb} {quoted}, which is not a number"
