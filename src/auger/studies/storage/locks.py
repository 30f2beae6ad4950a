"""Locks on files: one holder among threads, processes and machines, freed by the system when its holder dies."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Errors of a file system without locks, such as Lustre mounted without `flock`.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}

_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02


class NoLocksError(OSError):
    """The file system has no locks."""


@contextmanager
def locked(path: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock on ``path``, a file that exists.

    A holder that was killed holds it no longer; a holder that is suspended does, and after ``timeout`` seconds this
    raises a TimeoutError. Raises a NoLocksError where files have no locks.
    """
    handle = os.open(path, os.O_RDWR)
    try:
        _wait_for_lock(handle, path, timeout)
        yield
    finally:
        os.close(handle)  # frees the lock


def _wait_for_lock(handle: int, path: Path, timeout: float) -> None:
    end, pause = time.monotonic() + timeout, _PAUSE
    while not try_lock(handle):
        if time.monotonic() > end:
            raise TimeoutError(f"another process has had the lock on {path} for {timeout:g} s; is it suspended?")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def try_lock(handle: int) -> bool:
    """Lock an open file, unless another holder has the lock. Raises a NoLocksError where files have no locks."""
    import fcntl  # POSIX only

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise NoLocksError(error.errno, error.strerror) from None
        if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
            raise
        return False
    return True


def identity(file: Path | int) -> tuple[int, int] | None:
    """What tells a file, by path or open, from one that takes its position; None where there is none."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
