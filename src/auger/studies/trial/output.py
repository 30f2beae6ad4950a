"""The output of a program: cut into lines for the rules, and kept in a file of limited size."""

from __future__ import annotations

import os
import sys
from io import FileIO
from pathlib import Path

from auger.characters import clean, clean_line
from auger.files import open_new, read_regular
from auger.text import mask

# A file keeps up to HEAD + 2 * TAIL bytes unchanged; of more output, the first HEAD and at least the last TAIL bytes.
HEAD = TAIL = 2**20
# A line of more bytes is not read: output without line ends must not fill the memory.
LONGEST_LINE = 2**20
_CHUNK = 2**16


class Stream:
    """The stdout or stderr of a running program, written to a file as it arrives.

    Args:
        name: "stdout" or "stderr".
        descriptor: of the pipe, which must not block.
        path: of the file.

    Attributes:
        is_at_end: whether the program has closed it.
        last_line: the last line that is not empty, fit to be shown.
        lines: what was read, cut into lines; it knows which were too long.
    """

    def __init__(self, name: str, descriptor: int, path: Path) -> None:
        self.name = name
        self.descriptor = descriptor
        self.is_at_end = False
        self.last_line = ""
        self.lines = Lines()
        self._file = OutputFile(path)

    @property
    def error(self) -> OSError | None:
        """Why the file does not hold the whole output; None where it does."""
        return self._file.error

    def read(self, most: int = _CHUNK) -> str:
        """The lines that have become whole, after reading so many bytes at most."""
        try:
            data = os.read(self.descriptor, min(most, _CHUNK))
        except BlockingIOError:
            return ""
        self.is_at_end = not data
        self._file.write(data)
        return self._remember(self.lines.feed(data))

    def n_waiting(self) -> int:
        """How many bytes are in the pipe."""
        import fcntl  # POSIX only
        import termios

        return int.from_bytes(fcntl.ioctl(self.descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)

    def drain(self, n_bytes: int) -> str:
        """The last lines, from so many bytes of the pipe: a process that left the group may go on printing."""
        texts = []
        while n_bytes > 0 and not self.is_at_end:
            texts.append(self.read(n_bytes))
            n_bytes -= _CHUNK
        return "".join(texts) + self._remember(self.lines.rest())

    def close(self) -> None:
        """Close the file. The pipe belongs to the process group."""
        self._file.close()

    def _remember(self, text: str) -> str:
        lines = text[-1000:].rstrip().splitlines()
        if lines:
            self.last_line = clean(lines[-1]) or self.last_line
        return text


def last_lines(path: Path, n: int) -> tuple[str, ...]:
    """The last n lines of an output file that are not empty, fit to be shown, without passwords; none without it."""
    try:
        data = read_regular(path, _CHUNK, from_end=True)
    except OSError:
        return ()
    lines = [clean_line(line) for line in mask(data.decode(errors="replace")).splitlines()]
    return tuple([line for line in lines if line][-n:])


def kept_output(path: Path) -> str:
    """What an output file holds, or the last part of what a program has made of it; nothing where there is no file."""
    try:
        return read_regular(path, HEAD + 3 * TAIL, from_end=True).decode(errors="replace")
    except OSError:
        return ""


class Lines:
    """Cuts a stream of bytes into texts of whole lines. A line of more than `LONGEST_LINE` bytes becomes an empty one.

    Attributes:
        too_long: the number of the last line that was too long, from 1; None without one.
        too_long_object: the same among those that begin with a brace, as JSON objects do.

    Example:
        >>> lines = Lines()
        >>> lines.feed(b"a\\nb"), lines.feed(b"c\\nd"), lines.rest()
        ('a\\n', 'bc\\n', 'd')
    """

    def __init__(self) -> None:
        self.too_long: int | None = None
        self.too_long_object: int | None = None
        self._n_lines = 0
        self._rest = bytearray()

    def feed(self, data: bytes) -> str:
        """The lines that have become whole."""
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        whole = self._text(self._rest + data[:end]) if end else ""
        if end:
            self._rest.clear()
        self._rest += data[end:][: LONGEST_LINE + 1 - len(self._rest)]  # one byte more tells that it is too long
        return whole

    def rest(self) -> str:
        """Take what came after the last line end."""
        text = self._text(self._rest)
        self._rest.clear()
        return text

    def _text(self, data: bytearray) -> str:
        if len(data) > LONGEST_LINE:
            data = self._without_long_lines(data)
        self._n_lines += data.count(b"\n")
        return data.decode(errors="replace")

    def _without_long_lines(self, data: bytearray) -> bytearray:
        lines, number = data.splitlines(keepends=True), self._n_lines + 1
        for i, line in enumerate(lines):
            content = line.rstrip(b"\r\n")
            if len(content) > LONGEST_LINE:
                self.too_long = number
                self.too_long_object = number if content.lstrip().startswith(b"{") else self.too_long_object
                lines[i] = line[len(content) :]
            number += line.count(b"\n")
        return bytearray().join(lines)


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
            self._file = FileIO(open_new(path), "r+")
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
