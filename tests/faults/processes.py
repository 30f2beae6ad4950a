"""Processes as the kernel shows them, and waiting for something to become true."""

import contextlib
import os
import signal
import time
from pathlib import Path

PATIENCE = 300  # seconds; a busy machine with one core must pass too
MARK = "AUGER_FAULT_TEST"  # every process that a test starts inherits this variable, and whatever that one starts


def wait_until(condition, what, *, patience=PATIENCE):
    """Return the first true answer of `condition`; `what` (text, or a function of none) tells what did not happen."""
    deadline = time.monotonic() + patience
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {patience} s in vain: {what() if callable(what) else what}")
        time.sleep(0.02)
    return answer


def marked(mark):
    """The living processes that a test has left: those with its mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in all_processes() if wanted in read(f"/proc/{pid}/environ").split(b"\0") and is_alive(pid)]


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def title(pid):
    return read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace")


def peak_memory(pid):
    """The most memory it has ever held, in bytes."""
    lines = read(f"/proc/{pid}/status").decode().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def all_processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def status(pid):
    """State and parent, or None when there is no such process."""
    return read(f"/proc/{pid}/stat").decode().rpartition(")")[2].split()[:2] or None


def parent(pid):
    found = status(pid)
    return int(found[1]) if found else None


def is_alive(pid):
    found = status(pid)
    return found is not None and found[0] not in "ZX"


def read(path):
    """Nothing when the process is gone, or another user's."""
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""
