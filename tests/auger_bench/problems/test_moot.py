import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from auger.space import Categorical, Ordinal
from auger_bench.problems import DataError, problem
from auger_bench.problems.moot import MOOT, moot


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A table of three rows in the position of Health-Commits0005."""
    columns = {
        "depth": [1, 2, 9],
        "rule": ["a", "b", "a"],
        "MRE": [0.5, 0.25, 0.75],
        "ACC": [1.0, 2.0, 3.0],
        "PRED40": [0.0, 1.0, 1.0],
    }
    (tmp_path / "moot").mkdir()
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "moot" / "Health-Commits0005.parquet")
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    from auger_bench.problems import moot as module

    module._read.cache_clear()
    yield moot("moot-health-commits")
    module._read.cache_clear()


@pytest.mark.parametrize(
    ("depth", "rule", "value"),
    [
        (1, "a", 0.5),  # measured
        (2, "b", 0.25),
        (9, "a", 0.75),
        (2, "a", 0.5),  # positions 0, 1/2, 1: 1/2 from the first row, 1 from the second, 1/2 from the third
        (1, "b", 0.25),  # 1 from the first row, 1/2 from the second
        (9, "b", 0.25),
    ],
)
def test_a_config_has_the_value_of_its_nearest_row_and_of_the_first_of_several(small, depth, rule, value):
    assert small({"depth": depth, "rule": rule}) == value


def test_levels_are_in_order_and_texts_are_choices(small):
    assert small.space.parameters["depth"] == Ordinal((1, 2, 9))
    assert small.space.parameters["rule"] == Categorical(("a", "b"))
    assert (small.optimum, small.minimizer) == (0.25, {"depth": 2, "rule": "b"})


@pytest.mark.parametrize("name", ["moot-ss-j-throughput", "moot-ss-k-latency"])
def test_every_config_of_a_complete_table_is_its_own_row(name, data):
    black_box = problem(name)
    values = [black_box(config) for config in black_box.space.decode(black_box.space.enumerate())]
    described = json.loads((data / "moot" / "tables.json").read_text())[name[5:9].upper()]
    column = name.rpartition("-")[2].capitalize()
    assert len(values) == described["rows"]
    assert len(set(values)) == described["objective_distinct_values"][column]
    sign = -1 if described["objectives"][column] == "maximize" else 1
    assert min(values) == black_box.optimum == sign * described["ideal"][column]
    assert max(values) == sign * described["worst"][column]


@pytest.mark.parametrize("name", [name for name in MOOT if not name.endswith("-all")])
def test_the_optimum_is_where_it_is_said_to_be_and_nothing_is_lower(name, data):
    black_box = problem(name)
    assert black_box(black_box.minimizer) == black_box.optimum
    configs = black_box.space.decode(black_box.space.sample(20, np.random.default_rng(0)))
    assert min(map(black_box, configs)) >= black_box.optimum


def test_without_the_data_the_error_says_which_file_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("AUGER_DATA", str(tmp_path))
    from auger_bench.problems import moot as module

    module._read.cache_clear()
    with pytest.raises(DataError, match="'moot-billing-cost' needs a file.*moot/billing10k.parquet"):
        moot("moot-billing-cost")
