"""Trials that hang, fork, flood, crash, or print what is no value: each is a trial like another, and never more."""

import re
import shutil
from pathlib import Path

import pytest
from faults.processes import peak_memory
from faults.programs import shell
from faults.study import Study, reason
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
NONE_SUCCEEDED = 1
HANGING = ["hang", "stubborn", "families"]


def study_of(scene, faults, run=("python3", "-S", "-E", "misbehave.py", "{fault}"), **settings):
    shutil.copy(MISBEHAVE, scene.folder)
    command = {"memory_limit": "500MB", **settings.pop("command", {})}
    space = {"fault": {"type": "categorical", "choices": list(faults)}}
    return Study.write(scene.folder, run, space, trials=len(faults), command=command, **settings)


def by_fault(study):
    return {trial.params["fault"]: trial for trial in study.trials()}


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


def test_a_program_that_goes_away_fails_the_trial_and_is_named(scene):
    (scene.folder / "program").write_text('#!/bin/sh\nrm "$0"\necho 1\n')
    (scene.folder / "program").chmod(0o755)
    study = study_of(scene, ["fine", "flood"], run=("./program", "{fault}"))
    scene.run("tune", study.path)
    assert [trial.state for trial in study.trials()] == [TrialState.COMPLETE, TrialState.FAIL]
    assert "program" in reason(study.trials()[1])


@pytest.mark.parametrize("fault", ["flood", "one_line", "flood_of_errors"])
def test_of_a_flood_the_beginning_and_the_end_are_kept_and_the_rest_is_not(endured, shared_scene, fault):
    folder = shared_scene.folder / "study.trials" / str(endured[fault].number)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert 1_000 < size < 20_000_000
    kept = (folder / ("stderr" if fault == "flood_of_errors" else "stdout")).read_text()
    assert kept.startswith({"flood": "noise 123\n", "one_line": "xxx", "flood_of_errors": "warning!\n"}[fault])
    assert fault == "flood_of_errors" or kept.endswith(f"{GOOD[fault]}\n")


def test_a_flood_does_not_pass_through_the_memory_of_auger(scene):
    faults = ["fine", "one_line"]
    wait = 'python3 -S -E misbehave.py "$1"; touch "$1.done"; while [ ! -e "$1.seen" ]; do sleep 0.05; done; echo 1'
    study = study_of(scene, faults, run=shell(wait, "{fault}"), initial=[{"fault": fault} for fault in faults])
    auger, peaks = scene.start("tune", study.path), {}
    for fault in faults:
        auger.wait_for((scene.folder / f"{fault}.done").exists, f"{fault} has printed all it has")
        peaks[fault] = peak_memory(auger.pid)
        (scene.folder / f"{fault}.seen").touch()
    auger.wait()
    assert peaks["one_line"] - peaks["fine"] < 50_000_000


def test_a_trial_that_hangs_is_ended_at_its_time_limit_with_all_its_processes(scene):
    study = study_of(scene, HANGING, workers=3, command={"time_limit": "2s"})
    scene.run("tune", study.path, code=NONE_SUCCEEDED)
    assert not scene.left()
    assert {fault: trial.state for fault, trial in by_fault(study).items()} == dict.fromkeys(HANGING, TrialState.FAIL)
    assert all("time limit" in reason(trial) for trial in study.trials())
