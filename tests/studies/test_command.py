"""Placeholders: every argument stays one argument, whatever the values hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger import Categorical, Float, Int, Space
from auger.errors import StudyError
from auger.studies.definition import Command, placeholders
from auger.studies.definition.command import VARIABLES, fill, written

SPACE = Space(
    {
        "C": Float(0.001, 1000, log=True),
        "kernel": Categorical(["rbf", "poly"]),
        "degree": Int(2, 5, when={"kernel": ["poly"]}),
    }
)
NASTY = [
    "; rm -rf /",
    "$(reboot)",
    "`id`",
    "'",
    '"',
    "a\nb",
    "-rf",
    "--x=1",
    "",
    " ",
    "*",
    "\\",
    "{C}",
    "{{",
    "}",
    "ü\u2028",
]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{C}", {"C": 0.1}, "0.1"),
        ("{C}", {"C": 1e-05}, "1e-05"),
        ("{C}", {"C": 1.0}, "1.0"),
        ("{C}", {"C": 0.1 + 0.2}, "0.30000000000000004"),
        ("{C}", {"C": 3}, "3"),
        ("{C}", {"C": True}, "true"),
        ("{C}", {"C": (1, "b")}, '[1, "b"]'),
        ("{C}", {"C": "as it is"}, "as it is"),
        ("--C={C}/{k}", {"C": 1, "k": "v"}, "--C=1/v"),
        ("{{C}}", {"C": 1}, "{C}"),
        ("{{{C}}}", {"C": 1}, "{1}"),
        ("{a b-c.d}", {"a b-c.d": 1}, "1"),
        ("plain", {}, "plain"),
        ("{C}{k}", {"C": 1}, None),  # k is inactive
    ],
)
def test_a_placeholder_becomes_text(text, values, expected):
    assert fill(text, values) == expected


@pytest.mark.parametrize("text", ["{", "}", "a{b", "a}b", "{{}", "{a}}", "{a{b}}"])
def test_a_brace_without_a_partner_is_refused(text):
    with pytest.raises(StudyError, match=r"\[command\] run: .* without its partner"):
        placeholders(text)


@given(value=st.one_of(st.text(), st.sampled_from(NASTY)))
def test_a_text_stays_one_argument_and_is_not_looked_into(value):
    command = Command(("program", "{x}", "--x={x}", ("-x", "{x}")))
    assert command.arguments({"x": value}) == ["program", value, f"--x={value}", "-x", value]


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_so_that_it_reads_back_the_same(number):
    assert float(written(number)) == number


def test_arguments_of_inactive_parameters_are_left_out_with_their_group():
    command = Command(("train", "{C}", ("--degree", "{degree}", "x"), "--d={degree}", "{kernel}"))
    assert command.arguments({"C": 1.0, "kernel": "rbf"}) == ["train", "1.0", "rbf"]
    active = {"C": 1.0, "kernel": "poly", "degree": 3}
    assert command.arguments(active) == ["train", "1.0", "--degree", "3", "x", "--d=3", "poly"]


def test_a_variable_of_an_inactive_parameter_is_to_be_removed():
    command = Command(("train",), environment={"DEGREE": "{degree}", "C": "<{C}>"})
    assert command.variables({"C": 1.0}) == {"DEGREE": None, "C": "<1.0>"}


def test_a_command_is_the_same_after_json():
    command = Command(("a", ("b", "c")), environment={"V": "{x}"}, config=True)
    assert Command.from_json(json.loads(json.dumps(command.to_json()))) == command


USED = ("{C}", "{kernel}", "{degree}")


@pytest.mark.parametrize(
    ("run", "environment", "message"),
    [
        (
            ("a", *USED, "{kernl}"),
            {},
            r"run: '{kernl}' mentions {kernl}, which is not a parameter\. Did you mean 'kernel'\?",
        ),
        (("a", *USED), {"V": "{c}"}, r"environment: '{c}' mentions {c}, which is not a parameter"),
        (("a", *USED, "{"), {}, r"run: '{' has a '{' without its partner\. For a literal brace write '{{'\."),
        (
            ("a", *USED, "{}"),
            {},
            r"run: '{}' mentions {}, which is not a parameter\. .* For a literal brace write two\.",
        ),
        (("a", "{kernel}", "{degree}"), {}, r"run: the parameter 'C' never reaches the program\. Put {C} in"),
        (("a", "{C}"), {}, r"run: the parameter 'kernel' never reaches the program"),
        (
            ("a", "{C}", "{kernel}", "--degree", "{degree}"),
            {},
            r"'--degree' before it is not\. Write \[\"--degree\", \"{deg",
        ),
    ],
)
def test_a_command_that_does_not_fit_its_space_is_refused(run, environment, message):
    with pytest.raises(StudyError, match=rf"^\[command\] .*{message}"):
        Command(run, environment=environment).check(SPACE)


@pytest.mark.parametrize(
    "command",
    [
        Command(("a", *USED)),
        Command(("a", "{C}"), environment={"KERNEL": "{kernel}", "DEGREE": "{degree}"}),
        Command(("a", "{C}", "--flag", ("{degree}",), "{kernel}")),
        Command(("a", "{C}", "{degree}")),  # the kernel is told by whether there is a degree
        Command(("a",), config=True),
        Command(("a", "--settings={AUGER_CONFIG}")),
        Command(("a", "{AUGER_CONFIG}", "{AUGER_TRIAL}", "{AUGER_STUDY}", "{AUGER_FOLDER}"), config=True),
        Command(function="package.module:name.inner"),
    ],
)
def test_a_command_that_fits_is_accepted(command):
    command.check(SPACE)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"\[command\]: must have either `run`"),
        ({"run": ("a",), "function": "m:f"}, r"\[command\]: must have either `run`"),
        ({"run": "python train.py"}, r"\[command\] run: must be a list that begins with a program"),
        ({"run": ("",)}, r"\[command\] run: must be a list that begins with a program"),
        ({"run": (("a",),)}, r"\[command\] run: must be a list that begins with a program"),
        ({"run": ("a", 10)}, r'\[command\] run: .* such as "10", .* Got 10 in it\.'),
        ({"run": ("a", ("b", 10))}, r"\[command\] run: .* Got 10 in it\."),
        ({"run": ("a", ())}, r"\[command\] run: .* Got \[\] in it\."),
        ({"run": ("a", ("b", ("c",)))}, r'\[command\] run: .* Got \["c"\] in it\.'),
        ({"run": ("a", "b\0")}, r'\[command\] run: .* Got "b\\u0000" in it\.'),
        (
            {"function": "train"},
            r"\[command\] function: must name a function, such as 'package\.module:name'\. Got \"train\"",
        ),
        ({"function": "a b:c"}, r"\[command\] function"),
        ({"function": 3}, r"\[command\] function"),
        ({"run": ("a",), "environment": ["A"]}, r"\[command\] environment: must be a table"),
        ({"run": ("a",), "environment": {"A": 1}}, r"\[command\] environment: A must be text in quotes\. Got 1\."),
        ({"run": ("a",), "environment": {"A=B": "1"}}, r"\[command\] environment: the name of a variable"),
        ({"run": ("a",), "config": "yes"}, r"\[command\] config: must be true or false\. Got \"yes\"\."),
    ],
)
def test_a_command_of_wrong_parts_is_refused(settings, message):
    with pytest.raises(StudyError, match=message):
        Command(**settings)


@pytest.mark.parametrize("name", [*VARIABLES, "a{b", "a}"])
def test_a_parameter_that_no_placeholder_can_name_is_refused(name):
    with pytest.raises(StudyError, match="a parameter needs another name"):
        Command(("a",), config=True).check(Space({name: (0, 1)}))


def test_a_choice_with_a_zero_byte_is_refused():
    with pytest.raises(StudyError, match=r"\[space\] x: a choice must not hold a zero byte"):
        Command(("a", "{x}")).check(Space({"x": ["a\0b", "c"]}))
