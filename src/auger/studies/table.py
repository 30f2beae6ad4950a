"""A table of a TOML file that is read with suspicion: every error names the file, the line and the key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from auger.errors import AugerError, StudyError, nearest

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """One table of the file: ``[study]`` is the table ``"study"``."""

    path: Path
    text: str
    name: str
    items: dict[str, Any]

    def check_keys(self, known: Iterable[str]) -> None:
        """Refuse keys that mean nothing."""
        names = list(known)
        for key in self.items:
            if key not in names:
                raise self.error(key, f"unknown key. {nearest(key, names)}")

    def get(self, key: str, default: T, read: Callable[[Any], T]) -> T:
        """The value under ``key`` as ``read`` understands it, or the default where there is none."""
        if key not in self.items:
            return default
        with self.blame(key):
            return read(self.items[key])

    @contextmanager
    def blame(self, key: str | None = None) -> Iterator[None]:
        """Put the place in the file in front of what is wrong."""
        try:
            yield
        except AugerError as error:
            raise self.error(key, str(error)) from error

    def error(self, key: str | None, message: str) -> StudyError:
        """An error about a key of this table, or about all of it."""
        line = line_of(self.text, self.name, key)
        place = f"{self.path}" if line is None else f"{self.path}, line {line}"
        return StudyError(f"{place}: [{self.name}]{'' if key is None else f' {key}'}: {message}")


def line_of(text: str, table: str, key: str | None) -> int | None:
    """Where a key, or the table itself, is in a TOML text; None where a look at each line does not tell.

    Example:
        >>> line_of('[study]\\nname = "a"\\n[space.C]\\nlow = 1', "space", "C")
        3
    """
    inside, start = False, None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if header:
            parts = _parts(header[1])
            if key is not None and parts[:2] == [table, key]:
                return number
            inside = parts == [table]
            start = number if inside else start
        elif key is not None and (name := re.match(r"\s*([^=#]+?)\s*=", line)):
            parts = _parts(name[1])
            if (inside and parts[0] == key) or (start is None and parts[:2] == [table, key]):
                return number
    return start


def _parts(dotted: str) -> list[str]:
    """A dotted key in its parts, without quotes; a dot inside quotes is rare enough to be missed."""
    return [part.strip().strip("\"'") for part in dotted.split(".")]
