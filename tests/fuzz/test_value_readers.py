"""Whatever a program prints or writes: a plain, slow reader of the whole text agrees, and nothing else happens."""

import json
import math
import re
from collections import deque
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.characters import is_shown
from auger.studies.definition import ReportRule, ValueRule
from auger.studies.definition.printed_numbers import NoValueError, finite_number, number_behind
from auger.studies.definition.value_rules import (
    IgnoredReport,
    last_reading,
    missing,
    reading_in_file,
)
from auger.studies.trial import output
from auger.studies.trial.output import Lines, OutputFile

PATTERNS = [r"loss[=: ]+(\S+)", r"^(?P<step>\S+): (?P<value>.*)$", r"(\d*)x?$", "(?:a|(b))", r"([0-9.]+)"]
VALUE_RULES = [
    ValueRule(),
    ValueRule("json", key="loss"),
    ValueRule("json", key="a.loss"),
    ValueRule("by name", key="loss"),
    *(ValueRule("regex", pattern=pattern) for pattern in PATTERNS),
]
REPORT_RULES = [
    ReportRule(key="loss", step="epoch"),
    ReportRule(key="loss"),
    *(ReportRule("regex", pattern=pattern) for pattern in PATTERNS),
]
FILE_RULES = [
    ValueRule("file", path="value"),
    ValueRule("file", path="value", key="a.loss"),
    *(ValueRule("file", path="value", pattern=pattern) for pattern in PATTERNS),
]

# -- what programs print ------------------------------------------------------------------------------------

raw_numbers = st.sampled_from(
    [
        *(
            "0",
            "-1",
            "0.5",
            "5.",
            "+.5",
            "1e-5",
            "1e400",
            "-1e400",
            "1e308",
            "5e-324",
            "nan",
            "NaN",
            "inf",
            "-Infinity",
        ),
        *("2147483647", "2147483648", "1763426059000", "1" + 400 * "0", "1" + 5000 * "0", "0x1F", "1_000", "1.2.3"),
        *("1,5", "1 000", "1'000", "1.000,5", "\u22125", "\u00b2", "\u0663", "3.2s", "v1.2", "1" + 40 * " 000"),
    ]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | raw_numbers,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["loss", "a", "\ud800"]), inner),
    max_leaves=3,
)
objects = st.dictionaries(st.sampled_from(["loss", "epoch", "a", "a.loss", "\ud800"]), json_values, max_size=4).map(
    json.dumps
)
raw_objects = st.builds('{{"epoch": {}, "loss": {}}}'.format, raw_numbers, raw_numbers)
phrases = st.builds(
    "{}{}{}".format, st.sampled_from(["loss ", "loss=", "", "3: ", "[", "x"]), raw_numbers, st.text(max_size=2)
)
others = st.sampled_from(
    ["{", "}", "[" * 50, '{"a":' * 2000, "loss", "\x1b[31m", "\0", "\u2028", "\x85", "\x0b", "\x1c", "abx"]
)
parts = objects | raw_objects | phrases | others | st.text(max_size=6)
texts = st.lists(st.tuples(parts, st.sampled_from(["\n", "\r", "\r\n", "\n\n", " ", ""])), max_size=8).map(
    lambda pairs: "".join(part + end for part, end in pairs)
)
outputs = texts.map(lambda text: text.encode(errors="surrogatepass")) | st.binary(max_size=60)
cuts = st.lists(st.integers(0, 200), max_size=12)


def cut(data, places):
    """The parts of some bytes, cut at these places."""
    ends = sorted({min(place, len(data)) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


def read(data, places, longest):
    """The texts that arrive, when the bytes do in these parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "LONGEST_LINE", longest)
        lines = Lines()
        return [*(lines.feed(part) for part in cut(data, places)), lines.rest()], lines


def plain_lines(data, longest):
    """The reference: every line of the whole, those that are too long empty, and how they end."""
    parts = re.split(rb"([\r\n])", data)
    lines, ends = parts[::2], [*parts[1::2], b""]
    return [
        (line.decode(errors="replace") if len(line) <= longest else "", end.decode())
        for line, end in zip(lines, ends, strict=True)
    ]


# -- cutting ------------------------------------------------------------------------------------------------

longest_lines = st.sampled_from([1, 5, 20, 2**20])


@given(outputs, cuts, longest_lines)
def test_lines_are_the_same_however_the_bytes_arrive(data, places, longest):
    arrived, lines = read(data, places, longest)
    plain = plain_lines(data, longest)
    assert "".join(arrived) == "".join(line + end for line, end in plain)
    too_long = [
        (data[: match.start()].count(b"\n") + 1, match[0].lstrip().startswith(b"{"))
        for match in re.finditer(rb"[^\r\n]+", data)
        if len(match[0]) > longest
    ]
    assert lines.too_long == (too_long[-1][0] if too_long else None)
    assert lines.too_long_object == max((number for number, is_object in too_long if is_object), default=None)


@given(outputs, st.lists(st.integers(1, 50), max_size=30))
def test_an_output_file_keeps_the_beginning_and_the_end(data, sizes):
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(output, "HEAD", 20)
        patch.setattr(output, "TAIL", 10)
        file, written = OutputFile(Path(folder, "stdout")), b""
        for i, size in enumerate(sizes):
            part = (data[i:] + bytes([i]))[:size]
            file.write(part)
            written += part
        file.close()
        kept = Path(folder, "stdout").read_bytes()
    assert file.error is None
    if kept == written:
        return
    notice = re.search(rb"\n\[auger: ([0-9,]+) bytes are left out here\]\n", kept[20:])
    head, tail = kept[: 20 + notice.start()], kept[20 + notice.end() :]
    assert head == written[:20] and written.endswith(tail) and len(tail) >= 10
    assert len(head) + int(notice[1].replace(b",", b"")) + len(tail) == len(written)
    assert len(kept) <= 20 + 2 * 10 + len(notice[0]) + 50


# -- values -------------------------------------------------------------------------------------------------


def json_value(line, key):
    """The reference for a key in a line."""
    try:
        data = json.loads(line, parse_int=lambda digits: int(digits) if len(digits) <= 4300 else float(digits))
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if key in data:
        return data[key]
    for part in key.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data


def is_object(line):
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def plain_matches(rule, line):
    """The reference for one line: what is read there, in order."""
    if rule.read == "by name" and not is_object(line):
        number = number_behind(rule.key, line)
        return [] if number is None else [number]
    if rule.key is not None:
        return [] if json_value(line, rule.key) is None else [json_value(line, rule.key)]
    if rule.pattern is not None:
        group = "value" if "value" in re.compile(rule.pattern).groupindex else 1
        return [match[group] for match in re.finditer(rule.pattern, line)][-1:]
    reading = last_reading(line, rule)
    return [] if reading is None else [reading.raw]


@pytest.mark.parametrize("rule", VALUE_RULES, ids=str)
@given(outputs, cuts)
def test_a_value_is_that_of_the_last_line_that_has_one_however_the_bytes_arrive(rule, data, places):
    arrived, _ = read(data, places, 2**20)
    readings = [reading for text in arrived if (reading := last_reading(text, rule)) is not None]
    lines = [line for line, _ in plain_lines(data, 2**20) if line]
    expected = [(raw, line) for line in lines for raw in plain_matches(rule, line) if raw is not None]
    assert bool(readings) == bool(expected)
    if readings:
        raw, line = expected[-1]
        assert readings[-1].line == line
        # a number that can be read in two ways comes whole, also where the pattern takes a part of it
        assert repr(readings[-1].raw) == repr(raw) or (rule.pattern and str(raw) in readings[-1].raw)
        check_number(readings[-1].raw, line)
    else:
        assert missing("".join(arrived), rule, "its stdout").startswith(f"no {rule.target} in its stdout; ")


def check_number(raw, line):
    """A raw value is a finite number, or an error in one line says why not, fit to be shown."""
    value, error = attempt(finite_number, raw, line)
    assert is_shown(error) if value is None else type(value) is float and math.isfinite(value)


def attempt(read, *arguments):
    """What a reader returns, and else its error."""
    try:
        return read(*arguments), ""
    except NoValueError as error:
        return None, str(error)


@pytest.mark.parametrize("rule", FILE_RULES, ids=str)
@given(outputs)
def test_a_value_file_gives_a_reading_or_says_why_not(rule, data):
    with TemporaryDirectory() as folder:
        path = Path(folder, "value")
        path.write_bytes(data)
        reading, error = attempt(reading_in_file, path, rule)
    if reading is None:
        assert error.startswith(f"no {rule.target} in value; ") and is_shown(error)
    else:
        check_number(reading.raw, reading.line)


# -- intermediate values ------------------------------------------------------------------------------------


def plain_report(rule, line):
    """The reference for one line: None where it does not match, and else the step and the value as they stand there."""
    if rule.key is not None:
        value, step = json_value(line, rule.key), json_value(line, rule.step) if rule.step else None
        return None if value is None or (rule.step and step is None) else (step, value)
    match = re.search(rule.pattern, line)
    group = "value" if match is not None and "value" in match.groupdict() else 1
    return None if match is None or match[group] is None else (match.groupdict().get("step"), match[group])


@pytest.mark.parametrize("rule", REPORT_RULES, ids=str)
@given(outputs, cuts)
def test_every_line_that_matches_is_a_report_or_ignored_however_the_bytes_arrive(rule, data, places):
    arrived, _ = read(data, places, 2**20)
    lines = [line for line, _ in plain_lines(data, 2**20) if line]
    expected = deque((line, report) for line in lines if (report := plain_report(rule, line)) is not None)
    for report in [report for text in arrived for report in rule.reports(text)]:
        line, (raw_step, raw_value) = expected.popleft()
        if isinstance(report, IgnoredReport):
            assert report.line == line
            continue
        step, value = report
        assert (step is None) == (raw_step is None)
        assert step is None or (type(step) is int and 0 <= step < 2**31 and step == float(raw_step))
        assert type(value) is float and repr(value) == repr(number(raw_value))
    assert not expected


def number(raw):
    try:
        return float(raw)
    except OverflowError:
        return math.inf if raw > 0 else -math.inf
