import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.ensemble import RandomForestClassifier

from auger import minimize
from auger.errors import AugerError
from auger.problems import SYNTHETIC, EvaluationError, Problem, crashing, noisy, problem, shifted
from auger.space import Float, Space

SHIFTABLE = ["branin", "hartmann6", "forrester", "ackley10", "rosenbrock6", "levy8", "styblinski-tang5"]


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


@given(name=st.sampled_from(SHIFTABLE), seed=st.integers(0, 2**60))
def test_the_shifted_minimizer_is_in_the_space_and_has_the_optimum(name, seed):
    black_box = problem(name)
    moved = shifted(black_box, seed)
    moved.space.encode([moved.minimizer])
    assert moved(moved.minimizer) == pytest.approx(black_box.optimum, abs=1e-12)
    assert moved.optimum == black_box.optimum


@given(
    seed=st.integers(0, 1000),
    side=st.sampled_from([Float(0.0, 1.0), Float(-1e6, 3.0), Float(1e-5, 10.0, log=True)]),
    is_rising=st.booleans(),
    u=st.floats(0, 1),
)
def test_a_shift_goes_round_and_misses_neither_end(seed, side, is_rising, u):
    """The position itself, or minus it: lowest at one end, next to the cliff that the seam makes of the other."""
    space = Space({"x": side})
    sign = 1 if is_rising else -1
    black_box = Problem(
        "position",
        space,
        lambda config: sign * float(space.encode([config])[0, 0]),
        optimum=0.0 if is_rising else -1.0,
        minimizer={"x": side.low if is_rising else side.high},
    )
    moved = shifted(black_box, seed)
    assert moved(moved.minimizer) == black_box.optimum
    start = float(space.encode([moved.minimizer])[0, 0])
    x = space.snap(np.array([[u]]))
    expected = (x[0, 0] - start) % 1.0 if is_rising else -(1 - (start - x[0, 0]) % 1.0)
    gap = abs(moved(space.decode(x)[0]) - expected)
    assert min(gap, abs(gap - 1)) < 1e-9  # on the cliff itself, rounding decides the side


def test_a_shift_leaves_the_law_of_the_values_as_it_is():
    branin = problem("branin")
    moved = shifted(branin, 5)
    before, after = ([f(config) for config in configs(branin.space, 4000)] for f in (branin, moved))
    assert before != after
    assert ks_2samp(before, after).pvalue > 0.05


def test_shifts_move_the_minimizer_anywhere_along_every_axis():
    black_box = problem("ackley10")
    X = black_box.space.encode([shifted(black_box, seed).minimizer for seed in range(200)])
    assert (X.min(axis=0) < 0.05).all() and (X.max(axis=0) > 0.95).all()
    assert abs(X.mean() - 0.5) < 0.03


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


@pytest.mark.parametrize(
    ("name", "culprit"),
    [("mixed", "'layers' is Int"), ("conditional", "'model' is Cat"), ("categorical", "'c0' is Cat")],
)
def test_a_space_that_cannot_be_shifted_is_refused(name, culprit):
    with pytest.raises(AugerError, match=f"needs a space of continuous Floats.*Got '{name}', whose {culprit}"):
        shifted(problem(name), 0)


def test_steps_and_constraints_are_refused():
    stepped = Problem("stepped", Space({"x": Float(0.0, 1.0, step=0.5)}), lambda config: 0.0)
    with pytest.raises(AugerError, match="whose 'x' is Float"):
        shifted(stepped, 0)
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
from auger.problems import EvaluationError, problem
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
    with pytest.raises(RuntimeError, match=r"'branin\+crashing0.3' crashes, on purpose"):
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
