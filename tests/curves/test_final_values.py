"""Where trials that were stopped early would have ended, and what that makes of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auger.curves.final_values import final_values, learn, usable
from auger.curves.points import Points, points_of
from auger.gaussian_process.kernel import effects, matern, trend
from auger.history import History
from auger.labels import Kind, label
from auger.space import Categorical, Float, Space
from auger.trial import State, Trial

NAN, INF = math.nan, math.inf
COMPLETE, PRUNED = State.COMPLETE, State.PRUNED
SPACE = Space({"x": (0.0, 1.0)})


def trial(number, x, values, *, is_complete, steps=None):
    """One with these values on its way, the last of which is its value; ``x`` is a number or a config."""
    steps = [2.0**k for k in range(len(values))] if steps is None else steps
    config = x if isinstance(x, dict) else {"x": x}
    way = tuple(zip(steps, values, strict=True))
    return Trial(number, config, COMPLETE if is_complete else PRUNED, values[-1], intermediate_values=way)


def history_of(curves, space=SPACE):
    """Trials of (x, is complete, values at steps 1, 2, 4, ...)."""
    return History(space, [trial(i, x, values, is_complete=done) for i, (x, done, values) in enumerate(curves)])


def predicted_by(history):
    """The predicted final values of its pruned trials."""
    return final_values(history)[usable(history) & history.has_state(PRUNED)]


def labels_of(history, among=None, **settings):
    return label(history, among=among, final_values=final_values(history, among), **settings)


def points(*made):
    """Of (stage, step, value) each."""
    return Points(*np.array(made, dtype=float).T)


# -- the process ----------------------------------------------------------------------------------------------


def falling(x, n, *, is_slow=False):
    """Ends at x; slow ones begin far above, and come down late."""
    share = np.arange(1, n + 1) / 16
    return (x + (2 - 2 * share if is_slow else 0.5 * (1 - share) ** 2)).tolist()


def test_the_end_after_a_curve_is_what_conditioning_a_normal_distribution_gives():
    """Independent of the posterior's own algebra: all rows in one covariance matrix, and a plain solve."""
    space = Space({"x": (0.0, 1.0), "kind": Categorical(["a", "b"])})
    rng = np.random.default_rng(5)
    made = [({"x": x, "kind": "ab"[i % 2]}, i % 3 != 0, falling(x, 5)) for i, x in enumerate(rng.random(9).round(3))]
    model = learn(history_of(made, space), np.arange(9))
    row, steps = space.encode([{"x": 0.4, "kind": "b"}])[0], [(1, 1.2), (2, 1.0), (4, 0.7)]
    own = points_of(steps)
    positions = np.append(model.scale.positions(own), 1.0)
    new = model.space.euclidean(np.column_stack([np.tile(row, (4, 1)), positions]))
    V, theta = np.vstack([model.V, new]), model.hyperparameters
    scaled = V / theta.lengthscale[model.space.euclidean_column]
    square = ((scaled[:, np.newaxis] - scaled) ** 2).sum(axis=2)
    K = theta.amplitude * matern(square)[0] + theta.trend * trend(V, V)[0] + theta.noise * np.eye(len(V))
    f, _ = effects(V, model.views.positions, len(model.space))
    K += theta.effects * (f @ f.T)
    t = np.append(model.t, model.scale.targets(own))
    mean = K[-1, :-1] @ np.linalg.solve(K[:-1, :-1], t)
    variance = K[-1, -1] - K[-1, :-1] @ np.linalg.solve(K[:-1, :-1], K[:-1, -1])
    np.testing.assert_allclose(model.after(row, steps), [mean, math.sqrt(variance)], rtol=1e-5)


def test_who_is_better_at_the_same_step_is_expected_to_end_better():
    made = [(x, True, falling(x, 16)) for x in (0.2, 0.4, 0.6, 0.8)]
    made += [(x, False, falling(x, n)) for x, n in ((0.1, 4), (0.5, 2), (0.9, 8))]
    history = History(
        SPACE, [trial(i, x, v, is_complete=c, steps=range(1, len(v) + 1)) for i, (x, c, v) in enumerate(made)]
    )
    np.testing.assert_allclose(predicted_by(history), [0.1, 0.5, 0.9], atol=0.05)


def test_where_curves_cross_the_end_is_expected_and_not_the_start():
    """Trials with x below 1/2 begin behind all others, and end ahead of them."""
    grid = np.linspace(0.03, 0.97, 12)
    made = [(x, True, falling(x, 16, is_slow=x < 0.5)) for x in grid]
    made += [(x, False, falling(x, 4, is_slow=x < 0.5)) for x in (0.15, 0.3, 0.7, 0.9)]
    history = History(
        SPACE, [trial(i, x, v, is_complete=c, steps=range(1, len(v) + 1)) for i, (x, c, v) in enumerate(made)]
    )
    predicted = predicted_by(history)
    assert [values[-1] for *_, values in made[-4:]] == pytest.approx([1.65, 1.8, 0.98, 1.18], abs=0.01)
    assert (np.diff(predicted) > 0).all()
    np.testing.assert_allclose(predicted, [0.15, 0.3, 0.7, 0.9], atol=0.12)


def test_what_is_said_of_ends_is_as_sure_as_it_should_be():
    """Ends of 40 stopped trials in each of 8 noisy searches: as far from what was expected as the deviation says."""
    z = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        trials, truth = [], []
        for i, (x, y) in enumerate(rng.random((60, 2)).round(6).tolist()):
            way = (x - 0.3) ** 2 + y / 4 + np.cumsum(rng.normal(0, 0.02, 5))[::-1] + 1 / np.arange(1, 6)
            truth.append(way[-1])
            n = 5 if i % 3 == 0 else 2
            trials.append(trial(i, {"x": x, "y": y}, way[:n].tolist(), is_complete=n == 5))
        history = History(Space({"x": (0.0, 1.0), "y": (0.0, 1.0)}), trials)
        model = learn(history, np.arange(60))
        left_out = learn(history, np.delete(np.arange(60), np.arange(1, 60, 3)))
        for i in range(1, 60, 3):
            mean, deviation = left_out.after(history.X[i], trials[i].intermediate_values)
            z.append((left_out.scale.targets(points((INF, 16, truth[i])))[0] - mean) / deviation)
        assert np.corrcoef(model.expected(history.X), truth)[0, 1] > 0.9
    assert 0.7 < np.sqrt(np.mean(np.square(z))) < 1.5
    assert abs(np.mean(z)) < 0.4


def test_of_many_trials_some_are_learned_and_the_others_compared_with_those():
    rng = np.random.default_rng(0)
    trials = []
    for i, x in enumerate(rng.random(900).round(6).tolist()):
        done = i % 10 == 0
        trials.append(trial(i, x, falling(x, 16 if done else 3), is_complete=done, steps=range(1, 17 if done else 4)))
    history = History(SPACE, trials)
    assert len(learn(history, np.arange(900)).learned) == 96
    predicted = predicted_by(history)
    truth = [each.config["x"] for each in trials if each.state is PRUNED]
    assert np.corrcoef(predicted, truth)[0, 1] > 0.99
    assert np.abs(predicted - truth).mean() < 0.05


@pytest.mark.parametrize(
    ("state", "value", "steps", "is_something"),
    [
        (COMPLETE, 1.0, (), True),
        (COMPLETE, INF, ((1, 1.0),), False),
        (COMPLETE, NAN, (), False),
        (PRUNED, 1.0, (), False),
        (PRUNED, 1.0, ((1, NAN), (2, 1.0)), True),
        (PRUNED, NAN, ((1, 1.0), (2, NAN)), False),
        (State.FAILED, None, ((1, 1.0),), False),
        (State.RUNNING, None, ((1, 1.0),), False),
    ],
)
def test_something_is_known_of_trials_with_an_end_and_of_stopped_ones_with_a_value(state, value, steps, is_something):
    assert usable(History(SPACE, [Trial(0, {"x": 0.5}, state, value, intermediate_values=steps)])).tolist() == [
        is_something
    ]


# -- unpleasant input -----------------------------------------------------------------------------------------

numbers = st.one_of(st.integers(-5, 5).map(float), st.sampled_from([NAN, INF, -INF, 1e300, -1e300, 1e-300]))
wild = st.lists(
    st.tuples(st.booleans(), st.lists(numbers, min_size=1, max_size=4), st.integers(0, 3)), min_size=2, max_size=14
)


@settings(deadline=None)
@given(wild)
def test_whatever_trials_report_each_class_has_a_member_and_ends_are_finite(made):
    trials = []
    for i, (is_complete, values, start) in enumerate(made):
        steps = range(start, start + len(values))
        trials.append(trial(i, i / 16, values, is_complete=is_complete, steps=steps))
    history = History(SPACE, trials)
    labels = labels_of(history, gamma=0.3, weights="improvement")
    assert 0 < labels.z.sum() < len(made)
    is_known = usable(history)
    stopped = is_known & history.has_state(PRUNED)
    if np.any(is_known & history.has_state(COMPLETE)):
        assert np.isfinite(labels.y[stopped]).all()
        assert (labels.kinds[stopped] == Kind.FEASIBLE).all()


@pytest.mark.parametrize(
    "made",
    [
        [(0.5, True, [1.0, 1.0]), (0.6, False, [1.0])],  # all the same
        [(0.5, True, [1.0]), (0.5, False, [2.0])],  # the same place
        [(0.1, True, [3.0, 1.0]), (0.2, False, [2.0, 2.0, 2.0, 2.0])],  # further than any complete one
    ],
)
def test_little_is_enough(made):
    assert np.isfinite(predicted_by(history_of(made))).all()


@pytest.mark.parametrize("apart", [-5.0, 5.0, 100.0])
def test_complete_trials_that_report_nothing_are_compared_as_a_whole(apart):
    """Nobody has both reports and an end: who is in the middle of the ones is in the middle of the others."""
    xs = np.random.default_rng(0).random(30).round(6).tolist()
    trials = [
        Trial(i, {"x": x}, COMPLETE, x) if i % 3 == 0 else trial(i, x, [apart + x + 1, apart + x], is_complete=False)
        for i, x in enumerate(xs)
    ]
    predicted, truth = predicted_by(History(SPACE, trials)), [x for i, x in enumerate(xs) if i % 3]
    assert np.corrcoef(predicted, truth)[0, 1] > 0.9
    assert abs(np.mean(predicted) - np.mean(truth)) < 0.2


def test_choices_and_inactive_parameters_are_understood():
    space = Space({"kind": Categorical(["a", "b"]), "x": Float(0.0, 1.0, when={"kind": "a"})})
    rng = np.random.default_rng(1)
    made = []
    for i in range(24):
        x = round(float(rng.random()), 6)
        config, end = ({"kind": "a", "x": x}, x) if i % 2 else ({"kind": "b"}, 0.5)
        made.append((config, i % 3 > 0, falling(end, 5 if i % 3 else 2)))
    predicted = predicted_by(history_of(made, space))
    truth = [config.get("x", 0.5) for config, done, _ in made if not done]
    assert np.corrcoef(predicted, truth)[0, 1] > 0.9


# -- labels ---------------------------------------------------------------------------------------------------


def test_a_stopped_trial_counts_as_complete_and_never_as_better_than_the_best():
    made = [(x, True, falling(x, 5)) for x in (0.3, 0.5, 0.7, 0.9)]
    history = history_of([*made, (0.05, False, falling(0.05, 3)), (0.6, False, falling(0.6, 3))])
    labels = labels_of(history, gamma=0.5)
    assert labels.kinds.tolist() == [Kind.FEASIBLE] * 6
    assert labels.y[4] == labels.y[0]
    assert labels.y[1] < labels.y[5] < labels.y[2]
    assert labels.z.tolist() == [True, True, False, False, True, False]


def test_a_stopped_trial_that_promised_more_than_the_best_ranks_behind_it_also_if_it_is_older():
    made = [(0.05, False, falling(0.05, 3)), *((x, True, falling(x, 5)) for x in (0.3, 0.5, 0.7))]
    labels = labels_of(history_of(made), gamma=0.25)
    assert labels.y[0] == labels.y[1]
    assert labels.z.tolist() == [False, True, False, False]


def test_a_stopped_trial_that_misses_a_constraint_is_no_better_than_pruned():
    history = history_of([(x, True, falling(x, 5)) for x in (0.3, 0.5, 0.7)])
    steps = tuple(enumerate(falling(0.31, 3), start=1))
    for number, constraints in ((3, (1.0,)), (4, (-1.0,))):
        history.extend(
            [Trial(number, {"x": 0.31 + number / 1000}, PRUNED, 1.0, constraints, intermediate_values=steps)]
        )
    assert labels_of(history, gamma=0.3).kinds.tolist() == [Kind.FEASIBLE] * 3 + [Kind.PRUNED, Kind.FEASIBLE]


def test_trials_stopped_without_values_on_the_way_rank_behind_those_with_them():
    history = history_of([(0.1, True, [5.0, 1.0]), (0.2, False, [9.0])])
    history.extend([Trial(2, {"x": 0.5}, PRUNED, -7.0), Trial(3, {"x": 0.6}, PRUNED)])
    best_first = [labels_of(history, gamma=share).z.tolist() for share in (0.25, 0.5, 0.7)]
    assert best_first == [[True, False, False, False], [True, True, False, False], [True, True, True, False]]


def test_where_nothing_is_complete_stopped_trials_are_ranked_among_themselves():
    made = [(0.1, False, [3.0, 2.0]), (0.5, False, [1.0, 0.5]), (0.9, False, [4.0])]
    history = history_of(made)
    history.extend([Trial(3, {"x": 0.5}, PRUNED, -7.0)])
    labels = labels_of(history, gamma=0.25)
    assert labels.z.tolist() == [False, True, False, False]
    assert labels.kinds.tolist() == [Kind.PRUNED] * 4
    assert math.isnan(labels.tau)


def test_minus_infinity_in_the_end_does_no_harm():
    history = history_of([(0.1, True, [1.0, -INF]), (0.5, True, [3.0, 2.0]), (0.4, False, [2.0])])
    labels = labels_of(history, gamma=0.4)
    assert np.isnan(labels.y[0]) and not labels.z[0] and np.isfinite(labels.y[1:]).all()


finite = st.integers(0, 5).map(float)


@settings(deadline=None)
@given(st.lists(st.tuples(st.just(True), st.one_of(finite, st.just(NAN))), min_size=2, max_size=12), st.data())
def test_values_on_the_way_of_complete_trials_change_no_label(answers, data):
    """Nothing of a history without early stops depends on the way: the same labels as without it."""
    plain = [Trial(i, {"x": i / 100}, COMPLETE, value) for i, (_, value) in enumerate(answers)]
    steps = [[(float(step), data.draw(finite)) for step in range(1, 4)] for _ in answers]
    with_steps = [
        Trial(t.number, t.config, t.state, t.values, intermediate_values=s) for t, s in zip(plain, steps, strict=True)
    ]
    for weights in ("none", "improvement"):
        one, other = (labels_of(History(SPACE, made), gamma=0.3, weights=weights) for made in (plain, with_steps))
        for name in ("z", "y", "tau", "positive", "negative", "kind"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


curves = st.lists(st.tuples(st.booleans(), st.lists(finite, min_size=1, max_size=4)), min_size=2, max_size=10)


@settings(deadline=None)
@given(curves, st.integers(0, 3))
def test_labels_of_some_trials_are_those_of_a_history_of_them_alone(made, n_left_out):
    if len(made) - n_left_out < 2:
        return
    made = [(i / 16, done, values) for i, (done, values) in enumerate(made)]
    part = labels_of(history_of(made), gamma=0.3, among=np.arange(n_left_out, len(made)))
    alone = labels_of(history_of(made[n_left_out:]), gamma=0.3)
    for name in ("z", "y", "tau", "kind"):
        np.testing.assert_array_equal(getattr(part, name), getattr(alone, name))
