"""Turns: of all workers of a study, one at a time proposes.

A worker in its turn shows every second that it is at work. One that has not for some seconds is suspended, and the next
takes the turn from it. It notices when it goes on: what it writes has a value only while it has the turn.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from auger.errors import AugerError
from auger.studies.storage.locks import NoLocksError, identity, try_lock

#: Seconds without a sign of life after which a worker loses its turn.
PATIENCE = 6.0

# Seconds between two signs of life, and two looks at them on a server.
_SIGN_EVERY, _LOOK = 1.0, 2

# Seconds after which a worker that waits for its turn says so. Others that have it show signs of life: with dozens of
# workers, one may wait long.
_TIMEOUT = 300.0

_LOST = "This process was suspended, and another one took its turn. Run it again."

# Seconds between two attempts to lock a file.
_PAUSE, _LONGEST_PAUSE = 0.0005, 0.02


class TurnLostError(AugerError, RuntimeError):
    """The turn was taken from this worker while it showed no sign of life. What it did since does not count."""

    def __init__(self, message: str = _LOST) -> None:
        super().__init__(message)


class Turn(Protocol):
    """The turn of this worker."""

    @property
    def has_locks(self) -> bool:
        """Whether no other worker has the turn at the same time: on some file systems, files have no locks."""

    def check(self) -> None:
        """Raise a TurnLostError when another worker has taken the turn."""

    def show(self) -> None:
        """Show a sign of life."""


class _FileTurn:
    """The lock on a file, as long as the file is where it was: who takes the turn of another removes the file."""

    def __init__(self, path: Path, handle: int, *, has_locks: bool) -> None:
        self._path, self._handle, self.has_locks = path, handle, has_locks

    def check(self) -> None:
        if self.has_locks and identity(self._path) != identity(self._handle):
            raise TurnLostError

    def show(self) -> None:
        os.utime(self._handle)


@contextmanager
def file_turn(path: Path, patience: float) -> Iterator[Turn]:
    """The turn at the lock of a file, which is created if it does not exist."""
    handle, has_locks = _lock(path, patience)
    try:
        turn = _FileTurn(path, handle, has_locks=has_locks)
        with _signs_of_life(turn):
            yield turn
    finally:
        os.close(handle)  # frees the lock


def _lock(path: Path, patience: float) -> tuple[int, bool]:
    """The open file, and whether it could be locked."""
    silence, end, pause = _Silence(), time.monotonic() + _TIMEOUT, _PAUSE
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)  # a link would lead to a file elsewhere
        try:
            if try_lock(handle) and identity(path) == identity(handle):
                os.utime(handle)
                return handle, True
        except NoLocksError:
            return handle, False
        except BaseException:
            os.close(handle)
            raise
        sign = (identity(handle), os.fstat(handle).st_mtime_ns)
        os.close(handle)
        if silence.seconds(sign) > patience and identity(path) == sign[0]:
            path.unlink(missing_ok=True)
        if time.monotonic() > end:
            raise TimeoutError(_in_vain())
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _in_vain() -> str:
    return (
        f"other processes of the study have had the turn to ask for a trial for {_TIMEOUT:g} s; is one of them stuck?"
    )


class _Silence:
    """For how long something has stayed the same. A time in which this process did not look does not count."""

    def __init__(self) -> None:
        self._sign: object = None
        self._seconds, self._last_look = 0.0, time.monotonic()

    def seconds(self, sign: object) -> float:
        now = time.monotonic()
        passed, self._last_look = min(now - self._last_look, _SIGN_EVERY), now
        self._seconds = self._seconds + passed if sign == self._sign else 0.0
        self._sign = sign
        return self._seconds


class _ServerTurn:
    """PostgreSQL's own lock, in a transaction of its own: it ends with the connection, and works through poolers."""

    has_locks = True

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def check(self) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self.show()
        except SQLAlchemyError:  # a connection that is lost has lost the lock
            raise TurnLostError from None

    def show(self) -> None:
        from sqlalchemy import text

        with self._lock:
            self._connection.execute(text("SELECT 1"))


@contextmanager
def server_turn(engine: Any, study: str, patience: float) -> Iterator[Turn]:
    """The turn at a lock of PostgreSQL with the name of the study."""
    from sqlalchemy.exc import SQLAlchemyError

    key = int.from_bytes(hashlib.sha256(f"auger {study}".encode()).digest()[:8], "big", signed=True)
    with engine.connect() as connection:
        try:
            _lock_on_server(connection, key, patience)
            turn = _ServerTurn(connection)
            with _signs_of_life(turn):
                yield turn
        finally:
            with suppress(SQLAlchemyError):
                connection.rollback()


def _lock_on_server(connection: Any, key: int, patience: float) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import OperationalError, ProgrammingError

    end = time.monotonic() + _TIMEOUT
    while True:
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOOK}s'"))
        try:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
            return
        except OperationalError as error:
            if "lock timeout" not in str(error.orig):
                raise
        connection.rollback()
        with suppress(ProgrammingError):  # the worker of another role, which this one may see and not end
            connection.execute(text(_END_SILENT), {"key": key, "patience": patience})
        connection.rollback()
        if time.monotonic() > end:
            raise TimeoutError(_in_vain())


# End all connections of the process that has the lock, when that one shows no sign of life: it may have been suspended
# in the middle of a write. `auger` gives all connections of a process one name.
_END_SILENT = """
SELECT pg_terminate_backend(connection.pid)
FROM pg_locks JOIN pg_stat_activity holder USING (pid)
JOIN pg_stat_activity connection ON connection.pid = holder.pid
  OR (connection.usename = holder.usename AND connection.datname = holder.datname
      AND connection.application_name = holder.application_name AND holder.application_name <> '')
WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND (classid::bigint << 32 | objid::bigint) = :key AND holder.datname = current_database()
  AND holder.state_change < clock_timestamp() - make_interval(secs => :patience)
"""


@contextmanager
def _signs_of_life(turn: Turn) -> Iterator[None]:
    """Show signs of life for the length of a block."""
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(turn, over.wait), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(turn: Turn, pause: Callable[[float], bool]) -> None:
    while not pause(_SIGN_EVERY):
        with suppress(Exception):  # `check` tells what is wrong
            turn.show()
