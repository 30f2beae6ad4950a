"""A worker that is suspended while it is its turn: others go on, and it notices when it goes on itself."""

import fcntl
import os
import signal
import sqlite3
import time
from contextlib import suppress

import pytest
from faults.postgres import with_password
from faults.programs import QUICK, started, starts
from faults.study import Study, check_finished

BUDGET = 40
LEFT = 15  # trials, at the moment when a worker is suspended: with a minute each, the test would not end in time


def is_locked(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def turn_of_file(path):
    """Whether somebody has the turn and is not in the middle of a write, which nobody may interrupt."""
    if not is_locked(path.with_name(f"{path.name}.turn")):
        return False
    if path.suffix == ".journal":
        return not is_locked(path)
    with sqlite3.connect(path, timeout=0) as connection, suppress(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
        connection.rollback()
        return True
    return False


def turn_of_server(address):
    import psycopg

    with psycopg.connect(with_password(address).replace("+psycopg", "")) as connection:
        holders = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        return connection.execute(holders).fetchone()[0] > 0


def suspend_in_its_turn(worker, has_turn):
    """Stop the worker, the only one of its study, at a moment when it has the turn."""

    def is_suspended():
        if not has_turn():
            return False
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(0.1)  # what it was just giving back is given back now
        if has_turn():
            return True
        os.kill(worker.pid, signal.SIGCONT)
        return False

    worker.wait_for(is_suspended, "it is suspended in its turn")


@pytest.mark.parametrize("storage", ["journal", "sqlite", "postgres"], indirect=True)
def test_a_worker_suspended_in_its_turn_holds_nobody_up_and_starts_nothing_beyond_the_budget(scene, storage):
    study = Study.write(scene.folder, QUICK, storage=storage, trials=BUDGET)
    suspended = scene.start("tune", study.path)
    suspended.wait_for(lambda: started(scene.folder), "the study is there")
    file = scene.folder / storage.removeprefix("sqlite:///")
    suspend_in_its_turn(suspended, lambda: turn_of_server(storage) if "@" in storage else turn_of_file(file))
    assert len(started(scene.folder)) < BUDGET - LEFT
    other = scene.start("worker", study.address, study.name)
    scene.wait_for(lambda: len(started(scene.folder)) >= BUDGET - 1, "the other does the rest")
    os.kill(suspended.pid, signal.SIGCONT)
    suspended.wait()
    other.wait()
    check_finished(study, BUDGET)
    assert set(starts(scene.folder).values()) == {1}
    assert len(starts(scene.folder)) == BUDGET
    assert "does not answer" not in other.stderr


def test_a_short_suspension_costs_a_worker_nothing(scene):
    study = Study.write(scene.folder, QUICK, trials=BUDGET)
    suspended = scene.start("tune", study.path)
    suspended.wait_for(lambda: started(scene.folder), "the study is there")
    suspend_in_its_turn(suspended, lambda: turn_of_file(study.journal))
    turn = study.journal.with_name(f"{study.journal.name}.turn")
    before = turn.stat().st_ino
    other = scene.start("worker", study.address, study.name)
    time.sleep(1.0)
    os.kill(suspended.pid, signal.SIGCONT)
    suspended.wait()
    other.wait()
    assert turn.stat().st_ino == before
    check_finished(study, BUDGET)
    assert not [trial for trial in study.trials() if "auger:surplus" in trial.user_attrs]
