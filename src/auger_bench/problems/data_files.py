"""Where a problem finds its data: in a folder you name, or at the data's public home."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

from auger_bench.problems.interface import DataError


def locate(relative_path: str, *, url: str) -> Path:
    """Find one data file on this machine, fetching it the first time if need be.

    If the environment variable ``AUGER_DATA`` is set, the answer is the file at `relative_path` in the folder it
    names, and nothing is ever downloaded. Otherwise it is the file at `url`, downloaded once into the user's cache
    under its own name. Either may be stored another way, or be another file: the caller checks what it reads.

    Args:
        relative_path: where the file stands in the ``AUGER_DATA`` folder, with forward slashes.
        url: its public home.

    Raises:
        DataError: the file is not in the folder, or cannot be downloaded.
    """
    folder = os.environ.get("AUGER_DATA")
    if not folder:
        name = str(PurePosixPath(relative_path).with_name(PurePosixPath(url).name))
        return _download(name, url)
    path = Path(folder).expanduser() / relative_path
    if not path.is_file():
        raise DataError(
            f"`AUGER_DATA` must name a folder that holds {relative_path!r}. Got {folder!r}, where there is no such "
            f"file. Its public home is {url}; unset `AUGER_DATA` to have it downloaded."
        )
    return path


def _download(name: str, url: str) -> Path:
    pooch = _import_pooch(name)
    cache = pooch.create(path=pooch.os_cache("auger"), base_url="", registry={name: None}, urls={name: url})
    try:
        return Path(cache.fetch(name))
    except (OSError, ValueError) as error:  # no network, no such page, no place to write
        raise DataError(
            f"{url} could not be downloaded: {error}. With the file at hand, set the environment variable "
            "`AUGER_DATA` to its folder."
        ) from error


def _import_pooch(name: str) -> Any:
    try:
        import pooch  # optional
    except ImportError as error:
        raise DataError(
            f"{name!r} is not on this machine. Set the environment variable `AUGER_DATA` to a folder that holds it, "
            'or have it downloaded: pip install "auger[bench]"'
        ) from error
    return pooch
