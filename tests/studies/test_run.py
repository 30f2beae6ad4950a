"""Trials as child processes, real ones: whatever a program does, there is an outcome and nothing is left running."""

import json
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.processes import is_running, wait_until
from support.programs import CONFIG, no_space, outcome, printed, program, python, shell

from auger import Space
from auger.studies.definition import ReportRule, ValueRule
from auger.studies.trial import read_result, run
from auger.studies.trial import reports as reports_module
from auger.studies.trial.output import Stream


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(run, "GRACE", 0.3)


# -- values -------------------------------------------------------------------------------------------------


def test_the_value_of_a_program_is_what_it_prints(tmp_path):
    definition = shell(tmp_path, "echo loss 0.7; echo loss 0.5; echo warning >&2")
    done = outcome(definition)
    assert (done.state, done.value, done.error, done.exit_code) == ("complete", 0.5, None, 0)
    assert 0 < done.seconds < 60
    assert printed(definition) == "loss 0.7\nloss 0.5\n"
    assert printed(definition, stream="stderr") == "warning\n"
    assert read_result(definition.trials_folder, 0, CONFIG) == done


def test_a_last_line_without_an_end_counts(tmp_path):
    assert outcome(shell(tmp_path, "echo 1; printf 0.5")).value == 0.5


def test_an_outcome_tells_the_line_of_its_value_however_the_output_arrives(tmp_path):
    script = "for i in 1 2 3; do echo step; done; sleep 0.1; echo loss 0.5; sleep 0.1; echo done"
    done = outcome(shell(tmp_path, script))
    assert (done.readings["value"].line, done.readings["value"].number) == ("loss 0.5", 4)


def test_the_value_can_be_on_stderr(tmp_path):
    assert outcome(shell(tmp_path, "echo 1 >&2; echo 2", value=ValueRule(stream="stderr"))).value == 1


def test_the_value_can_be_in_a_file_of_the_trial_folder(tmp_path):
    rule = ValueRule("file", path="out/value.json", key="loss")
    script = 'mkdir -p "$AUGER_FOLDER/out"; echo \'{"loss": 0.5}\' > "$AUGER_FOLDER/out/value.json"'
    assert outcome(shell(tmp_path, script, value=rule)).value == 0.5


def test_a_file_that_an_earlier_trial_left_is_not_taken_for_the_value(tmp_path):
    rule = ValueRule("file", path="value")
    assert outcome(shell(tmp_path, 'echo 1 > "$AUGER_FOLDER/value"', value=rule)).value == 1
    again = outcome(shell(tmp_path, "true", value=rule))
    assert (again.state, again.error) == ("failed", "the program has not written value into the folder AUGER_FOLDER")


def test_a_program_knows_its_trial(tmp_path):
    script = 'echo "$AUGER_CONFIG|$AUGER_TRIAL|$AUGER_STUDY|$AUGER_FOLDER|$PWD"; echo 1'
    definition = shell(tmp_path, script)
    outcome(definition, {"x": 0.25}, number=7)
    assert printed(definition, 7).splitlines()[0] == f'{{"x": 0.25}}|7|small|{tmp_path}/small.trials/7|{tmp_path}'


def test_a_program_has_nothing_to_read(tmp_path):
    assert outcome(shell(tmp_path, "cat; echo 1")).value == 1


NASTY = [
    "; rm -rf .",
    "$(id)",
    "`id`",
    "'",
    '"',
    "a\nb",
    "-rf",
    "--help",
    "",
    " ",
    "*",
    "\\",
    "{x}",
    "é",
    "\x01",
    "%s",
    "!x",
]


@pytest.mark.parametrize("value", NASTY)
def test_a_value_arrives_as_one_argument_and_one_variable_as_it_is(tmp_path, value):
    script = "import sys, os, json; print(json.dumps([sys.argv[1:], os.environ['V'], os.environ['a.b']])); print(1)"
    definition = program(
        tmp_path,
        *(sys.executable, "-S", "-c", script, "{x}", "--x={x}", "{x}{x}"),
        environment={"V": "{x}", "a.b": "{x}"},  # a shell would drop the second
        space=Space({"x": [value, "other"]}),
    )
    done = outcome(definition, {"x": value})
    assert done.value == 1, done
    assert json.loads(printed(definition).splitlines()[0]) == [[value, f"--x={value}", value * 2], value, value]


def test_a_variable_of_an_inactive_parameter_is_not_inherited(tmp_path, monkeypatch):
    monkeypatch.setenv("DEGREE", "9")
    space = Space({"kernel": ["a", "b"], "degree": [1, 2]})
    definition = shell(tmp_path, 'echo "<$DEGREE>" 1', environment={"DEGREE": "{degree}"}, space=space)
    outcome(definition, {"kernel": "a"})
    assert printed(definition) == "<> 1\n"


# -- failures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "error", "exit_code"),
    [
        ("exit 1", "exit code 1", 1),
        ("echo 0.5; echo first >&2; echo 'it broke' >&2; echo >&2; exit 3", "exit code 3: it broke", 3),
        ("echo only here; exit 3", "exit code 3: only here", 3),
        ("kill -9 $$", "killed by signal 9 (SIGKILL)", -9),
        ("echo 0.5; kill -SEGV $$", "killed by signal 11 (SIGSEGV): 0.5", -11),
        ("kill -40 $$", "killed by signal 40", -40),
        ("true", "no number in its stdout; it is empty", 0),
        ("echo done", "no number in its stdout; its last line is 'done'", 0),
        (
            "echo loss 1,5",
            "printed '1,5', which can be read in more than one way, in the line 'loss 1,5'. "
            "Print plain numbers (1.5, 1000, -5), or say with [value] which number is meant",
            0,
        ),
        ("echo NaN", "printed NaN", 0),
        ("echo 0.5; echo nan", "printed NaN", 0),
        ("echo -inf", "printed -inf", 0),
        ("exec >&- 2>&-; exit 4", "exit code 4", 4),
    ],
)  # fmt: skip
def test_a_program_without_a_value_has_failed_and_it_is_said_why(tmp_path, script, error, exit_code):
    definition = shell(tmp_path, script)
    done = outcome(definition)
    assert (done.state, done.value, done.error, done.exit_code) == ("failed", None, error, exit_code)
    assert read_result(definition.trials_folder, 0) == done


def test_a_value_that_a_rule_does_not_find_has_failed(tmp_path):
    json_rule, regex_rule = ValueRule("json", key="loss"), ValueRule("regex", pattern="loss (.*)")
    assert outcome(shell(tmp_path, "echo 1", value=json_rule)).error.startswith(
        "no JSON line with 'loss' in its stdout; "
    )
    assert outcome(shell(tmp_path, "echo 1", value=regex_rule)).error.startswith(
        "no match of 'loss (.*)' in its stdout; "
    )
    assert outcome(shell(tmp_path, "echo loss low", value=regex_rule)).error == "printed 'low', which is not a number"


@pytest.mark.parametrize("name", ["no-such-program", "./none.sh", "/none"])
def test_a_program_that_is_not_there_has_failed_without_an_exit_code(tmp_path, name):
    done = outcome(program(tmp_path, name))
    assert (done.state, done.error, done.exit_code) == ("failed", f"cannot start: there is no program {name!r}", None)


def test_a_program_is_found_in_the_folder_of_the_study(tmp_path):
    path = tmp_path / "run.sh"
    path.write_text("#!/bin/sh\necho 1\n")
    path.chmod(0o755)
    assert outcome(program(tmp_path, "./run.sh")).value == 1


def test_python_is_found_even_where_the_path_has_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = outcome(program(tmp_path, Path(sys.executable).name, "-S", "-c", "print(1)"))
    assert done.value == 1, done


def test_a_folder_that_is_not_there_is_a_failure(tmp_path):
    done = outcome(replace(program(tmp_path, "true"), home=str(tmp_path / "none"), folder=str(tmp_path / "trials")))
    assert done.state == "failed" and done.error.startswith("cannot start: ")


def test_a_trial_folder_that_cannot_be_made_is_a_failure(tmp_path):
    (tmp_path / "small.trials").write_text("a file in its place")
    done = outcome(shell(tmp_path, "echo 1"))
    assert done.state == "failed"
    assert done.error == f"cannot start: {tmp_path}/small.trials/0: not a directory"  # no number of the system


def test_a_value_too_long_for_an_argument_is_a_failure(tmp_path):
    definition = program(tmp_path, "true", "{x}", space=Space({"x": ["a" * 10**7, "b"]}))
    done = outcome(definition, {"x": "a" * 10**7})
    assert done.state == "failed" and "argument list too long" in done.error


def test_memory_over_the_limit_fails_the_trial(tmp_path):
    definition = python(tmp_path, "x = bytearray(600_000_000); print(1)", memory=400_000_000)
    done = outcome(definition)
    assert (done.state, done.error) == ("failed", "exit code 1: MemoryError")
    assert outcome(python(tmp_path, "x = bytearray(1_000_000); print(1)", memory=400_000_000)).value == 1


# -- time, stop and what a program leaves behind ------------------------------------------------------------


def test_a_program_that_hangs_is_ended_at_its_time_limit(tmp_path):
    done = outcome(shell(tmp_path, "echo 0.5; sleep 1000", time=0.2))
    assert (done.state, done.value, done.error) == ("failed", None, "time limit of 0.2 s")
    assert done.exit_code == -signal.SIGTERM


def test_a_program_has_a_grace_to_end_by_itself(tmp_path):
    script = "trap 'echo saved; exit 0' TERM; echo 0.5; while :; do sleep 0.01; done"
    definition = shell(tmp_path, script, time=0.3)
    done = outcome(definition)
    assert (done.state, done.error, done.exit_code) == ("failed", "time limit of 0.3 s", 0)
    assert printed(definition) == "0.5\nsaved\n"


def test_a_program_that_does_not_want_to_end_is_killed(tmp_path, short_grace):
    done = outcome(python(tmp_path, "import signal; signal.signal(15, signal.SIG_IGN); signal.pause()", time=0.3))
    assert (done.error, done.exit_code) == ("time limit of 0.3 s", -signal.SIGKILL)


def test_processes_that_a_program_leaves_behind_are_killed(tmp_path):
    definition = shell(tmp_path, 'sleep 1000 & echo $! > "$AUGER_FOLDER/pid"; (trap "" TERM HUP; sleep 1000) & echo 1')
    assert outcome(definition).value == 1
    pid = int((tmp_path / "small.trials/0/pid").read_text())
    wait_until(lambda: not is_running(pid))


def test_processes_that_a_program_started_end_with_it_at_a_limit(tmp_path):
    definition = shell(tmp_path, 'sleep 1000 & echo $! > "$AUGER_FOLDER/pid"; wait', time=0.3)
    assert outcome(definition).error == "time limit of 0.3 s"
    pid = int((tmp_path / "small.trials/0/pid").read_text())
    wait_until(lambda: not is_running(pid))


def test_a_process_that_left_its_group_and_holds_the_output_does_not_hold_up_the_trial(tmp_path):
    script = """
import os, time
if os.fork() == 0:
    os.setsid()
    open("pid", "w").write(str(os.getpid()))
    time.sleep(1000)
while not os.path.exists("pid") or not open("pid").read():
    time.sleep(0.01)
print(1)
"""
    definition = python(tmp_path, script)
    try:
        assert outcome(definition).value == 1
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_no_more_is_read_than_was_there_while_the_program_ran(tmp_path, monkeypatch):
    pid = tmp_path / "small.trials" / "0" / "pid"

    def n_waiting(stream):
        """At first, 0.5 is in the pipe; the 9 comes when the program has ended."""
        if stream.name == "stderr" or (tmp_path / "gate").exists():
            return 0
        (tmp_path / "gate").touch()
        return 4

    def read(stream, most=2**16):
        text = real_read(stream, most)
        (tmp_path / "gate").touch()
        wait_until(lambda: not is_running(int(pid.read_text())))
        return text

    real_read = Stream.read
    monkeypatch.setattr(Stream, "n_waiting", n_waiting)
    monkeypatch.setattr(Stream, "read", read)
    script = f'echo $$ > "$AUGER_FOLDER/pid"; printf "0.5\\n9\\n"; while ! test -e {tmp_path}/gate; do sleep 0.01; done'
    assert outcome(shell(tmp_path, script)).value == 0.5


def test_a_stop_ends_the_trial_and_leaves_no_result(tmp_path):
    definition = shell(tmp_path, 'echo $$ > "$AUGER_FOLDER/pid"; sleep 1000')
    stop = threading.Event()
    path = tmp_path / "small.trials/0/pid"

    def stop_when_it_runs():
        wait_until(lambda: path.exists() and path.read_text().strip())
        stop.set()

    thread = threading.Thread(target=stop_when_it_runs)
    thread.start()
    done = outcome(definition, stop=stop)
    thread.join()
    assert (done.state, done.value, done.error) == ("stopped", None, "stopped")
    assert not is_running(int(path.read_text()))
    assert read_result(definition.trials_folder, 0) is None


def test_a_stop_that_was_there_before_starts_nothing(tmp_path):
    stop = threading.Event()
    stop.set()
    assert outcome(shell(tmp_path, "touch started; echo 1"), stop=stop).state == "stopped"
    assert list(tmp_path.iterdir()) == []


def test_the_result_of_an_earlier_trial_with_the_same_number_does_not_outlive_a_stop(tmp_path):
    assert outcome(shell(tmp_path, "echo 1")).value == 1
    stop = threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    assert outcome(shell(tmp_path, "sleep 1000"), stop=stop).state == "stopped"
    timer.join()
    assert read_result(tmp_path / "small.trials", 0) is None


# -- traps in the folder of the trial -------------------------------------------------------------------------

TRAPS = {
    "a pipe": lambda path, _: os.mkfifo(path),
    "a link to a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a link to a file": lambda path, precious: path.symlink_to(precious),
}


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("name", ["stdout", "stderr", "result.json", ".result.json.tmp", "value"])
def test_what_another_trial_left_in_the_folder_is_replaced_and_not_followed(tmp_path, name, trap):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "small.trials" / "0").mkdir(parents=True)
    TRAPS[trap](tmp_path / "small.trials" / "0" / name, tmp_path / "precious")
    definition = shell(tmp_path, 'echo 0.5 > "$AUGER_FOLDER/value"', value=ValueRule("file", path="value"))
    done = outcome(definition)
    assert done.value == 0.5 and read_result(definition.trials_folder, 0) == done
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize(
    ("target", "why"),
    [("pipe", "it is no regular file"), ("/dev/zero", "it is no regular file"), (".", "Is a directory")],
)
def test_a_value_file_that_is_no_file_fails_the_trial(tmp_path, target, why):
    script = f'mkfifo pipe; ln -s "$PWD/{target}" "$AUGER_FOLDER/value"'.replace("$PWD//", "/")
    done = outcome(shell(tmp_path, script, value=ValueRule("file", path="value")))
    assert (done.state, done.error) == ("failed", f"value cannot be read: {why}")


def test_a_value_file_may_be_a_link_to_a_file(tmp_path):
    script = 'echo 0.5 > real; ln -s "$PWD/real" "$AUGER_FOLDER/value"'
    assert outcome(shell(tmp_path, script, value=ValueRule("file", path="value"))).value == 0.5


def test_a_program_that_replaces_its_own_output_cannot_have_it_read_from_elsewhere(tmp_path):
    script = 'mkfifo pipe; rm "$AUGER_FOLDER/stdout"; ln -s "$PWD/pipe" "$AUGER_FOLDER/stdout"; echo none'
    assert outcome(shell(tmp_path, script)).error == "no number in its stdout; it is empty"


@pytest.mark.parametrize("name", ["result.json", "value"])
def test_a_folder_in_the_place_of_a_file_fails_the_trial_and_is_named(tmp_path, name):
    (tmp_path / "small.trials" / "0" / name).mkdir(parents=True)
    done = outcome(shell(tmp_path, "true", value=ValueRule("file", path="value")))
    assert (done.state, done.error) == ("failed", f"cannot start: {tmp_path}/small.trials/0/{name}: is a directory")


def test_a_link_in_the_place_of_the_folder_fails_the_trial_and_is_named(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "value").write_text("precious")
    (tmp_path / "small.trials").mkdir()
    (tmp_path / "small.trials" / "0").symlink_to(tmp_path / "elsewhere")
    done = outcome(shell(tmp_path, "true", value=ValueRule("file", path="value")))
    assert (done.state, done.error) == ("failed", f"cannot start: {tmp_path}/small.trials/0: it is a link")
    assert (tmp_path / "elsewhere" / "value").read_text() == "precious"


# -- floods and full disks ----------------------------------------------------------------------------------


def peak_memory() -> int:
    """Bytes of memory this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize(
    "script",
    [
        "echo 0.25; yes | head -c 100000000",
        "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo 0.25",
        "head -c 30000000 /dev/urandom | tr -d 0-9; echo; echo 0.25",
    ],
    ids=["100 MB of short lines", "one long line", "noise"],
)
def test_a_flood_fills_neither_memory_nor_disk_and_the_value_is_found(tmp_path, script):
    before = peak_memory()
    definition = shell(tmp_path, script)
    done = outcome(definition)
    assert (done.state, done.value) == ("complete", 0.25)
    size = (tmp_path / "small.trials/0/stdout").stat().st_size
    assert size < 4 * 2**20
    assert "bytes are left out here]" in (tmp_path / "small.trials/0/stdout").read_text(errors="replace")
    assert peak_memory() - before < 50 * 2**20


LONG = "head -c 1100000 /dev/zero | tr '\\0' x"
TOO_LONG = "line 2 of its stdout is longer than 1 MiB, and is not read: it may hold the value"
JSON = ValueRule("json", key="loss")


@pytest.mark.parametrize(
    ("script", "value", "error"),
    [
        (f'echo; printf \'{{"x": "\'; {LONG}; echo \'", "loss": 3}}\'', JSON, TOO_LONG),
        (f'echo \'{{"loss": 9}}\'; printf \'{{"x": "\'; {LONG}; echo \'", "loss": 3}}\'', JSON, TOO_LONG),
        (f'echo; {LONG}; echo " 0.5"', ValueRule(), TOO_LONG),
        (f'{LONG}; echo; printf "{{"; {LONG}; echo; echo \'{{"loss": 3}}\'', JSON, None),
        (f"echo '{{\"loss\": 3}}'; {LONG}", JSON, None),
        (f"echo 3; {LONG}", ValueRule(), None),
    ],
)
def test_a_line_that_is_too_long_to_be_read_is_named_where_it_may_hold_the_value(tmp_path, script, value, error):
    done = outcome(shell(tmp_path, script, value=value))
    assert (done.value, done.error) == (None if error else 3, error)


def test_a_flood_on_stderr_does_not_hold_up_the_program(tmp_path):
    done = outcome(shell(tmp_path, "yes | head -c 20000000 >&2; echo 1"))
    assert done.value == 1
    assert (tmp_path / "small.trials/0/stderr").stat().st_size < 4 * 2**20


def test_a_value_is_found_although_the_disk_is_full(tmp_path):
    with no_space(0):
        assert outcome(shell(tmp_path, "echo 0.5")).value == 0.5


def test_a_failure_on_a_full_disk_says_so(tmp_path):
    with no_space(0):
        done = outcome(shell(tmp_path, "echo oops >&2; exit 1"))
    assert done.error == "exit code 1: oops (its output could not be kept: file too large)"


def test_a_result_that_cannot_be_kept_is_still_returned(tmp_path, caplog):
    with no_space(10), caplog.at_level(logging.WARNING, "auger"):
        done = outcome(shell(tmp_path, "echo 0.5"))
    assert done.value == 0.5
    assert "trial 0: its result cannot be kept in" in caplog.text
    assert read_result(tmp_path / "small.trials", 0) is None


# -- intermediate values --------------------------------------------------------------------------------------

EPOCHS = """
import json, time
for epoch in range(5):
    print(json.dumps({"epoch": epoch, "loss": 1 / (epoch + 1)}))
print(0.125)
"""
REPORT = ReportRule(key="loss", step="epoch")


def test_intermediate_values_are_reported(tmp_path):
    reports = []
    done = outcome(python(tmp_path, EPOCHS, report=REPORT), on_report=lambda *report: bool(reports.append(report)))
    assert done.value == 0.125
    assert reports == [(0, 1.0), (1, 1 / 2), (2, 1 / 3), (3, 1 / 4), (4, 1 / 5)]


def test_steps_are_counted_where_they_have_no_number_and_reported_once_where_they_have(tmp_path):
    reports = []

    def on_report(step, value):
        reports.append((step, value))
        return False

    outcome(python(tmp_path, EPOCHS, report=ReportRule(key="loss")), on_report=on_report)
    assert [step for step, _ in reports] == [0, 1, 2, 3, 4]
    reports.clear()
    twice = 'print(\'{"epoch": 1, "loss": 3}\'); print(\'{"epoch": 1, "loss": 4}\'); print(1)'
    outcome(python(tmp_path, twice, report=REPORT), on_report=on_report)
    assert reports == [(1, 3.0)]


def test_a_report_arrives_while_the_program_runs_and_pruning_ends_its_group(tmp_path):
    script = """
import json, subprocess, time
other = subprocess.Popen(["sleep", "1000"])
open("pid", "w").write(str(other.pid))
print(json.dumps({"epoch": 3, "loss": 0.5}))  # without a flush
time.sleep(1000)
"""
    seen = []
    definition = python(tmp_path, script, report=REPORT)
    done = outcome(definition, on_report=lambda *report: seen.append(report) or True)
    assert (done.state, done.value, done.error) == ("pruned", None, None)
    assert seen == [(3, 0.5)]
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_running(pid))
    assert read_result(definition.trials_folder, 0).state == "pruned"


def test_a_program_that_has_ended_with_a_value_is_not_pruned_any_more(tmp_path):
    script = 'printf \'{"epoch": 1, "loss": 2}\''  # without a line end it is seen when the program has ended
    done = outcome(
        shell(tmp_path, script, report=REPORT, value=ValueRule("json", key="loss")), on_report=lambda *_: True
    )
    assert (done.state, done.value) == ("complete", 2.0)


def test_all_values_that_are_read_after_the_end_are_kept_although_the_pruner_would_have_ended_it(tmp_path):
    lines = "".join(f'{{\\"epoch\\": {epoch}, \\"loss\\": 2}}\\n' for epoch in (1, 2, 3))
    definition = shell(tmp_path, f'echo $$ > pid; printf "{lines}"', report=REPORT, value=ValueRule("json", key="loss"))
    kept = []

    def keep(step, value):
        """Keep each one slowly: the program has ended, and that was noticed, when the second one comes."""
        kept.append((step, value))
        wait_until(lambda: not is_running(int((tmp_path / "pid").read_text())))
        time.sleep(0.2)
        return step > 1

    done = outcome(definition, on_report=keep)
    assert (done.state, done.ignored) == ("complete", None)
    assert kept == [(1, 2.0), (2, 2.0), (3, 2.0)]


LAST_STEP = 2**31 - 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"epoch": 1763426059000, "loss": 2}', "step"),
        ('{"epoch": 2147483648, "loss": 2}', "step"),
        ('{"epoch": 1e300, "loss": 2}', "step"),
        ('{"epoch": Infinity, "loss": 2}', "step"),
        ('{"epoch": NaN, "loss": 2}', "step"),
        ('{"epoch": -1, "loss": 2}', "step"),
        ('{"epoch": 1.5, "loss": 2}', "step"),
        ('{"epoch": "much", "loss": 2}', "step"),
        ('{"epoch": true, "loss": 2}', "step"),
        ('{"epoch": [], "loss": 2}', "step"),
        ('{"epoch": 1, "loss": "much"}', "value"),
        ('{"epoch": 1, "loss": [2]}', "value"),
    ],
)
def test_a_report_that_no_storage_can_keep_is_ignored_and_the_outcome_tells_the_first(tmp_path, line, why):
    reports = []
    script = f"""
print('{line}'); print('{{"epoch": -7, "loss": 2}}'); print('{{"epoch": {LAST_STEP}, "loss": 3}}')
print(1)
"""
    done = outcome(python(tmp_path, script, report=REPORT), on_report=lambda *report: bool(reports.append(report)))
    assert reports == [(LAST_STEP, 3.0)]
    assert (done.value, done.ignored.why.value, done.ignored.line) == (1, why, line)


MANY_REPORTS = """
import itertools
for i in itertools.islice(itertools.count(), {n}):
    print('{{"epoch": ' + str(i) + ', "loss": 1}}')
print(1)
"""


def slow_storage(reports, seconds=0.02):
    """Takes its time for every intermediate value."""
    return lambda *report: bool(reports.append(report) or time.sleep(seconds))


def test_a_time_limit_holds_although_reports_come_faster_than_they_are_stored(tmp_path):
    reports = []
    definition = python(tmp_path, MANY_REPORTS.format(n=100_000), report=REPORT, time=1)
    done = outcome(definition, on_report=slow_storage(reports))
    assert (done.state, done.error) == ("failed", "time limit of 1 s")
    assert 0 < len(reports) < 400  # a time limit that did not hold would have stored all of the first chunk
    assert reports == [(step, 1.0) for step in range(len(reports))]


def test_a_stop_holds_although_reports_come_faster_than_they_are_stored(tmp_path):
    reports, stop = [], threading.Event()

    def on_report(step, value):
        stop.set()
        return slow_storage(reports)(step, value)

    done = outcome(python(tmp_path, MANY_REPORTS.format(n=100_000), report=REPORT), on_report=on_report, stop=stop)
    assert done.state == "stopped" and 0 < len(reports) < 400


def test_reports_that_cannot_be_stored_in_time_after_the_end_are_ignored_and_the_outcome_tells(tmp_path, short_grace):
    reports = []
    definition = python(tmp_path, MANY_REPORTS.format(n=1000), report=REPORT)
    done = outcome(definition, on_report=slow_storage(reports))
    assert (done.value, done.ignored.why.value) == (1, "late")
    assert 0 < len(reports) < 1000


def test_of_endless_reports_only_so_many_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(reports_module, "MOST_REPORTS", 50)
    reports = []
    definition = python(tmp_path, MANY_REPORTS.format(n=200), report=REPORT)
    done = outcome(definition, on_report=slow_storage(reports, 0))
    assert (done.value, done.ignored.why.value, len(reports)) == (1, "many", 50)


def test_an_error_in_a_report_comes_through_and_the_program_is_killed(tmp_path):
    script = """
import os, time
open("pid", "w").write(str(os.getpid()))
print('{"epoch": 1, "loss": 2}')
time.sleep(1000)
"""

    def on_report(step, value):
        raise ConnectionError("the storage is gone")

    with pytest.raises(ConnectionError):
        outcome(python(tmp_path, script, report=REPORT), on_report=on_report)
    assert not is_running(int((tmp_path / "pid").read_text()))


# -- a worker that is killed --------------------------------------------------------------------------------

WORKER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from support.programs import outcome, shell
from pathlib import Path
script = 'echo $$ > "$AUGER_FOLDER/pid"; sleep 1000 & echo $! > "$AUGER_FOLDER/other"; wait'
definition = shell(Path(sys.argv[2]), script)
threads = [threading.Thread(target=outcome, args=(definition,), kwargs={"number": n}) for n in range(3)]
[thread.start() for thread in threads]
"""


def test_a_worker_killed_with_9_leaves_nothing_running(tmp_path):
    tests = str(Path(__file__).parent.parent)
    worker = subprocess.Popen([sys.executable, "-c", WORKER, tests, str(tmp_path)])
    paths = [tmp_path / f"small.trials/{number}/{name}" for number in range(3) for name in ("pid", "other")]
    wait_until(lambda: all(path.exists() and path.read_text().strip() for path in paths))
    pids = [int(path.read_text()) for path in paths]
    assert all(map(is_running, pids))
    worker.kill()
    worker.wait()
    wait_until(lambda: not any(map(is_running, pids)))


def test_a_worker_killed_with_9_after_its_reaper_leaves_nothing_running(tmp_path):
    tests = str(Path(__file__).parent.parent)
    worker = subprocess.Popen([sys.executable, "-c", WORKER, tests, str(tmp_path)])
    paths = [tmp_path / f"small.trials/{number}/{name}" for number in range(3) for name in ("pid", "other")]
    wait_until(lambda: all(path.exists() and path.read_text().strip() for path in paths))
    pids = [int(path.read_text()) for path in paths]
    (reaper,) = reapers_of(worker.pid)
    os.kill(reaper, signal.SIGKILL)
    wait_until(lambda: [pid for pid in reapers_of(worker.pid) if pid != reaper])
    worker.kill()
    worker.wait()
    wait_until(lambda: not any(map(is_running, pids)))


def reapers_of(worker):
    """The reaper processes of a worker, those that it has not noticed to be dead yet included."""
    children = Path(f"/proc/{worker}/task").glob("*/children")
    pids = [int(pid) for path in children for pid in path.read_text().split()]
    return [pid for pid in pids if b"auger-reaper" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_many_trials_at_once_do_not_disturb_each_other(tmp_path):
    values = {}

    def run(number):
        definition = shell(tmp_path, f"echo {number}; echo {number} >&2")
        values[number] = outcome(definition, number=number).value

    threads = [threading.Thread(target=run, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == {number: float(number) for number in range(24)}


def test_a_trial_leaves_no_open_files(tmp_path):
    outcome(shell(tmp_path, "echo 1"))  # starts the reaper
    before = len(os.listdir("/proc/self/fd"))
    for script in ("echo 1", "exit 1", "exec >&-"):
        outcome(shell(tmp_path, script))
    outcome(program(tmp_path, "none"))
    assert len(os.listdir("/proc/self/fd")) == before
