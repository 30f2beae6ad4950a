"""Where studies are kept: from a text, such as a line of a study file, to an Optuna storage.

A path is a journal file, ``sqlite:///file`` a SQLite database, ``postgresql://user@host/database`` a PostgreSQL one.
What is said about a storage, here and in every error that leaves this module, is said without its password.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auger.errors import StorageError, StorageUnreachableError
from auger.text import mask

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

# Whoever waits so many seconds for their turn goes ahead: the one whose turn it is has been suspended. At worst two
# workers then try about the same.
_TURN_PATIENCE = 60.0


@dataclass(frozen=True)
class Place:
    """What a text names.

    Attributes:
        kind: "journal", "sqlite" or "postgresql".
        path: of the file, for the first two.
        url: what SQLAlchemy takes, for the last two. It may hold a password: see ``str()`` for what can be shown.
    """

    kind: str
    path: Path | None
    url: str

    def __str__(self) -> str:
        if self.kind == "journal":
            return str(self.path)
        return mask(self.url.replace("+psycopg", "", 1))


def place(text: str, *, folder: Path | None = None) -> Place:
    """Read the text; a relative path is meant from ``folder`` on.

    Example:
        >>> place("svm.journal").kind, place("sqlite:///svm.db").kind, place("postgresql://me@host/db").url
        ('journal', 'sqlite', 'postgresql+psycopg://me@host/db')
    """
    folder = Path() if folder is None else folder
    scheme, is_url, rest = text.partition("://")
    if not text.strip() or "\n" in text or "\0" in text:
        raise StorageError(f"A storage must be a path or a URL in one line. Got {mask(text)!r}.")
    if not is_url:
        return Place("journal", folder / Path(text).expanduser(), "")
    if scheme == "sqlite":
        if not rest.startswith("/") or not rest.strip("/") or rest == "/:memory:":
            raise StorageError(
                f"A SQLite storage must name a file: sqlite:///file, from / on sqlite:////file. Got {text!r}."
            )
        path = folder / rest[1:]
        return Place("sqlite", path, f"sqlite:///{path}")
    if scheme in {"postgresql", "postgres", "postgresql+psycopg"}:
        if rest.partition("?")[0].count("@") > 1:
            raise StorageError(f"In a password, @ must be written %40, : %3A and / %2F. Got {mask(text)!r}.")
        return Place("postgresql", None, f"postgresql+psycopg://{rest}")
    raise StorageError(
        f"A storage must be a path, sqlite:///file or postgresql://user@host/database. Got {mask(text)!r}."
    )


@dataclass(frozen=True)
class Storage:
    """An open storage.

    Attributes:
        optuna: what to hand to Optuna.
        place: what it was opened from.
        torn: how many bytes of a cut last line a journal ended with.
        engine: SQLAlchemy's, of a database.
    """

    optuna: BaseStorage
    place: Place
    torn: int = 0
    engine: Any = None

    @contextmanager
    def turn(self, study: str) -> Iterator[bool]:
        """Be the only one to propose for the study, among all workers; freed when its holder dies.

        Yields False where it could not be had in a minute, or at all: then go ahead all the same. Raises an outage in
        the end when it was lost on the way, with the connection.
        """
        from auger.studies.storage.locks import locked  # POSIX only

        if self.place.path is not None:
            path = Path(f"{self.place.path}.turn")
            path.touch()
            with locked(path, patience=_TURN_PATIENCE) as is_ours:
                yield is_ours
        else:
            with _advisory_lock(self.engine, study) as is_ours:
                yield is_ours


def open_storage(text: str, *, folder: Path | None = None, is_new_ok: bool = True) -> Storage:
    """Open what a text names, or say why it cannot be: StorageError, StorageUnreachableError.

    Args:
        text: a path, ``sqlite:///file`` or ``postgresql://user@host/database``.
        folder: where relative paths start.
        is_new_ok: whether a file that does not exist yet may be made.
    """
    where = place(text, folder=folder)
    if where.path is not None:
        _check_path(where, is_new_ok)
    try:
        return _open_journal(where) if where.kind == "journal" else _open_database(where)
    except StorageError:
        raise
    except Exception as error:
        if not is_outage(error):
            raise
        raise StorageUnreachableError(f"The storage {where} cannot be reached: {reason(error)}") from None


def _check_path(where: Place, is_new_ok: bool) -> None:
    path = where.path
    assert path is not None
    if path.is_dir():
        raise StorageError(f"A storage must be a file. {path} is a folder.")
    if not path.exists() and not is_new_ok:
        raise StorageError(f"There is no storage {path}. `auger tune` makes one.")
    if not path.parent.is_dir():
        raise StorageError(f"The folder {path.parent} does not exist, so the storage {path.name} cannot be made in it.")


def _open_journal(where: Place) -> Storage:
    from optuna.storages import JournalStorage

    from auger.studies.storage.journal import Journal

    assert where.path is not None
    journal = Journal(where.path)
    return Storage(JournalStorage(journal), where, len(journal.torn))


def _open_database(where: Place) -> Storage:
    from optuna.storages import RDBStorage
    from optuna.storages import get_storage as cached  # the same cache as with a URL

    if where.kind == "postgresql" and importlib.util.find_spec("psycopg") is None:
        raise StorageError('PostgreSQL needs the package psycopg. Install it with: pip install "auger[postgres]"')
    with _readable_errors(where):
        inner = RDBStorage(where.url, engine_kwargs=_engine_settings(where.kind))
    if where.kind == "sqlite":
        _write_ahead(inner.engine)
    return Storage(cached(inner), where, engine=inner.engine)


@contextmanager
def _readable_errors(where: Place) -> Iterator[None]:
    """Whatever SQLAlchemy says about a URL it cannot use, without the URL."""
    from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

    try:
        yield
    except (ArgumentError, ValueError):  # which may hold what should be a port, and is a password
        raise StorageError(
            f"A URL of a database must read as postgresql://user@host:port/database. Got {where}."
        ) from None
    except OperationalError:
        raise
    except (DatabaseError, RuntimeError) as error:  # not a database, or of an incompatible version of Optuna
        raise StorageError(f"{where} cannot be used as a storage: {reason(error)}") from None


def _engine_settings(kind: str) -> dict[str, Any]:
    if kind == "sqlite":
        return {"connect_args": {"timeout": 60}}  # seconds to wait for another writer
    # a server that is gone without a word is found out in half a minute, not in hours
    alive = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4}
    return {"pool_pre_ping": True, "connect_args": {"connect_timeout": 10, "tcp_user_timeout": 30_000, **alive}}


def _write_ahead(engine: Any) -> None:
    """Let readers and a writer work side by side, and a commit take one flush of the disk at most.

    With the power the last commits may be lost, never by a kill; a trial's own folder has its result.
    """
    from sqlalchemy import event

    def set_pragmas(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    event.listen(engine, "connect", set_pragmas)
    engine.dispose()  # those that are open have none of it


@contextmanager
def _advisory_lock(engine: Any, study: str) -> Iterator[bool]:
    """PostgreSQL's own lock, in a transaction of its own: it ends with the connection, and works through poolers."""
    from sqlalchemy import text
    from sqlalchemy.exc import OperationalError

    key = int.from_bytes(hashlib.sha256(f"auger {study}".encode()).digest()[:8], "big", signed=True)
    with engine.connect() as connection:
        connection.execute(text(f"SET LOCAL lock_timeout = '{int(_TURN_PATIENCE)}s'"))
        try:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
            is_ours = True
        except OperationalError as error:
            if "lock timeout" not in str(error.orig):
                raise
            is_ours = False
        try:
            yield is_ours
            if is_ours:
                # a connection that was lost has lost the turn: what was done meanwhile may have been done out of turn
                connection.execute(text("SELECT 1"))
        finally:
            with suppress(OperationalError):
                connection.rollback()


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
    # the third: where a connection is lost in the middle of a query, Optuna tries another way on what is left of it
    return isinstance(error, (OperationalError, InterfaceError, PendingRollbackError, PoolTimeout))


def reason(error: BaseException) -> str:
    """What went wrong, in one line, without passwords."""
    while type(error).__name__ in {"StorageInternalError", "PendingRollbackError"}:
        before = error.__cause__ or error.__context__
        if before is None:
            break
        error = before
    inner = getattr(error, "orig", None) or error  # SQLAlchemy adds the statement and its parameters
    lines = [line.strip() for line in str(inner).strip().splitlines() if line.strip()]
    text = lines[0] if lines else type(inner).__name__
    return mask(text)
