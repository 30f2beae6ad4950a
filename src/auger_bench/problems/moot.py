"""Measurements of configurable software, and of tuned predictors: tables of the MOOT collection.

A problem has one objective of a table, or all of them (``moot-ss-j-all``). Then the reference point is the worst value
of each objective in the table, and the best front is that of the table.

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
from auger_bench.hypervolume import hypervolume
from auger_bench.outcome import Outcome
from auger_bench.problems import data_folder
from auger_bench.problems.interface import EXACT, Problem


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

# Every objective of a table with its sign: these columns are no parameters.
_COLUMNS = {
    "SS-J": {"Throughput": -1.0, "Latency": 1.0},
    "SS-K": {"Throughput": -1.0, "Latency": 1.0},
    "SS-Q": {"Performance": 1.0, "Energy": 1.0, "Cpu": 1.0},
    "SS-R": {"Performance": 1.0, "Cpu": 1.0},
    "SS-T": {"Performance": 1.0, "Benchmark-cpu": 1.0},
    "SS-U": {"Benchmark-iperf": 1.0, "Benchmark-cpu": 1.0},
    "Health-Commits0005": {"MRE": 1.0, "ACC": -1.0, "PRED40": -1.0},
    "Health-ClosedIssues0005": {"MRE": 1.0, "ACC": -1.0, "PRED40": -1.0},
    "coc1000": {"LOC": -1.0, "AEXP": 1.0, "PLEx": 1.0, "RISK": 1.0, "EFFORT": 1.0},
    "billing10k": {"Cost": 1.0, "Defects": 1.0, "Featuresused": -1.0},
}
_SEVERAL = {
    "moot-ss-j-all": "SS-J",
    "moot-ss-k-all": "SS-K",
    "moot-ss-q-all": "SS-Q",
    "moot-ss-r-all": "SS-R",
    "moot-ss-t-all": "SS-T",
    "moot-ss-u-all": "SS-U",
    "moot-health-commits-all": "Health-Commits0005",
    "moot-health-issues-all": "Health-ClosedIssues0005",
    "moot-cocomo-all": "coc1000",
    "moot-billing-all": "billing10k",
}

#: The names of the problems.
MOOT = (*_OBJECTIVES, *_SEVERAL)


def moot(name: str) -> Problem:
    """One objective of a table or all of them, minimized; where the table maximizes an objective, its negative.

    Raises:
        DataError: the table is not in AUGER_DATA, or is damaged.
    """
    if name in _SEVERAL:
        return _several(name, _SEVERAL[name])
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


def _several(name: str, table_name: str) -> Problem:
    table, signs = _read(name, table_name), _COLUMNS[table_name]
    values = np.stack([sign * table.objectives[column] for column, sign in signs.items()], axis=1)
    return Problem(
        name,
        table.space,
        lambda config: Outcome(tuple(values[table.nearest(config)].tolist())),
        optimum=-hypervolume(values, values.max(axis=0)),
        objectives=tuple(signs),
        reference=tuple(values.max(axis=0).tolist()),
        source=EXACT,
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
