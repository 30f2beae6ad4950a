import copy
import math
import pickle
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import strategies

from auger.errors import AugerError, ConfigError, TrialError
from auger.history import History, lowest
from auger.objectives import Objectives
from auger.pareto import rank
from auger.provenance import Origin, Provenance
from auger.space import Float, Int, Space
from auger.trial import State, Trial

NAN, INF = math.nan, math.inf


def line(*answers):
    """A history over x in [0, 1] with one trial an answer: a value, a State, or None for running."""
    history = History(Space({"x": (0.0, 1.0)}))
    for i, answer in enumerate(answers):
        number = history.start({"x": i / 1024}).number
        if isinstance(answer, State):
            history.finish(number, state=answer)
        elif answer is not None:
            history.finish(number, value=answer)
    return history


# -- trials come and are finished once ----------------------------------------------------------------------


def test_a_started_trial_is_running_and_has_the_next_number():
    history = line(1.0)
    trial = history.start({"x": 0.5}, Provenance(Origin.MODEL, "mine", 0.5))
    assert trial == Trial(1, {"x": 0.5}, State.RUNNING, provenance=Provenance(Origin.MODEL, "mine", 0.5))
    assert not trial.is_finished
    assert len(history) == 2
    assert list(history) == history.trials


def test_finishing_makes_a_new_trial_and_leaves_the_old_one_alone():
    history = line()
    trial = history.start({"x": 0.5})
    done = history.finish(trial.number, value=3, constraints=[-1, 2.5])
    assert (trial.state, trial.value) == (State.RUNNING, None)
    assert (done.state, done.value, done.constraints, done.violation) == (State.COMPLETE, 3.0, (-1.0, 2.5), 2.5)
    assert history.trials[0] is done
    assert done.is_finished


def test_the_config_of_a_trial_is_a_copy():
    history, config = line(), {"x": 0.5}
    trial = history.start(config)
    config["x"] = 0.9
    assert trial.config == {"x": 0.5}


def test_arrays_hold_rows_values_violations_and_states():
    history = line(1.0, NAN, State.FAILED, None)
    history.finish(3, value=2.0, constraints=(0.5, -3.0, 1.0))
    np.testing.assert_array_equal(history.X, np.arange(4)[:, np.newaxis] / 1024)
    np.testing.assert_array_equal(history.y, [1.0, NAN, NAN, 2.0])
    np.testing.assert_array_equal(history.violation, [0.0, 0.0, 0.0, 1.5])
    assert history.has_state(State.COMPLETE).tolist() == [True, True, False, True]
    assert history.has_state(State.FAILED).tolist() == [False, False, True, False]


@pytest.mark.parametrize("name", ["X", "y", "violation"])
def test_arrays_are_read_only(name):
    array = getattr(line(1.0, 2.0), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7.0


def test_an_empty_history_has_empty_arrays():
    history = line()
    assert history.X.shape == (0, 1)
    assert history.y.shape == history.violation.shape == history.has_state(State.RUNNING).shape == (0,)
    assert history.best is None


def test_growing_past_its_room_loses_nothing():
    history = line(*range(10))
    early = history.y
    for i in range(10, 500):
        history.finish(history.start({"x": i / 1024}).number, value=i, constraints=[i % 3])
    np.testing.assert_array_equal(history.y, np.arange(500))
    np.testing.assert_array_equal(history.X[:, 0], np.arange(500) / 1024)
    np.testing.assert_array_equal(history.violation[10:], np.arange(10, 500) % 3)
    assert history.has_state(State.COMPLETE).all()
    np.testing.assert_array_equal(early, np.arange(10))


def test_a_row_that_is_known_already_is_not_encoded_again():
    history = line()
    history.start({"x": 0.5}, row=np.array([0.5]))
    assert history.contains(np.array([[0.5]])).tolist() == [True]


@pytest.mark.parametrize("number", [1, -1, 2**70, 0.0, "0", None, True, np.bool_(False)])
def test_an_unknown_trial_cannot_be_finished(number):
    history = line(None)
    message = f"A trial must be one that was asked for, 0 to 0. Got {number!r}."
    with pytest.raises(TrialError, match=re.escape(message)):
        history.finish(number, value=1.0)


def test_no_trial_at_all_cannot_be_finished():
    history = line()
    with pytest.raises(TrialError, match=re.escape("of which there is none yet. Got 0.")):
        history.finish(0, value=1.0)


@pytest.mark.parametrize("answer", [1.0, NAN, State.FAILED, State.PRUNED])
def test_a_finished_trial_cannot_be_finished_again(answer):
    history = line(answer)
    message = f"Trial 0 must be running to be told. It is {history.trials[0].state.value} already."
    with pytest.raises(TrialError, match=re.escape(message)):
        history.finish(0, value=2.0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"value": "1"}, "The value of trial 0 must be one number. Got '1' (str)."),
        ({"value": True}, "The value of trial 0 must be one number. Got True (bool)."),
        ({"value": np.bool_(True)}, "The value of trial 0 must be one number."),
        ({"value": 1j}, "The value of trial 0 must be one number. Got 1j (complex)."),
        ({"value": [1.0]}, "The value of trial 0 must be one number. Got [1.0] (list)."),
        (
            {"value": np.ones(2)},
            "The value of trial 0 must be one number. Got array([1., 1.]) (ndarray of shape (2,)).",
        ),
        ({"value": np.array("x")}, "The value of trial 0 must be one number. Got array('x', "),
        ({"value": np.array([True])}, "The value of trial 0 must be one number. Got array([ True]) (ndarray of shape"),
        ({"value": Decimal(1)}, "The value of trial 0 must be one number. Got Decimal('1') (Decimal)."),
        ({"value": 10**400}, "The value of trial 0 must fit in double precision. Got 1000"),
        ({}, "Trial 0 must have a value to be complete. Got None."),
        ({"value": 1.0, "state": State.RUNNING}, "Trial 0 is running and must have no value. Got 1.0."),
        ({"state": State.RUNNING}, "Trial 0 can finish as complete, failed or pruned. Got <State.RUNNING"),
        ({"state": "running"}, "Trial 0 can finish as complete, failed or pruned. Got 'running'."),
        ({"state": "done"}, "The state of trial 0 must be one of waiting, running, complete, pruned, "),
        ({"value": 1.0, "state": State.FAILED}, "Trial 0 is failed and must have no value. Got 1.0."),
        ({"value": 1.0, "constraints": 0.5}, "The constraints of trial 0 must be a list. Got 0.5."),
        ({"value": 1.0, "constraints": "ab"}, "The constraints of trial 0 must be a list. Got 'ab'."),
        ({"value": 1.0, "constraints": [None]}, "The constraint of trial 0 must be one number. Got None (NoneType)."),
        ({"value": 1.0, "constraints": [0.0, NAN]}, "The constraints of trial 0 must not be NaN. Got (0.0, nan)."),
    ],
)
def test_a_wrong_answer_is_refused_with_its_reason(answer, message):
    history = line(None)
    with pytest.raises(TrialError, match=re.escape(message)):
        history.finish(0, **answer)


def test_a_refused_answer_leaves_the_trial_running():
    history = line(None)
    with pytest.raises(TrialError):
        history.finish(0, value="1")
    assert history.has_state(State.RUNNING).tolist() == [True]
    assert (history.finished, history.marks) == ([], [])
    assert history.finish(0, value=1.0).value == 1.0


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int8(1), np.array(1.0), np.array(1), np.ones((1, 1))])
def test_any_real_scalar_is_a_value(value):
    done = line(None).finish(0, value=value)
    assert (type(done.value), done.value) == (float, 1.0)


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_nan_and_infinity_are_values(value):
    done = line(None).finish(0, value=value)
    assert done.state is State.COMPLETE
    assert done.value == value or math.isnan(value)


def test_a_pruned_trial_may_have_a_value_or_none():
    assert line(None).finish(0, value=2.0, state=State.PRUNED).value == 2.0
    assert line(None).finish(0, state=State.PRUNED).value is None


def test_a_failed_trial_keeps_its_error():
    done = line(None).finish(0, state=State.FAILED, error="ValueError: no")
    assert (done.state, done.value, done.error) == (State.FAILED, None, "ValueError: no")


def test_a_state_may_be_given_by_its_name():
    assert line(None).finish(0, state="failed").state is State.FAILED


def test_a_numpy_number_finds_its_trial_and_is_remembered_as_pythons():
    history = line(None)
    history.finish(np.int64(0), value=1.0)
    assert [type(number) for number in history.finished] == [int]


def test_a_config_outside_the_space_adds_nothing():
    history = line(1.0)
    with pytest.raises(ConfigError, match="must be between"):
        history.start({"x": 2.0})
    assert len(history) == 1 and history.X.shape == (1, 1)


def test_trial_errors_are_value_errors_too():
    assert issubclass(TrialError, AugerError) and issubclass(TrialError, ValueError)


def test_a_trial_can_be_copied_and_pickled_and_carries_no_dict_of_its_own():
    trial = Trial(3, {"x": 0.5}, State.COMPLETE, 1.0, (0.5,), Origin.MODEL, "because")
    assert copy.copy(trial) == copy.deepcopy(trial) == pickle.loads(pickle.dumps(trial)) == trial
    assert not hasattr(trial, "__dict__")  # 100,000 trials would be 13 MB larger


# -- the order of answers -----------------------------------------------------------------------------------


def test_finished_and_marks_remember_the_order_of_answers():
    history = line(None, None, None)
    history.finish(2, value=1.0)
    history.finish(0, state=State.FAILED)
    assert (history.finished, history.marks) == ([2, 0], [1, 2])
    assert history.seen_by(1).tolist() == [2]
    assert history.seen_by(2).tolist() == [0, 2]
    assert history.seen_by(0).tolist() == []


def test_trials_added_together_count_as_one_answer():
    history = line(1.0, None)
    history.extend(
        [Trial(2, {"x": 0.1}, State.COMPLETE, 1.0), Trial(3, {"x": 0.2}), Trial(4, {"x": 0.3}, State.FAILED)]
    )
    history.extend([Trial(5, {"x": 0.4})])
    history.finish(1, value=1.0)
    assert history.finished == [0, 2, 4, 1]
    assert history.marks == [1, 3, 4]


# -- many at once -------------------------------------------------------------------------------------------


def test_extend_agrees_with_one_at_a_time():
    one = line(*[float(i) if i % 3 else State.FAILED for i in range(200)])
    many = History(one.space, list(one))
    np.testing.assert_array_equal(many.X, one.X)
    np.testing.assert_array_equal(many.y, one.y)
    assert many.trials == one.trials
    assert many.finished == one.finished
    assert many.marks == one.marks == list(range(1, 201))  # answered one by one
    np.testing.assert_array_equal(many.has_state(State.FAILED), one.has_state(State.FAILED))


def test_extend_by_nothing_changes_nothing():
    history = line(1.0)
    history.extend([])
    assert (len(history), history.finished, history.marks) == (1, [0], [1])


def test_extend_takes_rows_that_are_encoded_already():
    history = line()
    history.extend([Trial(0, {"x": 0.5}), Trial(1, {"x": 0.25})], np.array([[0.5], [0.25]]))
    assert history.X.tolist() == [[0.5], [0.25]]


@pytest.mark.parametrize("numbers", [[0, 1], [2, 3], [1, 1], [2, 1]])
def test_added_trials_must_go_on_counting(numbers):
    history = line(1.0)
    message = f"Added trials must be numbered 1, 2, ... Got {numbers!r}."
    with pytest.raises(TrialError, match=re.escape(message)):
        history.extend([Trial(number, {"x": 0.5}) for number in numbers])


def test_extend_adds_all_or_nothing():
    history = line(1.0)
    with pytest.raises(ConfigError, match=re.escape("Parameter 'x' must be between 0.0 and 1.0. Got 3.0.")):
        history.extend([Trial(1, {"x": 0.5}), Trial(2, {"x": 3.0})])
    assert len(history) == 1
    assert not history.contains(np.array([[0.5]])).any()


def test_what_is_given_is_not_changed():
    trials = [Trial(0, {"x": 0.5})]
    history = History(Space({"x": (0.0, 1.0)}), trials)
    history.start({"x": 0.1})
    assert len(trials) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"state": State.COMPLETE}, "Trial 7 must have a value to be complete. Got None."),
        ({"state": State.RUNNING, "values": 1.0}, "Trial 7 is running and must have no value. Got 1.0."),
        ({"state": State.PRUNED, "values": "1"}, "The value of trial 7 must be one number. Got '1' (str)."),
        ({"constraints": (NAN,)}, "The constraints of trial 7 must not be NaN. Got (nan,)."),
        ({"state": 3}, "The state of trial 7 must be one of waiting, running, complete, pruned, failed, died, "),
    ],
)
def test_a_trial_that_contradicts_itself_is_refused(settings, message):
    with pytest.raises(TrialError, match=re.escape(message)):
        Trial(7, {"x": 0.5}, **settings)


# -- contains -----------------------------------------------------------------------------------------------


@given(space=strategies.spaces(constrained=False), seed=st.integers(0, 9))
def test_contains_knows_every_trial_and_nothing_else(space, seed):
    X = space.sample(30, np.random.default_rng(seed))
    history = History(space)
    history.extend([Trial(i, config) for i, config in enumerate(space.decode(X[:15]))])
    known = {row.tobytes() for row in X[:15]}
    assert history.contains(X).tolist() == [row.tobytes() in known for row in X]


def test_contains_counts_running_and_failed_trials():
    history = line(1.0, None, State.FAILED)
    assert history.contains(history.X).all()
    assert history.contains(np.array([[0.5]])).tolist() == [False]


def test_contains_treats_inactive_entries_as_equal():
    history = History(Space({"p": ["a", "b"], "q": Int(1, 5, when={"p": "b"})}))
    history.start({"p": "a"})
    assert history.contains(np.array([[0.0, NAN], [0.0, 0.0], [1.0, NAN]])).tolist() == [True, False, False]


def test_contains_is_not_fooled_by_minus_zero_or_memory_layout():
    history = History(Space({"p": (0.0, 1.0), "q": (0.0, 1.0)}))
    history.start({"p": 0.0, "q": 0.5})
    wide = np.array([[-0.0, 9.0, 0.5, 9.0], [0.5, 9.0, 0.0, 9.0]])[:, ::2]
    assert history.contains(wide).tolist() == [True, False]
    assert history.contains(np.asfortranarray(wide)).tolist() == [True, False]
    assert history.contains(np.empty((0, 2))).shape == (0,)


def test_a_number_given_by_hand_is_found_again_after_decoding():
    space = Space({"p": Float(1e-5, 1e-1, log=True), "q": Float(0.0, 1.0, step=0.1)})
    history = History(space)
    history.start({"p": 0.001, "q": 0.1 + 0.2})
    assert history.contains(space.encode(space.decode(history.X))).all()


# -- best ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "best"),
    [
        ([], None),
        ([None, State.FAILED, NAN], None),
        ([3.0, 1.0, 2.0], 1),
        ([3.0, 1.0, 1.0], 1),
        ([NAN, INF, 5.0], 2),
        ([State.FAILED, NAN, INF], None),
        ([None, INF, -INF], None),
        ([1.0, -INF, -INF], 0),
        ([State.PRUNED, 7.0], 1),
    ],
)
def test_best_is_the_earliest_complete_trial_with_the_lowest_value(answers, best):
    found = line(*answers).best
    assert (None if found is None else found.number) == best


def test_best_is_feasible():
    history = line(None, None, None)
    history.finish(0, value=1.0, constraints=[0.1, -5.0])
    assert history.best is None
    history.finish(1, value=3.0, constraints=[0.0, -1.0])
    history.finish(2, value=2.0, state=State.PRUNED)
    assert history.best.number == 1


def test_an_infinite_violation_is_infeasible():
    done = line(None).finish(0, value=1.0, constraints=[INF, -INF])
    assert done.violation == INF


# -- leaders ------------------------------------------------------------------------------------------------

numbers = st.one_of(st.floats(), st.sampled_from([-1.0, -0.0, 0.0, 1.0, NAN, INF, -INF]))  # many ties


@given(values=st.lists(numbers, max_size=60), n=st.integers(-1, 70))
def test_the_lowest_values_are_those_of_a_stable_sort(values, n):
    values = np.array(values, dtype=np.float64)
    assert lowest(values, n).tolist() == np.argsort(values, kind="stable")[: max(n, 0)].tolist()


@given(
    answers=st.lists(st.one_of(numbers, st.none(), st.sampled_from([State.FAILED, State.PRUNED])), max_size=40),
    n=st.integers(1, 45),
)
def test_leaders_are_complete_trials_by_value_and_age(answers, n):
    usable = [i for i, answer in enumerate(answers) if isinstance(answer, float) and math.isfinite(answer)]
    assert line(*answers).leaders(n).tolist() == sorted(usable, key=lambda i: answers[i])[:n]


def test_leaders_are_feasible():
    history = line(None, None, None)
    history.finish(0, value=1.0, constraints=[0.1])
    history.finish(1, value=3.0, constraints=[-0.1])
    history.finish(2, value=2.0, constraints=[0.0])
    assert history.leaders(5).tolist() == [2, 1]


# -- what hosts need ----------------------------------------------------------------------------------------


def test_pending_rows_are_there_for_the_length_of_a_block():
    history = line(1.0, None)
    X, y, size = history.X.copy(), history.y.copy(), len(history)
    with history.pending(np.array([[0.75], [0.0]])):  # the second is there already
        assert len(history) == size + 2
        assert history.has_state(State.RUNNING).tolist() == [False, True, True, True]
        assert history.contains(np.array([[0.75], [0.0], [0.5]])).tolist() == [True, True, False]
        assert history.finished == [0]
    assert len(history) == size
    np.testing.assert_array_equal(history.X, X)
    np.testing.assert_array_equal(history.y, y)
    assert history.contains(np.array([[0.75], [0.0]])).tolist() == [False, True]
    assert history.start({"x": 0.75}).number == size


def test_pending_rows_go_when_the_block_ends_in_an_error():
    history = line(1.0)
    with pytest.raises(KeyError), history.pending(np.array([[0.75]])):
        raise KeyError
    assert len(history) == 1
    assert not history.contains(np.array([[0.75]]))[0]


def test_a_history_moves_to_another_space_with_its_answers_in_their_order():
    history = line(3.0, None, 1.0)
    history.finish(1, value=2.0)
    wider = Space({"x": (-1.0, 1.0), "z": (0.0, 1.0)})
    X = np.column_stack([0.5 + history.X[:, 0] / 2, np.full(3, NAN)])
    moved = history.in_space(wider, X)
    assert (moved.finished, moved.marks) == ([0, 2, 1], [1, 2, 3])
    assert moved.trials == history.trials
    np.testing.assert_array_equal(moved.y, [3.0, 2.0, 1.0])
    np.testing.assert_array_equal(moved.X, X)
    moved.start({"x": 0.0, "z": 0.0})
    assert len(history) == 3


def of_two(*values, state=State.COMPLETE, **fields):
    """A history of two objectives."""
    trials = [Trial(i, {"x": i / 100}, state, value, **fields) for i, value in enumerate(values)]
    return History(Space({"x": (0.0, 1.0)}), trials, objectives=Objectives(("minimize", "maximize")))


def test_trials_of_several_objectives_rank_by_their_fronts():
    history = of_two((0.0, 3.0), (3.0, 0.0), (1.0, 1.0), (2.0, 2.0), (INF, 0.0))
    np.testing.assert_array_equal(history.losses[:4], [[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert np.isnan(history.losses[4]).all() and np.isnan(history.y[4]) and history.is_failure[4]
    np.testing.assert_allclose(history.y[:4], rank(history.losses[:4]))
    assert [trial.number for trial in history.front] == [0, 2, 1]
    assert history.leaders(4).tolist() == [2, 0, 1, 3]
    assert history.best is None
    np.testing.assert_array_equal(history.in_space(history.space, history.X).y, history.y)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20), st.randoms())
def test_ranks_of_several_objectives_do_not_depend_on_how_the_trials_came(values, random):
    order = random.sample(range(len(values)), len(values))
    objectives = Objectives(("minimize", "minimize"))
    told = History(Space({"x": (0.0, 1.0)}), objectives=objectives)
    for _ in values:
        told.start({"x": 0.5})
    for number in order:
        told.finish(number, value=tuple(map(float, values[number])))
    restored = History.restore(told.space, told.trials, told.finished, told.marks, objectives=objectives)
    np.testing.assert_array_equal(restored.y, told.y)
    answered = told.answered()
    np.testing.assert_array_equal(answered.y, told.y[told.finished])


def test_infeasible_and_unfinished_trials_are_on_no_front():
    history = of_two((0.0, 0.0), (1.0, 1.0))
    history.extend([Trial(2, {"x": 0.5}, State.COMPLETE, (-1.0, -1.0), constraints=(0.5, -1.0)), Trial(3, {"x": 0.6})])
    assert [trial.number for trial in history.front] == [0]
    np.testing.assert_array_equal(history.constraints, [[NAN, NAN], [NAN, NAN], [0.5, -1.0], [NAN, NAN]])
    assert history.violation.tolist() == [0.0, 0.0, 0.5, 0.0]


@pytest.mark.parametrize("values", [(1.0,), (1.0, 2.0, 3.0)])
def test_a_trial_with_another_number_of_values_is_refused(values):
    history = of_two((0.0, 0.0))
    with pytest.raises(
        TrialError, match=re.escape("Trial 1 must have 2 values, one per objective ('value 0', 'value 1")
    ):
        history.extend([Trial(1, {"x": 0.5}, State.COMPLETE, values)])
    number = history.start({"x": 0.5}).number
    with pytest.raises(TrialError, match="2 values"):
        history.finish(number, value=values)
    with pytest.raises(TrialError, match="The intermediate values of trial 1 at step 3 must be 2 numbers, one per obj"):
        history.report(number, 3, *values)
    assert not history.trials[number].is_finished


def test_trials_added_one_by_one_in_one_call_are_as_if_each_had_come_alone():
    trials = [
        Trial(i, {"x": i / 10}, State.COMPLETE if i % 3 else State.RUNNING, float(i) if i % 3 else None)
        for i in range(9)
    ]
    at_once, alone = History(Space({"x": (0.0, 1.0)})), History(Space({"x": (0.0, 1.0)}))
    at_once.extend(trials, one_by_one=True)
    for trial in trials:
        alone.extend([trial])
    assert (at_once.finished, at_once.marks) == (alone.finished, alone.marks)
    np.testing.assert_array_equal(at_once.X, alone.X)
    np.testing.assert_array_equal(at_once.y, alone.y)
