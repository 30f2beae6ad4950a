"""Open storages: an Optuna storage on a journal file, SQLite or PostgreSQL, and a lock that all its workers share.

No error that leaves this module shows a password.
"""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auger.errors import StorageError, StorageUnreachableError
from auger.studies.storage.address import Address, read_address
from auger.studies.storage.outages import error_line, is_outage
from auger.studies.storage.sqlite_files import watch_files
from auger.studies.storage.turns import PATIENCE, Turn, file_turn, server_turn

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

# What the connections of this process are called on a server, for who has to end them all.
_PROCESS_NAME = f"auger {uuid.uuid4().hex[:12]}"


@dataclass(frozen=True)
class Storage:
    """An open storage.

    Attributes:
        optuna: the storage as Optuna takes it.
        address: what it was opened from.
        torn: how many bytes of a cut last line a journal ended with.
        engine: SQLAlchemy's engine; None for a journal.
    """

    optuna: BaseStorage
    address: Address
    torn: int = 0
    engine: Any = None

    @contextmanager
    def turn(self, study: str, *, patience: float = PATIENCE) -> Iterator[Turn]:
        """Be the only one to propose for the study, among all workers; freed when its holder dies.

        Args:
            study: its name.
            patience: seconds after which a worker that shows no sign of life loses its turn to this one.
        """
        if self.address.path is None:
            taken = server_turn(self.engine, study, patience)
        else:
            taken = file_turn(Path(f"{self.address.path}.turn"), patience)
        with taken as turn:
            yield turn


def open_storage(text: str, *, folder: Path | None = None, is_new_ok: bool = True) -> Storage:
    """Open the storage at an address. Raises StorageError, or StorageUnreachableError where it does not answer.

    Args:
        text: a path, ``sqlite:///file`` or ``postgresql://user@host/database``.
        folder: where relative paths start.
        is_new_ok: whether to create a file that does not exist yet.
    """
    address = read_address(text, folder=folder)
    if address.path is not None:
        _check_path(address.path, is_new_ok)
    try:
        return _open_journal(address) if address.backend == "journal" else _open_database(address)
    except StorageError:
        raise
    except Exception as error:
        if not is_outage(error):
            raise
        raise StorageUnreachableError(f"The storage {address} cannot be reached: {error_line(error)}") from None


def _check_path(path: Path, is_new_ok: bool) -> None:
    if path.is_dir():
        raise StorageError(f"A storage must be a file. {path} is a folder.")
    if path.exists() and not path.is_file():
        raise StorageError(f"A storage must be a file. {path} is a pipe or a device.")
    if not path.exists() and not is_new_ok:
        raise StorageError(f"There is no storage {path}. `auger tune` creates one.")
    if not path.parent.is_dir():
        raise StorageError(f"The storage {path.name} cannot be created: the folder {path.parent} does not exist.")


def _open_journal(address: Address) -> Storage:
    from optuna.storages import JournalStorage

    from auger.studies.storage.journal import Journal

    assert address.path is not None
    journal = Journal(address.path)
    try:
        storage = JournalStorage(journal)
    except StorageError:
        raise
    except (
        AttributeError,
        AssertionError,
        LookupError,
        TypeError,
        ValueError,
    ):  # a record that lacks what Optuna needs
        raise journal.damage(journal.n_read - 1) from None
    return Storage(storage, address, len(journal.torn))


def _open_database(address: Address) -> Storage:
    from optuna.storages import RDBStorage
    from optuna.storages import get_storage as cached  # the same cache as with a URL

    if address.backend == "postgresql" and importlib.util.find_spec("psycopg") is None:
        raise StorageError('PostgreSQL needs the package psycopg. Install it with: pip install "auger[postgres]"')
    with _readable_errors(address):
        storage = RDBStorage(address.url, engine_kwargs=_engine_settings(address.backend))
    if address.path is not None:
        watch_files(storage.engine, address.path)
    return Storage(cached(storage), address, engine=storage.engine)


@contextmanager
def _readable_errors(address: Address) -> Iterator[None]:
    """Turn SQLAlchemy's errors about a URL, which show the URL, into errors that do not."""
    from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

    try:
        yield
    except (ArgumentError, ValueError):  # its text may hold a password in the position of a port
        raise StorageError(
            f"The URL of a database must read postgresql://user@host:port/database. Got {address}."
        ) from None
    except OperationalError:
        raise
    except (DatabaseError, RuntimeError) as error:  # not a database, or of an incompatible version of Optuna
        raise StorageError(f"{address} cannot be used as a storage: {error_line(error)}") from None


def _engine_settings(backend: str) -> dict[str, Any]:
    if backend == "sqlite":
        return {"connect_args": {"timeout": 60}}  # seconds to wait for another writer
    # a server that vanished without closing the connection is noticed in half a minute, not in hours
    alive = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4}
    # a database of the encoding SQL_ASCII would answer with bytes
    settings = {
        "client_encoding": "utf8",
        "connect_timeout": 10,
        "tcp_user_timeout": 30_000,
        "application_name": _PROCESS_NAME,
        **alive,
    }
    return {"pool_pre_ping": True, "connect_args": settings}
