import logging

import pytest

from auger import Float, Int, Recipe, State, minimize
from auger.classifiers import Forest
from auger.errors import NoCompletedTrialError, SpaceError
from auger.maximizers import RandomSearch

FAST = Recipe("fast", Forest(n_trees=10), RandomSearch(100))
SPACE = {"x": Float(-1.0, 1.0), "n": Int(1, 5)}


def bowl(config):
    return config["x"] ** 2 + (config["n"] - 3) ** 2


def test_it_returns_the_best_of_all_it_tried():
    result = minimize(bowl, SPACE, n_trials=25, recipe=FAST, seed=0)
    assert len(result.trials) == 25
    assert result.value == min(trial.value for trial in result.trials) == bowl(result.config)
    assert not result.is_interrupted


def test_the_same_seed_gives_the_same_trials():
    first = minimize(bowl, SPACE, n_trials=15, recipe=FAST, seed=7)
    assert minimize(bowl, SPACE, n_trials=15, recipe=FAST, seed=7).trials == first.trials
    assert minimize(bowl, SPACE, n_trials=15, recipe=FAST, seed=8).trials != first.trials


def test_an_objective_that_raises_makes_a_failed_trial(caplog):
    def fragile(config):
        if config["n"] == 3:
            raise RuntimeError("out of memory")
        return bowl(config)

    with caplog.at_level(logging.WARNING, logger="auger"):
        result = minimize(fragile, SPACE, n_trials=20, recipe=FAST, seed=0)
    failed = [trial for trial in result.trials if trial.state is State.FAILED]
    assert failed and all(trial.config["n"] == 3 for trial in failed)
    assert failed[0].error == "RuntimeError: out of memory"
    assert "failed: RuntimeError: out of memory" in caplog.text
    assert result.config["n"] != 3


def test_errors_come_through_when_asked_for():
    with pytest.raises(ZeroDivisionError):
        minimize(lambda config: 1 / 0, SPACE, n_trials=5, raise_errors=True)


@pytest.mark.parametrize("answer", [None, "0.5", [0.5], object()])
def test_an_answer_that_is_no_number_fails_the_trial_and_is_shown_when_all_fail(answer):
    with pytest.raises(NoCompletedTrialError, match=r"3 of 3 failed. The last error: TrialError: ") as caught:
        minimize(lambda config: answer, SPACE, n_trials=3)
    assert [trial.state for trial in caught.value.trials] == [State.FAILED] * 3


def test_values_that_are_all_nan_say_so():
    with pytest.raises(NoCompletedTrialError, match="0 of 3 failed. Every value was NaN"):
        minimize(lambda config: float("nan"), SPACE, n_trials=3)


def test_ctrl_c_returns_what_was_found():
    calls = []

    def interrupted(config):
        calls.append(config)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return bowl(config)

    result = minimize(interrupted, SPACE, n_trials=50, recipe=FAST, seed=0)
    assert result.is_interrupted
    assert sum(trial.state is State.COMPLETE for trial in result.trials) == 5
    assert result.trials[-1].state is State.RUNNING
    assert result.value == min(map(bowl, calls[:5]))


def test_ctrl_c_before_anything_was_found_is_an_error_with_the_interrupt_as_its_cause():
    def interrupted(config):
        raise KeyboardInterrupt

    with pytest.raises(NoCompletedTrialError) as caught:
        minimize(interrupted, SPACE, n_trials=5)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)


def test_the_callback_sees_every_finished_trial():
    seen = []
    minimize(bowl, SPACE, n_trials=5, callback=seen.append)
    assert [trial.number for trial in seen] == [0, 1, 2, 3, 4]
    assert all(trial.state is State.COMPLETE for trial in seen)


def test_an_error_in_the_callback_is_not_taken_for_a_failed_trial():
    def broken(trial):
        raise RuntimeError("in the callback")

    with pytest.raises(RuntimeError, match="in the callback"):
        minimize(bowl, SPACE, n_trials=5, callback=broken)


@pytest.mark.parametrize("n_trials", [0, -3, 2.5, True, None])
def test_a_strange_number_of_trials_is_refused_before_anything_is_evaluated(n_trials):
    with pytest.raises(ValueError, match="`n_trials` must be a whole number of at least 1"):
        minimize(pytest.fail, SPACE, n_trials=n_trials)


def test_a_wrong_space_is_refused_before_anything_is_evaluated():
    with pytest.raises(SpaceError, match="Parameter 'x' must be a Float, Int, Categorical or Ordinal"):
        minimize(pytest.fail, {"x": "0..1"}, n_trials=3)


def test_something_that_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="`fun` must be a function of a config. Got 3"):
        minimize(3, SPACE, n_trials=3)
