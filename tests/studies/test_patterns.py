"""Patterns are matched in a process of their own, which is ended when that takes too long."""

import os
import re
import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import inside
from support.processes import is_running, wait_until
from support.programs import HEAD, outcome, shell, write

from auger.studies.definition import ReportRule, ValueRule, patterns
from auger.studies.definition.patterns import first_matches, last_match
from auger.studies.definition.printed_numbers import NoValueError

# Takes longer than anybody waits for a line of a's that ends with something else.
SLOW = "(a+)+$"
LINE = "a" * 40 + "!"
TOO_LONG = f"the pattern '{SLOW}' takes too long on the line '{LINE}'"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.2)


@given(st.text("a1 \r\n", max_size=30))
def test_matches_are_those_of_python(text):
    regex = re.compile("^(?P<step>a)*(?P<value>[a1]+)")
    found = [match for line in re.split(r"[\r\n]", text) if (match := regex.search(line))]
    matches = first_matches(regex.pattern, text)
    assert [(match.value, match.step, match.line) for match in matches] == [
        (match["value"], match["step"], match.string) for match in found
    ]
    last = last_match(regex.pattern, text)
    assert (last is None) == (not found)
    assert last is None or (last.line, last.start) == (found[-1].string, matches[-1].start)
    assert all(text[match.start :].startswith(match.line) for match in matches)


@pytest.mark.parametrize("match", [last_match, first_matches])
def test_a_pattern_that_takes_too_long_is_named_with_the_line(impatient, match):
    with pytest.raises(NoValueError, match=re.escape(TOO_LONG)):
        match(SLOW, f"b\n{LINE}\nb!")
    assert match("(b)", "b")


def test_a_pattern_without_a_group_on_the_line_does_not_match():
    assert last_match("x|(a)", "a\nx").value == "a"
    assert [found.value for found in first_matches("x|(a)", "a\nx")] == ["a"]


@pytest.mark.parametrize(
    "settings",
    [
        {"value": ValueRule("regex", pattern=SLOW)},
        {"report": ReportRule("regex", pattern=SLOW)},
        {"value": ValueRule("file", path="stdout", pattern=SLOW)},
    ],
    ids=["value", "report", "file"],
)
@pytest.mark.parametrize("then", ["sleep 1000", "true"])
def test_a_pattern_that_takes_too_long_fails_the_trial(tmp_path, impatient, settings, then):
    then = "true" if getattr(settings.get("value"), "path", None) else then
    done = outcome(shell(tmp_path, f"echo {LINE}; {then}", **settings), on_report=lambda *_: False)
    assert (done.state, done.error) == ("failed", TOO_LONG)


@pytest.mark.parametrize("command", ["tune", "try"])
def test_a_study_goes_on_after_a_pattern_that_took_too_long_and_auger_try_shows_it(tmp_path, command):
    script = f"echo a; if test $AUGER_TRIAL = 0; then echo {LINE}; fi"
    head = HEAD.replace('run = ["true", "{x}"]', f'run = ["sh", "-c", "{script}", "sh", "{{x}}"]')
    write(tmp_path, f"{head}[value]\nread = 'regex'\npattern = '{SLOW}'\n")
    result = inside(command, "study.toml", *(["--trials", "2"] if command == "tune" else []), cwd=tmp_path)
    assert TOO_LONG in result.stdout + result.stderr
    if command == "tune":
        assert "which is not a number" in result.stderr  # of the trial after it


WORKER = """
import threading, time
from auger.studies.definition.patterns import last_match, _MATCHERS
last_match("(a)", "a")
print(_MATCHERS._idle[0]._process.pid, flush=True)
{then}
"""


@pytest.mark.parametrize("then", ["", "time.sleep(1000)"])
def test_the_process_ends_with_ours(then):
    with subprocess.Popen([sys.executable, "-c", WORKER.format(then=then)], stdout=subprocess.PIPE) as worker:
        pid = int(worker.stdout.readline())
        if then:
            worker.kill()
        worker.wait()
    wait_until(lambda: not is_running(pid))


def test_a_process_that_was_killed_is_replaced():
    assert last_match("(a)", "a").value == "a"
    for matcher in patterns._MATCHERS._idle:
        os.kill(matcher._process.pid, signal.SIGKILL)
        matcher._process.wait()
    assert last_match("(a)", "a").value == "a"


def test_a_process_that_does_not_answer_is_not_waited_for(impatient):
    assert last_match("(a)", "a").value == "a"
    for matcher in patterns._MATCHERS._idle:
        os.kill(matcher._process.pid, signal.SIGSTOP)
    with pytest.raises(NoValueError, match=r"the pattern '\(a\)' takes too long"):
        last_match("(a)", "a")
    assert last_match("(a)", "a").value == "a"


@pytest.mark.parametrize(
    "line", ["'".join(["100"] * 2**17) + "'1001", "1" * 2**19, "1." * 2**18, "," * 2**19, "-" * 2**19]
)
def test_a_long_line_of_almost_a_number_is_read_at_once(line):
    assert last_match("(x)$", f"{line} x").value == "x"
