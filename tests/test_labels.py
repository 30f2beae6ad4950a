import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger.errors import RecipeError
from auger.history import History
from auger.labels import Kind, Labels, check_gamma, check_weights, label
from auger.space import Space
from auger.trial import State, Trial

NAN, INF = math.nan, math.inf
LINE = Space({"x": (0.0, 1.0)})

COMPLETE, FAILED, PRUNED, RUNNING = State.COMPLETE, State.FAILED, State.PRUNED, State.RUNNING


def history_of(answers):
    """A history with one trial for each (state, value, violation)."""
    trials = [
        Trial(i, {"x": i / 1024}, state, value, (violation,)) for i, (state, value, violation) in enumerate(answers)
    ]
    return History(LINE, trials)


def complete(*values):
    return history_of([(COMPLETE, value, 0.0) for value in values])


# -- strategies: what can come back from a trial ------------------------------------------------------------

numbers = st.one_of(st.floats(), st.sampled_from([0.0, 1.0, 2.0, NAN, INF, -INF]))  # NaN, infinity, many ties
answers = st.one_of(
    st.tuples(st.just(COMPLETE), numbers, st.just(0.0)),
    st.tuples(st.just(COMPLETE), numbers, st.sampled_from([0.5, 1.0, INF])),
    st.tuples(st.just(PRUNED), st.one_of(st.none(), numbers), st.sampled_from([0.0, 1.0])),
    st.tuples(st.sampled_from([FAILED, RUNNING]), st.none(), st.just(0.0)),
)
shares = st.floats(0.001, 0.999)


def rank(answer):
    """The rule of the module's docstring, written once more: None where a trial has no rank."""
    state, value, violation = answer
    if value is not None and not math.isfinite(value):
        return None
    if state is COMPLETE:
        return (2, violation) if violation > 0 else (0, value)
    if state is PRUNED:
        return (1, INF, 1) if value is None else (1, value, 0)
    return None


def n_good(answers, gamma):
    n_answers = sum(state is not RUNNING for state, _, _ in answers)
    n_ranked = sum(rank(answer) is not None for answer in answers)
    return max(min(math.ceil(gamma * n_answers - 1e-9), n_ranked, len(answers) - 1), 1)


# -- which are good -----------------------------------------------------------------------------------------


@given(answers=st.lists(answers, min_size=2, max_size=60), gamma=shares)
def test_labels_and_threshold_are_those_of_sorting_everything(answers, gamma):
    labels = label(history_of(answers), gamma=gamma)
    violation = np.array([violation for _, _, violation in answers])
    order = np.lexsort((np.where(labels.kinds == Kind.INFEASIBLE, violation, labels.y), labels.kinds))
    good, rest = order[: n_good(answers, gamma)], order[n_good(answers, gamma)]
    assert np.flatnonzero(labels.z).tolist() == sorted(good)
    values = labels.y[good][labels.kinds[good] == Kind.FEASIBLE]
    if not len(values):
        assert math.isnan(labels.tau)
    elif labels.kinds[rest] == Kind.FEASIBLE and math.isfinite(values[-1]):
        assert values[-1] <= labels.tau <= labels.y[rest]
    else:
        assert labels.tau == values[-1]


@pytest.mark.parametrize(
    ("values", "gamma", "good", "tau"),
    [
        ([3.0, 1.0, 2.0], 1 / 3, [1], 1.5),
        ([3.0, 1.0, 2.0], 0.34, [1, 2], 2.5),
        ([3.0, 1.0, 2.0], 0.99, [1, 2], 2.5),
        ([3.0, 1.0, 2.0], 0.01, [1], 1.5),
        ([5.0, 4.0, 3.0, 2.0, 1.0, 0.0], 0.5, [3, 4, 5], 2.5),
        ([1.0, 1.0, 1.0, 1.0], 0.5, [0, 1], 1.0),
        ([2.0, 1.0, 1.0, 1.0], 0.5, [1, 2], 1.0),
        ([1.0, NAN, 2.0, NAN], 0.5, [0, 2], 2.0),  # half of the four answers, which is all that have a rank
        ([1.0, NAN, 2.0, NAN], 0.25, [0], 1.5),
        ([1.0, INF, INF, 2.0, INF, INF], 0.5, [0, 3], 2.0),  # infinity is never good while something is finite
        ([NAN, NAN, 1.0], 0.5, [2], 1.0),
        ([NAN, NAN], 0.5, [0], NAN),
        ([INF, 1.0], 0.5, [1], 1.0),
        ([INF, INF, INF], 0.5, [0], NAN),
        ([-INF, 1.0, 2.0], 0.3, [1], 1.5),  # whatever its sign
        ([-INF, 1.0, 2.0, -INF], 0.75, [1, 2], 2.0),
        ([-INF, -INF], 0.5, [0], NAN),
        ([1e308, -1e308], 0.5, [1], 0.0),
        ([1.0, 2.0], 0.5, [0], 1.5),
    ],
)
def test_labels_agree_with_the_table(values, gamma, good, tau):
    labels = label(complete(*values), gamma=gamma)
    assert np.flatnonzero(labels.z).tolist() == good
    np.testing.assert_equal(labels.tau, tau)
    np.testing.assert_array_equal(labels.y, np.where(np.isfinite(values), values, NAN))


def test_kinds_of_trial_rank_as_documented():
    ranking = [
        (COMPLETE, -1e300, 0.0),
        (COMPLETE, 5.0, 0.0),
        (PRUNED, 1.0, 0.0),
        (PRUNED, 2.0, 0.0),
        (PRUNED, None, 0.0),
        (COMPLETE, 1.0, 0.5),
        (COMPLETE, 0.0, 0.7),
    ]
    rest = [(COMPLETE, NAN, 0.0), (FAILED, None, 0.0), (RUNNING, None, 0.0), (COMPLETE, NAN, 9.0), (COMPLETE, INF, 0.0)]
    rest += [(COMPLETE, -INF, 0.0), (PRUNED, -INF, 0.0), (PRUNED, NAN, 0.0)]
    history = history_of(rest + ranking[::-1])
    for k in range(1, 8):
        z = label(history, gamma=k / 14 - 0.01).z  # of fourteen answers
        assert z.tolist() == [False] * 8 + [False] * (7 - k) + [True] * k
    assert label(history, gamma=0.99).z.sum() == 7  # whatever gamma, none of the rest is good


@pytest.mark.parametrize("weights", ["none", "improvement"])
def test_labels_remember_the_kind_of_each_trial(weights):
    kinds = {
        (COMPLETE, -INF, 0.0): Kind.UNRANKED,
        (COMPLETE, 5.0, 0.0): Kind.FEASIBLE,
        (PRUNED, 1.0, 0.0): Kind.PRUNED,
        (PRUNED, -INF, 0.0): Kind.UNRANKED,
        (COMPLETE, 2.0, INF): Kind.INFEASIBLE,
        (PRUNED, None, 0.0): Kind.PRUNED,
        (COMPLETE, 1.0, 0.5): Kind.INFEASIBLE,
        (COMPLETE, INF, 0.5): Kind.UNRANKED,
        (COMPLETE, NAN, 0.0): Kind.UNRANKED,
        (FAILED, None, 0.0): Kind.UNRANKED,
        (RUNNING, None, 0.0): Kind.PENDING,
    }
    assert label(history_of(list(kinds)), gamma=0.3, weights=weights).kinds.tolist() == list(kinds.values())


def test_without_a_history_the_value_tells_the_kind():
    z, y = np.array([True, False, False, False]), np.array([-INF, 3.0, INF, NAN])
    labels = Labels(z, y, 1.0, z.astype(float), (~z).astype(float))
    assert labels.kinds.tolist() == [Kind.UNRANKED, Kind.FEASIBLE, Kind.UNRANKED, Kind.UNRANKED]


def test_where_most_trials_fail_all_that_work_are_good():
    history = history_of([(FAILED, None, 0.0)] * 8 + [(COMPLETE, 2.0, 0.0), (COMPLETE, 1.0, 0.0)])
    labels = label(history, gamma=1 / 3, weights="improvement")
    assert np.flatnonzero(labels.z).tolist() == [8, 9]
    assert labels.positive[9] > labels.positive[8] > 0


def test_a_running_trial_ranks_behind_a_failed_one_when_nothing_else_is_there():
    assert label(history_of([(RUNNING, None, 0.0), (FAILED, None, 0.0)]), gamma=0.5).z.tolist() == [False, True]


@given(answers=st.lists(answers, min_size=2, max_size=30), gamma=shares)
def test_exactly_the_best_share_is_good_whatever_came_back(answers, gamma):
    ranked = [i for i, answer in enumerate(answers) if rank(answer) is not None]
    order = sorted(ranked, key=lambda i: (rank(answers[i]), i))  # ties by age
    z = label(history_of(answers), gamma=gamma).z
    assert z.sum() == n_good(answers, gamma)
    if ranked:
        assert sorted(order[: z.sum()]) == np.flatnonzero(z).tolist()


@given(
    answers=st.lists(answers, min_size=2, max_size=30), gamma=shares, weights=st.sampled_from(["none", "improvement"])
)
def test_each_class_has_a_member_and_mass_whatever_came_back(answers, gamma, weights):
    labels = label(history_of(answers), gamma=gamma, weights=weights)
    assert labels.z.any() and not labels.z.all()
    masses = np.concatenate([labels.positive, labels.negative])
    assert np.isfinite(masses).all() and (masses >= 0).all()
    assert (labels.positive[labels.z] > 0).all() and (labels.positive[~labels.z] == 0).all()
    assert labels.negative.sum() > 0
    target = labels.rows()[1]
    assert target.any() and not target.all()


@pytest.mark.parametrize(("n", "gamma", "k"), [(30, 0.1, 3), (10, 0.7, 7), (100, 0.29, 29), (3, 1 / 3, 1), (7, 0.5, 4)])
def test_rounding_does_not_add_a_good_one(n, gamma, k):
    assert label(complete(*range(n)), gamma=gamma).z.sum() == k


@given(values=st.lists(numbers, min_size=2, max_size=30), gamma=shares)
def test_an_increasing_transform_of_the_values_changes_no_label(values, gamma):
    # ranks, not np.exp: rounding may merge two values, and a tie is a different question
    y = np.array(values)
    ranks = np.unique(y, return_inverse=True, equal_nan=True)[1].astype(float)
    moved = np.where(np.isfinite(y), 10 * ranks - 3, y)
    np.testing.assert_array_equal(label(complete(*y), gamma=gamma).z, label(complete(*moved), gamma=gamma).z)


@given(data=st.data(), gamma=shares)
def test_permuting_untied_observations_permutes_their_labels(data, gamma):
    given_answers = data.draw(st.lists(answers, min_size=2, max_size=15, unique_by=lambda a: rank(a) or object()))
    if all(rank(answer) is None for answer in given_answers):
        return
    order = data.draw(st.permutations(range(len(given_answers))))
    z = label(history_of(given_answers), gamma=gamma).z
    permuted = label(history_of([given_answers[i] for i in order]), gamma=gamma).z
    np.testing.assert_array_equal(permuted, z[list(order)])


@given(answers=st.lists(answers, min_size=2, max_size=20), new=answers, gamma=shares)
def test_a_new_observation_flips_at_most_one_old_label(answers, new, gamma):
    before = label(history_of(answers), gamma=gamma).z
    after = label(history_of([*answers, new]), gamma=gamma).z
    assert np.count_nonzero(before != after[:-1]) <= 1


@given(answers=st.lists(answers, min_size=2, max_size=20), new=answers, gamma=shares, data=st.data())
def test_the_answer_to_a_running_trial_flips_at_most_one_other_label(answers, new, gamma, data):
    place = data.draw(st.integers(0, len(answers)))
    running, told = ([*answers[:place], one, *answers[place:]] for one in ((RUNNING, None, 0.0), new))
    before, after = (label(history_of(some), gamma=gamma).z for some in (running, told))
    others = np.arange(len(before)) != place
    assert np.count_nonzero((before != after)[others]) <= 1


def test_among_labels_only_the_trials_it_names():
    labels = label(complete(5.0, 1.0, 4.0, 0.0, 3.0), gamma=0.5, among=np.array([0, 2, 4]))
    assert labels.z.tolist() == [False, True, True]
    assert labels.y.tolist() == [5.0, 4.0, 3.0]


@given(values=st.lists(numbers, min_size=2, max_size=30), gamma=shares)
def test_tau_separates_the_good_from_the_rest(values, gamma):
    labels = label(complete(*values), gamma=gamma)
    if not math.isnan(labels.tau):
        assert (labels.y[labels.z] <= labels.tau).all()
        assert not (labels.y[~labels.z] < labels.tau).any()


# -- gamma --------------------------------------------------------------------------------------------------


def test_gamma_may_be_a_function_of_how_many_answers_there_are():
    seen = []

    def gamma(n):
        seen.append(n)
        return 2 / n if n > 2 else 0.5

    history = history_of([*[(COMPLETE, float(i), 0.0) for i in range(10)], (FAILED, None, 0.0), (RUNNING, None, 0.0)])
    assert label(history, gamma=gamma).z.sum() == 2
    assert seen == [11]


def test_a_function_for_gamma_is_never_asked_about_nothing():
    assert label(history_of([(FAILED, None, 0.0)] * 2), gamma=lambda n: 1 / (n + 1)).z.tolist() == [True, False]


@pytest.mark.parametrize("gamma", [0, 1, 0.0, 1.0, -0.1, 1.5, NAN, True, None, "1/3", np.float64(2)])
def test_gamma_out_of_range_is_refused(gamma):
    message = f"`gamma` must be a number strictly between 0 and 1, or a function of n that returns one. Got {gamma!r}."
    with pytest.raises(RecipeError, match=re.escape(message)):
        label(complete(1.0, 2.0), gamma=gamma)


@pytest.mark.parametrize("share", [0, 1.0, NAN, None, "x", lambda n: 0.5])
def test_a_function_for_gamma_must_return_a_share(share):
    message = f"`gamma` must return a number strictly between 0 and 1. Got {share!r} for n=2."
    with pytest.raises(RecipeError, match=re.escape(message)):
        label(complete(1.0, 2.0), gamma=lambda n: share)


@pytest.mark.parametrize("gamma", [0.5, 1e-9, np.float32(0.25), lambda n: 0.5])
def test_a_proper_gamma_passes(gamma):
    check_gamma(gamma)
    assert label(complete(1.0, 2.0), gamma=gamma).z.tolist() == [True, False]


# -- masses -------------------------------------------------------------------------------------------------


def test_without_weights_each_row_is_one_example_of_its_class():
    labels = label(complete(3.0, 1.0, 2.0, 4.0), gamma=0.5)
    assert labels.positive.tolist() == [0, 1, 1, 0]
    assert labels.negative.tolist() == [1, 0, 0, 1]
    assert not labels.is_weighted
    assert labels.share == 0.5
    index, target, weight = labels.rows()
    assert (index.tolist(), target.tolist(), weight.tolist()) == ([1, 2, 0, 3], [True, True, False, False], [1.0] * 4)


def test_improvement_weights_agree_with_the_table():
    # tau = 3.5, improvements 2.5, 1.5 and 0.5, which add up to 4.5; nine examples in two classes of mass 4.5
    labels = label(complete(6.0, 3.0, 1.0, 5.0, 2.0, 4.0), gamma=0.5, weights="improvement")
    assert labels.tau == 3.5
    np.testing.assert_allclose(labels.positive, [0.0, 0.5, 2.5, 0.0, 1.5, 0.0], rtol=1e-14)
    np.testing.assert_allclose(labels.negative, [0.75] * 6, rtol=1e-14)
    assert labels.is_weighted
    index, target, weight = labels.rows()
    assert index.tolist() == [1, 2, 4, 0, 1, 2, 3, 4, 5]
    assert target.tolist() == [True] * 3 + [False] * 6
    np.testing.assert_allclose(weight, [0.5, 2.5, 1.5] + [0.75] * 6, rtol=1e-14)


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), gamma=shares)
def test_improvement_weights_are_proportional_to_the_improvement(values, gamma):
    labels = label(complete(*values), gamma=gamma, weights="improvement")
    improvement = labels.tau - labels.y[labels.z]
    shown = np.maximum(improvement, 1e-5 * improvement.max()) if improvement.max() > 0 else np.ones(len(improvement))
    np.testing.assert_allclose(labels.positive[labels.z] / labels.positive.sum(), shown / shown.sum(), rtol=1e-9)


@given(answers=st.lists(answers, min_size=2, max_size=30), gamma=shares)
def test_weighted_classes_have_equal_mass_and_weights_of_mean_one(answers, gamma):
    labels = label(history_of(answers), gamma=gamma, weights="improvement")
    assert labels.positive.sum() == pytest.approx(labels.negative.sum(), rel=1e-12)
    assert labels.share == pytest.approx(0.5)
    assert labels.rows()[2].mean() == pytest.approx(1.0, rel=1e-12)


@given(
    values=st.lists(st.integers(-1000, 1000), min_size=2, max_size=20),
    gamma=shares,
    exponent=st.integers(-300, 300),
    shift=st.integers(-1000, 1000),
)
def test_improvement_weights_do_not_depend_on_unit_or_origin(values, gamma, exponent, shift):
    y = np.array(values, dtype=float)
    plain = label(complete(*y), gamma=gamma, weights="improvement")
    moved = label(complete(*((y + shift) * 10.0**exponent)), gamma=gamma, weights="improvement")
    np.testing.assert_array_equal(moved.z, plain.z)
    np.testing.assert_allclose(moved.positive, plain.positive, rtol=1e-9)
    np.testing.assert_array_equal(moved.negative, plain.negative)


@pytest.mark.parametrize(
    ("values", "gamma", "shown"),
    [
        ([1.0] * 4, 0.5, [1, 1]),  # all equal: every good one alike
        ([-INF, 0.0, 1.0, 2.0], 0.5, [3, 1]),  # minus infinity is not good; tau = 1.5: improvements 1.5 and 0.5
        ([-INF, 1.0], 0.5, [1]),
        ([-INF, -INF], 0.5, [1]),
        ([INF, INF, INF, INF], 0.5, [1]),
        ([NAN, NAN, NAN], 0.5, [1]),
        ([-1e308, 1e308, 1e308, 1.7e308], 0.3, [1, 1e-5]),
        ([0.0, 1.0, 1.0], 0.5, [1, 1e-5]),  # the second good one ties with the rest: the smallest weight
    ],
)
def test_improvement_weights_at_the_edges(values, gamma, shown):
    labels = label(complete(*values), gamma=gamma, weights="improvement")
    np.testing.assert_allclose(
        labels.positive[labels.z] / labels.positive.sum(), np.array(shown) / sum(shown), rtol=1e-12
    )


def test_good_rows_without_a_comparable_value_get_the_smallest_weight():
    history = history_of([(COMPLETE, 1.0, 0.0), (PRUNED, 0.0, 0.0), (COMPLETE, 0.0, 0.3), (FAILED, None, 0.0)])
    labels = label(history, gamma=0.99, weights=lambda y, tau: np.full(len(y), 8.0))
    assert labels.z.tolist() == [True, True, True, False]
    np.testing.assert_allclose(labels.positive / labels.positive[0], [1.0, 1e-5, 1e-5, 0.0], rtol=1e-12)


# -- weights of one's own -----------------------------------------------------------------------------------


def test_a_function_for_weights_sees_the_good_values_and_tau():
    seen = {}

    def weights(y, tau):
        seen.update(y=y.tolist(), tau=tau)
        y[:] = 0.0  # must not reach the history
        return [3, 1]

    history = complete(3.0, 1.0, 2.0, 4.0)
    labels = label(history, gamma=0.5, weights=weights)
    assert seen == {"y": [1.0, 2.0], "tau": 2.5}
    np.testing.assert_allclose(labels.positive, [0.0, 2.25, 0.75, 0.0])
    np.testing.assert_allclose(labels.negative, [0.75] * 4)
    assert history.y.tolist() == [3.0, 1.0, 2.0, 4.0]


def test_a_function_that_weighs_nothing_weighs_all_alike():
    labels = label(complete(3.0, 1.0, 2.0, 4.0), gamma=0.5, weights=lambda y, tau: 0 * y)
    np.testing.assert_allclose(labels.positive, [0.0, 1.5, 1.5, 0.0])


@pytest.mark.parametrize(
    "returned",
    [None, "ab", [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], [1.0, NAN], [1.0, INF], [1.0, -1.0], [1.0, None], 2.0],
)
def test_a_function_for_weights_must_return_a_weight_for_each(returned):
    message = f"`weights` must return one finite number >= 0 for each of the 2 good values. Got {returned!r}."
    with pytest.raises(RecipeError, match=re.escape(message)):
        label(complete(3.0, 1.0, 2.0, 4.0), gamma=0.5, weights=lambda y, tau: returned)


@pytest.mark.parametrize("weights", ["imrpovement", "", None, 1.0, ["none"], np.ones(2)])
def test_unknown_weights_are_refused(weights):
    message = f"`weights` must be 'none', 'improvement' or a function of (y, tau). Got {weights!r}."
    with pytest.raises(RecipeError, match=re.escape(message)):
        label(complete(1.0, 2.0), gamma=0.5, weights=weights)


@pytest.mark.parametrize("weights", ["none", "improvement", lambda y, tau: tau - y])
def test_known_weights_pass(weights):
    check_weights(weights)
    assert label(complete(1.0, 2.0), gamma=0.5, weights=weights).z.tolist() == [True, False]
