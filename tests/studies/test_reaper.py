"""The process that ends our children when we cannot."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.processes import is_running, wait_until

from auger.studies.trial.reaper import Reaper


@pytest.fixture
def reaper():
    reaper = Reaper()
    yield reaper
    reaper.close()


@pytest.fixture
def sleepers():
    processes = [subprocess.Popen(["sleep", "1000"], start_new_session=True) for _ in range(3)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_groups_that_still_run_end_with_the_reaper(reaper, sleepers):
    for process in sleepers:
        reaper.add(process.pid)
    reaper.remove(sleepers[1].pid)
    reaper.close()
    assert [sleepers[0].wait(), sleepers[2].wait()] == [-signal.SIGKILL, -signal.SIGKILL]
    assert is_running(sleepers[1].pid)


def test_a_reaper_without_groups_goes_quietly(reaper, sleepers):
    reaper.add(sleepers[0].pid)
    reaper.remove(sleepers[0].pid)
    reaper.close()
    assert is_running(sleepers[0].pid)


def test_a_reaper_that_was_killed_is_started_again_and_knows_all_groups(reaper, sleepers):
    reaper.add(sleepers[0].pid)
    os.kill(reaper.pid, signal.SIGKILL)
    wait_until(lambda: not is_running(reaper.pid))
    reaper.remove(sleepers[2].pid)  # nobody to tell, which does not matter
    reaper.add(sleepers[1].pid)
    reaper.close()
    assert [sleepers[0].wait(), sleepers[1].wait()] == [-signal.SIGKILL, -signal.SIGKILL]
    assert is_running(sleepers[2].pid)


def ignores(pid, number):
    """Whether a process has come to the point where it ignores a signal."""
    mask = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn"))
    return int(mask.split()[1], 16) >> (number - 1) & 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_meant_for_the_worker_do_not_end_the_reaper(reaper, sleepers, number):
    reaper.add(sleepers[0].pid)
    wait_until(lambda: ignores(reaper.pid, number))
    os.kill(reaper.pid, number)
    reaper.close()
    assert sleepers[0].wait() == -signal.SIGKILL


def test_a_reaper_that_has_nothing_to_do_is_not_started(reaper):
    assert reaper.pid is None
    reaper.close()
