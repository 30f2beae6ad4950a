import json
import math
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger import Optimizer, Recipe, minimize
from auger.classifiers import GaussianProcess, Score
from auger.classifiers.gaussian_process import _rank_correlation, checkpoint, subset
from auger.errors import ClassifierError
from auger.gaussian_process.likelihood import _estimate
from auger.gaussian_process.warp import warp
from auger.history import History
from auger.labels import Labels, label
from auger.maximizers import Gradient, LocalSearch
from auger.objectives import Objectives
from auger.space import Float, Space
from auger.suggest import suggest
from auger.testing.cases import labelled, mixed_space, numeric_space, spaces, target
from auger.trial import State, Trial
from auger_bench.problems import problem

NAN, INF = math.nan, math.inf
SQUARE = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)})
GP = Recipe("gp", GaussianProcess(), LocalSearch())


def fit(X, labels, space=SQUARE, **settings):
    return GaussianProcess(**settings).fit(X, labels, space=space, rng=np.random.default_rng(0))


def history_of(X, values, **states):
    """A complete trial a row, except for those named by number: ``failed=[2]``."""
    state = {i: State(name) for name, numbers in states.items() for i in numbers}
    trials = [
        Trial(i, config, state.get(i, State.COMPLETE), None if state.get(i) in (State.FAILED, State.RUNNING) else value)
        for i, (config, value) in enumerate(zip(SQUARE.decode(X), values, strict=True))
    ]
    return History(SQUARE, trials)


def bowl(n, seed=0):
    """Rows, and values that are lowest at (0.3, 0.6)."""
    X = SQUARE.sample(n, np.random.default_rng(seed))
    return X, ((X - [0.3, 0.6]) ** 2).sum(axis=1)


def values_only(y):
    """Labels with these values behind them."""
    y = np.asarray(y, dtype=float)
    z = y <= np.nanmin(y)
    return Labels(z, y, float(np.nanmin(y)), z.astype(float), (~z).astype(float))


def skill(X, labels, space=SQUARE):
    return GaussianProcess().skill(X, labels, space=space)


# -- the skill ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 2, 3], [10, 20, 21], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 2, 4, 3], 0.8),  # 1 - 6 * (1 + 1) / (4 * 15)
        ([1, 1, 3], [1, 2, 3], math.sqrt(3) / 2),  # ranks 1.5, 1.5, 3 and 1, 2, 3: 1.5 / sqrt(1.5 * 2)
        ([1, 2, 3], [5, 5, 5], 0.0),
        ([7], [7], 0.0),
    ],
)
def test_the_rank_correlation_is_the_one_by_hand(a, b, expected):
    assert _rank_correlation(np.array(a, dtype=float), np.array(b, dtype=float)) == pytest.approx(expected)


def test_a_bowl_is_predicted_and_chance_is_not():
    X, y = bowl(40)
    assert skill(X, values_only(y)) > 0.95
    assert skill(X, values_only(np.random.default_rng(1).normal(size=40))) < 0.5


def test_with_few_values_there_is_no_skill():
    X, y = bowl(40)
    assert skill(X[:19], values_only(y[:19])) == 0.0
    assert skill(X[:20], values_only(y[:20])) > 0.0
    history = history_of(X, y, failed=list(range(21)))
    assert skill(history.X, label(history, gamma=0.1)) == 0.0


def test_with_several_objectives_or_constraints_there_is_no_skill():
    X, y = bowl(40)
    rows = SQUARE.decode(X)
    one = [
        Trial(i, row, State.COMPLETE, value, constraints=(-1.0,))
        for i, (row, value) in enumerate(zip(rows, y, strict=True))
    ]
    two = [replace(trial, values=(trial.values[0], trial.values[0]), constraints=()) for trial in one]
    for history in (History(SQUARE, one), History(SQUARE, two, objectives=Objectives(("minimize", "minimize")))):
        assert skill(history.X, label(history, gamma=0.1)) == 0.0


def test_with_more_answers_than_it_learns_from_there_is_no_skill():
    X, y = bowl(31)
    process = GaussianProcess(max_points=30)
    assert process.skill(X[:30], values_only(y[:30]), space=SQUARE) > 0.9
    assert process.skill(X, values_only(y), space=SQUARE) == 0.0


def test_the_skill_is_of_values_and_not_of_failures():
    """Which trials fail is plain; the values are chance."""
    X, _ = bowl(80)
    y = np.random.default_rng(2).normal(size=80)
    history = history_of(X, y, failed=np.flatnonzero(X[:, 0] > 0.4).tolist())
    assert skill(history.X, label(history, gamma=0.1)) < 0.5


@pytest.mark.parametrize("y", [[1.0] * 30, [1.0] * 20 + [2.0] * 10])
def test_where_the_better_half_is_all_the_same_there_is_no_skill(y):
    assert skill(bowl(30)[0], values_only(y)) == 0.0


def test_the_skill_of_any_values_is_at_most_1():
    X, y = bowl(40)
    for values in (y * 1e300, y * 1e-300, np.where(y > 0.1, INF, y), np.where(y < 0.05, -1e308, y)):
        assert -1.0 - 1e-9 <= skill(X, values_only(values)) <= 1.0 + 1e-9


def test_pending_rows_make_no_difference_to_the_skill():
    X, y = bowl(40)
    history, without = history_of(X, y, running=[38, 39]), history_of(X[:38], y[:38])
    assert skill(history.X, label(history, gamma=0.1)) == skill(without.X, label(without, gamma=0.1))


# -- the score ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["best", "tau"])
def test_the_score_is_the_logarithm_of_the_mean_improvement_over_draws(at):
    X, y = bowl(12)
    labels = label(history_of(X, y), gamma=0.5)
    score = fit(X, labels, at=at)
    rows = SQUARE.sample(30, np.random.default_rng(1))
    mean, deviation = score.process.predict(SQUARE.euclidean(rows))
    draws = mean + deviation * np.random.default_rng(2).normal(size=(200_000, 1))
    expected = np.maximum(score.best - draws, 0.0).mean(axis=0)
    likely = expected > 1e-3
    assert likely.sum() > 3
    np.testing.assert_allclose(np.exp(score(rows))[likely], expected[likely], rtol=0.1)


def test_the_probability_is_the_share_of_noisy_draws_below_tau():
    X, y = (np.repeat(each, 3, axis=0) for each in bowl(15))  # repeats that disagree leave no doubt about noise
    y = y + 0.1 * np.random.default_rng(3).normal(size=45)
    labels = label(history_of(X, y), gamma=0.3)
    score = fit(X, labels)
    rows = SQUARE.sample(30, np.random.default_rng(1))
    mean, deviation = score.process.predict(SQUARE.euclidean(rows))
    rng = np.random.default_rng(2)
    draws = mean + deviation * rng.normal(size=(200_000, 1)) + np.sqrt(score.noise) * rng.normal(size=(200_000, 30))
    expected = (warp(y).inverse(draws.ravel()).reshape(draws.shape) <= labels.tau).mean(axis=0)
    np.testing.assert_allclose(score.probability(rows), expected, atol=0.01)
    assert np.ptp(expected) > 0.3 and score.noise > 1e-3


def test_tau_asks_for_less_than_the_best():
    X, y = bowl(20)
    labels = label(history_of(X, y), gamma=1 / 3)
    rows = SQUARE.sample(50, np.random.default_rng(1))
    assert (fit(X, labels, at="tau")(rows) > fit(X, labels)(rows)).all()


def test_it_points_at_the_bottom_of_a_bowl():
    X, y = bowl(25)
    rows = SQUARE.sample(2000, np.random.default_rng(1))
    score = fit(X, values_only(y))
    assert np.abs(rows[np.argmax(score(rows))] - [0.3, 0.6]).max() < 0.05


def test_many_rows_are_scored_in_blocks_with_the_same_result():
    X, y = bowl(200)
    score = fit(X, values_only(y))
    rows = SQUARE.sample(3000, np.random.default_rng(1))
    np.testing.assert_allclose(score(rows)[1500:], score(rows[1500:]), rtol=1e-6)
    assert score(rows[:0]).shape == (0,)


@pytest.mark.parametrize("space", spaces(), ids=["numeric", "mixed", "choice"])
def test_the_gradient_agrees_with_finite_differences(space):
    history, labels = labelled(space, 40, seed=0)
    score = fit(history.X, labels, space)
    X, h = space.sample(15, np.random.default_rng(1)), 1e-6
    height, gradient = score.ascent(X)
    np.testing.assert_allclose(height, score(X), rtol=1e-9)
    expected = np.zeros_like(X)
    for j in np.flatnonzero(space.is_ordered):
        step = h * np.eye(len(space))[j]
        difference = (score.ascent(X + step)[0] - score.ascent(X - step)[0]) / (2 * h)
        expected[:, j] = np.where(np.isnan(X[:, j]), 0.0, difference)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-3)


def test_units_of_the_values_make_no_difference():
    X, y = bowl(20)
    rows = SQUARE.sample(50, np.random.default_rng(1))
    np.testing.assert_allclose(
        fit(X, values_only(1e6 * y - 40))(rows), fit(X, values_only(y))(rows), rtol=1e-3, atol=1e-3
    )


# -- rows without a value -----------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [{"failed": [3]}, {"pruned": [3]}])
def test_a_row_without_a_comparable_value_is_as_bad_as_the_worst(states):
    X, y = bowl(20)
    worst = y.copy()
    worst[3] = np.delete(y, 3).max()
    found = fit(X, label(history_of(X, y, **states), gamma=0.3)).process
    expected = fit(X, label(history_of(X, worst), gamma=0.3)).process
    # the curve is learned from the others only, so the two differ by a straight line
    a, b = found.predict(SQUARE.euclidean(X))[0], expected.predict(SQUARE.euclidean(X))[0]
    assert np.corrcoef(a, b)[0, 1] > 0.999


@pytest.mark.parametrize("value", [NAN, INF])
def test_nan_and_infinity_count_like_failures(value):
    X, y = bowl(20)
    broken = np.where(np.arange(20) == 3, value, y)
    found = fit(X, label(history_of(X, broken), gamma=0.3))
    expected = fit(X, label(history_of(X, y, failed=[3]), gamma=0.3))
    np.testing.assert_array_equal(found(X), expected(X))


def test_an_infeasible_row_is_not_the_incumbent_however_low_its_value():
    X, y = bowl(20)
    history = history_of(X[:-1], y[:-1])
    history.finish(history.start(SQUARE.decode(X[-1:])[0]).number, value=-100.0, constraints=[1.0])
    score = fit(X, label(history, gamma=0.3))
    assert score(X[-1:])[0] < score(X).max() - 10
    best = score.objectives[0].posterior.predict(SQUARE.euclidean(X[:-1]))[0].min()
    assert score.gains.levels[0] == pytest.approx(best, abs=0.05)


def test_a_pending_row_lowers_the_score_around_it_and_changes_no_mean():
    X, y = bowl(12)
    before = fit(X, label(history_of(X, y), gamma=0.3))
    rows = SQUARE.sample(300, np.random.default_rng(1))
    top = rows[[np.argmax(before(rows))]]
    both = np.concatenate([X, top])
    after = fit(both, label(history_of(both, [*y, 0.0], running=[12]), gamma=0.3))
    assert after(top)[0] < before(top)[0] - 1
    V = SQUARE.euclidean(rows)
    np.testing.assert_allclose(after.process.predict(V)[0], before.process.predict(V)[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("states", [{"running": range(4)}, {"failed": range(4)}, {"failed": [0, 1], "running": [2, 3]}])
def test_without_any_value_it_learns_the_labels(states):
    X, y = bowl(4)
    labels = label(history_of(X, y, **states), gamma=0.3)
    score = fit(X, labels)
    mean = score.process.predict(SQUARE.euclidean(X))[0]
    assert mean[labels.z].max() < mean[~labels.z].min()


def test_minus_infinity_is_as_bad_as_the_worst():
    X, y = bowl(20)
    at_3 = np.arange(20) == 3
    means = [
        fit(X, values_only(np.where(at_3, value, y))).process.predict(SQUARE.euclidean(X))[0] for value in (-INF, NAN)
    ]
    np.testing.assert_array_equal(*means)


# -- unpleasant data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        np.zeros(15),
        np.full(15, 1e300),
        np.r_[np.arange(14.0), 1e300],
        np.r_[np.arange(14.0), -1e300],
        np.r_[1.7e308, -1.7e308, np.arange(13.0)],
        np.r_[0.0, np.full(14, NAN)],
        np.r_[5e-324, np.zeros(14)],
        10.0 ** np.linspace(-300, 300, 15),
    ],
)
@pytest.mark.parametrize("at", ["best", "tau"])
def test_values_of_any_size_have_finite_scores_and_gradients(y, at):
    X, _ = bowl(15)
    score = fit(X, label(history_of(X, y), gamma=0.3), at=at)
    rows = np.concatenate([X, SQUARE.sample(20, np.random.default_rng(1))])
    assert np.isfinite(score(rows)).all()
    assert np.isfinite(score.ascent(rows)[1]).all()


@given(st.lists(st.one_of(st.floats(), st.sampled_from([NAN, INF, -INF, 0.0])), min_size=2, max_size=12))
def test_any_values_have_finite_scores(y):
    X, _ = bowl(len(y))
    score = fit(X, label(history_of(X, y), gamma=0.3))
    assert np.isfinite(score(X)).all()


def test_all_values_equal_sends_it_where_least_is_known():
    X = np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.2]])
    score = fit(X, label(history_of(X, [1.0] * 3), gamma=0.3))
    far, near = score(np.array([[0.9, 0.9], [0.15, 0.15]]))
    assert far > near


def test_the_same_row_many_times_with_other_values_is_taken_as_noise():
    X = np.repeat([[0.2, 0.2], [0.8, 0.8]], 15, axis=0)
    y = np.random.default_rng(0).normal(size=30) + np.repeat([0.0, 5.0], 15)
    mean, deviation = fit(X, values_only(y)).process.predict(SQUARE.euclidean(X[[0, -1]]))
    assert mean[0] < mean[1]
    assert (deviation < 0.5).all()


@pytest.mark.parametrize("n", [2, 3, 60])
def test_fifty_parameters_are_fine(n):
    space = Space({f"x{j}": Float(0.0, 1.0) for j in range(50)})
    history, labels = labelled(space, n, seed=0)
    assert np.isfinite(fit(history.X, labels, space)(space.sample(10, np.random.default_rng(0)))).all()


# -- what it learns from, and when --------------------------------------------------------------------------


def test_the_checkpoints_are_the_documented_ones():
    assert sorted({checkpoint(n) for n in range(0, 25)}) == [0, 1, 4, 7, 10, 13, 16, 19, 22]
    steps = np.diff(sorted({checkpoint(n) for n in range(0, 2000)}))[1:]
    assert (np.diff(steps) >= 0).all() and steps[0] == 3
    assert all(0.93 * n - 3 < checkpoint(n) <= n for n in range(2000))


def test_answers_after_a_checkpoint_do_not_move_the_hyperparameters():
    X, y = bowl(20)
    scales = [fit(X[:n], label(history_of(X[:n], y[:n]), gamma=0.3)).process.scale for n in (10, 11, 12, 13)]
    np.testing.assert_array_equal(scales[0], scales[1])
    np.testing.assert_array_equal(scales[0], scales[2])
    assert (scales[0] != scales[3]).any()


@given(st.integers(1, 200), st.integers(2, 40), st.integers(0, 5))
def test_a_subset_has_the_right_size_the_best_rows_and_the_last(n, size, n_nan):
    y = np.random.default_rng(n).random(n)
    y[:n_nan] = NAN
    chosen = subset(y, size)
    assert len(chosen) == min(n, size)
    assert (np.diff(chosen) > 0).all()
    best = np.argsort(y, kind="stable")[: min(size, n) // 2]
    assert set(best.tolist()) <= set(chosen.tolist())
    if size >= 4:
        assert n - 1 in chosen


def test_many_answers_are_thinned_and_the_note_says_so():
    X, y = bowl(100)
    score = fit(X, label(history_of(X, y, running=range(90, 100)), gamma=0.3), max_points=40)
    assert len(score.process.rows) == 40
    assert score.note == "the Gaussian process learned from 30 of 90 answers"
    assert fit(X, label(history_of(X, y), gamma=0.3)).note == ""


def test_many_pending_rows_leave_room_for_the_answers():
    X, y = bowl(100)
    score = fit(X, label(history_of(X, y, running=range(10, 100)), gamma=0.3), max_points=20)
    assert len(score.process.rows) == 20
    assert np.count_nonzero(score.process.weight) == 10


def test_the_best_of_many_answers_is_still_the_incumbent():
    X, y = bowl(300)
    everything, part = fit(X, values_only(y)), fit(X, values_only(y), max_points=64)
    assert part.best == pytest.approx(everything.best, abs=1e-3)  # both expect of it what it is, up to a little noise


def test_where_there_is_noise_the_incumbent_is_expected_not_lucky():
    rng = np.random.default_rng(0)
    X, y = bowl(60)
    noisy = y + rng.normal(0.0, 0.3 * y.std(), size=len(y))
    score = fit(X, values_only(noisy))
    assert score.best == pytest.approx(score.process.predict(SQUARE.euclidean(X))[0].min(), abs=1e-9)
    assert score.best > warp(noisy)(noisy).min() + 0.1


# -- same history, same score -------------------------------------------------------------------------------


def test_neither_the_generator_nor_memory_makes_a_difference():
    X, y = bowl(20)
    labels = label(history_of(X, y), gamma=0.3)
    first = fit(X, labels)
    _estimate.cache_clear()
    second = GaussianProcess().fit(X, labels, space=SQUARE, rng=np.random.default_rng(9), previous=first)
    np.testing.assert_array_equal(first(X), second(X))


def test_a_resumed_run_asks_what_the_uninterrupted_one_would(tmp_path):
    space, optimizer = mixed_space(), Optimizer(mixed_space(), GP, seed=3)
    for _ in range(18):
        trial = optimizer.ask()
        optimizer.tell(trial, float(target(space.encode([trial.config]), space)[0]))
    _estimate.cache_clear()
    resumed = suggest(History(space, optimizer.trials), GP, seed=3)
    assert space.decode(resumed.row[np.newaxis])[0] == optimizer.ask().config


_SCRIPT = """
import json
from auger import Optimizer, Recipe
from auger.classifiers import GaussianProcess
from auger.maximizers import LocalSearch
optimizer = Optimizer({"x": (0.0, 1.0), "c": ["a", "b"]}, Recipe("gp", GaussianProcess(), LocalSearch()), seed=1)
for _ in range(14):
    trial = optimizer.ask()
    optimizer.tell(trial, (trial.config["x"] - 0.3) ** 2 + (trial.config["c"] == "a"))
print(json.dumps([trial.config for trial in optimizer.trials]))
"""


def test_another_process_with_another_hash_seed_asks_the_same():
    said = [
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(json.loads(said[0])) == 14


def test_a_score_survives_pickling():
    X, y = bowl(10)
    score = fit(X, values_only(y))
    again = pickle.loads(pickle.dumps(score))
    assert isinstance(again, Score)
    np.testing.assert_array_equal(again(X), score(X))


# -- settings, and the whole road ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"at": "mean"}, "`at` of a GaussianProcess must be 'best' or 'tau'. Got 'mean'"),
        ({"at": None}, "`at` of a GaussianProcess must be 'best' or 'tau'. Got None"),
        ({"max_points": 3}, "`max_points` of a GaussianProcess must be a whole number of at least 4. Got 3"),
        ({"max_points": 10.0}, "`max_points` of a GaussianProcess must be a whole number of at least 4. Got 10.0"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ClassifierError, match=message):
        GaussianProcess(**settings)


def test_it_climbs_by_its_gradient_too():
    recipe = Recipe("gp", GaussianProcess(), Gradient(n_samples=128, n_starts=1))
    found = minimize(lambda c: (c["a"] - 0.3) ** 2 + (c["b"] - 0.6) ** 2, SQUARE, n_trials=16, recipe=recipe, seed=0)
    assert found.value < 1e-4


def test_workers_that_run_together_are_sent_to_different_places():
    flat = Recipe("gp", GaussianProcess(trend=False), LocalSearch())  # with a trend it is sure of this near-bowl
    optimizer = Optimizer(numeric_space(), flat, seed=0)
    for trial in optimizer.ask(12):
        optimizer.tell(trial, float(target(optimizer.space.encode([trial.config]), optimizer.space)[0]))
    X = optimizer.space.encode([trial.config for trial in optimizer.ask(5)])
    gaps = np.abs(X[:, None] - X).max(axis=2)[np.triu_indices(5, 1)]
    assert gaps.min() > 0.005


def test_it_gets_close_to_the_optimum_of_branin():
    branin = problem("branin")
    regrets = [minimize(branin, branin.space, n_trials=40, recipe=GP, seed=s).value - branin.optimum for s in range(5)]
    assert np.median(regrets) < 1e-3  # random search: 0.9, the best of the forests: 0.015
