"""The address of a storage: the path of a journal file, ``sqlite:///file`` or ``postgresql://user@host/database``.

An address may hold a password; ``str()`` of an `Address` and every error hide it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from auger.errors import StorageError
from auger.text import mask, mask_address

# The URL of a database whose :// is not quite right, which would name a file with a password in its name.
_MISTYPED = re.compile(r"(?i)(sqlite|postgres(ql)?)(\+\w+)?(:|.*@)")
# The same with another scheme, or with none: me:secret@host/database.
_NO_SCHEME = re.compile(r"(\w+:/?|//)?[^/:@\s]*:[^/@\s]+@[^/@\s]+/")


@dataclass(frozen=True)
class Address:
    """An address, read and checked.

    Attributes:
        backend: "journal", "sqlite" or "postgresql".
        path: of the file; None for PostgreSQL.
        url: for SQLAlchemy, with the password if there is one; empty for a journal.
    """

    backend: str
    path: Path | None
    url: str

    def __str__(self) -> str:
        if self.backend == "journal":
            return str(self.path)
        return mask(self.url.replace("+psycopg", "", 1))


def read_address(text: str, *, folder: Path | None = None) -> Address:
    """Read an address; a relative path starts in ``folder``, by default the current one. Opens nothing.

    Example:
        >>> read_address("svm.journal").backend, read_address("postgresql://me@host/db").url
        ('journal', 'postgresql+psycopg://me@host/db')
    """
    folder = Path() if folder is None else folder
    scheme, is_url, rest = text.partition("://")
    if not text.strip() or "\n" in text or "\0" in text:
        raise StorageError(f"A storage must be a path or a URL on one line. Got {mask_address(text)!r}.")
    if not is_url and (_MISTYPED.match(text) or _NO_SCHEME.match(text)):
        raise StorageError(
            f"The URL of a storage must begin with sqlite:/// or postgresql://. Got {mask_address(text)!r}. "
            "(A file of such a name is ./name.)"
        )
    if not is_url:
        return Address("journal", folder / Path(text).expanduser(), "")
    if scheme == "sqlite":
        if not rest.startswith("/") or not rest.strip("/") or rest == "/:memory:":
            raise StorageError(
                f"A SQLite storage must name a file: sqlite:///relative/file or sqlite:////absolute/file. Got {text!r}."
            )
        path = folder / rest[1:]
        return Address("sqlite", path, f"sqlite:///{path}")
    if scheme in {"postgresql", "postgres", "postgresql+psycopg"}:
        if rest.partition("?")[0].count("@") > 1:
            raise StorageError(
                f"In the password of a URL, write %40 for @, %3A for : and %2F for /. Got {mask_address(text)!r}."
            )
        return Address("postgresql", None, f"postgresql+psycopg://{rest}")
    raise StorageError(
        f"A storage must be a path, sqlite:///file or postgresql://user@host/database. Got {mask_address(text)!r}."
    )
