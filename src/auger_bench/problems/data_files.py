"""Data files of problems: from the folder that `AUGER_DATA` names, or downloaded from their public home."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from auger_bench.problems.interface import DataError, import_library


def locate(relative_path: str, *, url: str) -> Path:
    """The path of a data file on this machine, downloaded at the first use.

    If the environment variable ``AUGER_DATA`` is set, it is the file at `relative_path` in the folder that the variable
    names, and nothing is downloaded. Otherwise it is the file at `url`, downloaded once into the user's cache under
    its own name. The two may have different layouts: the caller checks what it reads.

    Args:
        relative_path: the path of the file in the ``AUGER_DATA`` folder, with forward slashes.
        url: the public home of the file.

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
    wanted = f"{name!r} is not on this machine. Set the environment variable `AUGER_DATA` to a folder that holds it"
    pooch = import_library("pooch", f"{wanted}; a download needs pooch")
    cache = pooch.create(path=pooch.os_cache("auger"), base_url="", registry={name: None}, urls={name: url})
    try:
        return Path(cache.fetch(name))
    except (OSError, ValueError) as error:  # no network, no such page, a disk that cannot be written
        raise DataError(
            f"{url} could not be downloaded: {error}. If you have the file, set the environment "
            "variable `AUGER_DATA` to its folder."
        ) from error
