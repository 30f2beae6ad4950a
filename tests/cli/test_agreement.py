"""What the commands, the display and the report say about one study agrees, whatever the study went through."""

import html
import json
import re
import subprocess
import sys

import optuna
import pytest
from support.command_line import inside
from support.processes import wait_until

from auger.best import best_settings
from auger.report import make_page
from auger.studies.definition.study_file import tomllib
from auger.studies.storage import open_storage
from auger.studies.view import stored_view

# A value that depends on the setting and the run only, with noise; every fifth setting or so fails.
PROGRAM = """\
import os, pathlib, random, sys, time, zlib
x = sys.argv[1]
draw = random.Random(zlib.crc32((x + os.environ["AUGER_REPEAT"]).encode()))
if os.environ["AUGER_TRIAL"] == "4" and pathlib.Path("wait").exists():
    pathlib.Path("there").touch()
    time.sleep(60)
if zlib.crc32(x.encode()) % 5 == 0:
    sys.exit("it does not converge")
noise = draw.gauss(0, 0.1) if pathlib.Path("noise").exists() else 0
print((float(x) - 0.3) ** 2 + noise)
"""
FILE = """\
[study]
name = "agree"
trials = {trials}
seed = 0
{more}
[command]
run = ["python", "-S", "program.py", "{{x}}"]
[defaults]
x = 0.75
[space]
x = {{ type = "float", low = 0, high = 1 }}
"""


def write(folder, trials=8, more=""):
    (folder / "program.py").write_text(PROGRAM)
    (folder / "agree.toml").write_text(FILE.format(trials=trials, more=more))


def tune(folder):
    assert inside("tune", "agree.toml", cwd=folder).exit_code == 0


def plain(folder):
    write(folder)
    tune(folder)


def killed(folder):
    """Killed in the middle of a trial, which is then run again as another trial."""
    write(folder)
    (folder / "wait").touch()
    command = [sys.executable, "-m", "auger", "tune", "agree.toml"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
        wait_until((folder / "there").exists)
        run.kill()
    (folder / "wait").unlink()
    tune(folder)


def continued(folder):
    write(folder, trials=4)
    tune(folder)
    write(folder, trials=9)
    tune(folder)


def noisy(folder):
    write(folder, trials=30)
    (folder / "noise").touch()
    tune(folder)


def repeated(folder):
    write(folder, more="repeats = 3\nconfirm = 4")
    (folder / "noise").touch()
    tune(folder)


def imported(folder):
    """With results from elsewhere, one of which is better than any of its own."""
    write(folder)
    (folder / "old.csv").write_text("x,value\n0.3,-1\n0.9,4\n0.1,2\n")
    assert inside("import", "old.csv", "agree.toml", cwd=folder).exit_code == 0
    tune(folder)


def of_optuna(folder):
    study = optuna.create_study(study_name="agree", storage=f"sqlite:///{folder}/agree.db")
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=5)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) / 0, n_trials=2, catch=ZeroDivisionError)


@pytest.fixture(scope="module", params=[plain, killed, continued, noisy, repeated, imported, of_optuna])
def study(request, tmp_path_factory):
    """The folder of a study, what names it, and what made it."""
    folder = tmp_path_factory.mktemp(request.param.__name__)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    request.param(folder)
    return folder, "sqlite:///agree.db" if request.param is of_optuna else "agree.toml", request.param


@pytest.fixture(scope="module")
def status(study):
    folder, where, _ = study
    return json.loads(inside("status", where, "--json", cwd=folder).stdout)


@pytest.fixture(scope="module")
def view(study):
    folder, where, _ = study
    return stored_view(open_storage("agree.journal" if where == "agree.toml" else where, folder=folder))


def rows(study):
    """The lines of `auger trials`: whether there is a star, the number, and the state."""
    folder, where, _ = study
    lines = inside("trials", where, cwd=folder).stdout.splitlines()[1:]
    return [re.match(r" *(\* )?(\d+)  (\w+)", line).groups() for line in lines]


def test_the_best_trial_and_what_to_expect_of_it(study, status, view):
    folder, where, made_by = study
    best = json.loads(inside("best", where, "--json", cwd=folder).stdout)
    assert status["best"] == best
    assert [int(number) for star, number, _ in rows(study) if star] == [best["number"]]
    printed = inside("best", where, cwd=folder).stdout
    head = re.match(r"# agree, trial (\d+): (.*)\n", printed)
    assert int(head[1]) == best["number"] and tomllib.loads(printed) == best["config"]
    assert f"\nbest     {head[2]}, trial {head[1]}\n" in inside("status", where, cwd=folder).stdout
    shown = re.search(r'data-text="TOML"[^>]*>(.*?)</pre>', make_page(view).html(), re.DOTALL)
    assert tomllib.loads(html.unescape(shown[1])) == best["config"]
    if made_by is not of_optuna:
        again = inside("tune", "agree.toml", cwd=folder)
        assert f"\nBest: {head[2]}, trial {head[1]}\n" in again.stderr and tomllib.loads(again.stdout) == best["config"]


def test_how_many_trials_there_are_and_how_they_ended(study, status, view):
    folder, _, made_by = study
    states = [state for _, _, state in rows(study)]
    assert len(states) == len(view.trials)
    assert states.count("complete") == status["complete"] + status["imported"]
    assert states.count("confirms") == status["confirmations"]
    assert states.count("failed") == status["failed"]
    assert status["finished"] == status["complete"] + status["failed"] + status["pruned"]
    if made_by is not of_optuna:
        assert status["finished"] == status["trials"] and view.is_done
        finished = json.loads(inside("tune", "agree.toml", "--json", cwd=folder).stdout.splitlines()[-1])
        assert {key: finished["counts"][key] for key in ("finished", "complete", "failed", "pruned")} == {
            key: status[key] for key in ("finished", "complete", "failed", "pruned")
        }


def test_the_report_prints_the_same_numbers(study, status, view):
    page = make_page(view).html().partition('id="data"')[0]
    said = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))
    budget = "" if status["trials"] is None else f" of {status['trials']}"
    assert f"{status['finished']}{budget} trials finished." in said
    names = ("complete", "pruned", "failed", "imported")
    parts = [f"{status[name]} {name}" for name in names if status[name]]
    if status["confirmations"]:
        parts.append(f"{status['confirmations']} to confirm the best")
    assert f"Trials {status['finished']}{budget} {', '.join(parts)}" in said
    assert f"Best {best_settings(view).expectation} trial {status['best']['number']}, value minimized" in said


def test_the_studies_went_through_what_they_are_meant_to(study, status, view):
    """Otherwise the tests above would say nothing."""
    made_by, best, states = study[2], status["best"], {trial.state.value for trial in view.trials}
    facts = {
        plain: status["failed"] > 0 and best["estimate"] is None,
        killed: "died" in states and len(view.trials) == 9,
        continued: status["finished"] == 9,
        noisy: best["estimate"] is not None and best["number"] != view.best.number,
        repeated: best["is_confirmed"] and best["n_runs"] == 4 and status["confirmations"] > 1,
        imported: status["imported"] == 3 and best["config"] == {"x": 0.3},
        of_optuna: status["failed"] == 2 and status["complete"] == 5,
    }
    assert facts[made_by]
