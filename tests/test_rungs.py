"""Values by step: kept, saved, and used to rank trials that were stopped early."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auger import Optimizer
from auger.errors import TrialError
from auger.history import History, State, Trial, rung_of, value_at
from auger.labels import Kind, label
from auger.rungs import merge
from auger.space import Space

NAN, INF = math.nan, math.inf
SPACE = Space({"x": (0.0, 1.0)})


def history_of(curves):
    """Trials of (is complete, values at steps 1, 3, 9, ...), numbered in order; the last value is the trial's."""
    trials = []
    for i, (is_complete, values) in enumerate(curves):
        steps = [(3.0**k, value) for k, value in enumerate(values)]
        state = State.COMPLETE if is_complete else State.PRUNED
        trials.append(Trial(i, {"x": i / 1000}, state, values[-1], steps=steps))
    return History(SPACE, trials)


def order_of(history):
    """All trials, best first."""
    complete = np.flatnonzero(history.has_state(State.COMPLETE))
    complete = complete[np.argsort(history.y[complete], kind="stable")]
    return merge(complete, np.flatnonzero(history.has_state(State.PRUNED)), history).tolist()


# -- keeping them -------------------------------------------------------------------------------------------


def test_values_on_the_way_are_kept_by_step_and_the_last_is_that_of_a_pruned_trial():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 9, 0.5)
    assert optimizer.report(trial.number, 1, 0.9).steps == ((1.0, 0.9), (9.0, 0.5))
    done = optimizer.tell(trial, pruned=True)
    assert (done.state, done.value, done.steps) == (State.PRUNED, 0.5, ((1.0, 0.9), (9.0, 0.5)))


def test_a_value_that_is_told_goes_before_the_last_on_the_way():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    first, second = optimizer.ask(2)
    for trial in (first, second):
        optimizer.report(trial, 1, 0.9)
    assert optimizer.tell(first, 0.1).value == 0.1
    assert optimizer.tell(second, 0.2, pruned=True).value == 0.2


def test_a_failed_trial_keeps_its_values_on_the_way_and_has_none_in_the_end():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 1, 0.9)
    done = optimizer.tell(trial, error="out of memory")
    assert (done.value, done.steps) == (None, ((1.0, 0.9),))


@pytest.mark.parametrize(
    ("step", "value", "message"),
    [
        (-1, 0.5, "A step of trial 0 must be a finite number of at least 0. Got -1.0."),
        (NAN, 0.5, "A step of trial 0 must be a finite number of at least 0. Got nan."),
        (INF, 0.5, "A step of trial 0 must be a finite number of at least 0. Got inf."),
        ("1", 0.5, "The step of trial 0 must be one number. Got '1' (str)."),
        (1, None, "The value on the way of trial 0 must be one number. Got None (NoneType)."),
        (3, 0.5, "Trial 0 must have one value at step 3. Got another."),
    ],
)
def test_a_step_that_is_none_is_refused_and_nothing_changes(step, value, message):
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 3, 0.25)
    with pytest.raises(TrialError) as caught:
        optimizer.report(trial, step, value)
    assert str(caught.value) == message
    assert optimizer.trials[0].steps == ((3.0, 0.25),)


def test_steps_that_are_no_pairs_are_refused():
    with pytest.raises(TrialError, match=r"The steps of trial 0 must be pairs of a step and a value. Got \[1, 2\]."):
        Trial(0, {}, steps=[1, 2])


def test_a_finished_trial_hears_no_more_values():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.tell(trial, 1.0)
    with pytest.raises(TrialError, match=r"Trial 0 must be running to be told. It is complete already."):
        optimizer.report(trial, 1, 0.5)


def test_a_saved_run_has_its_values_on_the_way_and_goes_on_as_if_it_had_not_been_saved(tmp_path):
    optimizer = Optimizer({"x": (0.0, 1.0), "k": ["a", "b"]}, seed=3)
    for number in range(14):
        trial = optimizer.ask()
        optimizer.report(trial, 1, NAN if number == 4 else abs(trial.config["x"] - 0.3) + number % 3)
        optimizer.report(trial, 2.5, -INF if number == 5 else abs(trial.config["x"] - 0.3))
        if number % 3:
            optimizer.tell(trial, pruned=True)
        else:
            optimizer.tell(trial, (trial.config["x"] - 0.3) ** 2)
    running = optimizer.ask()
    optimizer.report(running, 1, 0.5)
    optimizer.save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json")
    assert repr(loaded.trials) == repr(optimizer.trials)
    assert loaded.tell(running.number, pruned=True).value == 0.5
    optimizer.tell(running, pruned=True)
    assert loaded.ask() == optimizer.ask()


# -- rungs --------------------------------------------------------------------------------------------------


@given(st.floats(0, 1e12))
def test_a_rung_is_not_above_its_step_nor_far_below_and_is_its_own(step):
    rung = rung_of(step)
    assert step * (1 - 1 / 32) <= rung <= step
    assert rung_of(rung) == rung


@pytest.mark.parametrize("step", range(65))
def test_whole_steps_up_to_64_are_rungs(step):
    assert rung_of(step) == step


def test_steps_that_hardly_differ_are_one_rung():
    assert [value_at(((1000.25, 3.0),), rung_of(step)) for step in (992, 1000, 1007.5)] == [3.0, 3.0, 3.0]


# -- merging ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curves", "order"),
    [
        # complete ones go by their value, whatever they were on the way
        ([(True, [5, 4, 3]), (True, [1, 2, 9]), (True, [9, 9, 1])], [2, 0, 1]),
        # stopped at 1 with 2: one of the two complete trials was as good there, so behind the first of them in order
        ([(True, [9, 1]), (True, [1, 5]), (False, [2])], [0, 2, 1]),
        # better than all at its rung: first; as good as the worst: last
        ([(True, [3, 1]), (True, [5, 2]), (False, [1]), (False, [5])], [2, 0, 1, 3]),
        # the higher rung goes first: 2 is between 0 and 1 by step 3; then 3 is compared with all three by step 1
        ([(True, [1, 1, 1]), (True, [5, 5, 2]), (False, [3, 3]), (False, [4])], [0, 2, 3, 1]),
        # who came further was worse at step 1, and that is no reason to go behind
        ([(True, [9, 9, 1]), (False, [9, 8]), (False, [8])], [2, 1, 0]),
        # nobody came as far as 1, so it goes to the end, before those of lower rungs come; NaN: last
        ([(True, [1]), (False, [0, 0]), (False, [NAN]), (False, [2])], [0, 1, 3, 2]),
        # ties by age
        ([(False, [2]), (True, [1, 1]), (False, [2]), (False, [1])], [1, 3, 0, 2]),
        # all were stopped
        ([(False, [3]), (False, [4, 1]), (False, [5])], [0, 1, 2]),
    ],
)
def test_stopped_trials_are_put_among_the_others(curves, order):
    assert order_of(history_of(curves)) == order


numbers = st.one_of(st.integers(0, 5).map(float), st.just(NAN))
curves = st.lists(st.tuples(st.booleans(), st.lists(numbers, min_size=1, max_size=4)), min_size=1, max_size=14)


def complete_to_the_end(made):
    """Curves of which complete ones have all steps, and a value."""
    ends = [[0.0 if math.isnan(value) else value for value in values] for _, values in made]
    return [
        (is_done, [1.0] * (4 - len(end)) + end if is_done else values)
        for (is_done, values), end in zip(made, ends, strict=True)
    ]


@given(curves)
def test_every_trial_is_in_the_order_once_and_complete_ones_go_by_value(made):
    history = history_of(complete_to_the_end(made))
    order = order_of(history)
    assert sorted(order) == list(range(len(history)))
    values = [history.y[i] for i in order if history.trials[i].state is State.COMPLETE]
    assert values == sorted(values)


@given(curves, st.data())
def test_a_better_value_at_the_same_rung_never_lowers_a_rank(made, data):
    made = complete_to_the_end(made)
    stopped = [i for i, (is_done, values) in enumerate(made) if not is_done and not math.isnan(values[-1])]
    if not stopped:
        return
    i = data.draw(st.sampled_from(stopped))
    better = [list(values) for _, values in made]
    better[i][-1] -= data.draw(st.floats(0.25, 4))
    changed = [(is_done, values) for (is_done, _), values in zip(made, better, strict=True)]
    assert order_of(history_of(changed)).index(i) <= order_of(history_of(made)).index(i)


@given(curves, st.randoms(use_true_random=False))
def test_who_was_asked_first_makes_no_difference_but_for_ties(made, random):
    made = [(is_done, [v + i / 100 for v in values]) for i, (is_done, values) in enumerate(complete_to_the_end(made))]
    shuffled = list(range(len(made)))
    random.shuffle(shuffled)
    is_nan = [i for i, (_, values) in enumerate(made) if math.isnan(values[-1])]
    order = [i for i in order_of(history_of(made)) if i not in is_nan]
    again = [shuffled[i] for i in order_of(history_of([made[i] for i in shuffled])) if shuffled[i] not in is_nan]
    assert again == order


# -- labels -------------------------------------------------------------------------------------------------


def test_a_stopped_trial_between_complete_ones_counts_as_one_of_them_and_one_behind_as_pruned():
    history = history_of(
        [
            (True, [5, 10]),  # the best
            (True, [7, 20]),
            (False, [6]),  # between them
            (False, [8]),  # behind both
            (False, [7.5]),  # behind both, but before it
            (True, [3, 40]),  # the worst, though it began well
        ]
    )
    labels = label(history, gamma=0.5)
    # at step 1: 5, 7, 3 in the order of the ends; 6 is behind two of them, 7.5 and 8 behind all three
    assert labels.z.tolist() == [True, True, True, False, False, False]
    assert labels.y.tolist()[:3] == [10, 20, 30]
    assert labels.kinds.tolist() == [Kind.FEASIBLE] * 3 + [Kind.PRUNED] * 2 + [Kind.FEASIBLE]
    assert label(history, gamma=0.7).z.tolist() == [True, True, True, False, True, True]
    assert labels.tau == 35.0


def test_stopped_trials_before_the_best_have_its_value_and_several_in_a_gap_share_it_evenly():
    history = history_of([(True, [5, 1]), (True, [9, 4]), (False, [1]), (False, [6]), (False, [7])])
    assert label(history, gamma=0.3).y.tolist() == [1, 4, 1, 2, 3]


def test_trials_stopped_without_values_on_the_way_rank_behind_those_with_them():
    history = history_of([(True, [5, 1]), (False, [9])])
    history.extend([Trial(2, {"x": 0.5}, State.PRUNED, -7.0), Trial(3, {"x": 0.6}, State.PRUNED)])
    best_first = [label(history, gamma=share).z.tolist() for share in (0.25, 0.5, 0.7)]
    assert best_first == [[True, False, False, False], [True, True, False, False], [True, True, True, False]]


def test_where_nothing_is_complete_stopped_trials_are_ranked_among_themselves():
    history = history_of([(False, [3, 2]), (False, [1]), (False, [4])])
    assert label(history, gamma=0.3).z.tolist() == [False, True, False]
    assert math.isnan(label(history, gamma=0.3).tau)


def test_minus_infinity_in_the_end_makes_no_nan_of_its_neighbours():
    history = history_of([(True, [1, -INF]), (True, [3, 2]), (False, [2])])
    assert label(history, gamma=0.4).y.tolist() == [-INF, 2.0, 2.0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["complete", "pruned"]), numbers), min_size=2, max_size=12), st.data())
def test_values_on_the_way_of_complete_trials_change_no_label(answers, data):
    """Nothing of a history without early stops depends on the way: the same labels as without it."""
    answers = [("complete", value) for _, value in answers]
    plain = [Trial(i, {"x": i / 100}, State(state), value) for i, (state, value) in enumerate(answers)]
    steps = [[(float(step), data.draw(numbers)) for step in range(1, 4)] for _ in answers]
    with_steps = [Trial(t.number, t.config, t.state, t.value, steps=s) for t, s in zip(plain, steps, strict=True)]
    for weights in ("none", "improvement"):
        one, other = (label(History(SPACE, made), gamma=0.3, weights=weights) for made in (plain, with_steps))
        for name in ("z", "y", "tau", "positive", "negative", "kind"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@settings(deadline=None)
@given(curves, st.integers(0, 3))
def test_labels_of_some_trials_are_those_of_a_history_of_them_alone(made, n_left_out):
    made = complete_to_the_end(made)
    if len(made) - n_left_out < 2:
        return
    among = np.arange(n_left_out, len(made))
    part = label(history_of(made), gamma=0.3, among=among)
    alone = label(history_of(made[n_left_out:]), gamma=0.3)
    for name in ("z", "y", "tau", "kind"):
        np.testing.assert_array_equal(getattr(part, name), getattr(alone, name))
