"""The files of a SQLite database: how they are written, and whether they are still those that were opened.

SQLite goes on writing to a file that was removed or replaced, and all of it would be gone at the end. So every
transaction looks at the files when it begins and before it is committed. A file that was moved away is waited for, like
a server that does not answer. A copy is not taken for the database: SQLite has the other file open.

A file that another program has written over keeps its position. SQLite itself writes to it only when it empties the
log, every few megabytes: whenever the file has changed, a new connection checks what it holds.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from auger.studies.storage.locks import identity


def watch_files(engine: Any, path: Path) -> None:
    """Set up an engine for the database at ``path``, and let no transaction go on without its files.

    Readers and a writer work side by side, and a commit takes at most one flush of the disk. A power failure may lose
    the last commits, a kill never does; the trial's own folder still has the result.
    """
    from sqlalchemy import event

    path = path.resolve()  # the log is beside the file that a link leads to, and this process may change its folder
    database, log = identity(path), Path(f"{path}-wal")
    content = _Content(path)

    def check_database(*_: Any) -> None:
        if identity(path) is None:
            raise FileNotFoundError(f"{path} was removed or moved away")
        if identity(path) != database:
            raise OSError(f"another file has taken the position of {path}")

    def open_log(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()  # the log is opened by the first query
        record.info["log"] = identity(log)

    def check_files(connection: Any) -> None:
        check_database()
        if connection.info["log"] not in {None, identity(log)}:
            raise OSError(f"{log} was removed or replaced; it holds the last results. End all processes of the study")
        content.check()

    engine.dispose()  # connections that are open already were made without all this
    event.listen(engine, "do_connect", check_database)  # opening a file that is not there would create it
    event.listen(engine, "connect", open_log)
    event.listen(engine, "begin", check_files)
    event.listen(engine, "commit", check_files)


class _Content:
    """What the file of a database holds, checked whenever the file has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._checked: tuple[int, int] | None = None

    def check(self) -> None:
        """Raise an OSError when the file is no whole database any more."""
        status = self._path.stat()
        now = (status.st_size, status.st_mtime_ns)
        if now != self._checked:
            fault = "it is empty" if status.st_size == 0 else self._fault()  # SQLite deletes the log of an empty file
            if fault is not None:
                raise OSError(f"{self._path} was written over by another program, or is damaged: {fault}")
            self._checked = now

    def _fault(self) -> str | None:
        """What is wrong with the file, for a new connection, which has nothing in memory yet; None if it is whole."""
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True, timeout=60)) as connection:
                (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            return str(error)
        return None if answer == "ok" else str(answer)
