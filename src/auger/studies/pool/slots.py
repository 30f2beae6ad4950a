"""The slots of this machine: a running trial has one to itself, among all processes that work on the study here."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from auger.studies.pool.owners import machine

#: The folder of the lock files, in the folder of the trial folders.
LOCKS = ".slots"

# Seconds between two looks for a slot that has become free.
_LOOK = 0.2


class Slots:
    """Hands out slots. A lock on a file per slot keeps other processes of this machine from taking the same one.

    The system frees the lock of a process that dies. Where files cannot be locked, only the threads of one process are
    kept apart.

    Args:
        names: of the slots; without any, trials run without one.
        folder: of the trial folders.
    """

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self._names, self._folder = tuple(names), folder / LOCKS
        self._taken: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def take(self, give_up: threading.Event) -> Iterator[str | None]:
        """Have a slot for the length of a block, after waiting for one; None without slots, and after ``give_up``."""
        slot, handle = None, None
        while self._names and slot is None and not give_up.is_set():
            slot, handle = self._take_free()
            if slot is None:
                give_up.wait(_LOOK)
        try:
            yield slot
        finally:
            if handle is not None:
                os.close(handle)  # frees the lock
            with self._lock:
                self._taken.discard(slot or "")

    def _take_free(self) -> tuple[str | None, int | None]:
        with self._lock:
            for name in self._names:
                if name not in self._taken:
                    is_free, handle = _lock_file(self._folder / _file_name(name))
                    if is_free:
                        self._taken.add(name)
                        return name, handle
        return None, None


def _file_name(slot: str) -> str:
    """Of the lock file: a folder that machines share has locks for each of them."""
    return hashlib.sha256(f"{machine()} {slot}".encode()).hexdigest()[:16]


def _lock_file(path: Path) -> tuple[bool, int | None]:
    """Whether no other process has the lock, and the open file that holds it from now on."""
    import fcntl  # POSIX only

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError:  # a full or read-only disk: the trial itself will tell
        return True, None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            os.close(handle)
            return False, None  # a file system without locks raises another error
    return True, handle
