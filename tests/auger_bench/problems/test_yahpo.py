import json

import numpy as np
import pytest

from auger.errors import AugerError
from auger_bench.problems import DataError, problem
from auger_bench.problems.yahpo import yahpo

OUTPUTS = {"lcbench": "val_cross_entropy", "xgboost": "logloss"}
FOLDERS = {"lcbench": "lcbench", "xgboost": "rbv2_xgboost"}


@pytest.mark.parametrize("scenario", OUTPUTS)
def test_the_points_that_the_data_was_checked_with_come_out_the_same(scenario, data):
    folder = data / "yahpo" / FOLDERS[scenario]
    full = json.loads((folder / "scenario.json").read_text())["full_fidelity"]
    points = [p for p in json.loads((folder / "checks.json").read_text()) if p["fidelity"] == full]
    assert len(points) == 10
    for point in points:
        value = problem(f"yahpo-{scenario}-{point['task']}")(point["config"])
        assert value == pytest.approx(point["outputs"][OUTPUTS[scenario]], rel=1e-5)


def test_parameters_are_under_the_conditions_of_the_source(data):
    space = problem("yahpo-xgboost-1590").space
    assert space.is_conditional and len(space) == 14
    for config in space.decode(space.sample(50, np.random.default_rng(0))):
        assert ("eta" in config) == (config["booster"] != "gblinear")
        assert ("rate_drop" in config) == (config["booster"] == "dart")


@pytest.mark.parametrize("name", ["yahpo-lcbench-7593", "yahpo-xgboost-1590"])
def test_random_configs_have_finite_positive_losses_that_differ(name, data):
    black_box = problem(name)
    configs = black_box.space.decode(black_box.space.sample(30, np.random.default_rng(0)))
    values = np.array([black_box(config) for config in configs])
    assert np.isfinite(values).all() and (values > 0).all() and len(set(values.tolist())) == 30


def test_an_unknown_task_names_the_nearest_and_an_unknown_scenario_those_there_are(data):
    with pytest.raises(AugerError, match="lcbench has no task '759'. Did you mean '7593'"):
        yahpo("yahpo-lcbench-759")
    with pytest.raises(AugerError, match="must be named yahpo-lcbench- or yahpo-xgboost- and a task"):
        yahpo("yahpo-nb301-3")


def test_without_the_data_the_error_says_which_file_is_missing(monkeypatch):
    monkeypatch.delenv("AUGER_DATA", raising=False)
    with pytest.raises(DataError, match="yahpo/lcbench/scenario.json. Got no AUGER_DATA"):
        yahpo("yahpo-lcbench-7593")


def test_epochs_before_the_last_are_fidelities_and_the_last_one_is_the_value(data):
    network = problem("yahpo-lcbench-7593")
    config = network.space.decode(network.space.sample(1, np.random.default_rng(0)))[0]
    assert (network.fidelities[0], network.fidelities[-1], network.budget) == (1, 51, 52)
    curve = [network.cheaper(config, epoch) for epoch in (1, 25, 51)]
    assert curve[0] > curve[1] > 0 and abs(curve[2] - network(config)) < 0.05 * curve[0]
    assert problem("yahpo-xgboost-1590").budget is None
