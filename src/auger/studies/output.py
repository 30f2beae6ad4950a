"""What a program prints: cut into lines for the rules, and kept in a file that a flood cannot fill the disk with."""

from __future__ import annotations

import os
from pathlib import Path

# Up to HEAD + 2 * TAIL bytes are kept as they are; of more, the first HEAD and at least the last TAIL.
HEAD = TAIL = 2**20
# A line longer than this counts as several, so that output without line ends cannot fill the memory.
LONGEST_LINE = 2**20


class Lines:
    """Cuts a stream of bytes into texts of whole lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> str:
        """The lines that are whole by now."""
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if not end and len(self._rest) + len(data) >= LONGEST_LINE:
            end = len(data)
        if not end:
            self._rest += data
            return ""
        whole = bytes(self._rest) + data[:end]
        self._rest = bytearray(data[end:])
        return whole.decode(errors="replace")

    def rest(self) -> str:
        """What came after the last line end."""
        return bytes(self._rest).decode(errors="replace")


class OutputFile:
    """A file that holds the first and the last part of all that is written to it.

    It is readable at any time. A full disk is remembered in `error`; from then on nothing is written.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._file = path.open("w+b", buffering=0)
        self._size = 0
        self._n_left_out = 0
        self._tail_start = HEAD

    def write(self, data: bytes) -> None:
        """Add to the end."""
        if self.error is not None:
            return
        try:
            self._append(data)
            if self._size > self._tail_start + 2 * TAIL:
                self._cut()
        except OSError as error:
            self.error = error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            n_written = os.write(self._file.fileno(), view)
            self._size += n_written
            view = view[n_written:]

    def _cut(self) -> None:
        """Leave out the middle, and say so in its place."""
        self._n_left_out += self._size - TAIL - self._tail_start
        notice = f"\n[auger: {self._n_left_out:,} bytes are left out here]\n".encode()
        self._file.seek(self._size - TAIL)
        tail = self._file.read(TAIL)
        self._file.seek(HEAD)
        self._size = HEAD
        self._append(notice + tail)
        self._file.truncate()
        self._tail_start = HEAD + len(notice)
