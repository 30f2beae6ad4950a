"""kill -9 of a trial, of a worker and of the coordinator, at rest and in full flight."""

import os
import signal

from faults.processes import wait_until
from faults.programs import GATED, QUICK, ended, started, starts
from faults.study import Study, check_finished, reason
from optuna.trial import TrialState


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


def test_workers_killed_in_full_flight_lose_nothing(scene, storage, figures):
    """Four workers, one of them killed after every few trials and replaced, wherever in its work that finds it."""
    space = {"x": {"type": "int", "low": 1, "high": 60}}
    study = Study.write(scene.folder, QUICK, space, storage=storage, trials=60, retries=20)
    workers = [scene.start("tune", study.path)]
    workers[0].wait_for(lambda: ended(scene.folder), "the study is there")
    workers += [scene.start("worker", study.address, study.name) for _ in range(3)]
    for turn, goal in enumerate(range(5, 50, 5)):
        scene.wait_for(lambda: len(ended(scene.folder)) >= goal, f"{goal} trials have ended")
        workers[turn % 4].kill()
        workers[turn % 4] = scene.start("worker", study.address, study.name)
    for worker in workers:
        worker.wait()
    scene.run("tune", study.path)
    check_finished(study, 60)
    figures(study, 60, f"4 workers on {study.kind}, 9 killed")
