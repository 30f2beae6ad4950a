"""The journal file behind Optuna's `JournalStorage`: one JSON record per line, appended and never changed.

Optuna's own `JournalFileBackend` reads and writes the same files, and may do so at the same time. This one differs
where things go wrong: a line that was cut (its writer was killed, the disk was full) does not spoil the next record,
and the lock of a killed writer does not hold up the others for half a minute.

Optuna numbers trials by counting records, so that a record that is lost or doubled in the middle would move all later
values to other trials. So every record that we write says which line it is, and a reader refuses a file where it is
another one. It ends with a checksum, so that a single digit that has changed is noticed, too. Records that Optuna or
version 0.1 wrote have neither; of those, one about a trial that does not exist is refused.

While the journal is in use, another file in its position is refused, as a file that has gone is, until the journal is
back. A copy that begins with all that was read is the journal, too: a backup that was restored, or the same file on a
file system that numbers files anew.
"""

from __future__ import annotations

import json
import os
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from optuna.storages.journal import BaseJournalBackend, JournalFileSymlinkLock

from auger.errors import StorageError
from auger.files import open_appending, open_at_once
from auger.studies.storage.locks import NoLocksError, identity, locked

# How every record that Optuna writes begins.
_HEAD = b'{"op_code":'

# What a record of ours has in addition: the number of its line, from 1 on, and at its end the CRC-32 of the record
# without it, as hexadecimal digits.
_LINE = "line"
_CHECK_HEAD, _N_CHECK = b',"crc":"', len(b',"crc":"00000000"}')

# Optuna's codes of what a record does: those of studies, that of a new trial, and those about a trial by its number.
_NEW_TRIAL = 4
_ABOUT_A_TRIAL = range(5, 10)
_CODES = range(11)

# Seconds. The system frees our own lock when its writer dies. When the link of Optuna's lock does not change for this
# long while we hold ours, a writer that was killed has left it.
_STALE = 3.0

# The most bytes of a line, or of what follows the last one: nothing that auger or Optuna writes has as many.
_LONGEST = 2**28

# A write takes milliseconds: a writer that holds the lock for so many seconds is suspended. Nobody writes in its place:
# it will go on in the middle of its write.
_TIMEOUT = 60.0


class Journal(BaseJournalBackend):
    """A journal file, created if it does not exist; its folder must exist.

    Args:
        path: of the file.

    Attributes:
        torn: bytes of a cut last line at the time of opening; the next write moves them to a file beside the journal.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offsets = [0]  # where record i begins; the last entry is where to read on
        self._checksum = 0  # of everything up to there
        self._n_trials = 0  # records of new trials up to there
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        self._identity = identity(handle)
        os.close(handle)
        _check_kind(path)
        self.torn = _torn(path)

    def read_logs(self, log_number_from: int) -> Iterator[dict[str, Any]]:
        """The records from that number on. A line without its end is not read: it is being written, or was cut."""
        position = self._offsets[log_number_from]
        # on a network, opening a file is what brings it up to date; a pipe in its position is not waited for
        with open(self.path, "rb", opener=open_at_once) as file:
            self._check_identity(file.fileno())
            if os.fstat(file.fileno()).st_size == position:
                return  # the usual case, many times per trial
            file.seek(position)
            for number, line in enumerate(iter(partial(file.readline, _LONGEST), b""), start=log_number_from):
                if not line.endswith(b"\n") and len(line) < _LONGEST:
                    return
                record = _record(line)
                if record is None or record.pop(_LINE, number + 1) != number + 1:
                    raise self.damage(number)
                position += len(line)
                if number + 1 == len(self._offsets):
                    self._count(record, number)
                    self._checksum = zlib.crc32(line, self._checksum)
                    self._offsets.append(position)
                yield record

    @property
    def n_read(self) -> int:
        """How many records were read so far."""
        return len(self._offsets) - 1

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write the records to the disk, all or none."""
        with self._write_lock():
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND)  # never creates: the journal may have been moved away
            try:
                self._check_identity(handle)
                end = -1
                while end != os.fstat(handle).st_size:  # a writer that was taken for dead may have come back
                    end = _cut_torn_line(handle, self.path)
                    first = len(self._offsets) + _n_lines(handle, self._offsets[-1], end)
                    data = b"".join(_line(log, first + i) for i, log in enumerate(logs))
                _write(handle, data, end)
            finally:
                os.close(handle)

    @contextmanager
    def _write_lock(self) -> Iterator[None]:
        with ExitStack() as stack:
            # also Optuna's own lock: a dashboard may write to the same file
            lock = JournalFileSymlinkLock(str(self.path.absolute()))
            with suppress(NoLocksError):
                stack.enter_context(locked(self.path, timeout=_TIMEOUT))
                _remove_stale(Path(f"{self.path}.lock"))
            lock.acquire()
            try:
                yield
            finally:
                with suppress(RuntimeError):  # another writer took us for dead and removed the lock
                    lock.release()

    def _check_identity(self, handle: int) -> None:
        """Refuse an open file that is not the journal: raise an OSError, which is over when the journal is back."""
        if identity(handle) == self._identity:
            if os.fstat(handle).st_size < self._offsets[-1]:
                raise OSError(f"the journal {self.path} has lost its end, or all of it")
            return
        checksum, position = 0, 0
        while position < self._offsets[-1] and stat.S_ISREG(os.fstat(handle).st_mode):
            block = os.pread(handle, min(self._offsets[-1] - position, 1 << 20), position)
            if not block:
                break
            checksum, position = zlib.crc32(block, checksum), position + len(block)
        if (position, checksum) != (self._offsets[-1], self._checksum) or position == 0:
            raise OSError(f"another file has taken the position of the journal {self.path}")
        self._identity = identity(handle)

    def _count(self, record: dict[str, Any], number: int) -> None:
        """Refuse a record about a trial that no record before it made."""
        if record["op_code"] == _NEW_TRIAL:
            self._n_trials += 1
        elif record["op_code"] in _ABOUT_A_TRIAL and record.get("trial_id") not in range(self._n_trials):
            raise self.damage(number)

    def damage(self, number: int) -> StorageError:
        """What to say, and to do, when record ``number`` is not what was written there."""
        return StorageError(
            f"The journal {self.path} is damaged at line {number + 1}, or just before it: what stands there is no "
            f"record, or not the record of this line. Nothing was changed. To go on with what stands before it, keep a "
            f"copy of the file and delete everything from line {number + 1} on."
        )


def _check_kind(path: Path) -> None:
    """Refuse a file that is no journal, before anything is appended to it."""
    with path.open("rb") as file:
        start = file.read(len(_HEAD))
    if start and not _HEAD.startswith(start):
        hint = f" It is a SQLite database: name it as sqlite:///{path}." if start.startswith(b"SQLite") else ""
        raise StorageError(f"{path} must be a journal file, or not exist yet. It holds other data.{hint}")


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None when there is none.

    A record that Optuna itself appended after a cut one shares its line. It is complete; the cut one never counted.
    """
    for text in (line, line[max(line.rfind(_HEAD), 0) :]):
        if not text.startswith(_HEAD):
            continue
        try:
            record = json.loads(_without_check(text))
        except (ValueError, RecursionError):  # no JSON, or nested a thousand times
            continue
        if isinstance(record, dict) and record.get("op_code") in _CODES:
            return record
    return None


def _without_check(text: bytes) -> bytes:
    """The JSON of a record without its checksum, if it has one. Raises a ValueError where that is another one."""
    text = text.rstrip(b"\n")
    record, check = text[:-_N_CHECK], text[-_N_CHECK:]
    if not check.startswith(_CHECK_HEAD):
        return text
    if check != _check(record):
        raise ValueError("another checksum")
    return record + b"}"


def _check(record: bytes) -> bytes:
    """What follows on the JSON of a record without its last bracket."""
    return b'%b%08x"}' % (_CHECK_HEAD, zlib.crc32(record))


def _line(log: dict[str, Any], number: int) -> bytes:
    record = json.dumps({**log, _LINE: number}, separators=(",", ":")).encode()[:-1]
    return record + _check(record) + b"\n"


def _n_lines(handle: int, start: int, end: int) -> int:
    """How many lines there are between two positions: written by others since we read last, so few as a rule."""
    n = 0
    while start < end:
        block = os.pread(handle, min(end - start, 1 << 20), start)
        if not block:  # shorter than a moment ago; the next reader will say what is wrong
            break
        n, start = n + block.count(b"\n"), start + len(block)
    return n


def _torn(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(handle).st_size
        return os.pread(handle, size, _end_of_lines(handle, size, path))
    finally:
        os.close(handle)


def _cut_torn_line(handle: int, path: Path) -> int:
    """Move what follows the last line end to a file beside the journal. Returns the size of the rest."""
    size = os.fstat(handle).st_size
    end = _end_of_lines(handle, size, path)
    if end < size:
        with open(open_appending(Path(f"{path}.torn")), "ab") as kept:
            kept.write(os.pread(handle, size - end, end) + b"\n")
        os.ftruncate(handle, end)
    return end


def _end_of_lines(handle: int, size: int, path: Path) -> int:
    """The position after the last line end among the first ``size`` bytes."""
    n_block, first = 1, size - _LONGEST
    while size:
        if size < first:
            raise StorageError(
                f"The journal {path} is damaged: no line ends in its last {_LONGEST // 2**20} MiB. Nothing was changed."
            )
        start = max(size - n_block, 0)
        line_end = os.pread(handle, size - start, start).rfind(b"\n")
        if line_end >= 0:
            return start + line_end + 1
        size, n_block = start, 65_536  # the last byte is the line end, unless the last line was cut
    return 0


def _write(handle: int, data: bytes, end: int) -> None:
    try:
        n_written = 0
        while n_written < len(data):
            n_written += os.write(handle, data[n_written:])
        os.fsync(handle)
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, end)  # a full disk must not leave half a record
        raise


def _remove_stale(link: Path) -> None:
    """Wait until Optuna's lock is free, or has been left behind by a writer that was killed."""
    end, before = time.monotonic() + _STALE, None
    while (now := _identity(link)) is not None:
        if now != before:
            end, before = time.monotonic() + _STALE, now
        if time.monotonic() > end:
            link.unlink(missing_ok=True)
            return
        time.sleep(0.005)


def _identity(link: Path) -> tuple[int, int] | None:
    try:
        status = os.lstat(link)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns
