"""The best trial by the one rule, and the settings to use as every door shows them."""

import math

import pytest

from auger import Optimizer
from auger.best import best_settings
from auger.trial import State, Trial, best_of
from auger.view import view

NAN, INF = math.nan, math.inf


def trial(number, value=None, state=State.COMPLETE, constraints=()):
    return Trial(number, {}, state, value, constraints)


@pytest.mark.parametrize(
    ("trials", "best"),
    [
        ([], None),
        ([trial(0, state=State.FAILED), trial(1, state=State.RUNNING), trial(2, state=State.DIED)], None),
        ([trial(0, NAN)], None),
        ([trial(0, 2.0), trial(1, 1.0), trial(2, 1.0)], 1),  # the first of equals
        ([trial(0, NAN), trial(1, INF), trial(2, -INF)], None),
        ([trial(0, -INF), trial(1, 3.0)], 1),
        ([trial(0, 1.0, State.PRUNED), trial(1, 3.0)], 1),
        ([trial(0, 1.0, constraints=(0.1,)), trial(1, 3.0, constraints=(0.0, -1.0))], 1),
        ([Trial(0, {}, State.COMPLETE, (1.0, 2.0))], None),  # several objectives have no single best
    ],
)
def test_the_rule(trials, best):
    chosen = best_of(trials)
    assert (None if chosen is None else chosen.number) == best


def told(*values):
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    for value in values:
        optimizer.tell(optimizer.ask(), value)
    return optimizer


def test_the_best_is_compared_with_the_first_trial_that_has_a_finite_value():
    best = best_settings(view(told(INF, 4.0, 1.0)))
    assert (best.number, best.value, best.baseline.number, best.gain) == (2, 1.0, 1, 0.75)
    assert best.comparison == "75 % better than the first trial (4, trial 1)"
    assert best.to_json()["baseline"] == {"number": 1, "value": 4.0, "name": "the first trial"}


def test_the_first_trial_is_not_compared_with_itself_and_nothing_has_no_best():
    assert best_settings(view(told(1.0, 2.0))).baseline is None
    assert best_settings(view(told())) is None


def test_a_gain_over_zero_has_no_share():
    best = best_settings(view(told(0.0, -1.0)))
    assert best.gain is None
    assert best.comparison == "better than the first trial (0, trial 0)"
