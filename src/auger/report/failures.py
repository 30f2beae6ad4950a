"""Failed trials by their cause: numbers are left out, so that the same cause with other numbers is the same group."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from auger.view import Row

#: States of trials that have no answer because something went wrong.
FAILED = ("failed", "died", "stopped")

#: What a trial is put under whose error nobody recorded.
UNKNOWN = "no reason recorded"

# An exit code or a signal says what happened, and stays. Addresses, hashes, and numbers that are not part of a name go.
_NUMBER = re.compile(
    r"(?P<kept>\b(?:exit code|exit status|signal|errno)[ =:]*-?\d+)"
    r"|0x[0-9a-fA-F]+"
    r"|\b(?=[0-9a-f-]*\d)[0-9a-f]{8}(?:-?[0-9a-f]{4})*[0-9a-f-]*\b"
    r"|(?<![A-Za-z_0-9])[-+]?\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?"
)


@dataclass(frozen=True)
class Failure:
    """Trials that failed for the same cause.

    Attributes:
        cause: the error without its numbers.
        state: failed, died or stopped.
        rows: the trials, by number.
    """

    cause: str
    state: str
    rows: tuple[Row, ...]


def cause(error: str) -> str:
    """An error on one line, with # in the place of its numbers.

    Example:
        >>> cause("exit code 137"), cause("out of memory: 3.2e9 of\\n16 GB at 0x7f3a"), cause("conv2d got 3 channels")
        ('exit code 137', 'out of memory: # of # GB at #', 'conv2d got # channels')
    """
    line = " ".join(error.split())
    return _NUMBER.sub(lambda found: found["kept"] or "#", line) or UNKNOWN


def failures(rows: Iterable[Row]) -> list[Failure]:
    """The groups, the most frequent first."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.state in FAILED:
            groups.setdefault((row.state, cause(row.error)), []).append(row)
    made = [Failure(why, state, tuple(found)) for (state, why), found in groups.items()]
    return sorted(made, key=lambda group: (-len(group.rows), group.rows[0].number))
