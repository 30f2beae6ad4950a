"""Ctrl-C once and twice, from outside and in a terminal; SIGTERM; a terminal that is closed."""

import signal

import pytest
from faults.processes import wait_until
from faults.programs import GATED, ended, started, starts
from faults.scene import Auger
from faults.study import Study, check_finished
from faults.terminal import InTerminal

INTERRUPTED = 130


@pytest.fixture(params=[Auger, InTerminal], ids=["signal", "terminal"])
def begun(scene, request):
    """A study with two trials running, that end when they are let."""
    return begin(scene, request.param)


def begin(scene, make=Auger):
    study = Study.write(scene.folder, GATED, trials=6, workers=2)
    auger = scene.start("tune", study.path, make=make)
    auger.wait_for(lambda: len(started(scene.folder)) == 2, "two trials start")
    return study, auger


def interrupt(auger, answer):
    """Press Ctrl-C and wait until it says that it understood."""
    auger.interrupt()
    auger.wait_for(lambda: answer in auger.stderr, "the signal is answered")


def let_go(scene):
    (scene.folder / "gate").touch()


def resume(scene, study):
    let_go(scene)
    scene.run("tune", study.path)
    check_finished(study, 6)


def test_ctrl_c_once_lets_the_running_trials_finish_and_starts_no_other(scene, begun):
    study, auger = begun
    interrupt(auger, "No new trials")
    let_go(scene)
    auger.wait(INTERRUPTED)
    assert len(study.complete()) == len(ended(scene.folder)) == len(started(scene.folder)) == 2
    resume(scene, study)
    assert set(starts(scene.folder).values()) == {1}


def test_ctrl_c_twice_stops_the_running_trials_and_a_resume_runs_them_again(scene, begun):
    study, auger = begun
    stopped = {entry.config for entry in started(scene.folder)}
    interrupt(auger, "No new trials")
    auger.interrupt()
    auger.wait(INTERRUPTED)
    assert not scene.left()
    assert not study.complete()
    resume(scene, study)
    assert {config for config, n in starts(scene.folder).items() if n == 2} == stopped


def test_sigterm_stops_the_running_trials_and_a_resume_runs_them_again(scene):
    study, auger = begin(scene)
    auger.interrupt(signal.SIGTERM)
    auger.wait(None)
    assert auger.process.returncode > 0, "it ended in good order, and not as done"
    assert not scene.left()
    resume(scene, study)


def test_a_terminal_that_is_closed_takes_the_trials_with_it_and_a_resume_runs_them_again(scene):
    study, auger = begin(scene, InTerminal)
    auger.hang_up()
    auger.wait(None)
    wait_until(lambda: not scene.left(), "the trials are gone")
    resume(scene, study)


def test_under_nohup_a_study_goes_on_when_its_terminal_is_closed(scene):
    study = Study.write(scene.folder, GATED, trials=3)
    auger = scene.start("tune", study.path, make=InTerminal, prefix=["nohup"])
    auger.wait_for(lambda: started(scene.folder), "a trial starts")
    auger.hang_up()
    let_go(scene)
    auger.wait()
    check_finished(study, 3)
    assert set(starts(scene.folder).values()) == {1}


def test_a_worker_stops_at_ctrl_c_twice_and_the_others_run_its_trial_again(scene):
    study, tune = begin(scene)
    worker = scene.start("worker", study.address, study.name)
    worker.wait_for(lambda: len(started(scene.folder)) == 3, "its trial starts")
    interrupt(worker, "No new trials")
    worker.interrupt()
    worker.wait(INTERRUPTED)
    let_go(scene)
    tune.wait()
    check_finished(study, 6)
    assert starts(scene.folder)[started(scene.folder)[2].config] == 2


@pytest.mark.parametrize("args", [(), ("--json",)], ids=["lines", "json"])
def test_a_study_goes_on_when_nobody_reads_what_it_says_any_more(scene, args):
    """As in `auger tune study.toml | head -n 1`."""
    study = Study.write(scene.folder, GATED, trials=3)
    auger = scene.start("tune", study.path, *args, prefix=["sh", "-c", '"$@" 2>&1 | head -n 1', "sh"])
    auger.wait_for(lambda: auger.stdout.endswith("\n") and started(scene.folder), "the first line is read")
    let_go(scene)
    auger.wait(None)
    wait_until(lambda: not scene.left(), "it has ended")
    check_finished(study, 3)
