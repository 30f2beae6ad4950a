import math

import numpy as np
import pytest
from scipy.stats import wilcoxon

from auger import Float, History, Optimizer, Recipe, Space, State, Trial, minimize, recommend
from auger.classifiers import GaussianProcess
from auger.maximizers import LocalSearch
from auger_bench.problems import problem

LINE = Space({"x": Float(0.0, 1.0)})


def history(space, configs, values, **given):
    trials = [
        Trial(i, config, State.COMPLETE, y, **given) for i, (config, y) in enumerate(zip(configs, values, strict=True))
    ]
    return History(space, trials)


def noisy_bowl(n=60, scale=1.0, seed=0):
    """Values of (10 * (x - 0.5))^2 with noise of deviation 1, times a scale; half of the rows near the optimum."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.random(n // 2), 0.4 + 0.2 * rng.random(n - n // 2)])
    y = scale * ((10 * (x - 0.5)) ** 2 + rng.normal(size=n))
    return history(LINE, [{"x": float(v)} for v in x], y)


def test_a_lucky_value_among_bad_repeats_is_not_recommended():
    # means: a 4.2 (with the lowest value of all), b 2, c 3
    values = {"a": [1.0, 5.0, 5.0, 5.0, 5.0], "b": [1.9, 2.2, 1.8, 2.1, 2.0], "c": [3.0, 2.5, 3.5, 2.9, 3.1]}
    space = Space({"which": list(values)})
    pairs = [({"which": which}, y) for which, ys in values.items() for y in ys]
    made = history(space, *zip(*pairs, strict=True))
    found = recommend(made)
    assert made.best.value == 1.0
    assert found.trial.config == {"which": "b"}
    # drawn a little towards the mean of all, 3.1, as it should be
    assert 2.0 < found.estimate < 2.5
    assert "not the lowest value, but the lowest expected one" in found.reason


def test_an_outlier_amid_bad_neighbours_is_not_recommended():
    made = noisy_bowl()
    outlier = Trial(len(made), {"x": 0.8}, State.COMPLETE, -4.0)
    made.extend([outlier, *[Trial(61 + i, {"x": 0.795 + 0.002 * i}, State.COMPLETE, 9.0 + i % 2) for i in range(6)]])
    found = recommend(made)
    assert made.best.config == {"x": 0.8}
    assert abs(found.trial.config["x"] - 0.5) < 0.1
    assert abs(found.estimate - (10 * (found.trial.config["x"] - 0.5)) ** 2) < 3 * found.error


def rastrigin(config):
    x = 10 * (np.array(list(config.values())) - 0.4)
    return float(np.sum(x**2 - 10 * np.cos(2 * np.pi * x)))


def stairs(config):
    return float(sum(math.floor(8 * abs(x - 0.37)) for x in config.values()))


PLANE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
SURE = [(problem(name).space, problem(name)) for name in ("forrester", "branin", "ackley5", "levy8", "conditional")]


@pytest.mark.parametrize(("space", "function"), [*SURE, (PLANE, rastrigin), (PLANE, stairs)])
@pytest.mark.parametrize("n", [5, 40, 150])
def test_without_noise_it_is_the_best_however_rough_the_function_is(space, function, n):
    configs = space.decode(space.sample(n, np.random.default_rng(n)))
    made = history(space, configs, map(function, configs))
    found = recommend(made)
    assert found.trial is made.best
    assert (found.estimate, found.error, found.is_noisy) == (None, None, False)
    assert "without evidence of noise" in found.reason


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_rounded_values_are_not_noisy(digits):
    configs = PLANE.decode(PLANE.sample(100, np.random.default_rng(0)))
    made = history(PLANE, configs, [round(4 * config["x"] + 2 * config["y"], digits) for config in configs])
    assert recommend(made).trial is made.best


def test_repeats_that_agree_rule_noise_out():
    made = noisy_bowl()
    assert recommend(made).is_noisy
    made.extend([Trial(60, made.trials[7].config, State.COMPLETE, made.trials[7].value)])
    found = recommend(made)
    assert found.trial is made.best and not found.is_noisy
    assert found.reason == "the lowest of 61 values, and repeats gave the same again"


def coarse_bowl(step):
    """Errors of a bowl with noise of deviation 0.02, in steps, such as those of 100 test cases."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.random(30), 0.4 + 0.2 * rng.random(30)])
    y = 0.1 + 3 * (x - 0.5) ** 2 + rng.normal(0, 0.02, 60)
    return history(LINE, [{"x": float(v)} for v in x], step * np.round(y / step))


def repeated(made, numbers):
    again = [made.trials[i] for i in numbers]
    made.extend([Trial(len(made) + i, one.config, State.COMPLETE, one.value) for i, one in enumerate(again)])
    return recommend(made)


def test_a_repeat_that_agrees_by_chance_does_not_rule_noise_out():
    assert repeated(coarse_bowl(0.01), [7]).is_noisy
    assert not repeated(coarse_bowl(1e-6), [7]).is_noisy


def test_many_repeats_that_agree_rule_noise_out_though_one_might_by_chance():
    found = repeated(coarse_bowl(0.01), range(60))
    assert found.reason == "the lowest of 120 values, and repeats gave the same again"


def test_whole_values_are_noisy_where_repeats_disagree():
    # means: a 1.9 (with the first of the lowest values), b 1.1, c 2.9
    values = {"a": [1.0] + [2.0] * 9, "b": [1.0] * 9 + [2.0], "c": [3.0] * 9 + [2.0]}
    pairs = [({"which": which}, y) for which, ys in values.items() for y in ys]
    found = recommend(history(Space({"which": list(values)}), *zip(*pairs, strict=True)))
    assert found.trial.number == 10 and found.estimate == pytest.approx(1.1, abs=0.1)
    assert found.reason.startswith("the lowest value, and the lowest expected one, given noise")


def test_the_earliest_of_repeats_is_recommended_and_not_called_another_configuration():
    values = np.random.default_rng(0).normal([[3.0], [5.0]], 1.0, (2, 30))
    pairs = [({"which": which, "x": 0.3}, y) for which, ys in zip("ab", values, strict=True) for y in ys]
    made = history(Space({"which": ["a", "b"], "x": Float(0.0, 1.0)}), *zip(*pairs, strict=True))
    found = recommend(made)
    assert found.trial.number == 0 and 0 < made.best.number < 30
    assert found.reason.startswith("the configuration of the lowest value, and the lowest expected one, given noise")


def test_far_below_the_others_an_estimate_is_still_near_its_values():
    # hundreds of interquartile ranges below the median, where targets are logarithms
    rng = np.random.default_rng(0)
    values = {"a": rng.normal(0, 1, 60), "b": rng.normal(-1e3, 50, 8), "c": rng.normal(-900, 50, 8)}
    pairs = [({"which": which}, y) for which, ys in values.items() for y in ys]
    found = recommend(history(Space({"which": list(values)}), *zip(*pairs, strict=True)))
    assert found.trial.config == {"which": "b"}
    assert abs(found.estimate - values["b"].mean()) < 3 * found.error < 150


def test_in_many_dimensions_repeats_that_disagree_are_among_the_few_rows_that_decide():
    space, rng = Space({f"x{i}": Float(0.0, 1.0) for i in range(500)}), np.random.default_rng(0)
    configs = space.decode(space.sample(150, rng))
    values = [sum(config.values()) + rng.normal(0, 5) for config in configs]
    good = np.argsort(values)[:10]
    assert not recommend(history(space, configs, values)).is_noisy
    configs += [configs[i] for i in good]
    values += [sum(configs[i].values()) + rng.normal(0, 5) for i in good]
    assert recommend(history(space, configs, values)).is_noisy


def test_one_value_is_the_only_one():
    assert recommend(history(LINE, [{"x": 0.5}], [1.0])).reason == "the only value, without evidence of noise"


def test_repeats_that_disagree_are_evidence_where_nothing_has_neighbours():
    table = problem("categorical")
    rng = np.random.default_rng(0)
    configs = table.space.decode(table.space.sample(20, rng))
    values = [table(config) for config in configs]
    assert not recommend(history(table.space, configs, values)).is_noisy
    again = [*values, *[value + rng.normal() for value in values[:5]]]
    assert recommend(history(table.space, configs + configs[:5], again)).is_noisy


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 0.0), (1e6, -3e6)])
def test_the_unit_of_the_values_does_not_matter(factor, shift):
    plain = noisy_bowl()
    other = history(LINE, [trial.config for trial in plain], factor * plain.y + shift)
    found, again = recommend(plain), recommend(other)
    assert found.trial.number == again.trial.number
    assert again.estimate == pytest.approx(factor * found.estimate + shift, rel=1e-3)
    assert again.error == pytest.approx(factor * found.error, rel=1e-3)


def test_nothing_is_recommended_before_a_trial_is_complete_and_feasible():
    made = History(LINE)
    assert recommend(made) is None
    made.start({"x": 0.1})
    made.extend([Trial(1, {"x": 0.2}, State.FAILED), Trial(2, {"x": 0.3}, State.PRUNED, 0.0)])
    made.extend([Trial(3, {"x": 0.4}, State.COMPLETE, 0.0, (1.0,)), Trial(4, {"x": 0.5}, State.COMPLETE, math.nan)])
    assert recommend(made) is None


def test_what_is_not_complete_and_feasible_is_neither_recommended_nor_learned_from():
    made = noisy_bowl()
    plain = recommend(made)
    rest = [
        (State.FAILED, None, ()),
        (State.PRUNED, -9.0, ()),
        (State.COMPLETE, -9.0, (0.1,)),
        (State.RUNNING, None, ()),
    ]
    rest += [(State.COMPLETE, value, ()) for value in (math.nan, math.inf, -math.inf)]
    made.extend([Trial(60 + i, {"x": 0.9}, state, y, c) for i, (state, y, c) in enumerate(rest)])
    assert recommend(made) == plain


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        [2.0, 1.0],
        [1.0] * 30,
        [math.nan, 3.0, 3.0],
        [-math.inf, *range(30)],
        [*range(20), *[math.inf] * 20],
        [(-1) ** i * 1e308 for i in range(30)],
        [1e-320 * i for i in range(30)],
        [1.0 + 1e-16 * i for i in range(30)],
        [0.0, 1.0] * 15,
    ],
)
def test_unpleasant_values(values):
    made = history(LINE, [{"x": i / len(values)} for i in range(len(values))], values)
    found = recommend(made)
    assert found.trial.state is State.COMPLETE and math.isfinite(found.trial.value)
    assert found.is_noisy or found.trial is made.best
    assert found.estimate is None or (math.isfinite(found.estimate) and 0 <= found.error < math.inf)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_where_no_value_is_finite_there_is_nothing_to_recommend(value):
    assert recommend(history(LINE, [{"x": i / 3} for i in range(3)], [value] * 3)) is None


def test_a_space_of_one_configuration_takes_the_average_of_its_repeats():
    made = history(Space({"x": ["only"]}), [{"x": "only"}] * 20, np.random.default_rng(0).normal(3.0, 1.0, 20))
    found = recommend(made)
    assert found.trial is made.trials[0] and found.estimate == pytest.approx(made.y.mean(), abs=0.2)


@pytest.mark.parametrize("largest", [1e160, 1e300, 1.7e308])
def test_repeats_whose_squares_are_beyond_the_largest_number_have_a_mean(largest):
    recommendation = recommend(history(Space({"x": ["only"]}), [{"x": "only"}] * 2, [0.0, largest]))
    assert (recommendation.estimate, recommendation.error) == pytest.approx((largest / 2, largest / 2))


def test_choices_and_conditions_with_noise():
    black_box = problem("conditional+noisy0.05")
    rng = np.random.default_rng(0)
    good = black_box.space.encode([black_box.minimizer])
    rows = np.concatenate([black_box.space.sample(40, rng), np.repeat(good, 40, axis=0)])
    moved = np.where(black_box.space.is_ordered, rows + rng.normal(0, 0.03, rows.shape), rows)
    configs = black_box.space.decode(black_box.space.snap(np.clip(moved, 0, None)))
    found = recommend(history(black_box.space, configs, [black_box.observe(config, rng) for config in configs]))
    assert found.is_noisy and black_box(found.trial.config) < 0.05


def test_an_estimate_from_thousands_of_values_is_not_drawn_to_the_lucky_ones():
    made = noisy_bowl(3000)
    found = recommend(made)
    true = (10 * (found.trial.config["x"] - 0.5)) ** 2
    assert made.best.value < -2.5  # the luckiest
    assert abs(found.estimate - true) < 3 * found.error < 1.0
    assert true < 1.0


def searched(black_box, seed):
    """A search in miniature: 40 trials anywhere, and 60 around the 5 best of them, each from near to far."""
    space, rng = black_box.space, np.random.default_rng(seed)
    anywhere = space.sample(40, rng)
    values = [black_box.observe(config, rng) for config in space.decode(anywhere)]
    centers = np.repeat(anywhere[np.argsort(values)[:5]], 12, axis=0)
    around = centers + 10 ** rng.uniform(-3, -0.5, (60, 1)) * rng.normal(size=centers.shape)
    configs = space.decode(np.concatenate([anywhere, space.snap(np.clip(around, 0, 1))]))
    return history(space, configs, values + [black_box.observe(config, rng) for config in configs[40:]])


def test_on_noisy_branin_it_beats_the_luckiest_value():
    black_box = problem("branin+noisy2")
    made = [searched(black_box, seed) for seed in range(20)]
    ours = [black_box(recommend(one).trial.config) for one in made]
    luckiest = [black_box(one.best.config) for one in made]
    assert wilcoxon(ours, luckiest, alternative="less").pvalue < 0.01


def test_minimize_returns_what_it_recommends():
    rng = np.random.default_rng(0)
    process = Recipe("process", GaussianProcess(), LocalSearch())
    result = minimize(
        lambda config: (config["x"] - 0.5) ** 2 + rng.normal(0, 0.1), LINE, n_trials=40, recipe=process, seed=0
    )
    found = result.recommendation
    assert found.is_noisy and found == result.optimizer.recommend()
    assert (result.config, result.value) == (found.trial.config, found.trial.value)
    assert result.optimizer.best.value <= result.value


def test_changing_what_the_optimizer_recommends_does_not_change_its_history():
    optimizer = Optimizer(LINE, seed=0)
    assert optimizer.recommend() is None
    optimizer.add([{"x": 0.5}], [1.0])
    optimizer.recommend().trial.config["x"] = 7
    assert optimizer.trials[0].config == {"x": 0.5}
