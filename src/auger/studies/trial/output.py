"""The output of a program: cut into lines for the rules, and kept in a file of limited size."""

from __future__ import annotations

import os
import re
from io import FileIO
from pathlib import Path

from auger.text import mask

# A file keeps up to HEAD + 2 * TAIL bytes unchanged; of more output, the first HEAD and at least the last TAIL bytes.
HEAD = TAIL = 2**20
# A line longer than this many bytes counts as several: output without line ends must not fill the memory.
LONGEST_LINE = 2**20
_CHUNK = 2**16
# The most bytes that a pipe holds when its writers are gone.
_MAX_PIPE = 2**20
# Colors and other control characters, which a terminal would obey when a line is quoted.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f]")


class Stream:
    """The stdout or stderr of a running program, written to a file as it arrives.

    Args:
        name: "stdout" or "stderr".
        descriptor: of the pipe, which must not block.
        path: of the file.

    Attributes:
        is_at_end: whether the program has closed it.
        last_line: the last line that is not empty, without control characters.
    """

    def __init__(self, name: str, descriptor: int, path: Path) -> None:
        self.name = name
        self.descriptor = descriptor
        self.is_at_end = False
        self.last_line = ""
        self._lines = Lines()
        self._file = OutputFile(path)

    @property
    def error(self) -> OSError | None:
        """Why the file does not hold the whole output; None where it does."""
        return self._file.error

    def read(self) -> str:
        """The lines that have become whole."""
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return ""
        self.is_at_end = not data
        self._file.write(data)
        return self._remember(self._lines.feed(data))

    def drain(self) -> str:
        """What is left in the pipe, and no more: a process that left the group may print forever."""
        texts, n_chunks = [], _MAX_PIPE // _CHUNK
        while not self.is_at_end and n_chunks:
            texts.append(self.read())
            n_chunks -= 1
        return "".join(texts) + self._remember(self._lines.rest())

    def close(self) -> None:
        """Close the file. The pipe belongs to the process group."""
        self._file.close()

    def _remember(self, text: str) -> str:
        lines = text[-1000:].rstrip().splitlines()
        if lines:
            self.last_line = _CONTROL.sub("", lines[-1]).strip() or self.last_line
        return text


def last_lines(path: Path, n: int) -> tuple[str, ...]:
    """The last n lines of an output file that are not empty, without control characters and passwords.

    None without the file.
    """
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _CHUNK, 0))
            data = file.read()
    except OSError:
        return ()
    lines = [
        _CONTROL.sub("", line.replace("\t", "    ")).rstrip()
        for line in mask(data.decode(errors="replace")).splitlines()
    ]
    return tuple([line for line in lines if line][-n:])


class Lines:
    """Cuts a stream of bytes into texts of whole lines.

    Example:
        >>> lines = Lines()
        >>> lines.feed(b"a\\nb"), lines.feed(b"c\\nd"), lines.rest()
        ('a\\n', 'bc\\n', 'd')
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> str:
        """The lines that have become whole."""
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if not end and len(self._rest) + len(data) >= LONGEST_LINE:
            end = len(data)
        self._rest += data[:end]
        whole = self.rest() if end else ""
        self._rest += data[end:]
        return whole

    def rest(self) -> str:
        """Take what came after the last line end."""
        text = self._rest.decode(errors="replace")
        self._rest.clear()
        return text


class OutputFile:
    """A file that holds the first and the last part of what is written to it, readable at any time.

    A full disk does not raise: `error` remembers it, and nothing more is written.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._file: FileIO | None = None
        self._size = 0
        self._tail_start = HEAD
        self._n_left_out = 0
        try:
            self._file = FileIO(path, "w+")
        except OSError as error:
            self.error = error

    def write(self, data: bytes) -> None:
        """Add to the end."""
        if self._file is None or self.error is not None:
            return
        try:
            self._append(self._file, data)
            if self._size > self._tail_start + 2 * TAIL:
                self._cut(self._file)
        except OSError as error:
            self.error = error

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _append(self, file: FileIO, data: bytes) -> None:
        view = memoryview(data)
        while view:  # a disk that fills up accepts a part
            n_written = file.write(view)
            self._size += n_written
            view = view[n_written:]

    def _cut(self, file: FileIO) -> None:
        """Replace the middle by a notice."""
        self._n_left_out += self._size - TAIL - self._tail_start
        notice = f"\n[auger: {self._n_left_out:,} bytes are left out here]\n".encode()
        file.seek(self._size - TAIL)
        tail = file.read(TAIL)
        file.seek(HEAD)
        self._size = HEAD
        self._append(file, notice + tail)
        file.truncate()
        self._tail_start = HEAD + len(notice)
