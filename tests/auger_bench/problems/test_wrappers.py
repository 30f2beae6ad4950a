import json
import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest
from sklearn.ensemble import RandomForestClassifier

from auger import minimize
from auger.errors import AugerError
from auger.space import Float, Space
from auger_bench.problems import SYNTHETIC, EvaluationError, Problem, crashing, idle, noisy, problem, shifted

SHIFTABLE = [name for name in SYNTHETIC if not problem(name).space.is_finite]


def observations(black_box, config, n=4000):
    rng = np.random.default_rng(0)
    return np.array([black_box.observe(config, rng) for _ in range(n)])


def configs(space, n, seed=1):
    return space.decode(space.sample(n, np.random.default_rng(seed)))


def works(evaluate, *arguments):
    try:
        evaluate(*arguments)
    except EvaluationError:
        return False
    return True


@pytest.fixture
def layered():
    """A problem with everything: noise of its own and two fidelities."""
    return Problem(
        "layered",
        Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)}),
        lambda config: config["x"] + config["y"],
        optimum=0.0,
        minimizer={"x": 0.0, "y": 0.0},
        observe=lambda config, rng: config["x"] + config["y"] + rng.normal(0.0, 3.0),
        fidelities=(1, 2),
        cheaper=lambda config, fidelity: config["x"] + config["y"] + fidelity,
    )


# -- noise ------------------------------------------------------------------------------------------------


def test_noise_has_the_mean_and_the_deviation_it_should():
    branin = problem("branin")
    config = {"x": 1.0, "y": 2.0}
    seen = observations(noisy(branin, 0.5), config)
    assert seen.mean() == pytest.approx(branin(config), abs=4 * 0.5 / math.sqrt(4000))
    assert seen.std() == pytest.approx(0.5, rel=0.05)


def test_noise_comes_on_top_of_noise(layered):
    seen = observations(noisy(layered, 4.0), {"x": 0.5, "y": 0.5})
    assert seen.mean() == pytest.approx(1.0, abs=4 * 5 / math.sqrt(4000))
    assert seen.std() == pytest.approx(5.0, rel=0.05)


def test_noise_leaves_everything_else_as_it_is(layered):
    wrapped = noisy(layered, 0.1)
    config = {"x": 0.25, "y": 0.5}
    assert wrapped.is_noisy and wrapped(config) == 0.75 and wrapped.cheaper(config, 2) == 2.75
    assert (wrapped.optimum, wrapped.minimizer, wrapped.space) == (0.0, layered.minimizer, layered.space)


def test_noise_repeats_with_the_generator():
    wrapped = noisy(problem("branin"), 0.1)
    first, second = (observations(wrapped, {"x": 1.0, "y": 2.0}, n=5) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert len(set(first)) == 5


@pytest.mark.parametrize("scale", [0, -0.1, math.nan, math.inf, "0.1", True, None])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(AugerError, match="`scale` of noisy must be a positive number. Got "):
        noisy(problem("branin"), scale)


# -- shift ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIFTABLE)
@given(seed=st.integers(0, 2**60))
@settings(max_examples=15)
def test_the_shifted_minimizer_is_in_the_space_and_has_the_optimum(name, seed):
    black_box = problem(name)
    moved = shifted(black_box, seed)
    moved.space.encode([moved.minimizer])
    # Ackley's tip is as steep as it gets here: 4 for a unit of distance, and positions are rounded to 5e-14 of 65
    assert moved(moved.minimizer) == pytest.approx(black_box.optimum, abs=1e-12)
    assert moved.optimum == black_box.optimum


def positions(side, best):
    """The position along one Float, measured as the distance from that of its minimizer."""
    space = Space({"x": side})
    start = float(space.encode([{"x": best}])[0, 0])
    return Problem("position", space, lambda config: float(space.encode([config])[0, 0]) - start, None, {"x": best})


SIDES = st.sampled_from([Float(0.0, 1.0), Float(-1e6, 3.0), Float(1e-5, 10.0, log=True)])


@given(seed=st.integers(0, 1000), side=SIDES, u=st.floats(0.02, 0.98))
def test_a_minimizer_inside_moves_to_a_place_inside_along_a_rising_curve_that_keeps_the_ends(seed, side, u):
    best = Space({"x": side}).decode(np.array([[u]]))[0]["x"]
    moved = shifted(positions(side, best), seed)
    assert abs(moved(moved.minimizer)) < 1e-12
    assert 0.15 <= moved.space.encode([moved.minimizer])[0, 0] <= 0.85
    along = np.array([moved(config) for config in moved.space.decode(np.linspace(0, 1, 201)[:, None])])
    assert along[0] == pytest.approx(-u, abs=1e-12) and along[-1] == pytest.approx(1 - u, abs=1e-12)
    assert (np.diff(along) > 0).all()
    assert np.diff(along).max() < 16 / 200 + 1e-12  # nowhere steeper than 16: no cliff


@pytest.mark.parametrize("u", [0.0, 1e-13, 0.005, 0.01, 0.99, 1 - 1e-13, 1.0])
@given(seed=st.integers(0, 1000), side=SIDES)
@settings(max_examples=10)
def test_a_minimizer_near_an_end_stays_near_it_and_has_the_optimum(u, seed, side):
    best = Space({"x": side}).decode(np.array([[u]]))[0]["x"]
    moved = shifted(positions(side, best), seed)
    assert abs(moved(moved.minimizer)) < 1e-12
    place = float(moved.space.encode([moved.minimizer])[0, 0])
    assert (place == u) if u in (0.0, 1.0) else abs(place - u) <= 0.03
    middle = moved(moved.space.decode(np.array([[0.5]]))[0]) + moved.space.encode([{"x": best}])[0, 0]
    assert 0.2 <= middle <= 0.8


def test_the_curve_is_the_one_the_documentation_gives():
    moved = shifted(positions(Float(0.0, 1.0), 0.3), 7)
    v = moved.minimizer["x"]
    a = v * 0.7 / (0.3 * (1 - v))
    assert abs(v - 0.3) > 0.05
    for x in (0.1, 0.5, 0.95):
        assert moved({"x": x}) == pytest.approx(x / (x + a * (1 - x)) - 0.3, abs=1e-12)


@pytest.mark.parametrize("name", ["branin", "hartmann6", "mixed"])
def test_a_shift_leaves_no_better_place(name):
    black_box = problem(name)
    moved = shifted(black_box, 4)
    near = moved.space.mutate(np.repeat(moved.space.encode([moved.minimizer]), 1000, axis=0), np.random.default_rng(0))
    values = list(map(moved, [*configs(moved.space, 1000), *moved.space.decode(near)]))
    assert min(values) >= black_box.optimum - 1e-12


def test_shifts_move_the_minimizer_anywhere_within_reach_along_every_axis():
    black_box = problem("ackley10")
    X = black_box.space.encode([shifted(black_box, seed).minimizer for seed in range(200)])
    assert (X.min(axis=0) < 0.2).all() and (X.max(axis=0) > 0.8).all()
    assert kstest(X.ravel(), "uniform", args=(0.15, 0.7)).pvalue > 0.05


def test_only_continuous_floats_move():
    black_box = problem("mixed")
    moved = shifted(black_box, 2)
    stays = {"layers", "width", "activation", "drop"}
    assert {name for name, value in moved.minimizer.items() if value == black_box.minimizer[name]} == stays
    seen = []
    spy = shifted(replace(black_box, function=lambda config: seen.append(config) or 0.0), 2)
    for config in configs(spy.space, 50):
        spy(config)
        assert list(seen[-1]) == list(config)
        assert {name for name in config if config[name] == seen[-1][name]} == stays


def test_a_conditional_problem_keeps_its_inactive_parameters_absent():
    black_box = problem("conditional")
    seen = []
    spy = shifted(replace(black_box, function=lambda config: seen.append(config) or black_box(config)), 2)
    for config in configs(spy.space, 50):
        spy(config)
        assert set(seen[-1]) == set(config)
        if config["model"] == "boosting":  # "rate" is inactive at the minimizer, and is bent all the same
            assert seen[-1]["rate"] != config["rate"] and seen[-1]["trees"] == config["trees"]
    assert set(spy.minimizer) == set(black_box.minimizer) and spy.minimizer != black_box.minimizer


def test_a_shifted_minimizer_still_works_where_the_problem_crashed_elsewhere():
    for seed in range(20):
        black_box = shifted(crashing(problem("hartmann6"), 0.7), seed)
        assert black_box(black_box.minimizer) == pytest.approx(black_box.optimum, abs=1e-12)


def test_a_shift_reaches_observations_and_fidelities(layered):
    moved = shifted(layered, 1)
    config = {"x": 0.25, "y": 0.5}
    rng = np.random.default_rng
    noise = rng(0).normal(0.0, 3.0)
    assert moved(config) != layered(config)
    assert moved.observe(config, rng(0)) == pytest.approx(moved(config) + noise)
    assert moved.cheaper(config, 2) == pytest.approx(moved(config) + 2)


def test_a_problem_without_a_known_optimum_can_be_shifted():
    moved = shifted(Problem("riddle", Space({"x": Float(0.0, 1.0)}), lambda config: config["x"]), 0)
    assert (moved.optimum, moved.minimizer) == (None, None)
    assert 0.2 < moved({"x": 0.5}) < 0.8 and moved({"x": 0.5}) != 0.5


def test_a_space_without_a_continuous_float_is_refused():
    with pytest.raises(AugerError, match="needs a space with a continuous Float.*Got 'categorical', which has no cont"):
        shifted(problem("categorical"), 0)
    stepped = Problem("stepped", Space({"x": Float(0.0, 1.0, step=0.5), "n": (1, 9)}), lambda config: 0.0)
    with pytest.raises(AugerError, match="Got 'stepped', which has no continuous Float."):
        shifted(stepped, 0)


def test_constraints_are_refused():
    bounded = Problem("bounded", Space({"x": Float(0.0, 1.0)}, constraints=["x < 0.5"]), lambda config: 0.0)
    with pytest.raises(AugerError, match="Got 'bounded', which has constraints"):
        shifted(bounded, 0)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(AugerError, match="`seed` of shifted must be a whole number of at least 0. Got "):
        shifted(problem("branin"), seed)


# -- crashes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.3, 0.8])
@pytest.mark.parametrize("name", SYNTHETIC)
def test_about_the_asked_share_of_the_space_crashes_and_the_minimizer_does_not(name, share):
    black_box = crashing(problem(name), share)
    crashes = [not works(black_box, config) for config in configs(black_box.space, 1500)]
    assert np.mean(crashes) == pytest.approx(share, abs=0.04)
    assert black_box(black_box.minimizer) == problem(name)(black_box.minimizer)


@given(share=st.floats(0.01, 0.99))
def test_any_share_leaves_the_minimizer_in(share):
    black_box = crashing(problem("forrester"), share)
    assert black_box(black_box.minimizer) == black_box.optimum


def test_few_members_are_no_obstacle():
    space = Space({"a": ["u", "v"], "b": ["u", "v"]})
    black_box = Problem("tiny", space, lambda config: 0.0, 0.0, {"a": "v", "b": "u"})
    for share in (0.01, 0.5, 0.99):
        assert works(crashing(black_box, share), black_box.minimizer)


def test_a_problem_without_a_known_minimizer_can_crash():
    black_box = crashing(Problem("riddle", Space({"x": Float(0.0, 1.0)}), lambda config: config["x"]), 0.5)
    assert 0.45 < np.mean([works(black_box, config) for config in configs(black_box.space, 1500)]) < 0.55


def test_what_crashes_crashes_in_every_way_of_asking(layered):
    black_box = crashing(layered, 0.4)
    rng = np.random.default_rng(0)
    for config in configs(black_box.space, 200):
        is_fine = works(black_box, config)
        assert works(black_box.observe, config, rng) == works(black_box.cheaper, config, 1) == is_fine
        if is_fine:
            assert black_box(config) == layered(config)


def test_between_two_configs_that_work_every_config_works():
    black_box = crashing(problem("hartmann6"), 0.5)
    fine = black_box.space.encode([c for c in configs(black_box.space, 400) if works(black_box, c)])
    half = len(fine) // 2
    assert all(works(black_box, c) for c in black_box.space.decode((fine[:half] + fine[half : 2 * half]) / 2))


@pytest.mark.parametrize("name", ["branin", "mixed", "categorical"])
def test_crashes_can_be_learned(name):
    black_box = crashing(problem(name), 0.3)
    space = black_box.space
    seen, unseen = configs(space, 500), configs(space, 500, seed=2)
    z, truth = ([works(black_box, config) for config in part] for part in (seen, unseen))
    forest = RandomForestClassifier(random_state=0).fit(space.one_hot(space.encode(seen)), z)
    assert forest.score(space.one_hot(space.encode(unseen)), truth) > 0.8  # always "works" scores 0.7


def test_the_region_is_the_same_in_another_process():
    code = """
import json, numpy as np
from auger_bench.problems import EvaluationError, problem
black_box = problem("mixed+crashing0.3")
def works(config):
    try:
        black_box(config)
    except EvaluationError:
        return False
    return True
print(json.dumps([works(c) for c in black_box.space.decode(black_box.space.sample(200, np.random.default_rng(1)))]))
"""
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    black_box = problem("mixed+crashing0.3")
    assert json.loads(done.stdout) == [works(black_box, config) for config in configs(black_box.space, 200)]


def test_a_crash_says_that_it_is_meant_and_is_a_runtime_error():
    black_box = crashing(problem("branin"), 0.3)
    bad = next(config for config in configs(black_box.space, 100) if not works(black_box, config))
    with pytest.raises(RuntimeError, match=r"'branin\+crashing0.3' crashes on purpose"):
        black_box(bad)


def test_a_run_goes_on_after_a_crash_and_records_it():
    black_box = crashing(problem("branin"), 0.5)
    result = minimize(black_box, black_box.space, n_trials=8, recipe="bore-rf", seed=0)
    assert len(result.trials) == 8
    failed = [bool(trial.error) for trial in result.trials]
    assert failed == [not works(black_box, trial.config) for trial in result.trials]
    assert 0 < sum(failed) < 8


@pytest.mark.parametrize("share", [0, 1, -0.1, 30, math.nan, "0.1", True, None])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(AugerError, match="`share` of crashing must be strictly between 0 and 1. Got "):
        crashing(problem("branin"), share)


# --- idle ---


@pytest.mark.parametrize("name", ["branin", "mixed", "conditional", "branin+noisy0.1", "curves"])
def test_idle_parameters_change_nothing_but_the_space(name):
    inner, wider = problem(name), problem(f"{name}+idle7")
    assert len(wider.space) == len(inner.space) + 7
    rng = np.random.default_rng(0)
    for config in configs(wider.space, 20):
        plain = {key: value for key, value in config.items() if key in inner.space.parameters}
        assert wider(config) == inner(plain)
        if inner.observe is not None:
            seed = int(rng.integers(1000))
            observed = [box.observe(c, np.random.default_rng(seed)) for box, c in ((wider, config), (inner, plain))]
            assert observed[0] == observed[1]
        if inner.cheaper is not None:
            assert wider.cheaper(config, 5) == inner.cheaper(plain, 5)
    assert wider.regret(wider(wider.minimizer)) == inner.regret(inner(inner.minimizer))


def test_idle_keeps_constraints_of_both_kinds():
    space = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)}, constraints=["a <= b", lambda config: config["b"] <= 0.5])
    wider = idle(Problem("pair", space, lambda config: config["a"]), 3)
    assert all(config["a"] <= config["b"] <= 0.5 for config in configs(wider.space, 50))


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", True])
def test_the_number_of_idle_parameters_is_a_positive_whole_number(number):
    with pytest.raises(AugerError, match="`number` of idle must be a whole number of at least 1. Got "):
        idle(problem("branin"), number)
