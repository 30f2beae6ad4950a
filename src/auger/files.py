"""Files written whole or not at all, and files in folders where others write too, such as the programs of trials.

There, a name may lead to a pipe, to a device, or to a file elsewhere. A pipe is never waited for, a read ends at a
limit, and a new file is always a new file.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

# A pipe without a writer does not block.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_READ = os.O_RDONLY | _AT_ONCE
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE | _NO_LINK


def write_whole(path: Path, text: str, *, is_flushed: bool = True) -> None:
    """Write beside the target, flush to disk, then take its name: a crash or a full disk leaves the old file.

    Args:
        path: of the file. A link there is replaced, and not followed.
        text: its content.
        is_flushed: False: leave it to the system when it writes to the disk, which takes milliseconds. The file then
            outlives this process, but not a power failure.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.name} cannot be saved: the folder {path.parent} does not exist.")
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")
    try:
        with open(_opened_new(temporary), "w", encoding="utf-8") as file:
            file.write(text)
            if is_flushed:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def open_new(path: Path) -> int:
    """The descriptor of a new file, in the place of whatever has its name; raises an OSError where that is a folder."""
    path.unlink(missing_ok=True)
    return _opened_new(path)


def open_appending(path: Path) -> int:
    """The descriptor of a file to add to. A pipe or a link that has its name is replaced by a new file."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.lstat(path).st_mode):
            path.unlink()
    return os.open(path, _APPEND, 0o666)


def open_at_once(path: str, flags: int) -> int:
    """An opener for `open`, with which a pipe is not waited for."""
    return os.open(path, flags | _AT_ONCE, 0o666)


def read_regular(path: Path, most: int, *, from_end: bool = False, follow: bool = False) -> bytes:
    """Up to so many bytes of a regular file, the first or the last ones.

    Args:
        path: of the file.
        most: bytes to read. Its size, as the system tells it, is not trusted.
        from_end: the last bytes instead of the first.
        follow: whether ``path`` may be a link. The file that it leads to must be a regular one, too.

    Raises:
        OSError: there is no such file, or it is a pipe, a device, a folder, or a link.
    """
    descriptor = os.open(path, _READ if follow else _READ | _NO_LINK)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        if from_end:
            os.lseek(descriptor, max(status.st_size - most, 0), os.SEEK_SET)
        return _read(descriptor, most)
    except OSError as error:  # of a disk, or of a file of the system: it names no file
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(descriptor)


def read_up_to(path: Path, limit: int) -> bytes:
    """The content of a regular file, which a link may lead to; an OSError where it has more than ``limit`` bytes."""
    is_too_large = os.stat(path).st_size > limit  # without reading so much of it
    content = b"" if is_too_large else read_regular(path, limit + 1, follow=True)
    if is_too_large or len(content) > limit:
        raise OSError(errno.EFBIG, f"Larger than {limit // 2**20} MiB", str(path))
    return content


def _opened_new(path: Path) -> int:
    return os.open(path, _NEW, 0o666)


def _read(descriptor: int, most: int) -> bytes:
    data = bytearray()
    while len(data) < most:
        part = os.read(descriptor, min(most - len(data), 2**20))
        if not part:
            break
        data += part
    return bytes(data)
