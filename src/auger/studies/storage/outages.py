"""Waiting out a storage that does not answer, for as long as it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from auger.errors import AugerError
from auger.studies.pool.events import Listener, StorageBack, StorageLost
from auger.studies.storage.storage import Storage, is_outage, reason

T = TypeVar("T")

# Seconds before the second try, and between two at most.
_PAUSE, _LONGEST_PAUSE = 0.25, 10.0


class GaveUpError(AugerError, RuntimeError):
    """We were told to stop while the storage did not answer."""


class Patience:
    """Repeats what a lost connection, a restarted server or a full disk has spoiled; says so once, and once at its end.

    Args:
        storage: the one that may be lost.
        give_up: ends the waiting when it is set.
        listener: is told.
    """

    def __init__(self, storage: Storage, give_up: threading.Event, listener: Listener) -> None:
        self._storage, self._give_up, self._listener = storage, give_up, listener
        self._lost_since: float | None = None
        self._lock = threading.Lock()

    def __call__(self, step: Callable[[], T]) -> T:
        """What ``step`` returns, once it does. It must bear being repeated."""
        pause = _PAUSE
        while True:
            try:
                result = step()
            except Exception as error:
                if not is_outage(error):
                    raise
                self._lost(error)
                if self._give_up.wait(pause):
                    raise GaveUpError(f"The storage {self._storage.place} does not answer: {reason(error)}") from None
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._back()
                return result

    def _lost(self, error: Exception) -> None:
        with self._lock:
            if self._lost_since is None:
                self._lost_since = time.monotonic()
                self._listener(StorageLost(str(self._storage.place), reason(error)))

    def _back(self) -> None:
        if self._lost_since is None:  # the usual case, without the lock
            return
        with self._lock:
            if self._lost_since is not None:
                self._listener(StorageBack(str(self._storage.place), time.monotonic() - self._lost_since))
                self._lost_since = None
