"""GPU kernels whose every valid configuration was measured, on four devices each.

The constraints are known before a run; the failures are not: a configuration that does not compile, or fails when it
runs, raises an EvaluationError. Convolution has 4,362 valid configurations and dedispersion 11,130 (Kernel Tuner's
benchmark hub, MIT licence). The tables must be in the folder of AUGER_DATA, such as
``kernels/convolution.A100.parquet``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from auger.errors import AugerError, nearest
from auger.space import Categorical, Ordinal, Space
from auger.types import Config
from auger_bench.problems import data_folder
from auger_bench.problems.interface import EvaluationError, Problem


class _Kernel(NamedTuple):
    """A kernel: its parameters, numbers in order or switches, and the rules between them, constants filled in."""

    numbers: Mapping[str, tuple[int, ...]]
    switches: tuple[str, ...]
    constraints: tuple[str, ...]

    @property
    def space(self) -> Space:
        numbers = {name: Ordinal(values) for name, values in self.numbers.items()}
        switches = {name: Categorical((0, 1)) for name in self.switches}
        return Space({**numbers, **switches}, constraints=self.constraints)


_KERNELS = {
    "convolution": _Kernel(
        {
            "block_size_x": tuple(range(16, 257, 16)),
            "block_size_y": (1, 2, 4, 8, 16),
            "tile_size_x": (1, 2, 3, 4),
            "tile_size_y": (1, 2, 3, 4),
        },
        ("read_only", "use_padding", "use_shmem"),
        (
            "use_padding == 0 or block_size_x % 32 != 0",
            "block_size_x * block_size_y <= 1024",
            "use_padding == 0 or use_shmem != 0",
            "use_shmem == 0 or (block_size_x * tile_size_x + 14) * (block_size_y * tile_size_y + 14) < 12288",
        ),
    ),
    "dedispersion": _Kernel(
        {
            "block_size_x": (1, 2, 4, 8, 16, 32),
            "block_size_y": tuple(range(32, 257, 8)),
            "tile_size_x": (1, 2, 3, 4),
            "tile_size_y": (1, 2, 3, 4, 5, 6, 7, 8),
        },
        ("tile_stride_x", "tile_stride_y"),
        (
            "32 <= block_size_x * block_size_y <= 1024",
            "tile_size_x > 1 or tile_stride_x == 0",
            "tile_size_y > 1 or tile_stride_y == 0",
        ),
    ),
}
_DEVICES = ("A100", "A4000", "MI250X", "W6600")

# name -> kernel, device
_NAMES = {f"kernel-{kernel}-{device.lower()}": (kernel, device) for kernel in _KERNELS for device in _DEVICES}

#: The names of the problems.
KERNELS = tuple(_NAMES)


def kernel(name: str) -> Problem:
    """The milliseconds of a kernel on a device, minimized: the mean of 32 runs.

    Raises:
        DataError: the table is not in AUGER_DATA, or is not that table.
    """
    if name not in _NAMES:
        raise AugerError(f"`name` must be a kernel and a device. Got {name!r}. {nearest(name, KERNELS)}")
    kernel_name, device = _NAMES[name]
    space = _KERNELS[kernel_name].space
    table = _read(kernel_name, data_folder.need(name, f"kernels/{kernel_name}.{device}.parquet"))

    def value(config: Config) -> float:
        status, milliseconds = table[tuple(config[parameter] for parameter in space.names)]
        if status != "ok":
            raise EvaluationError(f"{name!r} failed at this config: {status}.")
        return milliseconds

    best = min((key for key, (status, _) in table.items() if status == "ok"), key=lambda key: table[key][1])
    return Problem(name, space, value, table[best][1], dict(zip(space.names, best, strict=True)))


@cache
def _read(kernel_name: str, path: Path) -> dict[tuple[int, ...], tuple[str, float]]:
    """Values of the parameters -> status and milliseconds."""
    names = _KERNELS[kernel_name].space.names
    columns = data_folder.read_columns(path, [*names, "status", "time_ms"])
    keys = zip(*(columns[name].tolist() for name in names), strict=True)
    return dict(zip(keys, zip(columns["status"].tolist(), columns["time_ms"].tolist(), strict=True), strict=True))
