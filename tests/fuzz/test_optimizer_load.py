"""Saved runs that something has changed: they load and the run goes on, or an error names the file."""

import copy
import json
import math
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auger import Float, Int, Optimizer, Space
from auger.errors import AugerError, SpaceError

OLD = Path(__file__).parents[1] / "data" / "version_0_1"


def saved():
    """Saved runs: of version 0.1 (format 1), of today (format 5), and what format 2 was."""
    space = {"x": (0.0, 1.0), "n": Int(1, 64, log=True), "c": ["a", "b"], "y": Float(0.0, 1.0, when={"c": ["a"]})}
    optimizer = Optimizer(Space(space, constraints=["x * n <= 40"]), "tpe n_initial=3", seed=1)
    for i in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, math.nan if i == 4 else trial.config["x"])
    optimizer.ask()
    optimizer.enqueue({"x": 0.5})
    with TemporaryDirectory() as folder:
        optimizer.save(path := Path(folder, "run.json"))
        today = json.loads(path.read_text())
    before = {**copy.deepcopy(today), "version": 2}
    del before["objectives"], before["queue"]
    old = [json.loads((OLD / name).read_text()) for name in ("optimizer.json", "optimizer-warm.json")]
    return [today, before, *old]


@pytest.fixture(scope="module")
def runs():
    return saved()


def check(text):
    """Load a file with this text, and go on. True when it was loaded."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(text)
        try:
            optimizer = Optimizer.load(path)
        except AugerError as error:
            message = str(error)
        else:
            message = None
            with suppress(SpaceError):  # its constraints leave nothing to try
                optimizer.ask()
            optimizer.save(path)
    assert message is None or str(path) in message
    return message is None


def places(data):
    """All positions in a JSON value: the container and the key or index."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield data, key
        yield from places(value)


WORDS = (
    *("", "x", "auto", "random", "bore-mlp", "complete", "failed", "model", "initial", "maximize", "Infinity", "nan"),
    *("n_initial=1", "bore-rf n_initial=1000000000000", "auto candidates=999999999", "2026-01-01", "x <= 1"),
)
numbers = st.integers(-3, 70) | st.sampled_from([10**12, -(10**12), 10**400]) | st.floats()
leaves = st.none() | st.booleans() | numbers | st.sampled_from(WORDS) | st.text(max_size=4)
values = leaves | st.lists(leaves, max_size=3) | st.dictionaries(st.sampled_from(WORDS), leaves, max_size=3)


def drawn_place(data, draw):
    every = list(places(data))
    return every[draw(st.integers(0, len(every) - 1))]


def change(data, draw):
    container, key = drawn_place(data, draw)
    what = draw(st.sampled_from(["replace", "remove", "move", "double"]))
    if what == "replace":
        container[key] = draw(values)
    elif what == "remove":
        del container[key]
    elif what == "move":
        other, place = drawn_place(data, draw)
        container[key] = copy.deepcopy(other[place])
    elif isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    else:
        container[draw(st.sampled_from(WORDS))] = copy.deepcopy(container[key])


def test_the_runs_that_the_others_are_made_from_load(runs):
    assert all(check(json.dumps(run).encode()) for run in runs)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_values_that_are_replaced_removed_moved_or_doubled(runs, data):
    run = copy.deepcopy(runs[data.draw(st.integers(0, len(runs) - 1))])
    for _ in range(data.draw(st.integers(1, 3))):
        change(run, data.draw)
    check(json.dumps(run).encode())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_bytes_that_are_overwritten_removed_or_added(runs, data):
    text = json.dumps(runs[data.draw(st.integers(0, len(runs) - 1))]).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 20, len(text))))
    check(text[:start] + data.draw(st.binary(max_size=8)) + text[end:])


@pytest.mark.parametrize("seed", [math.inf, -math.inf, math.nan, 1.5, -1, None, "1", [1]])
def test_a_seed_that_is_no_whole_number_is_an_error_that_names_the_file(runs, seed):
    assert not check(json.dumps({**runs[0], "seed": seed}).encode())


@pytest.mark.parametrize("error", [5, [], {"a": math.inf}])
def test_an_error_that_is_no_text_is_an_error_that_names_the_file(runs, error):
    run = copy.deepcopy(runs[0])
    run["history"]["trials"][0]["error"] = error
    assert not check(json.dumps(run).encode())


@pytest.mark.parametrize("n_answers", [math.inf, "3", [3]])
def test_a_count_that_is_no_whole_number_is_ignored(runs, n_answers):
    run = copy.deepcopy(runs[0])
    run["history"]["trials"][5]["provenance"]["n_answers"] = n_answers
    assert check(json.dumps(run).encode())


@pytest.mark.parametrize("name", ["finished", "marks"])
def test_an_order_of_answers_that_is_no_list_of_whole_numbers_is_an_error_that_names_the_file(runs, name):
    run = copy.deepcopy(runs[0])
    run["history"][name] = list(map(float, run["history"][name]))
    assert not check(json.dumps(run).encode())


def test_a_run_that_asks_for_many_initial_configurations_is_no_slower(runs):
    assert check(json.dumps({**runs[0], "recipe": "tpe n_initial=1000000000000"}).encode())
