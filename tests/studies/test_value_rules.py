"""Rules that read values from lines and files."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.errors import StudyError
from auger.studies.definition import ReportRule, ValueRule
from auger.studies.definition.printed_numbers import NoValueError, finite_number
from auger.studies.definition.value_rules import Ignored, IgnoredReport, last_reading, missing, reading_in_file

NUMBER = ValueRule()


def raw_value(text, rule):
    reading = last_reading(text, rule)
    return None if reading is None else reading.raw


JSON = ValueRule("json", key="loss")
NESTED = ValueRule("json", key="test.loss")
REGEX = ValueRule("regex", pattern=r"loss[:=] *(\S+)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", "0.5"),
        ("loss 0.7\nloss 0.5\n", "0.5"),
        ("epoch 3/10 loss=0.5", "0.5"),
        ("-1.5e-3", "-1.5e-3"),
        ("+.5", "+.5"),
        ("5.", "5."),
        ("The loss is 0.25.", "0.25"),
        ("accuracy: 93.5%", "93.5"),
        ("(0.1, 0.2)", "0.2"),
        ("loss 0.5\ndone in 3.2s on x86 with v1.2.3", "0.5"),
        ("0.5\r\n\r\n", "0.5"),
        ("10%\r20%\r30%", "30"),  # a progress bar
        ("nan", "nan"),
        ("loss 0.5\nloss NaN", "NaN"),
        ("-inf", "-inf"),
        ("Infinity", "Infinity"),
        ("banana infinite 3x x3 _3", None),
        ("", None),
        ("no number here", None),
        ("1.2.3", None),
        ("0x1F", None),
        ("1,2,3", "3"),  # a list
        ("10,0.25,0.31", "0.31"),
        ("0.5,7", "7"),
        ("[0.1,0.2]", "0.2"),
        ("0 100", "100"),  # two columns: no number begins with a group of zero
        ("0.5 100", "100"),
        ("2024 100", "100"),
        ("1 0005", "0005"),
        ("epochs 1\N{EN DASH}5", "5"),
        ("loss 0.25\ndone in 1,5s", "0.25"),
        ("loss 0.25\ndone in 1 000ms", "0.25"),
    ],
)
def test_the_last_number_that_stands_alone_is_found(text, expected):
    assert raw_value(text, NUMBER) == expected


@given(number=st.floats(), n_before=st.integers(0, 1500), n_after=st.integers(0, 1500), unit=st.sampled_from("x 1."))
def test_the_last_number_of_a_long_line_is_that_of_a_short_one(number, n_before, n_after, unit):
    line = f"{unit * n_before} 7; {number!r} {'x' * n_after}"
    assert raw_value(line, NUMBER) == repr(number)


@given(text=st.text("a1\r\n", max_size=20))
def test_lines_are_looked_at_from_the_last(text):
    rule = ValueRule("regex", pattern="^(a*1)$")
    found = [line for line in re.split(r"[\r\n]", text) if re.search("^(a*1)$", line)]
    assert raw_value(text, rule) == (found[-1] if found else None)


@given(
    number=st.floats(),
    before=st.sampled_from(["", "loss ", "x=", "[1, "]),
    after=st.sampled_from(["", "\n", "]", " %"]),
)
def test_every_number_as_python_prints_it_is_found(number, before, after):
    raw = raw_value(f"7\n{before}{number!r}{after}", NUMBER)
    assert repr(float(raw)) == repr(number)


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("loss 1,5", "1,5"),
        ("loss -0,25", "-0,25"),
        ("loss 1,5e-3", "1,5e-3"),
        ("loss 1 000", "1 000"),
        ("loss 12 345 678", "12 345 678"),
        ("loss 3 250.5", "3 250.5"),
        ("loss 1\N{NO-BREAK SPACE}000", "1\N{NO-BREAK SPACE}000"),
        ("loss 1\N{NARROW NO-BREAK SPACE}000,5", "1\N{NARROW NO-BREAK SPACE}000,5"),
        ("loss 1'000", "1'000"),
        ("loss 1,234.5", "1,234.5"),
        ("loss 1.234,5", "1.234,5"),
        ("loss 1,234,567", "1,234,567"),
        ("loss \N{MINUS SIGN}5", "\N{MINUS SIGN}5"),
        ("loss: \N{EN DASH}0.5", "\N{EN DASH}0.5"),
    ],
)
@pytest.mark.parametrize("rule", [NUMBER, ValueRule("regex", pattern=r"([0-9.]+)"), ReportRule], ids=repr)
def test_a_number_that_can_be_read_in_two_ways_is_no_value_but_an_error_that_quotes_its_line(text, unclear, rule):
    if rule is ReportRule:
        (report,) = ReportRule("regex", pattern=r"([0-9.]+)").reports(text)
        assert report == IgnoredReport(Ignored.VALUE, text)
        return
    reading = last_reading(f"0.7\n{text}\nbye", rule)
    assert (reading.raw, reading.line, reading.number) == (unclear, text, 2)
    with pytest.raises(NoValueError, match=r"in more than one way, in the line 'loss.*\. Print plain"):
        finite_number(reading.raw, reading.line)


def test_a_pattern_that_names_the_separator_says_which_number_is_meant():
    assert raw_value("12,5", ValueRule("regex", pattern=r"^\d+,(\d+)$")) == "5"
    assert raw_value("12,5", ValueRule("regex", pattern=r"^(\d+),")) == "12"
    assert raw_value("loss 10 100 epochs", ValueRule("regex", pattern=r"loss (\d+) \d+ epochs")) == "10"


@pytest.mark.parametrize(
    ("rule", "text", "line", "number"),
    [
        (NUMBER, "a\nloss 0.5\nb\n", "loss 0.5", 2),
        (NUMBER, "10%\r20%\rloss 0.5", "loss 0.5", 1),
        (JSON, 'a\r\n{"loss": 1}\r\nb\r\n', '{"loss": 1}', 2),
        (REGEX, "loss: 1\n\nloss: 2\n\n", "loss: 2", 3),
    ],
)
def test_a_reading_tells_its_line(rule, text, line, number):
    reading = last_reading(text, rule)
    assert (reading.line, reading.number) == (line, number)


@pytest.mark.parametrize(
    ("key", "text", "hint"),
    [
        ("loss", "", "it is empty"),
        ("loss", "0.5", "no line begins with a brace"),
        ("loss", "{'loss': 0.5}\nbye", "the line '{'loss': 0.5}' is not JSON: Expecting property name enclosed in "),
        ("loss", '{"loss": 0.5', "the line '{\"loss\": 0.5' is not JSON: Expecting ',' delimiter, at character 13"),
        ("loss", '{"los": 0.5, "t": 3}', "the last one has 'los', 't'. Did you mean 'los'?"),
        ("loss", '{"loss": null}', "its 'loss' is null"),
        ("loss", '{"epoch": 1' + 5000 * "0" + "}", "the last one has 'epoch'"),
        ("loss", '{"a":' * 100_000, 'the line \'{"a":{"a":'),
        ("test.loss", '{"test": {"acc": 1}}', "the last one has 'acc'"),
        ("loss", '{\n"acc": 1\n}', "the last one has 'acc'"),
    ],
)
def test_a_value_that_is_missing_in_json_is_explained(key, text, hint):
    message = missing(text, ValueRule("json", key=key), "its stdout")
    assert message.startswith(f"no JSON line with {key!r} in its stdout; {hint}")


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (JSON, '{"loss": 0.5}', 0.5),
        (JSON, '{"loss": 0.7}\n{"loss": 0.5}\n{"time": 3}\nbye {', 0.5),
        (JSON, '  {"loss": 1, "x": [2]}  ', 1),
        (JSON, '{"loss": "0.5"}', "0.5"),
        (JSON, '{"loss": 1}\n{"loss": -1' + 5000 * "0" + "}", -math.inf),
        (JSON, '{"loss": null}', None),
        (JSON, '{"loss": 0.5', None),
        (JSON, "0.5", None),
        (JSON, "[0.5]", None),
        (JSON, '{"a": {"loss": 0.5}}', None),
        (NESTED, '{"test": {"loss": 0.5}}', 0.5),
        (NESTED, '{"test.loss": 0.7, "test": {"loss": 0.5}}', 0.7),
        (NESTED, '{"test": 0.5}', None),
        (JSON, "[" * 100_000, None),
        (JSON, '{"a":' * 100_000, None),
        (REGEX, "loss: 0.7\nloss=0.5 loss= 0.4\nbye", "0.4"),
        (REGEX, "loss", None),
        (ValueRule("regex", pattern="^a (?P<value>.+) (b)$"), "x\na 3 b\ny", "3"),
        (ValueRule("regex", pattern="^a (.+)$"), "x\na 3\ny", "3"),
    ],
)
def test_a_rule_finds_what_the_last_line_says(rule, text, expected):
    assert raw_value(text, rule) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (" 0.5 ", 0.5),
        (3, 3.0),
        ("1e400", "printed inf"),
        (10**400, "printed inf"),
        (-(10**400), "printed -inf"),
        ("nan", "printed NaN"),
        (float("nan"), "printed NaN"),
        ("-inf", "printed -inf"),
        ("much", "printed 'much', which is not a number"),
        (True, "printed true, which is not a number"),
        ([1], r"printed \[1\], which is not a number"),
        ("x" * 200, r"printed 'x+\.\.\.', which is not a number"),
    ],
)
def test_only_a_finite_number_is_a_value(raw, expected):
    if isinstance(expected, float):
        assert finite_number(raw) == expected
    else:
        with pytest.raises(NoValueError, match=rf"^{expected}$"):
            finite_number(raw)


@pytest.mark.parametrize(
    ("settings", "content", "expected"),
    [
        ({}, "0.7\n0.5\n", "0.5"),
        ({"key": "loss"}, json.dumps({"loss": 0.5}, indent=4), 0.5),
        ({"key": "loss"}, 'log\n{"loss": 0.5}\n', 0.5),
        ({"pattern": "loss (.*)"}, "loss 0.5\n", "0.5"),
        ({}, "a\nnothing\n\n", "no number in out.txt; its last line is 'nothing'"),
        ({"key": "loss"}, "{}", "no JSON line with 'loss' in out.txt; the last one has no key"),
        ({"pattern": "loss (.*)"}, "", "no match of 'loss (.*)' in out.txt; it is empty"),
        ({}, None, "the program has not written out.txt into the folder AUGER_FOLDER"),
    ],
)
def test_a_file_is_read_by_its_rule(tmp_path, settings, content, expected):
    path, rule = tmp_path / "out.txt", ValueRule("file", path="out.txt", **settings)
    if content is not None:
        path.write_text(content)
    try:
        raw = reading_in_file(path, rule).raw
    except NoValueError as error:
        raw = str(error)
    assert raw == expected


def test_a_file_of_a_gigabyte_is_not_read(tmp_path):
    with (tmp_path / "out.txt").open("wb") as file:
        file.truncate(2**30)  # takes no space
    with pytest.raises(NoValueError, match=r"out\.txt is larger than 64 MiB"):
        reading_in_file(tmp_path / "out.txt", ValueRule("file", path="out.txt"))


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (
            ReportRule(key="loss", step="epoch"),
            '{"epoch": 1, "loss": 0.7}\nx\n{"epoch": 2, "loss": 0.5}',
            [(1, 0.7), (2, 0.5)],
        ),
        (ReportRule(key="loss", step="epoch"), '{"epoch": 3.0, "loss": 1}', [(3, 1.0)]),
        (ReportRule(key="loss", step="epoch"), '{"epoch": 3.5, "loss": 1}\n{"epoch": -1, "loss": 1}\n{"loss": 1}', []),
        (
            ReportRule(key="loss", step="epoch"),
            '{"epoch": "x", "loss": 1}\n{"epoch": 1, "loss": "much"}\n{"epoch": 1}',
            [],
        ),
        (ReportRule(key="loss"), '{"loss": 0.7}\n{"loss": 0.5}', [(None, 0.7), (None, 0.5)]),
        (ReportRule(key="loss"), "0.7", []),
        (ReportRule("regex", pattern=r"loss (\S+)"), "loss 0.7\nloss 0.5", [(None, 0.7), (None, 0.5)]),
        (ReportRule("regex", pattern=r"(?P<step>\d+): (?P<value>\S+)"), "1: 0.7\r2: 0.5", [(1, 0.7), (2, 0.5)]),
        (ReportRule("regex", pattern=r"(?P<step>\d+): (?P<value>\S+)"), "1: x\n2: 0.5", [(2, 0.5)]),
    ],
)
def test_values_on_the_way_are_read(rule, text, expected):
    assert [report for report in rule.reports(text) if not isinstance(report, IgnoredReport)] == expected


@pytest.mark.parametrize(
    ("rule", "settings", "message"),
    [
        (ValueRule, {"read": "jsn"}, r"\[value\] read: unknown value .jsn.\. Did you mean 'json'\?"),
        (ValueRule, {"read": 3}, r"\[value\] read: "),
        (ValueRule, {"stream": "stdin"}, r"\[value\] stream: "),
        (ValueRule, {"read": "json"}, r'\[value\] read: `read = "json"` needs a `key`'),
        (ValueRule, {"read": "regex"}, r'\[value\] read: `read = "regex"` needs a `pattern`'),
        (ValueRule, {"read": "file"}, r'\[value\] read: `read = "file"` needs a `path`'),
        (ValueRule, {"key": "loss"}, r'\[value\] key: must be left out with `read = "last number"`'),
        (ValueRule, {"read": "json", "key": "a", "pattern": "b"}, r"\[value\] pattern: must be left out with"),
        (ValueRule, {"read": "json", "key": 3}, r"\[value\] key: must be text in quotes\. Got 3"),
        (ValueRule, {"read": "json", "key": ""}, r"\[value\] key: must not be empty"),
        (
            ValueRule,
            {"read": "regex", "pattern": "("},
            r"\[value\] pattern: must be a valid regular expression\. Got '\(': missing \)",
        ),
        (
            ValueRule,
            {"read": "regex", "pattern": "loss"},
            r"\[value\] pattern: must have one group.* which has 0 groups\.",
        ),
        (
            ValueRule,
            {"read": "regex", "pattern": "(a)(b)"},
            r"\[value\] pattern: must have one group.* which has 2 groups\.",
        ),
        (
            ValueRule,
            {"read": "file", "path": "/tmp/x"},
            r"\[value\] path: must be a relative path inside the trial",
        ),
        (
            ValueRule,
            {"read": "file", "path": "../x"},
            r"\[value\] path: must be a relative path inside the trial",
        ),
        (
            ValueRule,
            {"read": "file", "path": "x", "key": "a", "pattern": "(b)"},
            r"\[value\] pattern: must be left out where there is a `key`",
        ),
        (ReportRule, {"read": "last number"}, r"\[report\] read: "),
        (ReportRule, {"read": "regex"}, r'\[report\] read: `read = "regex"` needs a `pattern`'),
        (ReportRule, {"read": "regex", "pattern": "(?P<step>a)(b)"}, r"\[report\] pattern: must have one group"),
        (ReportRule, {"read": "regex", "pattern": "(a)", "step": "b"}, r"\[report\] step: must be left out with"),
        (ReportRule, {"key": "a", "stream": 1}, r"\[report\] stream: "),
    ],
)
def test_a_rule_that_cannot_read_anything_is_refused(rule, settings, message):
    with pytest.raises(StudyError, match=rf"^{message}"):
        rule(**settings)
