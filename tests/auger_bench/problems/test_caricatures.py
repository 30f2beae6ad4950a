"""The optima of the caricatures, proved: every member of the finite part, each with the best Floats in closed form."""

import itertools
import math

import numpy as np
import pytest

from auger.space import Space
from auger_bench.problems import problem
from auger_bench.problems.caricatures import run_time


def best_of_pipeline(config):
    """The Floats that go best with the finite part of a config; `share` at 0.4 moves nothing."""
    change = 0.05 * (config["components"] - 9) if config["step"] == "pca" else 0.0
    floats = {"share": 0.4} if config["step"] == "select" else {}
    if config["model"] == "forest":
        return floats | {"features": 0.45 + 0.02 * (config["depth"] - 7) + 0.2 * change}
    if config["model"] == "linear":
        return floats | {"penalty": 10 ** (-1 + change)}
    if config["kernel"] == "poly":
        return floats | {"penalty": 10 ** (0.2 - 0.5 * (config["degree"] - 3))}
    return floats | {"penalty": 10**0.7, "gamma": 10 ** (-1.7 - change)}


def best_of_network(config):
    rate = {"adam": -2.8, "rmsprop": -3.1, "sgd": -1.1}[config["optimizer"]]
    depth = 0.0 if config["norm"] else 0.15 * (config["layers"] - 1)
    decay = -4 + 0.5 * (math.log2(config["width"]) - 5)
    return {"rate": 10 ** (rate - depth), "decay": 10**decay, "clip": 10**0.4, "epsilon": 1e-8}


def best_of_ackley_mixed(config):
    return {f"x{i}": 0.0 for i in range(5)}


BEST = {"pipeline": best_of_pipeline, "network": best_of_network, "ackley-mixed": best_of_ackley_mixed}


def finite_part(space):
    return Space({name: kind for name, kind in space.parameters.items() if kind.n_values is not None})


@pytest.mark.parametrize("name", BEST)
def test_no_member_of_the_finite_part_with_its_best_floats_is_below_the_optimum(name):
    black_box = problem(name)
    finite = finite_part(black_box.space)
    lowest, where = math.inf, []
    for config in finite.decode(finite.enumerate()):
        full = config | BEST[name](config)
        value = black_box(full)
        if value < lowest + 1e-12:
            where = [full] if value < lowest - 1e-12 else [*where, full]
            lowest = min(lowest, value)
    assert lowest == pytest.approx(black_box.optimum, abs=1e-12)
    for config in where:  # unique, but for what has no effect
        assert {**config, "workers": 4} == pytest.approx({"workers": 4, **black_box.minimizer})


@pytest.mark.parametrize("name", BEST)
def test_the_closed_form_of_the_floats_is_in_the_space_and_best(name):
    black_box = problem(name)
    space = black_box.space
    rng = np.random.default_rng(0)
    drawn = space.sample(1000, rng)
    continuous = [j for j, n in enumerate(space.n_values) if n is None]
    for config, row in zip(space.decode(drawn), drawn, strict=True):
        finite = {key: value for key, value in config.items() if space.parameters[key].n_values is not None}
        best = finite | BEST[name](finite)
        floor = black_box(best)
        assert black_box(config) >= floor - 1e-12
        near = space.encode([best])[0]  # ... and nearby
        near[continuous] = np.clip(near[continuous] + rng.normal(0, 0.02, len(continuous)), 0, 1)
        assert black_box(space.decode(near[None])[0]) >= floor - 1e-12
        assert np.isnan(near).sum() == np.isnan(row).sum()


# -- compiler ---------------------------------------------------------------------------------------------


def test_no_member_of_compiler_is_below_its_optimum():
    black_box = problem("compiler")
    flags = np.array(list(itertools.product((0, 1), repeat=14)))
    n_lowest = n_members = 0
    for levels in itertools.product(range(4), range(4), range(5), range(4)):
        times = run_time(np.column_stack([flags, np.tile(levels, (len(flags), 1))]))
        assert times.min() >= black_box.optimum - 1e-9
        n_lowest += int((times < black_box.optimum + 0.01).sum())
        n_members += len(times)
    assert n_lowest == 1
    assert n_members == black_box.space.cardinality == 5_242_880


def test_the_run_time_of_codes_is_the_value_of_the_config():
    black_box = problem("compiler")
    space = black_box.space
    X = space.sample(300, np.random.default_rng(0))
    codes = np.rint(X * np.where(space.is_ordered, np.array(space.n_values) - 1, 1)).astype(int)
    np.testing.assert_array_equal(run_time(codes), [black_box(config) for config in space.decode(X)])


def test_most_flags_of_the_best_configuration_cost_time_alone():
    black_box = problem("compiler")
    flags = [key for key, value in black_box.minimizer.items() if value is True]
    bare = {key: False if isinstance(value, bool) else value for key, value in black_box.minimizer.items()}
    plain = {"level": 2, "unroll": 2, "limit": 1, "tile": 32}  # best for a bare configuration
    alone = [black_box({**bare, **plain, flag: True}) - black_box(bare | plain) for flag in flags]
    assert (len(flags), sum(cost > 0 for cost in alone)) == (11, 8)


# -- what makes the others hard, or not -------------------------------------------------------------------


def test_two_parameters_of_network_have_no_effect_and_the_others_have():
    black_box = problem("network")
    space = black_box.space
    idle = set(space.names)
    configs = space.decode(space.sample(200, np.random.default_rng(1)))
    for one, other in itertools.pairwise(configs):
        idle -= {key for key in idle if black_box({**one, key: other[key]}) != black_box(one)}
    assert idle == {"epsilon", "workers"}


def test_pipeline_is_no_trap():
    black_box = problem("pipeline")
    branches = {}
    for config in black_box.space.decode(black_box.space.sample(30_000, np.random.default_rng(0))):
        branches.setdefault((config["step"], config.get("kernel", config["model"])), []).append(black_box(config))
    assert len(branches) == 12
    best = np.array(branches.pop(("pca", "rbf")))
    assert np.mean(best < 0.10) > 0.02  # 0.10 is the floor of the second-best branch
    assert all(best.mean() < np.mean(values) for values in branches.values())


def test_the_minimizer_of_ackley_mixed_is_away_from_the_middle():
    black_box = problem("ackley-mixed")
    X = black_box.space.encode([black_box.minimizer])[0]
    assert (np.abs(X[:8] - 0.5) > 0.1).all()
    assert black_box.minimizer["c0"] != black_box.minimizer["c1"]
