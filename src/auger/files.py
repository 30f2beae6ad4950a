"""Files written whole or not at all, and read only where they are ordinary ones."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write beside the target, flush to disk, then take its name: a crash or a full disk leaves the old file."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.name} cannot be saved: the folder {path.parent} does not exist.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe without a writer would be waited for


def read_ordinary(path: Path, limit: int) -> bytes:
    """The content of a file of at most ``limit`` bytes.

    Raises an OSError for what is no file, or might never end: a pipe, a device.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not an ordinary file", str(path))
        try:
            content = file.read(limit + 1)
        except OSError as error:  # of a disk, or of a file of the system: it names no file
            raise OSError(error.errno, error.strerror, str(path)) from error
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"Larger than {limit // 2**20} MiB", str(path))
    return content
