"""The files of a SQLite database: how they are written, and whether they are still those that were opened.

SQLite goes on writing to a file that was removed or replaced, and all of it would be gone at the end. So every
transaction looks at the files when it begins and before it is committed. A file that was moved away is waited for, like
a server that does not answer. A copy is not taken for the database: SQLite has the other file open.
"""

from __future__ import annotations

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

    engine.dispose()  # connections that are open already were made without all this
    event.listen(engine, "do_connect", check_database)  # opening a file that is not there would create it
    event.listen(engine, "connect", open_log)
    event.listen(engine, "begin", check_files)
    event.listen(engine, "commit", check_files)
