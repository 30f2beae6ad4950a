"""A full disk in the trials' folder."""

import pytest
from faults.disk import Disk
from faults.programs import GATE, diary, started
from faults.study import Study, check_finished, reason
from optuna.trial import TrialState

# a hundred kilobytes, more than the disk has, before and after the gate
LONG = "i=0; while [ $i -lt 2500 ]; do echo 'one more line that takes its place on the disk'; i=$((i+1)); done"


@pytest.fixture
def disk(scene):
    """64 KiB for the folders of the trials."""
    (scene.folder / "trials").mkdir()
    with Disk(scene.folder / "trials", "64k") as disk:
        yield disk


def test_a_trial_that_fills_the_disk_with_its_output_is_complete_when_it_says_its_value(scene, disk):
    study = Study.write(scene.folder, diary(f'{LONG}; echo "$1"'), trials=1, command={"folder": "trials"})
    auger = scene.run("tune", study.path, prefix=disk.prefix)
    check_finished(study, 1)
    assert "space" in auger.stderr, str(auger)


def test_a_disk_that_is_full_from_the_beginning_fails_trials_and_no_worker_and_a_resume_goes_on(scene, disk):
    program = diary('cp gate "$AUGER_FOLDER/result" && cat "$AUGER_FOLDER/result"')
    (scene.folder / "gate").write_text("12.5\n")
    value = {"read": "file", "path": "result"}
    study = Study.write(scene.folder, program, trials=2, command={"folder": "trials"}, value=value)
    disk.fill()
    scene.run("tune", study.path, prefix=disk.prefix, code=1)
    assert [trial.state for trial in study.trials()] == [TrialState.FAIL] * 2
    assert all("space" in reason(trial).lower() for trial in study.trials()), list(map(reason, study.trials()))
    disk.free()
    scene.run("tune", study.path, "--trials", 5, prefix=disk.prefix)
    assert [trial.value for trial in study.complete()] == [12.5] * 3


def test_a_disk_that_becomes_full_while_a_trial_runs_loses_no_value(scene, disk):
    study = Study.write(scene.folder, diary(f'{GATE}; echo "$1"'), trials=3, command={"folder": "trials"})
    auger = scene.start("tune", study.path, prefix=disk.prefix)
    auger.wait_for(lambda: started(scene.folder), "a trial starts")
    disk.fill()
    (scene.folder / "gate").touch()
    auger.wait(None)
    assert study.trials()[0].state == TrialState.COMPLETE
    assert len(study.trials()) == 3
