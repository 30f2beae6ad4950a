"""Outages of a storage: which errors are one, how to say so in a line, and waiting until the storage answers again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from auger.errors import AugerError, StorageError, StorageUnreachableError
from auger.studies.storage.address import Address
from auger.text import mask

T = TypeVar("T")

# Seconds before the second attempt, and the most between two attempts.
_PAUSE, _LONGEST_PAUSE = 0.25, 10.0


class GaveUpError(AugerError, RuntimeError):
    """The worker was told to stop while the storage did not answer."""


class Outages:
    """Repeats steps that fail because the storage is lost: a broken connection, a restarted server, a full disk.

    Several threads may wait at the same time; an outage is announced once for all of them.

    Args:
        address: of the storage.
        give_up: ends the waiting when it is set.
        on_lost: called with the reason when an outage begins.
        on_back: called with the seconds it took when the storage answers again.
    """

    def __init__(
        self,
        address: Address,
        give_up: threading.Event,
        *,
        on_lost: Callable[[str], None],
        on_back: Callable[[float], None],
    ) -> None:
        self._address, self._give_up, self._on_lost, self._on_back = address, give_up, on_lost, on_back
        self._lost_since: float | None = None
        self._lock = threading.Lock()

    def wait_out(self, step: Callable[[], T]) -> T:
        """Call ``step``, again after each outage, and return its result. Raises its other errors, and GaveUpError.

        What a database refuses for good, such as a name outside of its encoding, becomes a StorageError.
        """
        pause = _PAUSE
        while True:
            try:
                result = step()
            except Exception as error:
                if _is_refusal(error):
                    raise _refusal(error, self._address) from None
                if not is_outage(error):
                    raise
                self._lost(error)
                if self._give_up.wait(pause):
                    raise GaveUpError(f"The storage {self._address} does not answer: {error_line(error)}") from None
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._back()
                return result

    def _lost(self, error: Exception) -> None:
        with self._lock:
            if self._lost_since is None:
                self._lost_since = time.monotonic()
                self._on_lost(error_line(error))

    def _back(self) -> None:
        if self._lost_since is None:  # the usual case, without the lock
            return
        with self._lock:
            if self._lost_since is not None:
                self._on_back(time.monotonic() - self._lost_since)
                self._lost_since = None


@contextmanager
def readable_refusals(address: Address) -> Iterator[None]:
    """Turn what a database refuses for good, such as a name outside of its encoding, into a StorageError."""
    try:
        yield
    except Exception as error:
        if not _is_refusal(error):
            raise
        raise _refusal(error, address) from None


def is_outage(error: BaseException) -> bool:
    """Whether a storage that works otherwise may raise this: a lost connection, a server that starts, a full disk."""
    if isinstance(error, OSError) and not isinstance(error, StorageUnreachableError):
        return True
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, PendingRollbackError
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    if isinstance(error, StorageInternalError) and error.__cause__ is not None:
        return is_outage(error.__cause__)
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    # PendingRollbackError: Optuna goes on with a connection that was lost in the middle of a query
    return isinstance(error, (OperationalError, InterfaceError, PendingRollbackError, PoolTimeout))


def _is_refusal(error: BaseException) -> bool:
    from optuna.exceptions import StorageInternalError

    return isinstance(error, StorageInternalError) and not is_outage(error)


def _refusal(error: Exception, address: Address) -> StorageError:
    return StorageError(f"The storage {address} cannot hold what the study has: {error_line(error)}")


def error_line(error: BaseException) -> str:
    """The first line of the error behind Optuna's and SQLAlchemy's, without the statement and without passwords."""
    while type(error).__name__ in {"StorageInternalError", "PendingRollbackError"}:
        before = error.__cause__ or error.__context__
        if before is None:
            break
        error = before
    inner = getattr(error, "orig", None) or error  # SQLAlchemy adds the statement and its parameters
    lines = [line.strip() for line in str(inner).strip().splitlines() if line.strip()]
    return mask(lines[0] if lines else type(inner).__name__)
