"""The process that ends our children when we cannot."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.made_studies import is_running, wait_until

from auger.studies.trial.reaper import Keeper


@pytest.fixture
def keeper():
    keeper = Keeper()
    yield keeper
    keeper.close()


@pytest.fixture
def sleepers():
    processes = [subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(3)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_groups_that_still_run_end_with_the_keeper(keeper, sleepers):
    for process in sleepers:
        keeper.add(process.pid)
    keeper.remove(sleepers[1].pid)
    keeper.close()
    assert [sleepers[0].wait(), sleepers[2].wait()] == [-signal.SIGKILL, -signal.SIGKILL]
    assert is_running(sleepers[1].pid)


def test_a_keeper_without_groups_goes_quietly(keeper, sleepers):
    keeper.add(sleepers[0].pid)
    keeper.remove(sleepers[0].pid)
    keeper.close()
    assert is_running(sleepers[0].pid)


def test_a_keeper_that_was_killed_is_started_again_and_knows_all_groups(keeper, sleepers):
    keeper.add(sleepers[0].pid)
    os.kill(keeper.pid, signal.SIGKILL)
    wait_until(lambda: not is_running(keeper.pid))
    keeper.remove(sleepers[2].pid)  # nobody to tell, which does not matter
    keeper.add(sleepers[1].pid)
    keeper.close()
    assert [sleepers[0].wait(), sleepers[1].wait()] == [-signal.SIGKILL, -signal.SIGKILL]
    assert is_running(sleepers[2].pid)


def ignores(pid, number):
    """Whether a process has come to the point where it ignores a signal."""
    mask = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn"))
    return int(mask.split()[1], 16) >> (number - 1) & 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_meant_for_the_worker_do_not_end_the_keeper(keeper, sleepers, number):
    keeper.add(sleepers[0].pid)
    wait_until(lambda: ignores(keeper.pid, number))
    os.kill(keeper.pid, number)
    keeper.close()
    assert sleepers[0].wait() == -signal.SIGKILL


def test_a_keeper_that_has_nothing_to_do_is_not_started(keeper):
    assert keeper.pid is None
    keeper.close()
