"""The cause of a failure: its error without the numbers that differ from trial to trial."""

from __future__ import annotations

import re

#: The cause of a trial without an error message.
UNKNOWN = "no reason recorded"

# An exit code or a signal says what happened, and stays. Addresses, hashes, and numbers that are not part of a name go.
_NUMBER = re.compile(
    r"(?P<kept>\b(?:exit code|exit status|signal|errno)[ =:]*-?\d+)"
    r"|0x[0-9a-fA-F]+"
    r"|\b(?=[0-9a-f-]*\d)[0-9a-f]{8}(?:-?[0-9a-f]{4})*[0-9a-f-]*\b"
    r"|(?<![A-Za-z_0-9])[-+]?\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?"
)


def cause(error: str | None) -> str:
    """An error on one line, with # in the place of its numbers.

    Example:
        >>> cause("exit code 137"), cause("out of memory: 3.2e9 of\\n16 GB at 0x7f3a"), cause("conv2d got 3 channels")
        ('exit code 137', 'out of memory: # of # GB at #', 'conv2d got # channels')
    """
    line = " ".join((error or "").split())
    return _NUMBER.sub(lambda match: match["kept"] or "#", line) or UNKNOWN
