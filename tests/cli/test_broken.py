"""A study whose program is broken ends early, with the error on the screen, and goes on when the program is mended."""

import json

import pytest
from support.command_line import inside

FILE = """\
[study]
name = "small"
trials = 30
seed = 0
{settings}
[command]
run = ["sh", "program.sh", "{{n}}"]
[space]
n = {{ type = "int", low = 0, high = 99 }}
"""
BROKEN = "echo reading the data; echo 'Traceback:' >&2; echo \"no module named torhc, n is $1\" >&2; exit 4"
DEFAULTS = "\n[defaults]\nn = 50\n"


def write(folder, program, *, settings="", defaults=""):
    (folder / "small.toml").write_text(FILE.format(settings=settings) + defaults)
    (folder / "program.sh").write_text(program)


def states(folder):
    status = json.loads(inside("status", "small.toml", "--json", cwd=folder).stdout)
    return {name: status[name] for name in ("complete", "failed", "forgotten")}


@pytest.mark.parametrize(
    ("defaults", "n_trials", "reason"), [("", 5, "The first 5 trials"), (DEFAULTS, 1, "The defau")]
)
def test_a_broken_program_ends_the_study_with_its_error_and_the_end_of_stderr(tmp_path, defaults, n_trials, reason):
    write(tmp_path, BROKEN, defaults=defaults)
    run = inside("tune", "small.toml", cwd=tmp_path)
    assert run.exit_code == 1 and run.stdout == ""
    assert states(tmp_path) == {"complete": 0, "failed": n_trials, "forgotten": 0}
    assert f"Stopped after {n_trials} of 30 trials ({n_trials} failed)" in run.stderr
    assert reason in run.stderr and "exit code 4: no module named torhc, n is " in run.stderr
    assert f"The end of small.trials/{n_trials - 1}/stderr:\n  Traceback:\n  no module named torhc" in run.stderr
    assert "--keep-going" in run.stderr and "reading the data" not in run.stderr


@pytest.mark.parametrize(("defaults", "most"), [("", 8), (DEFAULTS, 4)])
def test_with_four_workers_only_the_trials_that_run_already_come_on_top(tmp_path, defaults, most):
    write(tmp_path, BROKEN, settings="workers = 4", defaults=defaults)
    run = inside("tune", "small.toml", "--json", cwd=tmp_path)
    events = [json.loads(line) for line in run.stdout.splitlines()]
    finished = events[-1]
    assert run.exit_code == 1 and (finished["event"], finished["reason"]) == ("finished", "broken")
    assert sum(event["event"] == "trial_started" for event in events) <= most
    broken = finished["broken"]
    assert broken["exit_code"] == 4 and broken["stream"] == "stderr" and broken["lines"][0] == "Traceback:"
    assert broken["is_defaults"] is bool(defaults)


SLOW_SUCCESS = """\
wait_for() { while [ ! -e "$1" ]; do sleep 0.05; done; }
if [ "$AUGER_TRIAL" -lt 3 ]; then wait_for small.trials/3; exit 1; fi
for trial in 0 1 2; do wait_for small.trials/$trial/result.json; done
echo $1
"""


def test_a_trial_that_is_still_running_may_show_that_the_program_works(tmp_path):
    """The defaults and two other trials fail while the fourth runs, which then succeeds."""
    write(tmp_path, SLOW_SUCCESS, settings="workers = 4", defaults=DEFAULTS)
    run = inside("tune", "small.toml", "--trials", 8, cwd=tmp_path)
    assert run.exit_code == 0 and "Done: 8 trials (3 failed)" in run.stderr


def test_a_program_that_crashes_on_most_of_its_space_is_not_stopped(tmp_path):
    write(tmp_path, "test $(($1 % 4)) = 0 || exit 3; echo $1", defaults="\n[defaults]\nn = 48\n")
    run = inside("tune", "small.toml", cwd=tmp_path)
    assert run.exit_code == 0 and "Done: 30 trials" in run.stderr and states(tmp_path)["failed"] >= 5


def test_failures_that_differ_are_not_taken_for_one_mistake(tmp_path):
    write(tmp_path, "exit $(($AUGER_TRIAL % 2 + 1))")
    run = inside("tune", "small.toml", "--trials", 7, cwd=tmp_path)
    assert run.exit_code == 1 and states(tmp_path)["failed"] == 7 and "auger tune --forget" in run.stderr


def test_keep_going_runs_all_trials_and_counts_old_failures(tmp_path):
    write(tmp_path, BROKEN, defaults=DEFAULTS)
    inside("tune", "small.toml", cwd=tmp_path)
    run = inside("tune", "small.toml", "--keep-going", "--trials", 9, cwd=tmp_path)
    assert run.exit_code == 1 and states(tmp_path) == {"complete": 0, "failed": 9, "forgotten": 0}


@pytest.mark.parametrize("storage", ["small.journal", "sqlite:///small.db"])
def test_a_mended_program_begins_anew_and_the_old_failures_count_nowhere(tmp_path, storage):
    write(tmp_path, BROKEN, settings=f'storage = "{storage}"', defaults=DEFAULTS)
    assert inside("tune", "small.toml", cwd=tmp_path).exit_code == 1
    write(tmp_path, "echo $1", settings=f'storage = "{storage}"', defaults=DEFAULTS)
    run = inside("tune", "small.toml", "--trials", 6, cwd=tmp_path)
    assert run.exit_code == 0 and "Forgot 1 failure" in run.stderr and "Done: 6 trials" in run.stderr
    assert "better than the defaults (50, trial 1)" in run.stderr
    assert states(tmp_path) == {"complete": 6, "failed": 0, "forgotten": 1}
    assert len(inside("trials", "small.toml", "--csv", cwd=tmp_path).stdout.splitlines()) == 7


def test_a_worker_stops_as_well_but_not_because_of_failures_before_its_time(tmp_path):
    write(tmp_path, BROKEN)
    inside("tune", "small.toml", cwd=tmp_path)
    worker = inside("worker", "small.journal", cwd=tmp_path)
    assert worker.exit_code == 1 and "The first 5 trials failed alike" in worker.stderr
    assert states(tmp_path)["failed"] == 10
    (tmp_path / "program.sh").write_text("echo $1")
    assert inside("worker", "small.journal", cwd=tmp_path).exit_code == 0
    assert states(tmp_path) == {"complete": 20, "failed": 10, "forgotten": 0}
