import csv
import json
import re
import shlex
import subprocess
import sys
import urllib.request

import optuna
import pytest
from optuna.trial import TrialState
from support.command_line import auger, inside, write_study
from support.studies import complete, new_study

from auger.errors import StorageError, StudyError
from auger.studies.definition.study_file import tomllib
from auger.studies.pool.coordinator import Coordinator
from auger.studies.pool.owners import new_owner


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a study was run."""
    folder = tmp_path_factory.mktemp("studies")
    write_study(folder, trials=6, script='test "$2" = "a b" || exit 3; echo $1')
    assert auger("tune", "small.toml", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("where", [["small.toml"], ["small.journal"], ["small.journal", "small"]])
def test_a_study_is_named_by_its_file_or_its_storage(folder, where):
    assert inside("best", *where, cwd=folder).stdout == inside("best", "small.toml", cwd=folder).stdout


def test_the_best_settings_are_toml_json_or_a_command_line(folder):
    settings = tomllib.loads(inside("best", "small.toml", cwd=folder).stdout)
    found = json.loads(inside("best", "small.toml", "--json", cwd=folder).stdout)
    assert found["config"] == settings and found["value"] == settings["x"]
    assert found["baseline"] == {"number": 0, "value": 0.75, "name": "the defaults"} and 0 < found["gain"] < 1
    line = inside("best", "small.toml", "--command", cwd=folder).stdout
    assert shlex.split(line)[-2:] == [str(settings["x"]), "a b"]
    assert subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout == f"{settings['x']}\n"


def test_the_status_tells_trials_the_best_and_the_rate(folder):
    text = inside("status", "small.toml", cwd=folder).stdout
    assert "6 of 6 done" in text and "failed" in text and "better than the defaults" in text and "a trial every" in text
    found = json.loads(inside("status", "small.toml", "--json", cwd=folder).stdout)
    assert (found["finished"], found["running"], found["workers"]) == (6, 0, [])
    assert found["complete"] + found["failed"] == 6 and found["best"]["value"] < 0.75
    assert found["model"]["trials"] == 1 and "\nmodel " not in text  # one trial says nothing


def test_the_status_tells_how_good_the_model_is_once_it_was_judged(tmp_path):
    study = new_study(tmp_path, trials=60)
    coordinator = Coordinator(study, new_owner())
    for n in range(24):
        assignment = coordinator.ask(f"token {n}")
        coordinator.tell(assignment, complete((assignment.trial.config["x"] - 0.3) ** 2))
        if n == 9:
            assert "\nmodel " not in inside("status", "study.journal", cwd=tmp_path).stdout  # five trials say nothing
    text = inside("status", "study.journal", cwd=tmp_path).stdout
    assert "\nmodel    the model is better than guessing" in text and "skill" not in text
    text = inside("status", "study.journal", "-v", cwd=tmp_path).stdout
    line = r"model    the model is better .*\n +skill (-?\d\.\d\d) against the base rate, AUC 0\.\d\d over 19 trials"
    # from 20 answers on the process, which predicts this parabola well, takes all turns
    parts = r"\n +auto, trees: skill -?\d\.\d\d over 8\n +auto, Gaussian process: skill -?\d\.\d\d over 11\n"
    shown = re.search(line + parts, text)
    assert shown, text
    found = json.loads(inside("status", "study.journal", "--json", cwd=tmp_path).stdout)["model"]
    assert found["trials"] == 19 and f"{found['skill']:.2f}" == shown[1] and found["gamma"] == 0.1
    assert {name: each["trials"] for name, each in found["models"].items()} == {
        "auto, Gaussian process": 11,
        "auto, trees": 8,
    }


def test_the_status_of_a_study_whose_worker_was_killed_says_so(tmp_path):
    write_study(tmp_path, trials=3, script="echo begun > begun; exec sleep 60")
    with subprocess.Popen(
        [sys.executable, "-m", "auger", "tune", "small.toml"], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as run:
        import time

        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        assert f"process {run.pid} on" in inside("status", "small.toml", cwd=tmp_path).stdout
        run.kill()
    assert "but the process is gone" in inside("status", "small.toml", cwd=tmp_path).stdout


def test_trials_are_listed_with_what_went_wrong(folder):
    text = inside("trials", "small.toml", cwd=folder).stdout
    head, *lines = text.splitlines()
    assert head.split() == ["trial", "state", "value", "time", "settings"]
    assert len(lines) == 6 and "exit code 3" in text and 'kind="a b"' in text
    best = json.loads(inside("best", "small.toml", "--json", cwd=folder).stdout)["number"]
    assert [line.split()[1] for line in lines if line.lstrip().startswith("* ")] == [str(best)]


def test_trials_are_sorted_by_any_column_and_the_best_are_picked(folder):
    def numbers(*arguments):
        rows = inside("trials", "small.toml", "--csv", *arguments, cwd=folder).stdout.splitlines()[1:]
        return [int(row.split(",")[0]) for row in rows]

    rows = list(csv.DictReader(inside("trials", "small.toml", "--csv", cwd=folder).stdout.splitlines()))
    by_value = sorted((row for row in rows if row["value"]), key=lambda row: float(row["value"]))
    failed = [int(row["number"]) for row in rows if not row["value"]]
    assert numbers() == list(range(6))
    assert numbers("--sort", "value") == [*(int(row["number"]) for row in by_value), *failed]
    assert numbers("--top", 2) == numbers("--sort", "value")[:2]
    assert numbers("--sort", "x", "--top", 3) == [
        int(row["number"]) for row in sorted(rows, key=lambda row: float(row["x"]))[:3]
    ]
    assert len(inside("trials", "small.toml", "--top", 2, cwd=folder).stdout.splitlines()) == 1 + 2
    with pytest.raises(StudyError, match="--sort must name a column. Got 'valu'. Did you mean 'value'?"):
        inside("trials", "small.toml", "--sort", "valu", cwd=folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A study of Optuna that no `auger tune` has run, and one with two objectives."""
    folder = tmp_path_factory.mktemp("plain")
    storage = f"sqlite:///{folder}/plain.db"
    study = optuna.create_study(study_name="plain", storage=storage, direction="maximize")
    for x, value in ((0.25, 1.0), (0.5, 3.0), (0.75, 2.0)):
        study.add_trial(optuna.create_trial(params={"x": x}, distributions={"x": RANGE}, value=value))
    study.add_trial(optuna.create_trial(params={"x": 1.0}, distributions={"x": RANGE}, state=TrialState.FAIL))
    two = optuna.create_study(study_name="two", storage=storage, directions=["minimize", "maximize"])
    two.add_trial(optuna.create_trial(params={"x": 0.5}, distributions={"x": RANGE}, values=[1.0, 2.0]))
    return folder


RANGE = optuna.distributions.FloatDistribution(0.0, 1.0)


def test_studies_of_other_programs_are_read_like_our_own(plain):
    where = ("sqlite:///plain.db", "plain")
    assert tomllib.loads(inside("best", *where, cwd=plain).stdout) == {"x": 0.5}
    text = inside("status", *where, cwd=plain).stdout
    assert "to be maximized" in text and "4 done: 3 complete, 1 failed" in text and "best     3, trial 1" in text
    assert len(inside("trials", *where, cwd=plain).stdout.splitlines()) == 1 + 4
    assert inside("trials", *where, "--top", 1, "--csv", cwd=plain).stdout.splitlines()[1].startswith("1,complete,3.0")
    with pytest.raises(StudyError, match="--command is for studies of `auger tune`"):
        inside("best", *where, "--command", cwd=plain)


def test_the_front_of_another_program_is_read_like_our_own(plain):
    where = ("sqlite:///plain.db", "two")
    run = inside("best", *where, cwd=plain)
    assert tomllib.loads(run.stdout) == {"x": 0.5} and "# two: 1 trial that no other beats\n" in run.stdout
    assert "1 trial that no other beats" in inside("status", *where, cwd=plain).stdout
    assert inside("trials", *where, "--csv", cwd=plain).stdout.startswith("number,state,value 0,value 1,")
    with pytest.raises(StudyError, match="--command is for studies of `auger tune`"):
        inside("best", *where, "--by", "value 1", "--command", cwd=plain)
    assert inside("trials", *where, cwd=plain).stdout.splitlines()[0].split()[2:5] == ["value", "0", "value"]


def test_the_csv_of_a_study_is_imported_into_another(folder, tmp_path):
    (tmp_path / "old.csv").write_text(inside("trials", "small.toml", "--csv", cwd=folder).stdout)
    write_study(tmp_path)
    run = inside("import", "old.csv", "small.toml", cwd=tmp_path)
    assert run.exit_code == 0 and "without a value left out" in run.stderr
    assert "imported" in inside("status", "small.toml", cwd=tmp_path).stdout
    assert "Imported 0 results" in inside("import", "old.csv", "small.toml", cwd=tmp_path).stderr


def test_bad_rows_are_all_listed_and_nothing_is_imported_unless_it_is_meant(tmp_path):
    write_study(tmp_path)
    (tmp_path / "old.csv").write_text("x,kind,value\n0.5,a b,1\n2,a b,1\n0.5,other,1\n0.5,$c,\n")
    run = auger("import", "old.csv", "small.toml", cwd=tmp_path)
    assert run.returncode == 2 and "3 of 4 rows of old.csv are bad" in run.stderr
    for line, column in ((3, "x"), (4, "kind"), (5, "value")):
        assert f"old.csv, line {line}, column {column!r}: " in run.stderr
    assert "0 of 6 done" in inside("status", "small.toml", cwd=tmp_path).stdout
    run = inside("import", "old.csv", "small.toml", "--skip-bad", cwd=tmp_path)
    assert run.exit_code == 0 and "Imported 1 results, 3 bad ones left out." in run.stderr


@pytest.mark.parametrize("command", ["status", "best", "trials", "dashboard", "worker"])
def test_looking_at_a_study_that_is_not_there_makes_nothing(tmp_path, command):
    write_study(tmp_path)
    for where in ("small.toml", "other.journal", "sqlite:///other.db"):
        with pytest.raises(StorageError, match="There is no storage"):
            inside(command, where, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]


def test_a_study_without_success_has_no_best(tmp_path):
    write_study(tmp_path, trials=1, script="exit 1")
    auger("tune", "small.toml", cwd=tmp_path)
    run = inside("best", "small.toml", cwd=tmp_path)
    assert run.exit_code == 1 and run.stdout == "" and "No trial of small has succeeded yet" in run.stderr


def test_the_dashboard_listens_on_this_machine_only(folder):
    import socket
    import time

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "auger", "dashboard", "small.toml", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert f"http://127.0.0.1:{port}" in run.stderr.readline()
            end = time.monotonic() + 60
            while True:
                try:
                    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/studies", timeout=10).read()
                    break
                except OSError:
                    assert time.monotonic() < end and run.poll() is None
                    time.sleep(0.05)
            assert b'"small"' in page
            assert listening(port) == {"0100007F"}  # 127.0.0.1, as the kernel writes it
        finally:
            run.terminate()


def listening(port):
    from pathlib import Path

    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    local = [(row[1].split(":"), row[3]) for row in rows]
    return {address for (address, number), state in local if int(number, 16) == port and state == "0A"}
