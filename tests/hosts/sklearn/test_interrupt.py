"""Ctrl-C as a terminal sends it: to the process of the search and to its workers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "support" / "interrupted_search.py"
LIMIT = 120  # seconds, for a machine that is busy with something else


def interrupted(n_jobs, seconds_of_refit, to_all):
    """Start the search, press Ctrl-C during its fourth candidate, and once more if it says that it refits for long."""
    command = [sys.executable, "-W", "default", str(SCRIPT), str(n_jobs), str(seconds_of_refit)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    press = os.killpg if to_all else os.kill
    try:
        for line in process.stdout:
            if line == "done 2\n":
                press(process.pid, signal.SIGINT)
                break
        errors = []
        for line in process.stderr if seconds_of_refit else ():
            errors.append(line)
            if "was interrupted after" in line:
                press(process.pid, signal.SIGINT)
                break
        output, rest = process.communicate(timeout=LIMIT)
        return output, "".join(errors) + rest
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.parametrize("to_all", [True, False], ids=["from a terminal", "from a notebook"])
def test_ctrl_c_keeps_the_finished_candidates_of_two_jobs(to_all):
    output, errors = interrupted(2, 0, to_all)
    assert output == "kept 3 refitted True\n"
    assert "The search was interrupted after 3 of 8 candidates, which are kept." in errors


def test_a_second_ctrl_c_ends_the_refit():
    output, errors = interrupted(1, 3600, to_all=True)
    assert output == "interrupted\nkept 3 refitted False\n"
    assert "interrupt once more to end that" in errors
