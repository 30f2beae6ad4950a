"""The folder of benchmark data that no package has, named by the environment variable AUGER_DATA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auger_bench.problems.interface import DataError


def find(relative: str) -> Path | None:
    """The file of that path in the folder; None if there is no such file, or no folder.

    Raises:
        DataError: AUGER_DATA names something that is no folder.
    """
    folder = os.environ.get("AUGER_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise DataError(f"AUGER_DATA must name a folder. Got {folder!r}.")
    path = Path(folder, relative).resolve()
    return path if path.is_file() else None


def need(name: str, relative: str) -> Path:
    """The file of that path in the folder, which the problem `name` needs.

    Raises:
        DataError: there is no such file.
    """
    path = find(relative)
    if path is None:
        folder = os.environ.get("AUGER_DATA")
        raise DataError(
            f"{name!r} needs a file that no package has. The environment variable AUGER_DATA must name a folder "
            f"with {relative}. Got {f'{folder!r}, which holds no such file' if folder else 'no AUGER_DATA'}."
        )
    return path


def import_pyarrow(path: Path, other_way: str = "") -> Any:
    """PyArrow with what reads Parquet files and looks values up; ``other_way`` is how to do without it."""
    try:
        import pyarrow  # optional, and 90 MB of memory
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise DataError(
            f"Reading {path} needs PyArrow, which cannot be imported ({error}). Install it with: "
            f'pip install "auger[bench]"{other_way}.'
        ) from error
    return pyarrow


def read_columns(path: Path, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Columns of a Parquet file by name: those named, or all.

    Raises:
        DataError: PyArrow is not installed, or the file is damaged or has no such columns.
    """
    pyarrow = import_pyarrow(path)
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            data = file.read(columns=names, use_threads=False)
        return {name: data[name].to_numpy() for name in names or data.column_names}
    except Exception as error:  # a damaged file can raise nearly any exception in Arrow
        wanted = f"the columns {', '.join(names)}" if names else "columns"
        raise DataError(f"{path} must be a Parquet file with {wanted}: {type(error).__name__}: {error}") from error
