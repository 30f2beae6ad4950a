"""An infinity of either sign is a failure, in every door: never good, never the best, never on the front."""

import math

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from auger import Optimizer, State, minimize
from auger.best import best_settings
from auger.hosts.optuna import AugerSampler
from auger.labels import Kind, kinds_of
from auger.view import view

INFINITIES = [math.inf, -math.inf]


def told(value, n=40, recipe="auto"):
    """A run in which everything above 0.7 is infinite."""
    optimizer = Optimizer({"x": (0.0, 1.0)}, recipe, seed=0)
    for _ in range(n):
        trial = optimizer.ask()
        x = trial.config["x"]
        optimizer.tell(trial, value if x > 0.7 else (x - 0.2) ** 2)
    return optimizer


@pytest.mark.parametrize("recipe", ["auto", "bore-rf", "lfbo-rf"])
@pytest.mark.parametrize("value", INFINITIES)
def test_a_run_does_not_go_where_values_are_infinite(value, recipe):
    late = told(value, recipe=recipe).trials[-15:]
    assert sum(trial.config["x"] > 0.7 for trial in late) <= 3


@pytest.mark.parametrize("value", INFINITIES)
def test_either_infinity_is_learned_like_a_failure(value):
    infinite, failed = told(value, 24), Optimizer({"x": (0.0, 1.0)}, seed=0)
    for expected in infinite.trials:
        trial = failed.ask()
        assert trial.config == expected.config
        failed.tell(trial, error="no") if math.isinf(expected.value) else failed.tell(trial, expected.value)


@pytest.mark.parametrize("value", INFINITIES)
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_an_infinite_value_is_neither_best_nor_recommended(value, direction):
    optimizer = Optimizer({"x": (0.0, 1.0)}, direction=direction, seed=0)
    optimizer.tell(optimizer.ask(), value)
    assert optimizer.best is None and optimizer.recommend() is None and best_settings(view(optimizer)) is None
    optimizer.tell(optimizer.ask(), 3.0)
    assert optimizer.best.number == optimizer.recommend().trial.number == best_settings(view(optimizer)).number == 1


def test_an_infinite_constraint_only_makes_a_trial_infeasible():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    first, second = optimizer.ask(2)
    optimizer.tell(first, 1.0, constraints=[math.inf])
    optimizer.tell(second, 2.0, constraints=[-math.inf])
    assert kinds_of(optimizer.history, slice(None)).tolist() == [Kind.INFEASIBLE, Kind.FEASIBLE]


@pytest.mark.parametrize("value", INFINITIES)
def test_minimize_counts_infinity_as_a_failure(value):
    result = minimize(
        lambda config: value if config["x"] > 0.5 else config["x"], {"x": (0.0, 1.0)}, n_trials=12, seed=0
    )
    assert math.isfinite(result.value) and {trial.state for trial in result.trials} == {State.COMPLETE}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("value", INFINITIES)
def test_an_optuna_study_learns_infinity_as_a_failure(value, direction):
    sampler = AugerSampler(seed=0)
    study = optuna.create_study(sampler=sampler, direction=direction)
    sign = 1 if direction == "minimize" else -1

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        return value if x > 0.7 else sign * (x - 0.2) ** 2

    study.optimize(objective, n_trials=30)
    assert sum(trial.params["x"] > 0.7 for trial in study.trials[-12:]) <= 3
    assert view(study).best.config["x"] <= 0.7


@pytest.mark.parametrize("value", INFINITIES)
def test_of_several_objectives_one_infinite_value_is_enough_to_fail(value):
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=AugerSampler(seed=0))
    space = {"x": FloatDistribution(0, 1)}
    for i in range(12):
        values = [value, 0.0] if i % 2 else [i / 12, 1 - i / 12]
        study.add_trial(create_trial(params={"x": i / 12}, distributions=space, values=values))
    study.ask(space)
    run = view(study)
    assert np.isnan(run.history.y[1::2]).all() and np.isfinite(run.history.y[::2]).all()
    assert all(trial.number % 2 == 0 for trial in run.front)


def test_a_pruned_trial_whose_last_value_is_infinite_failed():
    study = optuna.create_study(sampler=AugerSampler(seed=0))
    space = {"x": FloatDistribution(0, 1)}
    study.add_trial(
        create_trial(
            state=TrialState.PRUNED, params={"x": 0.5}, distributions=space, intermediate_values={1: -math.inf}
        )
    )
    study.add_trial(create_trial(params={"x": 0.2}, distributions=space, value=1.0))
    assert kinds_of(view(study).history, slice(None)).tolist() == [Kind.UNRANKED, Kind.FEASIBLE]
