"""kill -9 of a trial, of a worker and of the coordinator, at rest and in full flight."""

import os
import signal
import time

import pytest
from faults.processes import wait_until
from faults.programs import GATED, GATED_SEVERAL, started, starts
from faults.study import Study, check_finished, reason
from optuna.trial import TrialState

# a study of several numbers per trial
SEVERAL = {
    "direction": None,
    "objectives": {"size": "minimize", "speed": "maximize"},
    "constraints": {"memory_mb": "<= 50"},
}
DELAYS = (0.05, 0.2, 0.5)  # seconds: trials end, results are told, others are asked for and begin


def open_gate(scene):
    (scene.folder / "gate").touch()


def test_a_killed_trial_is_a_failed_trial_and_the_study_goes_on(scene):
    study = Study.write(scene.folder, GATED, trials=3)
    auger = scene.start("tune", study.path)
    auger.wait_for(lambda: started(scene.folder), "a trial starts")
    os.kill(started(scene.folder)[0].pid, signal.SIGKILL)
    open_gate(scene)
    auger.wait()
    states = [trial.state for trial in study.trials()]
    assert states == [TrialState.FAIL, TrialState.COMPLETE, TrialState.COMPLETE]
    assert "signal 9" in reason(study.trials()[0])


def test_the_trials_of_a_killed_coordinator_die_with_it_and_a_resume_runs_them_again(scene, storage):
    study = Study.write(scene.folder, GATED, storage=storage, trials=6, workers=2)
    auger = scene.start("tune", study.path)
    auger.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
    auger.kill()
    wait_until(lambda: not scene.left(), "its trials are gone")
    interrupted = {entry.config for entry in started(scene.folder)}
    open_gate(scene)
    scene.run("tune", study.path)
    check_finished(study, 6)
    assert {config: n for config, n in starts(scene.folder).items() if n > 1} == dict.fromkeys(interrupted, 2)


def test_the_trial_of_a_killed_worker_is_run_again_by_those_who_live(scene, storage):
    study = Study.write(scene.folder, GATED, storage=storage, trials=5)
    tune = scene.start("tune", study.path)
    tune.wait_for(lambda: len(started(scene.folder)) == 1, "the coordinator's trial starts")
    worker = scene.start("worker", study.address, study.name)
    worker.wait_for(lambda: len(started(scene.folder)) == 2, "the worker's trial starts")
    lost = started(scene.folder)[1]
    worker.kill()
    open_gate(scene)
    tune.wait()
    check_finished(study, 5)
    assert starts(scene.folder)[lost.config] == 2
    assert sum(starts(scene.folder).values()) == 6


def test_a_worker_finishes_the_study_of_a_killed_coordinator(scene, storage):
    study = Study.write(scene.folder, GATED, storage=storage, trials=4)
    tune = scene.start("tune", study.path)
    tune.wait_for(lambda: started(scene.folder), "a trial starts")
    tune.kill()
    open_gate(scene)
    scene.run("worker", study.address, study.name)
    check_finished(study, 4)


def test_a_trial_that_loses_its_worker_again_and_again_is_given_up(scene):
    study = Study.write(scene.folder, GATED, {"x": {"type": "categorical", "choices": [7]}}, trials=1, retries=1)
    for n in (1, 2):
        auger = scene.start("tune", study.path)
        auger.wait_for(lambda: len(started(scene.folder)) == n, "the trial starts")
        auger.kill()
        wait_until(lambda: not scene.left(), "it is gone")
    open_gate(scene)
    scene.run("tune", study.path, code=1)
    assert len(started(scene.folder)) == 2
    assert study.states() == {TrialState.FAIL: 2}


@pytest.mark.parametrize(
    ("storage", "is_several"),
    [("journal", False), ("sqlite", False), ("postgres", False), ("journal", True), ("postgres", True)],
    indirect=["storage"],
)
def test_workers_killed_in_full_flight_lose_nothing(scene, storage, is_several, figures):
    """Four workers of two processes wait behind a gate; some time after it opens all are killed, whatever they do.

    There are more trials than a quick machine runs in the meantime: each worker must get one again.
    """
    n_trials, delays = (16, DELAYS[1:2]) if is_several else (96, DELAYS)
    program, settings = (GATED_SEVERAL, SEVERAL) if is_several else (GATED, {})
    study = Study.write(
        scene.folder,
        program,
        storage=storage,
        trials=n_trials,
        workers=2,
        retries=10,
        repeats=1 + is_several,
        **settings,
    )
    for delay in delays:
        n = len(started(scene.folder))
        scene.start("tune", study.path).wait_for(lambda: len(started(scene.folder)) == n + 2, "the study is there")
        scene.start("worker", study.address, study.name, "--workers", 2)
        scene.wait_for(lambda: len(started(scene.folder)) == n + 4, "each has a trial")
        open_gate(scene)
        time.sleep(delay)  # not to wait for anything: to find them at something else each time
        for auger in scene.started[-2:]:
            auger.kill()
        wait_until(lambda: not scene.left(), "all of it is gone")
        (scene.folder / "gate").unlink()
    open_gate(scene)
    scene.run("tune", study.path)
    check_finished(study, n_trials)
    for trial in study.complete() if is_several else ():
        x = trial.params["x"]
        assert (trial.values, trial.constraints) == ([x, -x], {"memory_mb": x - 50.0})
        assert trial.user_attrs["auger:outcomes"] == {"memory_mb": x}
    figures(study, n_trials, f"4 workers on {study.kind}, killed {len(delays)} times")
