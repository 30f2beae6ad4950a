"""Where in a study file something is wrong.

A place is a table and a key: ``"command.run"`` is ``run`` in ``[command]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auger.errors import AugerError, StudyError


@contextmanager
def about(key: str) -> Iterator[None]:
    """Say which key of a study file is to blame for an error that does not know it."""
    try:
        yield
    except AugerError as error:
        if isinstance(error, StudyError) and error.key is not None:
            raise
        raise StudyError(str(error), key) from error


@contextmanager
def in_file(path: Path, text: str) -> Iterator[None]:
    """Put the file, and the line where it can be found, in front of what is wrong."""
    try:
        yield
    except StudyError as error:
        line = None if error.key is None else line_of(text, error.key)
        place = f"{path}" if line is None else f"{path}, line {line}"
        located = StudyError(f"{place}: {error}")
        located.key = error.key
        raise located from error


def line_of(text: str, place: str) -> int | None:
    """The line of a key of a TOML text, or of its table; None where a look at each line does not tell.

    Example:
        >>> text = '[study]\\nname = "a"\\n[space.C]\\nlow = 1'
        >>> line_of(text, "study.name"), line_of(text, "space.C"), line_of(text, "study.seed"), line_of(text, "value")
        (2, 3, 1, None)
    """
    table, _, key = place.partition(".")
    current: list[str] = []
    start = None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\[?\s*([^\[\]]+?)\s*\]", line)
        assignment = re.match(r"""\s*([\w.\s"'-]+?)\s*=""", line)
        if header:
            current = _parts(header[1])
        elif not assignment:
            continue
        names = current if header or not assignment else [*current, *_parts(assignment[1])]
        if key and names[:2] == [table, key]:
            return number
        if start is None and names[:1] == [table]:
            start = number
    return start


def _parts(dotted: str) -> list[str]:
    """A dotted key in its parts, without quotes."""
    return [part.strip().strip("\"'") for part in dotted.split(".")]
