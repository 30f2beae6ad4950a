"""Measurements of configurable software, and of tuned predictors: tables of the MOOT collection, one objective each.

Tables hold the measured configurations only; of most of them, that is a part of all combinations. A configuration that
is not in a table has the value of its nearest row: the distance is the sum over the parameters of the differences of
their positions, from 0 for the lowest of the table's values to 1 for the highest, and 1 between different choices. Of
rows equally near, the first counts. So there are exact plateaus, and switches that change nothing.

The tables (Menzies and others, 2025, MIT licence) must be in the folder of AUGER_DATA, such as ``moot/SS-J.parquet``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from auger.errors import AugerError, nearest
from auger.space import Categorical, Ordinal, Space
from auger.types import Array, Config
from auger_bench.problems import data_folder
from auger_bench.problems.interface import Problem


class _Objective(NamedTuple):
    """A column of a table, and 1 where it is minimized, -1 where it is maximized."""

    table: str
    column: str
    sign: float = 1.0


_OBJECTIVES = {
    "moot-ss-j-throughput": _Objective("SS-J", "Throughput", -1.0),
    "moot-ss-j-latency": _Objective("SS-J", "Latency"),
    "moot-ss-k-throughput": _Objective("SS-K", "Throughput", -1.0),
    "moot-ss-k-latency": _Objective("SS-K", "Latency"),
    "moot-ss-q-performance": _Objective("SS-Q", "Performance"),
    "moot-ss-q-cpu": _Objective("SS-Q", "Cpu"),
    "moot-ss-r-performance": _Objective("SS-R", "Performance"),
    "moot-ss-r-cpu": _Objective("SS-R", "Cpu"),
    "moot-ss-t-performance": _Objective("SS-T", "Performance"),
    "moot-ss-t-cpu": _Objective("SS-T", "Benchmark-cpu"),
    "moot-ss-u-iperf": _Objective("SS-U", "Benchmark-iperf"),
    "moot-ss-u-cpu": _Objective("SS-U", "Benchmark-cpu"),
    "moot-health-commits": _Objective("Health-Commits0005", "MRE"),
    "moot-health-issues": _Objective("Health-ClosedIssues0005", "MRE"),
    "moot-cocomo-effort": _Objective("coc1000", "EFFORT"),
    "moot-billing-cost": _Objective("billing10k", "Cost"),
}

# Every objective of a table, minimized here or not: these columns are no parameters.
_COLUMNS = {
    "SS-J": {"Throughput", "Latency"},
    "SS-K": {"Throughput", "Latency"},
    "SS-Q": {"Performance", "Energy", "Cpu"},
    "SS-R": {"Performance", "Cpu"},
    "SS-T": {"Performance", "Benchmark-cpu"},
    "SS-U": {"Benchmark-iperf", "Benchmark-cpu"},
    "Health-Commits0005": {"MRE", "ACC", "PRED40"},
    "Health-ClosedIssues0005": {"MRE", "ACC", "PRED40"},
    "coc1000": {"LOC", "AEXP", "PLEx", "RISK", "EFFORT"},
    "billing10k": {"Cost", "Defects", "Featuresused"},
}

#: The names of the problems.
MOOT = tuple(_OBJECTIVES)


def moot(name: str) -> Problem:
    """An objective of a table, minimized; where the table maximizes it, its negative.

    Raises:
        DataError: the table is not in AUGER_DATA, or is damaged.
    """
    if name not in _OBJECTIVES:
        raise AugerError(f"`name` must be an objective of a MOOT table. Got {name!r}. {nearest(name, MOOT)}")
    objective = _OBJECTIVES[name]
    table = _read(name, objective.table)
    values = objective.sign * table.objectives[objective.column]
    best = int(np.argmin(values))
    return Problem(
        name,
        table.space,
        lambda config: float(values[table.nearest(config)]),
        float(values[best]),
        table.space.decode(table.rows[best : best + 1])[0],
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """The measured configurations.

    Attributes:
        space: switches and texts are choices, other numbers are in order.
        rows: (n, d), as the space encodes them.
        objectives: column -> (n,).
    """

    space: Space
    rows: Array
    objectives: dict[str, Array]

    def nearest(self, config: Config) -> int:
        """The row that a config has, or else the first of the nearest ones."""
        apart = np.abs(self.rows - self.space.encode([config])[0])
        return int(np.argmin(np.where(self.space.is_ordered, apart, apart > 0).sum(axis=1)))


@cache  # sixteen problems of ten tables, a few megabytes together
def _read(name: str, table_name: str) -> _Table:
    columns = data_folder.read_columns(data_folder.need(name, f"moot/{table_name}.parquet"))
    inputs = {key: column for key, column in columns.items() if key not in _COLUMNS[table_name]}
    space = Space({key: _parameter(sorted(set(column.tolist()))) for key, column in inputs.items()})
    lists = [column.tolist() for column in inputs.values()]
    rows = space.encode([dict(zip(space.names, row, strict=True)) for row in zip(*lists, strict=True)])
    return _Table(space, rows, {key: columns[key] for key in _COLUMNS[table_name]})


def _parameter(values: list[float] | list[str]) -> Categorical | Ordinal:
    return Categorical(values) if len(values) == 2 or isinstance(values[0], str) else Ordinal(values)
