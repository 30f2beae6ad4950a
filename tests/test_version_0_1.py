"""Files that version 0.1 wrote load, go on, and say what they said then. See tests/data/version_0_1/README.md."""

import csv
import importlib.util
import io
import json
import math
import shutil
from pathlib import Path

import pytest
import sklearn
from support.command_line import auger, inside

from auger import Optimizer
from auger.hosts.optuna.trials import trial_of
from auger.insight import view, why
from auger.objectives import Direction, Objectives
from auger.report import report_html
from auger.studies.storage import open_storage
from auger.studies.study import load_study

HERE = Path(__file__).parent / "data" / "version_0_1"
EXPECTED = json.loads((HERE / "expected.json").read_text())

# A forest of another scikit-learn than the one that made the files says and suggests something else.
IS_SAME_FOREST = sklearn.__version__.startswith("1.8.")


def _made():
    spec = importlib.util.spec_from_file_location("make_version_0_1", HERE / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = _made()


@pytest.fixture
def copies(tmp_path):
    """The files, to be written to."""
    return shutil.copytree(HERE, tmp_path / "files")


def near(config):
    """The same up to what another processor's arithmetic may change; 0.1 proposed bounds, where we end just before."""
    numbers = {name: value for name, value in config.items() if isinstance(value, float)}
    return {**config, **{name: pytest.approx(value, rel=1e-6, abs=1e-6) for name, value in numbers.items()}}


def as_text(value):
    """A number as the expectations hold it: JSON has no NaN and no infinity."""
    return value if value is None or math.isfinite(value) else str(value)


def listed(value):
    """JSON knows lists only."""
    return json.loads(json.dumps(value))


def check_explanations(source, explanations):
    for number, expected in explanations.items():
        explanation = why(source, int(number))
        assert explanation.model == expected["model"]
        assert explanation.score == pytest.approx(expected["score"], rel=1e-9)
        if "Gaussian process" in explanation.model:  # it has another trend today, and expects other values
            assert 0 <= explanation.p <= 1
        elif IS_SAME_FOREST or "bore-rf" not in explanation.model:
            assert explanation.p == pytest.approx(expected["p"], rel=1e-6)
        assert [near_trial[0] for near_trial in explanation.nearest] == [each[0] for each in expected["nearest"]]


# -- saved runs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["optimizer.json", "optimizer-warm.json"])
def test_a_saved_run_loads_with_every_trial(name):
    optimizer, expected = Optimizer.load(HERE / name), EXPECTED[name]
    for trial, was in zip(optimizer.trials, expected["trials"], strict=True):
        assert (trial.state.value, trial.origin.value, trial.reason, trial.error) == (
            was["state"],
            was["origin"],
            was["reason"],
            was["error"],
        )
        assert as_text(trial.value) == was["value"] and listed(trial.config) == was["config"]
        assert [as_text(c) for c in trial.constraints] == was["constraints"]
        assert [[step, as_text(value)] for step, value in trial.intermediate_values] == was["intermediate"]
    recommendation = optimizer.recommend()
    assert (optimizer.best.number, optimizer.best.value) == (expected["best"]["number"], expected["best"]["value"])
    assert (recommendation.trial.number, recommendation.reason) == (
        expected["recommended"]["number"],
        expected["recommended"]["reason"],
    )
    check_explanations(optimizer, expected["why"])


@pytest.mark.parametrize("name", ["optimizer.json", "optimizer-warm.json"])
def test_a_saved_run_goes_on_with_the_suggestion_it_would_have_made(name, tmp_path):
    optimizer = Optimizer.load(HERE / name)
    optimizer.save(tmp_path / "again.json")  # in the format of today
    for run in (optimizer, Optimizer.load(tmp_path / "again.json")):
        trial, expected = run.ask(), EXPECTED[name]["next"][0]
        assert listed(trial.config) == near(expected["config"])
        assert trial.origin.value == expected["origin"]


# -- studies of Optuna ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two-objectives", "pruned"])
def test_a_study_of_optuna_is_viewed_explained_reported_and_gone_on_with(name, copies):
    study, expected = MADE.optuna_study(copies / f"{name}.journal", name), EXPECTED[f"{name}.journal"]
    run = view(study)
    for trial, was in zip(run.trials, expected["trials"], strict=True):
        assert trial.state.name == was["state"].replace("FAIL", "FAILED") and trial.config == was["params"]
        assert (trial.origin.value, trial.reason) == (was["origin"], was["reason"])
        if trial.values and was["state"] == "COMPLETE":
            assert list(run.objectives.original(trial.values)) == was["values"]
    assert sorted(trial.number for trial in run.front) == sorted(expected["best"])
    check_explanations(run, expected["why"])
    assert f"trial {expected['best'][0]}" in report_html(run) or len(run.objectives) > 1
    study.optimize(getattr(MADE, f"next_{name.replace('-', '_')}"), n_trials=1)
    newest = study.trials[-1]
    if IS_SAME_FOREST and name == "pruned":  # whose recipe is bore-rf; `auto` has another model of several objectives
        assert newest.params == near(expected["next"][0]["params"])
    assert newest.system_attrs["auger:origin"] == expected["next"][0]["origin"]


# -- studies of `auger tune` ----------------------------------------------------------------------------------

STUDIES = {"maximize": "maximize.journal", "minimize": "sqlite:///minimize.db"}


def printed(name, copies, *arguments):
    return inside(*arguments, cwd=copies / name).stdout


@pytest.mark.parametrize("name", STUDIES)
def test_the_commands_say_of_a_study_what_they_said(name, copies):
    expected = EXPECTED[name]
    status = json.loads(printed(name, copies, "status", "study.toml", "--json"))
    was = expected["status --json"]
    told = ("direction", "trials", "finished", "complete", "failed", "pruned", "running", "due", "imported", "best")
    assert {key: status[key] for key in told} == {key: was[key] for key in told} | {"best": status["best"]}
    assert {key: status["best"][key] for key in was["best"]} == was["best"]  # and what later versions know
    assert status["model"]["models"].keys() == was["model"]["models"].keys()
    assert printed(name, copies, "best", "study.toml") == expected["best"]
    assert json.loads(printed(name, copies, "best", "study.toml", "--json")) == status["best"]
    assert printed(name, copies, "best", "study.toml", "--command") == expected["best --command"]
    rows = list(csv.DictReader(io.StringIO(printed(name, copies, "trials", "study.toml", "--csv"))))
    for row, old_row in zip(rows, expected["trials --csv"], strict=True):
        assert row == old_row


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_viewed_explained_and_reported(name, copies):
    study = load_study(open_storage(STUDIES[name], folder=copies / name))
    run, expected = view(study), EXPECTED[name]
    check_explanations(run, expected["why"])
    assert f"Trial {expected['best --json']['number']}" in report_html(study)
    objectives = Objectives((Direction(name),))
    translated = [trial_of(frozen, objectives) for frozen in study.trials()]
    assert [trial.reason for trial in translated] == [was.get("reason", "enqueued") for was in expected["trials"]]


@pytest.mark.parametrize(("name", "n_trials"), [("maximize", 30), ("minimize", 19)])
def test_a_study_goes_on_to_its_end_and_nothing_finished_changes(name, n_trials, copies):
    before = MADE.stored_trials(copies / name)
    done = auger("tune", "study.toml", "--trials", n_trials, cwd=copies / name)
    assert done.returncode == 0, done.stderr
    after = MADE.stored_trials(copies / name)
    finished = [trial.number for trial in before if trial.state.is_finished()]
    assert [after[number] for number in finished] == [before[number] for number in finished]
    if IS_SAME_FOREST or name != "minimize":  # whose recipe is bore-rf
        assert after[len(before)].params == near(EXPECTED[name]["next"][0]["params"])
    assert json.loads(printed(name, copies, "status", "study.toml", "--json"))["finished"] == n_trials


def test_a_study_whose_worker_was_killed_goes_on_with_the_result_in_its_folder(copies):
    with (copies / "maximize" / "maximize.journal").open("r+b") as journal:
        journal.truncate(EXPECTED["killed"]["bytes"])
    status = json.loads(printed("maximize", copies, "status", "study.toml", "--json"))
    counts = ("finished", "running", "due")
    assert [status[key] for key in counts] == [EXPECTED["killed"]["status --json"][key] for key in counts]


def test_results_that_were_exported_are_imported(copies, tmp_path):
    (tmp_path / "new").mkdir()
    for name in ("study.toml", "train.py"):
        shutil.copy(copies / "minimize" / name, tmp_path / "new")
    exported = copies / "minimize" / "minimize.csv"
    done = inside("import", exported, "study.toml", "--skip-bad", cwd=tmp_path / "new")
    rows = csv.DictReader(io.StringIO(exported.read_text()))
    assert f"Imported {sum(row['state'] == 'complete' for row in rows)} results" in done.output
