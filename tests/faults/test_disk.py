"""A full disk in the trials' folder."""

from faults.disk import Disk
from faults.programs import diary
from faults.study import Study, reason
from optuna.trial import TrialState

LONG = diary("i=0; while [ $i -lt 3000 ]; do echo 'a line that takes its place on the disk'; i=$((i+1)); done; echo $1")


def test_a_full_disk_under_the_trials_fails_no_worker_and_a_resume_with_space_completes_the_budget(scene):
    (scene.folder / "trials").mkdir()
    with Disk(scene.folder / "trials", "64k") as disk:
        study = Study.write(scene.folder, LONG, trials=4, command={"folder": "trials"})
        disk.fill()
        auger = scene.run("tune", study.path, prefix=disk.prefix)
        states = study.states()
    assert states[TrialState.COMPLETE] + states[TrialState.FAIL] == 4, str(auger)
    assert all("space" in reason(trial) for trial in study.trials() if trial.value is None)
