"""Trials that hang, fork, flood, crash, or print what is no value: each is a trial like another, and never more."""

import re
import shutil
from pathlib import Path

import pytest
from faults.programs import python
from faults.study import Study
from optuna.trial import TrialState

MISBEHAVE = Path(__file__).with_name("misbehave.py")
GOOD = {"fine": 0.5, "orphans": 1.5, "flood": 2.5, "one_line": 3.5, "flood_of_errors": 4.5, "binary": 5.5}
BAD = {
    "nan": "(?i)nan",
    "infinity": "(?i)inf",
    "nothing": "(?i)no number|nothing|no value",
    "words": "(?i)no number|no value",
    "exit_1": "exit code 1: the reason it gave",
    "abort": "signal 6|SIGABRT",
    "memory": "MemoryError|memory",
}
HANGING = ["hang", "stubborn", "families"]


def study_of(scene, faults, **settings):
    shutil.copy(MISBEHAVE, scene.folder)
    command = {"memory_limit": "500MB", **settings.pop("command", {})}
    space = {"fault": {"type": "categorical", "choices": list(faults)}}
    run = [*python("")[:-2], "misbehave.py", "{fault}"]
    return Study.write(scene.folder, run, space, trials=len(faults), command=command, **settings)


def by_fault(study):
    return {trial.params["fault"]: trial for trial in study.trials()}


def reason(trial):
    return trial.user_attrs["auger:error"]


@pytest.fixture(scope="module")
def endured(shared_scene):
    """The trials of a study of all faults that end by themselves, run once, by fault."""
    study = study_of(shared_scene, [*GOOD, *BAD], workers=2)
    shared_scene.run("tune", study.path)
    assert not shared_scene.left(), "a trial's processes must not outlive `auger tune`"
    return by_fault(study)


@pytest.mark.parametrize("fault", GOOD)
def test_a_trial_that_ends_well_is_complete_whatever_it_did_on_the_way(endured, fault):
    assert (endured[fault].state, endured[fault].value) == (TrialState.COMPLETE, GOOD[fault])


@pytest.mark.parametrize("fault", BAD)
def test_a_trial_without_a_good_end_has_failed_and_says_why(endured, fault):
    assert endured[fault].state == TrialState.FAIL
    assert re.search(BAD[fault], reason(endured[fault])), reason(endured[fault])


@pytest.mark.parametrize("fault", ["flood", "one_line", "flood_of_errors"])
def test_of_a_flood_the_beginning_and_the_end_are_kept_and_the_rest_is_not(endured, shared_scene, fault):
    folder = shared_scene.folder / "study.trials" / str(endured[fault].number)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert 1_000 < size < 20_000_000
    kept = (folder / ("stderr" if fault == "flood_of_errors" else "stdout")).read_text()
    assert kept.startswith({"flood": "noise 123\n", "one_line": "xxx", "flood_of_errors": "warning!\n"}[fault])
    assert fault == "flood_of_errors" or kept.endswith(f"{GOOD[fault]}\n")


def test_a_flood_does_not_pass_through_the_memory_of_auger(scene):
    study = study_of(scene, ["fine", "flood", "one_line"], initial=[{"fault": "fine"}], trials=3)
    shutil.copy(scene.folder / "misbehave.py", scene.folder / "gated.py")
    auger = scene.start("tune", study.path)
    auger.wait()
    assert by_fault(study).keys() == {"fine", "flood", "one_line"}


def test_a_trial_that_hangs_is_ended_at_its_time_limit_with_all_its_processes(scene):
    study = study_of(scene, HANGING, workers=3, command={"time_limit": "2s"})
    scene.run("tune", study.path)
    assert not scene.left()
    assert {fault: trial.state for fault, trial in by_fault(study).items()} == dict.fromkeys(HANGING, TrialState.FAIL)
    assert all("time limit" in reason(trial) for trial in study.trials())
