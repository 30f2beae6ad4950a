import importlib
import logging
import os
import signal
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from auger import Float, Int, Optimizer, Recipe, Space, State, StopSearch, minimize
from auger.classifiers import Forest
from auger.errors import ConfigError, NoCompletedTrialError, SearchError, SpaceError, TrialError
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


@pytest.mark.parametrize("answer", [None, "0.5", [0.5], np.ones(2), object()])
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


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_values_of_which_none_is_finite_say_so(value):
    with pytest.raises(NoCompletedTrialError, match="0 of 3 failed. No value was finite"):
        minimize(lambda config: value, SPACE, n_trials=3)


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


@pytest.mark.parametrize("n_trials", [0, -3, 2.5, True])
def test_a_strange_number_of_trials_is_refused_before_anything_is_evaluated(n_trials):
    with pytest.raises(ValueError, match="`n_trials` must be a whole number of at least 1"):
        minimize(pytest.fail, SPACE, n_trials=n_trials)


def test_a_wrong_space_is_refused_before_anything_is_evaluated():
    with pytest.raises(SpaceError, match="Parameter 'x' must be a Float, Int, Categorical or Ordinal"):
        minimize(pytest.fail, {"x": "0..1"}, n_trials=3)


def test_something_that_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="`fun` must be a function that takes a config. Got 3"):
        minimize(3, SPACE, n_trials=3)


# -- budgets, threads, callbacks ----------------------------------------------------------------------------


def test_the_highest_value_is_found_with_the_other_direction():
    low = minimize(bowl, SPACE, n_trials=14, recipe=FAST, seed=3)
    high = minimize(lambda config: -bowl(config), SPACE, n_trials=14, recipe=FAST, seed=3, direction="maximize")
    assert high.config == low.config and high.value == -low.value
    assert [trial.value for trial in high.trials] == [-trial.value for trial in low.trials]


def test_a_timeout_starts_no_trial_after_it_and_one_at_least(monkeypatch):
    clock = iter(range(1000))
    fake = SimpleNamespace(monotonic=lambda: float(next(clock)), perf_counter=time.perf_counter)
    monkeypatch.setattr(importlib.import_module("auger.loop"), "time", fake)
    assert len(minimize(bowl, SPACE, timeout=5.5, recipe=FAST).trials) == 6  # at 1, 2, 3, 4, 5, after a start at 0
    assert len(minimize(bowl, SPACE, timeout=0.5, recipe=FAST).trials) == 1
    assert len(minimize(bowl, SPACE, timeout=500, n_trials=3, recipe=FAST).trials) == 3


def test_without_any_limit_a_run_is_refused():
    with pytest.raises(ValueError, match="A run needs `n_trials`, `timeout` or both"):
        minimize(pytest.fail, SPACE)


@pytest.mark.parametrize("timeout", [0, -1.0, "5", True, float("nan")])
def test_a_strange_timeout_is_refused(timeout):
    with pytest.raises(ValueError, match="`timeout` must be a number of seconds above 0"):
        minimize(pytest.fail, SPACE, timeout=timeout)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, None])
def test_a_strange_number_of_jobs_is_refused(n_jobs):
    with pytest.raises(ValueError, match="`n_jobs`, unless it is -1, must be a whole number of at least 1"):
        minimize(pytest.fail, SPACE, n_trials=2, n_jobs=n_jobs)


def test_trials_run_at_the_same_time_in_threads_and_callbacks_in_the_callers():
    together, callers = threading.Barrier(3, timeout=30), []

    def fun(config):
        together.wait()  # passes only when three are here
        return bowl(config)

    result = minimize(fun, SPACE, n_trials=9, n_jobs=3, callback=lambda trial: callers.append(threading.get_ident()))
    assert callers == [threading.get_ident()] * 9
    assert all(trial.value == bowl(trial.config) for trial in result.trials)
    assert [trial.number for trial in result.trials] == list(range(9))


def test_all_cores_are_used_when_asked_for():
    assert len(minimize(bowl, SPACE, n_trials=5, n_jobs=-1).trials) == 5


def test_an_error_in_a_thread_makes_a_failed_trial_or_comes_through():
    result = minimize(lambda config: 1 / (config["n"] % 2), SPACE, n_trials=12, n_jobs=2, recipe=FAST, seed=0)
    assert {trial.state for trial in result.trials} == {State.COMPLETE, State.FAILED}
    with pytest.raises(ZeroDivisionError):
        minimize(lambda config: 1 / 0, SPACE, n_trials=5, n_jobs=2, raise_errors=True)


def test_ctrl_c_waits_for_the_trials_that_run_in_threads():
    started, noticed = threading.Barrier(3, timeout=30), threading.Event()
    handler = logging.Handler()
    handler.emit = lambda record: noticed.set() if "interrupted: 3 trials still run" in record.getMessage() else None

    def fun(config):
        if started.wait() == 0:  # in one of the three threads
            os.kill(os.getpid(), signal.SIGINT)
        assert noticed.wait(30)
        return bowl(config)

    logging.getLogger("auger").addHandler(handler)
    try:
        result = minimize(fun, SPACE, n_trials=50, n_jobs=3, recipe=FAST, seed=0)
    finally:
        logging.getLogger("auger").removeHandler(handler)
    assert result.is_interrupted and [trial.state for trial in result.trials] == [State.COMPLETE] * 3


def test_ctrl_c_at_the_moment_when_a_trial_ends_loses_no_value():
    for _ in range(100):
        first = iter([True])

        def fun(config, first=first):
            if next(first, False):
                os.kill(os.getpid(), signal.SIGINT)  # the main thread sees it as it takes the value, or around that
            return bowl(config)

        result = minimize(fun, SPACE, n_trials=50, n_jobs=2, recipe=FAST, seed=0)
        assert result.is_interrupted and {trial.state for trial in result.trials} == {State.COMPLETE}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_callbacks_are_called_and_one_may_stop_the_run(n_jobs):
    order = []

    def stopping(trial):
        order.append("first")
        if len(order) >= 8:
            raise StopSearch

    result = minimize(bowl, SPACE, n_trials=50, callback=[stopping, lambda t: order.append("second")], n_jobs=n_jobs)
    assert order[:4] == ["first", "second"] * 2
    assert len(result.trials) == len(order) / 2 <= 4 + n_jobs and not result.is_interrupted


def test_what_a_callback_returns_does_not_stop_the_run():
    assert len(minimize(bowl, SPACE, n_trials=4, callback=lambda trial: True).trials) == 4


def test_an_objective_may_stop_the_run_and_its_trial_failed():
    answers = iter([1.0, 2.0])

    def fun(config):
        try:
            return next(answers)
        except StopIteration:
            raise StopSearch("out of budget") from None

    result = minimize(fun, SPACE, n_trials=50)
    assert [trial.state for trial in result.trials] == [State.COMPLETE, State.COMPLETE, State.FAILED]


@pytest.mark.parametrize("callback", [3, [print, 3]])
def test_a_callback_that_cannot_be_called_is_refused(callback):
    with pytest.raises(TypeError, match="`callback` must be a function"):
        minimize(pytest.fail, SPACE, n_trials=2, callback=callback)


def test_enqueued_configs_come_first_and_fixed_values_stay():
    result = minimize(bowl, SPACE, n_trials=5, enqueue=[{"x": 0.25}, {"x": 0.5, "n": 4.0}], fixed={"n": 4}, seed=0)
    assert [trial.config["x"] for trial in result.trials[:2]] == [0.25, 0.5]
    assert {trial.config["n"] for trial in result.trials} == {4}


def test_enqueued_and_fixed_values_that_disagree_are_refused_before_anything_is_evaluated():
    with pytest.raises(ConfigError, match="Parameter 'n' is fixed to 4. An enqueued config has 5"):
        minimize(pytest.fail, SPACE, n_trials=5, enqueue=[{"n": 5}], fixed={"n": 4})


def test_a_result_is_short_in_words_and_shows_its_best_settings_in_html():
    result = minimize(bowl, SPACE, n_trials=6, recipe=FAST, seed=0)
    assert repr(result).startswith("Result(best ") and repr(result).endswith("; 6 trials: 6 complete)")
    assert len(repr(result)) < 200
    assert "<svg" in result._repr_html_() and "lowest of 6 values" in result._repr_html_()


def test_a_result_is_a_table(tmp_path):
    result = minimize(bowl, SPACE, n_trials=4, recipe=FAST, seed=0)
    frame = result.to_pandas()
    assert frame["value"].tolist() == [trial.value for trial in result.trials] and (frame["cost"] >= 0).all()
    result.to_csv(tmp_path / "trials.csv")
    assert len((tmp_path / "trials.csv").read_text().splitlines()) == 5


def test_one_element_arrays_are_numbers():
    assert minimize(lambda config: np.array([[bowl(config)]]), SPACE, n_trials=2).value > 0
