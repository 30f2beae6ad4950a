"""Whether a process runs, and waiting for something that another process does."""

import time
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether a process is there that has not ended; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(is_so, seconds=20.0):
    """Wait for something that must come, without a guess of how long it takes."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.005)
