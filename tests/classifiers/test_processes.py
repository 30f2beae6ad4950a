"""Several objectives and outcome constraints in the Gaussian process' turn."""

import math

import numpy as np
import pytest

from auger.classifiers import GaussianProcess, processes
from auger.gaussian_process.hypervolume_improvement import log_expected_gain
from auger.history import History
from auger.labels import label
from auger.objectives import Direction, Objectives
from auger.pareto import front
from auger.space import Float, Space
from auger.suggest import suggest
from auger.trial import State, Trial

NAN, INF = math.nan, math.inf
SQUARE = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)})
MIXED = Space({"a": (0.0, 1.0), "n": (1, 9), "c": ["x", "y"], "m": Float(0.0, 1.0, when={"c": "x"})})


def objectives(k, reference=None):
    return Objectives((Direction.MINIMIZE,) * k, reference=reference)


def history_of(X, losses, constraints=None, states=None, reference=None, space=SQUARE):
    """A trial for each row; those whose number has a state have no values, unless they are complete or pruned."""
    states, losses = states or {}, np.asarray(losses, dtype=float)
    trials = []
    for i, config in enumerate(space.decode(X)):
        state = states.get(i, State.COMPLETE)
        has_values = state in (State.COMPLETE, State.PRUNED)
        trials.append(
            Trial(
                i,
                config,
                state,
                tuple(losses[i].tolist()) if has_values else None,
                constraints=() if constraints is None or not has_values else constraints[i],
            )
        )
    return History(space, trials, objectives=objectives(losses.shape[1], reference))


def two_bowls(n, seed=0):
    """Rows, and the squared distances to (0.2, 0.5) and (0.8, 0.5)."""
    X = SQUARE.sample(n, np.random.default_rng(seed))
    return X, np.stack([((X - [0.2, 0.5]) ** 2).sum(axis=1), ((X - [0.8, 0.5]) ** 2).sum(axis=1)], axis=1)


def fit(history, **settings):
    labels = label(history, gamma=0.3)
    rng = np.random.default_rng(0)
    return GaussianProcess(**settings).fit(history.X, labels, space=history.space, rng=rng)


def best_of(score, n=2000, space=SQUARE):
    X = space.sample(n, np.random.default_rng(9))
    return X[np.argmax(score(X))]


# -- labels -------------------------------------------------------------------------------------------------


def test_labels_of_one_objective_without_constraints_have_no_losses():
    X, losses = two_bowls(10)
    labels = label(history_of(X, losses[:, :1]), gamma=0.3)
    assert (labels.losses, labels.constraints, labels.reference, labels.is_predicted) == (None, None, None, None)


def test_labels_have_the_losses_of_complete_trials_and_all_constraints():
    X, losses = two_bowls(5)
    losses[1] = NAN, 1.0
    history = history_of(X, losses, [[1.0], [2.0], [-1.0], [0.0], [3.0]], {4: State.FAILED}, (2.0, 3.0))
    labels = label(history, gamma=0.3)
    assert np.isnan(labels.losses).all(axis=1).tolist() == [False, True, False, False, True]
    np.testing.assert_array_equal(labels.losses[[0, 2, 3]], losses[[0, 2, 3]])
    np.testing.assert_array_equal(labels.constraints, [[1.0], [2.0], [-1.0], [0.0], [NAN]])
    assert labels.reference.tolist() == [2.0, 3.0]
    some = labels.take(np.array([2, 3]))
    np.testing.assert_array_equal(some.losses, losses[[2, 3]])
    assert some.constraints.tolist() == [[-1.0], [0.0]]


def test_weights_are_the_volume_that_a_good_trial_adds_to_the_rest():
    # widths are 4, so volumes end at 4.4
    losses = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [3.0, 0.0]])
    X = SQUARE.sample(5, np.random.default_rng(0))
    labels = label(history_of(X, losses), gamma=0.6, weights="improvement")
    assert np.flatnonzero(labels.z).tolist() == [0, 1, 4]
    # the rest dominates (2 .. 4.4)^2; (0, 3) adds 2 x 1.4, (1, 1) adds 3.4^2 - 2.4^2, (3, 0) adds 1.4 x 2
    expected = np.array([2.8, 5.8, 2.8])
    np.testing.assert_allclose(labels.positive[labels.z] / labels.positive[1], expected / 5.8, rtol=1e-12)


@pytest.mark.parametrize(
    "losses", [np.ones((8, 2)), 1e308 * np.array([[1.0, -1.0], [-1.0, 1.0]] * 4), [[NAN, 1.0]] * 8]
)
def test_weights_of_degenerate_fronts_are_finite(losses):
    labels = label(history_of(SQUARE.sample(8, np.random.default_rng(0)), losses), gamma=0.3, weights="improvement")
    assert np.isfinite(labels.positive).all()
    assert (labels.positive[labels.z] > 0).all()


# -- several objectives -------------------------------------------------------------------------------------


def test_the_score_is_the_expected_gain_of_the_two_processes():
    X, losses = two_bowls(20)
    score = fit(history_of(X, losses))
    rows = SQUARE.sample(50, np.random.default_rng(1))
    pairs = [p.posterior.predict(SQUARE.euclidean(rows)) for p in score.objectives]
    mean, deviation = (np.stack(columns, axis=1) for columns in zip(*pairs, strict=True))
    np.testing.assert_allclose(score(rows), log_expected_gain(mean, deviation, score.gains), rtol=1e-9)
    chance = score.probability(rows)
    assert ((chance >= 0) & (chance <= 1)).all()


def test_it_proposes_what_lies_between_the_two_optima():
    X, losses = two_bowls(20)
    a, b = best_of(fit(history_of(X, losses)))
    assert 0.1 < a < 0.9
    assert b == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("space", [SQUARE, MIXED])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_gradient_is_that_of_the_score(space, k):
    rng = np.random.default_rng(k)
    X = space.sample(25, rng)
    position = np.nan_to_num(X, nan=0.5)
    losses = np.stack([(position[:, 0] - j / 3) ** 2 + 0.1 * position[:, 1] for j in range(k)], axis=1)
    losses += 0.05 * rng.normal(size=losses.shape)  # without noise the slopes are too steep for differences
    score = fit(history_of(X, losses, (position[:, :1] + 0.1 * position[:, 1:2] - 0.6).tolist(), space=space))
    rows = space.sample(12, np.random.default_rng(5))
    inner = 0.1 + 0.8 * rows[:, space.is_ordered]
    rows[:, space.is_ordered] = inner
    heights, slopes = score.ascent(rows)
    np.testing.assert_allclose(heights, score(rows), rtol=1e-9, atol=1e-9)
    h = 1e-6
    for j in np.flatnonzero(space.is_ordered):
        step = h * np.eye(len(space))[j]
        along = (score(rows + step) - score(rows - step)) / (2 * h)
        expected = np.where(np.isnan(rows[:, j]), 0.0, along)
        np.testing.assert_allclose(slopes[:, j], expected, rtol=1e-2, atol=1e-3)


def test_the_order_of_objectives_makes_no_difference():
    X, losses = two_bowls(20)
    rows = SQUARE.sample(50, np.random.default_rng(1))
    one, other = (
        fit(history_of(X, columns, reference=r)) for columns, r in [(losses, (1, 2)), (losses[:, ::-1], (2, 1))]
    )
    np.testing.assert_allclose(one(rows), other(rows), rtol=1e-6, atol=1e-6)


def test_units_of_objectives_and_constraints_make_no_difference():
    X, losses = two_bowls(20)
    rows, c = SQUARE.sample(50, np.random.default_rng(1)), X[:, :1] - 0.6
    one = fit(history_of(X, losses, c.tolist()))
    other = fit(history_of(X, losses * [1e6, 1e-6] + [5.0, 0.0], (1e4 * c).tolist()))
    np.testing.assert_allclose(one(rows), other(rows), rtol=1e-4, atol=1e-4)


def test_a_reference_that_was_passed_ends_what_is_worth_anything():
    X, losses = two_bowls(30)
    near = (0.06, 1.0)  # only what is close to the first optimum counts
    a, _ = best_of(fit(history_of(X, losses, reference=near)))
    assert a < 0.45


def test_pending_rows_repel():
    X, losses = two_bowls(20)
    before = fit(history_of(X, losses))
    top = best_of(before)[np.newaxis]
    after = fit(history_of(np.concatenate([X, top]), np.vstack([losses, [[0.0, 0.0]]]), states={20: State.RUNNING}))
    assert after(top)[0] < before(top)[0] - 1


def test_a_predicted_trial_teaches_and_is_no_part_of_the_front():
    X, losses = two_bowls(20)
    history = history_of(X, losses, states={3: State.PRUNED})
    final_losses, final_values = np.full((20, 2), NAN), np.full(20, NAN)
    final_losses[3], final_values[3] = (-5.0, -5.0), 1.0
    labels = label(history, gamma=0.3, final_values=final_values, final_losses=final_losses)
    assert np.flatnonzero(labels.is_predicted).tolist() == [3]
    score = GaussianProcess().fit(X, labels, space=SQUARE, rng=np.random.default_rng(0))
    target = score.objectives[0].curve(np.array([-5.0]))[0]
    assert score.gains.levels[score.gains.owner == 0].min() > target + 1
    assert best_of(score) == pytest.approx(X[3], abs=0.2)


@pytest.mark.parametrize(
    "losses",
    [
        np.ones((8, 2)),
        np.stack([np.arange(8.0), np.ones(8)], axis=1),
        np.tile([[0.0, 1.0], [1.0, 0.0]], (4, 1)),
        np.stack([np.arange(8.0), np.arange(8.0)], axis=1),
        np.stack([np.arange(8.0), -(np.arange(8.0) ** 3)], axis=1),
        1e300 * np.stack([np.arange(8.0), -np.arange(8.0)], axis=1) / 8,
        np.where(np.arange(8)[:, np.newaxis] < 7, NAN, 1.0) * np.ones((8, 2)),
        np.where(np.arange(8)[:, np.newaxis] < 4, INF, 1.0) * np.ones((8, 3)),
    ],
)
def test_degenerate_fronts_still_score_every_row(losses):
    X, rows = SQUARE.sample(8, np.random.default_rng(0)), SQUARE.sample(30, np.random.default_rng(1))
    score = fit(history_of(X, losses))
    for array in (score(rows), *score.ascent(rows), score.probability(rows)):
        assert np.isfinite(array).all()


def test_of_more_than_four_objectives_random_mixtures_are_improved():
    X = SQUARE.sample(20, np.random.default_rng(0))
    losses = np.stack([((X - [j / 5, 0.5]) ** 2).sum(axis=1) for j in range(6)], axis=1)
    labels = label(history_of(X, losses), gamma=0.3)
    scores = [GaussianProcess().fit(X, labels, space=SQUARE, rng=np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert len(scores[0].objectives) == 1
    rows = SQUARE.sample(30, np.random.default_rng(1))
    np.testing.assert_array_equal(scores[0](rows), scores[1](rows))
    assert not np.array_equal(scores[0](rows), scores[2](rows))


def test_of_a_large_front_the_members_that_contribute_most_count(monkeypatch):
    monkeypatch.setitem(processes._MOST_MEMBERS, 2, 3)
    X, losses = two_bowls(30)
    assert front(losses).sum() > 3
    assert len(fit(history_of(X, losses)).gains.low) == 4


# -- constraints --------------------------------------------------------------------------------------------


def test_it_stays_where_the_constraint_is_satisfied_up_to_the_border():
    X, losses = two_bowls(30)
    score = fit(history_of(X, losses[:, 1:], (X[:, :1] - 0.5).tolist()))  # the optimum (0.8, 0.5) is not allowed
    assert best_of(score) == pytest.approx([0.5, 0.5], abs=0.1)


def test_before_a_trial_is_feasible_the_score_is_the_chance_to_be():
    X, losses = two_bowls(30)
    X, losses = X[X[:, 0] > 0.4], losses[X[:, 0] > 0.4]
    score = fit(history_of(X, losses, (X[:, :1] - 0.3).tolist()))
    rows = SQUARE.sample(200, np.random.default_rng(1))
    assert score.gains is None
    np.testing.assert_allclose(np.exp(score(rows)), score.probability(rows), rtol=1e-9)
    assert score.probability(rows)[rows[:, 0] < 0.2].min() > score.probability(rows)[rows[:, 0] > 0.5].max()


def test_a_constraint_that_says_yes_or_no_is_no_coins_toss():
    X, losses = two_bowls(40)
    score = fit(history_of(X, losses, np.maximum(np.sign(X[:, :1] - 0.5), 0.0).tolist()))
    rows = np.array([[0.1, 0.5], [0.9, 0.5]])
    allowed, forbidden = np.exp(score._log_feasible(SQUARE.euclidean(rows)))
    assert allowed > 0.9
    assert forbidden < 0.1


@pytest.mark.parametrize("value", [-1.0, 0.0, 1e-9, 1.0, 1e300, -1e300, INF, -INF])
def test_a_constant_constraint_is_no_trouble(value):
    X, losses = two_bowls(12)
    rows = SQUARE.sample(30, np.random.default_rng(1))
    history = history_of(X, losses, [[value]] * 12)
    score = fit(history)
    for array in (score(rows), *score.ascent(rows), score.probability(rows)):
        assert np.isfinite(array).all()
    suggest(history, "auto", seed=0)


@pytest.mark.parametrize("n", [1, 11])
def test_constraints_may_be_unknown(n):
    X, losses = two_bowls(12)
    rows = SQUARE.sample(30, np.random.default_rng(1))
    constraints = [() if i < n else (X[i, 0] - 0.5, X[i, 1] - 0.5) for i in range(12)]
    score = fit(history_of(X, losses, constraints, {11 - n: State.FAILED}))
    assert len(score.constraints) == 2
    assert np.isfinite(score(rows)).all()


def test_of_very_many_constraints_one_process_learns_the_total():
    X, losses = two_bowls(20)
    score = fit(history_of(X, losses, (X[:, :1] - np.linspace(0.5, 0.9, 9)).tolist()))
    assert len(score.constraints) == 1
    rows = np.array([[0.1, 0.5], [0.95, 0.5]])
    allowed, forbidden = np.exp(score._log_feasible(SQUARE.euclidean(rows)))
    assert allowed > 0.9
    assert forbidden < 0.1


def test_without_any_finite_loss_it_learns_the_labels():
    X, losses = two_bowls(6)
    score = fit(history_of(X, losses, states=dict.fromkeys(range(6), State.FAILED)))
    assert np.isfinite(score(X)).all()


# -- suggestions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [30, 31])
def test_a_suggestion_follows_from_seed_number_and_history(number):
    X, losses = two_bowls(30)
    histories = [history_of(X, losses, (X[:, :1] - 0.7).tolist(), {4: State.FAILED}) for _ in range(2)]
    one, other = (suggest(history, "auto", seed=1, number=number) for history in histories)
    np.testing.assert_array_equal(one.row, other.row)


def test_a_small_feasible_region_is_found_soon():
    """A disc with a hundredth of the area; at random it takes about seventy trials."""
    history = History(SQUARE, objectives=objectives(1))
    for number in range(25):
        row = suggest(history, "auto", seed=0).row[np.newaxis]
        a, b = row[0]
        c = math.hypot(a - 0.83, b - 0.27) - 0.056
        trial = Trial(number, SQUARE.decode(row)[0], State.COMPLETE, a + b, constraints=(c,))
        history.extend([trial], row, one_by_one=True)
    feasible = np.flatnonzero(history.violation == 0)
    assert feasible[0] < 20
    # the lowest corner of the disc, on the border
    assert history.y[feasible].min() == pytest.approx(1.1 - 0.056 * math.sqrt(2), abs=0.002)
