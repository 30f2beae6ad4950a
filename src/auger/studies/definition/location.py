"""Errors about a study file that name the file, the line and the key.

A key is written with its table: ``"command.run"`` is ``run`` in ``[command]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auger.errors import AugerError, StudyError


@contextmanager
def errors_at(key: str) -> Iterator[None]:
    """Turn an error that names no key of a study file into a StudyError about ``key``."""
    try:
        yield
    except AugerError as error:
        if isinstance(error, StudyError) and error.key is not None:
            raise
        raise StudyError(str(error), key) from error


@contextmanager
def errors_in_file(path: Path, text: str) -> Iterator[None]:
    """Put the path, and the line if it can be told, in front of the message of a StudyError."""
    try:
        yield
    except StudyError as error:
        line = None if error.key is None else line_of(text, error.key)
        location = f"{path}" if line is None else f"{path}, line {line}"
        located = StudyError(f"{location}: {error}")
        located.key = error.key
        raise located from error


def line_of(text: str, key: str) -> int | None:
    """The line of a key in a TOML text, or else of its table; None where reading line by line does not tell.

    Example:
        >>> text = '[study]\\nname = "a"\\n[space.C]\\nlow = 1'
        >>> line_of(text, "study.name"), line_of(text, "space.C"), line_of(text, "study.seed"), line_of(text, "value")
        (2, 3, 1, None)
    """
    table, _, name = key.partition(".")
    # the name itself, which may have dots, or else its parts: [value.size] and read in it
    wanted = [[table, name], key.split("."), key.split(".")[:2], [table]]
    lines: dict[int, int] = {}  # by how well it fits
    current: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\[?\s*([^\[\]]+?)\s*\]", line)
        assignment = re.match(r"""\s*([\w.\s"'-]+?)\s*=""", line)
        if header:
            current = _parts(header[1])
        elif not assignment:
            continue
        names = current if header or not assignment else [*current, *_parts(assignment[1])]
        for i, parts in enumerate(wanted):
            if names[: len(parts)] == parts and (name or i == len(wanted) - 1):
                lines.setdefault(i, number)
    return lines[min(lines)] if lines else None


def _parts(dotted: str) -> list[str]:
    """The parts of a dotted key, without quotes."""
    return [part.strip().strip("\"'") for part in dotted.split(".")]
