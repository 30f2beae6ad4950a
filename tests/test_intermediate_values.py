"""Intermediate values: reported, checked, kept and saved."""

import math

import pytest

from auger import Optimizer
from auger.errors import TrialError
from auger.trial import State, Trial

NAN, INF = math.nan, math.inf


def test_intermediate_values_are_kept_by_step_and_the_last_is_that_of_a_pruned_trial():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 9, 0.5)
    assert optimizer.report(trial.number, 1, 0.9).intermediate_values == ((1.0, 0.9), (9.0, 0.5))
    done = optimizer.tell(trial, pruned=True)
    assert (done.state, done.value, done.intermediate_values) == (State.PRUNED, 0.5, ((1.0, 0.9), (9.0, 0.5)))


def test_a_value_that_is_told_goes_before_the_last_intermediate_one():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    first, second = optimizer.ask(2)
    for trial in (first, second):
        optimizer.report(trial, 1, 0.9)
    assert optimizer.tell(first, 0.1).value == 0.1
    assert optimizer.tell(second, 0.2, pruned=True).value == 0.2


def test_a_failed_trial_keeps_its_intermediate_values_and_has_no_final_one():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 1, 0.9)
    done = optimizer.tell(trial, error="out of memory")
    assert (done.value, done.intermediate_values) == (None, ((1.0, 0.9),))


@pytest.mark.parametrize(
    ("step", "value", "message"),
    [
        (-1, 0.5, "A step of trial 0 must be a finite number of at least 0. Got -1.0."),
        (NAN, 0.5, "A step of trial 0 must be a finite number of at least 0. Got nan."),
        (INF, 0.5, "A step of trial 0 must be a finite number of at least 0. Got inf."),
        ("1", 0.5, "The step of trial 0 must be one number. Got '1' (str)."),
        (1, None, "The intermediate value of trial 0 must be one number. Got None (NoneType)."),
        (3, 0.5, "Trial 0 already has a value at step 3. Report each step once."),
    ],
)
def test_a_step_that_is_none_is_refused_and_nothing_changes(step, value, message):
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.report(trial, 3, 0.25)
    with pytest.raises(TrialError) as caught:
        optimizer.report(trial, step, value)
    assert str(caught.value) == message
    assert optimizer.trials[0].intermediate_values == ((3.0, 0.25),)


def test_intermediate_values_that_are_no_pairs_are_refused():
    with pytest.raises(
        TrialError, match=r"The intermediate values of trial 0 must be pairs of a step and a value. Got \[1, 2\]."
    ):
        Trial(0, {}, intermediate_values=[1, 2])


def test_a_finished_trial_hears_no_more_values():
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    trial = optimizer.ask()
    optimizer.tell(trial, 1.0)
    with pytest.raises(TrialError, match=r"Trial 0 must be running to be told. It is complete already."):
        optimizer.report(trial, 1, 0.5)


def test_a_saved_run_has_its_intermediate_values_and_goes_on_as_if_it_had_not_been_saved(tmp_path):
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
