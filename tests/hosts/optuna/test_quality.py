"""How good it is, as statistics over fixed seeds."""

import math

import numpy as np
import optuna
import pytest
from optuna._hypervolume import compute_hypervolume
from optuna.samplers import RandomSampler

from auger import Float, Int, Space
from auger.hosts.optuna import AugerSampler

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


SPACE = Space(
    {
        "model": ["svm", "forest", "net"],
        "C": Float(1e-3, 1e3, log=True, when={"model": "svm"}),
        "gamma": Float(1e-4, 10, log=True, when={"model": "svm"}),
        "depth": Int(1, 20, when={"model": "forest"}),
        "share": Float(0.0, 1.0, when={"model": "forest"}),
        "lr": Float(1e-5, 0.1, log=True, when={"model": "net"}),
        "layers": Int(1, 4, when={"model": "net"}),
        **{f"units{i}": Int(8, 512, log=True, when={"layers": list(range(i, 5))}) for i in (2, 3, 4)},
    }
)


def cost(config):
    """A net of three layers is best, by little, and takes five parameters to be so; the best value is 0."""
    if config["model"] == "svm":
        return 0.1 + 0.05 * (math.log10(config["C"]) - 1) ** 2 + 0.05 * (math.log10(config["gamma"]) + 2) ** 2
    if config["model"] == "forest":
        return 0.05 + 0.01 * abs(config["depth"] - 12) + (config["share"] - 0.3) ** 2
    widths = sum(abs(math.log2(config[f"units{i}"]) - 6) for i in (2, 3, 4) if f"units{i}" in config)
    return 0.1 * (math.log10(config["lr"]) + 3) ** 2 + 0.03 * abs(config["layers"] - 3) + 0.02 * widths


def define_by_run(trial):
    return cost(SPACE.walk(lambda name, kind: ask(trial, name, kind)))


def ask(trial, name, kind):
    if isinstance(kind, Float):
        return trial.suggest_float(name, kind.low, kind.high, log=kind.log)
    if isinstance(kind, Int):
        return trial.suggest_int(name, kind.low, kind.high, log=kind.log)
    return trial.suggest_categorical(name, kind.choices)


def best(sampler, objective, n_trials=50, **more):
    study = optuna.create_study(sampler=sampler, **more)
    study.optimize(objective, n_trials=n_trials)
    return study.best_value


def test_a_conditional_space_that_is_found_is_searched_better_than_at_random():
    ours = np.array([best(AugerSampler(seed=seed), define_by_run) for seed in range(10)])
    others = np.array([best(RandomSampler(seed), define_by_run) for seed in range(10)])
    assert np.sum(ours < others) >= 9
    assert np.median(ours) < 0.7 * np.median(others)


def curve(trial):
    """A learning curve that falls to a floor set by the parameters."""
    lr, wd = trial.suggest_float("lr", 1e-5, 1, log=True), trial.suggest_float("wd", 1e-6, 0.1, log=True)
    width, act = trial.suggest_int("width", 8, 512, log=True), trial.suggest_categorical("act", ["a", "b", "c"])
    floor = 0.05 * (math.log10(lr) + 3) ** 2 + 0.02 * (math.log10(wd) + 4) ** 2
    floor += 0.01 * (math.log2(width) - 7) ** 2 + {"a": 0.1, "b": 0.0, "c": 0.05}[act]
    for step in range(1, 28):
        trial.report(floor + math.exp(-0.3 * step), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return floor


def test_hyperband_gains_by_the_sampler():
    def run(sampler):
        pruner = optuna.pruners.HyperbandPruner(1, 27, 3)
        return best(sampler, curve, 60, pruner=pruner, study_name="curves")

    ours = np.array([run(AugerSampler(seed=seed)) for seed in range(8)])
    others = np.array([run(RandomSampler(seed)) for seed in range(8)])
    assert np.sum(ours < others) >= 7
    assert np.median(ours) < 0.5 * np.median(others)


def zdt1(trial):
    x = [trial.suggest_float(f"x{i}", 0, 1) for i in range(5)]
    g = 1 + 9 * sum(x[1:]) / 4
    return x[0], g * (1 - math.sqrt(x[0] / g))


def dtlz2(trial):
    x = np.array([trial.suggest_float(f"x{i}", 0, 1) for i in range(6)])
    (a, b), g = x[:2] * math.pi / 2, 1 + ((x[2:] - 0.5) ** 2).sum()
    return g * math.cos(a) * math.cos(b), g * math.cos(a) * math.sin(b), g * math.sin(a)


@pytest.mark.parametrize(("objective", "end"), [(zdt1, [1.1, 6.0]), (dtlz2, [2.0, 2.0, 2.0])], ids=["zdt1", "dtlz2"])
def test_several_objectives_are_pursued_better_than_at_random(objective, end):
    def volume(sampler):
        study = optuna.create_study(sampler=sampler, directions=["minimize"] * len(end))
        study.optimize(objective, n_trials=60)
        values = np.array([trial.values for trial in study.trials])
        return compute_hypervolume(values[(values < end).all(axis=1)], np.array(end))

    ours = [volume(AugerSampler(seed=seed)) for seed in range(5)]
    others = [volume(RandomSampler(seed)) for seed in range(5)]
    assert min(ours) > max(others)


def test_feasible_trials_are_found_more_often_than_at_random():
    def objective(trial):
        x = [trial.suggest_float(f"x{i}", 0, 1) for i in range(4)]
        trial.set_constraint("sum", 2.8 - sum(x))  # one in twelve, and away from where the values are low
        return sum(value**2 for value in x)

    def n_feasible(sampler):
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=60)
        return sum(trial.constraints["sum"] <= 0 for trial in study.trials)

    ours = [n_feasible(AugerSampler(seed=seed)) for seed in range(5)]
    others = [n_feasible(RandomSampler(seed)) for seed in range(5)]
    assert min(ours) > 2 * max(others)
