"""A lock on a file: one holder among threads, processes and machines, freed by the system when its holder dies."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Errors of a file system without locks, such as Lustre mounted without `flock`.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}

_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02


@contextmanager
def locked(path: Path, *, timeout: float) -> Iterator[bool]:
    """Hold the lock on ``path``, a file that exists.

    Yields False when the file system has no locks, or another holder kept the lock for ``timeout`` seconds. A holder
    that was killed holds it no longer; a holder that is suspended does.
    """
    handle = os.open(path, os.O_RDWR)
    try:
        yield _acquire(handle, timeout)
    finally:
        os.close(handle)  # frees the lock


def _acquire(handle: int, timeout: float) -> bool:
    end, pause = time.monotonic() + timeout, _PAUSE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise
        if time.monotonic() > end:
            return False
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
