import logging
import sys

import numpy as np
import pytest

from auger import Float, Int, Optimizer, Recipe, Space, State, minimize
from auger.classifiers import Forest
from auger.errors import NoCompletedTrialError, SearchError, SpaceError, TrialError
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


@pytest.mark.parametrize("answer", [None, "0.5", [0.5], np.ones(1), object()])
def test_a_function_that_returns_no_number_is_refused_at_its_first_answer(answer):
    calls = []
    with pytest.raises(TrialError, match="`fun` must return a number. "):
        minimize(lambda config: calls.append(config) or answer, SPACE, n_trials=30)
    assert len(calls) == 1


def test_a_later_answer_that_is_no_number_fails_its_trial_only():
    answers = iter([1.0, None, 2.0, "three"])
    result = minimize(lambda config: next(answers), SPACE, n_trials=4)
    assert [trial.state for trial in result.trials] == [State.COMPLETE, State.FAILED, State.COMPLETE, State.FAILED]


def test_when_every_trial_fails_the_last_error_is_shown():
    with pytest.raises(NoCompletedTrialError, match=r"3 of 3 failed. The last error: ZeroDivisionError: ") as caught:
        minimize(lambda config: 1 / 0, SPACE, n_trials=3)
    assert [trial.state for trial in caught.value.trials] == [State.FAILED] * 3


def test_a_function_that_calls_exit_makes_a_failed_trial():
    answers = iter([1.0, None, 2.0])
    result = minimize(lambda config: next(answers) or sys.exit(3), SPACE, n_trials=3)
    assert result.trials[1].error == "SystemExit: 3"


def test_a_function_that_changes_its_config_changes_only_its_copy():
    result = minimize(lambda config: config.pop("n") + config.pop("x"), SPACE, n_trials=3)
    assert all(set(trial.config) == {"x", "n"} for trial in result.trials)


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

    with pytest.raises(
        NoCompletedTrialError, match="The run was interrupted before any trial returned a value"
    ) as caught:
        minimize(interrupted, SPACE, n_trials=5)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)


def test_ctrl_c_during_the_recommendation_returns_the_lowest_value(monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Optimizer, "recommend", interrupted)
    result = minimize(bowl, SPACE, n_trials=8, recipe=FAST, seed=0)
    assert result.is_interrupted and len(result.trials) == 8
    assert result.value == min(trial.value for trial in result.trials) == bowl(result.config)
    assert result.recommendation.trial == result.optimizer.best
    assert "interrupted" in result.recommendation.reason


def test_an_error_in_the_recommendation_hands_out_what_was_found(monkeypatch):
    def broken(self):
        raise ArithmeticError("no such matrix")

    monkeypatch.setattr(Optimizer, "recommend", broken)
    with pytest.raises(SearchError, match="ended after 4 trials with ArithmeticError: no such matrix") as caught:
        minimize(bowl, SPACE, n_trials=4, recipe=FAST)
    assert [trial.state for trial in caught.value.optimizer.trials] == [State.COMPLETE] * 4


def test_the_callback_sees_every_finished_trial():
    seen = []
    minimize(bowl, SPACE, n_trials=5, callback=seen.append)
    assert [trial.number for trial in seen] == [0, 1, 2, 3, 4]
    assert all(trial.state is State.COMPLETE for trial in seen)


def test_an_error_in_the_callback_ends_the_run_and_hands_out_what_was_found():
    def broken(trial):
        if trial.number == 3:
            raise KeyError("in the callback")

    with pytest.raises(SearchError, match="ended after 4 trials with KeyError: 'in the callback'") as caught:
        minimize(bowl, SPACE, n_trials=9, callback=broken)
    assert [trial.state for trial in caught.value.optimizer.trials] == [State.COMPLETE] * 4
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_constraint_that_breaks_in_the_middle_of_a_run_loses_nothing():
    found = []

    def fragile(config):
        if len(found) == 5:
            raise OSError("lost the licence server")
        return True

    with pytest.raises(SearchError, match="lost the licence server") as caught:
        minimize(bowl, Space(SPACE, constraints=[fragile]), n_trials=50, callback=found.append)
    assert caught.value.optimizer.trials == found


@pytest.mark.parametrize("n_trials", [0, -3, 2.5, True, None])
def test_a_strange_number_of_trials_is_refused_before_anything_is_evaluated(n_trials):
    with pytest.raises(ValueError, match="`n_trials` must be a whole number of at least 1"):
        minimize(pytest.fail, SPACE, n_trials=n_trials)


def test_a_wrong_space_is_refused_before_anything_is_evaluated():
    with pytest.raises(SpaceError, match="Parameter 'x' must be a Float, Int, Categorical or Ordinal"):
        minimize(pytest.fail, {"x": "0..1"}, n_trials=3)


def test_something_that_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="`fun` must be a function that takes a config. Got 3"):
        minimize(3, SPACE, n_trials=3)
