"""Files written whole or not at all."""

from __future__ import annotations

import os
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
