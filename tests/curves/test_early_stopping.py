"""Whether to go on with a trial: a chance against a price."""

import math

import numpy as np
import pytest

from auger.curves.early_stopping import Judge, Prospect, Prospects
from auger.history import History
from auger.space import Space
from auger.trial import State, Trial

SPACE = Space({"x": (0.0, 1.0)})


def curve(x, n, first=1):
    return [(step, x + 1 / (step + 1)) for step in range(first, first + n)]


def prospects(trials, first=1, full=16):
    """Of (x, steps) each, complete where these are ``full``, and failed where they are negative."""
    made = []
    for i, (x, n) in enumerate(trials):
        steps = curve(x, abs(n), first)
        state = State.FAILED if n < 0 else State.COMPLETE if n == full else State.PRUNED
        made.append(Trial(i, {"x": x}, state, None if n < 0 else steps[-1][1], intermediate_values=steps))
    return Prospects(History(SPACE, made))


def at(x):
    return SPACE.encode([{"x": x}])[0]


@pytest.mark.parametrize(
    ("trials", "n", "price"),
    [
        ([(0.2, 16), (0.4, 16)], 4, 0.75 / 3),  # two complete: a third one is the best with a chance of 1/3
        ([(0.2, 16), (0.4, 16)], 12, 0.25 / 3),  # the less is left, the less it has to promise
        ([(0.2, 16), (0.4, 16), (0.9, 4), (0.8, 4)], 4, 0.75 / 3.5),  # two quarters were spent on others
        ([(0.2, 16), (0.4, -8)], 4, 0.75 / 2.5),  # what failed has cost something, too
    ],
)
def test_the_price_is_what_is_left_over_what_was_spent(trials, n, price):
    assert prospects(trials).of(at(0.5), curve(0.5, n)).price == pytest.approx(price, rel=1e-12)


def test_steps_counted_from_0_are_one_more():
    made = prospects([(0.2, 16), (0.4, 16)], first=0)
    assert made.of(at(0.5), curve(0.5, 4, first=0)).price == pytest.approx(0.75 / 3, rel=1e-12)


def test_who_is_as_far_as_any_complete_trial_goes_on():
    made = prospects([(0.2, 16), (0.4, 16)])
    assert made.of(at(0.9), curve(0.9, 16)).is_worth_it and made.of(at(0.9), curve(0.9, 24)).is_worth_it


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_last_value_that_is_not_finite_leaves_no_chance(value):
    made = prospects([(0.2, 16), (0.4, 16)])
    assert made.of(at(0.1), [(1, 0.6), (2, value)]) == Prospect(0.0, 0.875 / 3)


def test_the_chance_falls_with_the_value_and_with_what_is_known_of_the_place():
    made = prospects([(x, 16) for x in np.linspace(0.2, 0.9, 8)])
    chances = [made.of(at(x), curve(x, 4)).chance for x in (0.05, 0.15, 0.25, 0.5)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.9 and chances[-1] < 0.01


def test_chances_come_true():
    """Of trials at a quarter of their way, as many become the best as was said, in searches with noisy curves."""
    said, came = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        walks = np.cumsum(rng.normal(0, 0.06, (24, 8)), axis=1)[:, ::-1]
        xs = rng.random(24).round(6)
        values = np.abs(xs - 0.4)[:, np.newaxis] + walks
        trials = [
            Trial(
                i,
                {"x": x},
                State.COMPLETE,
                v[-1],
                intermediate_values=[(k + 1, float(each)) for k, each in enumerate(v)],
            )
            for i, (x, v) in enumerate(zip(xs[:12].tolist(), values[:12], strict=True))
        ]
        made = Prospects(History(SPACE, trials))
        for x, way in zip(xs[12:], values[12:], strict=True):
            said.append(made.of(at(x), [(k + 1, float(way[k])) for k in range(2)]).chance)
            came.append(way[-1] < values[:12, -1].min())
    assert abs(np.mean(said) - np.mean(came)) < 3 * np.std(came) / math.sqrt(len(came))
    promising = np.array(said) > 0.2
    assert np.mean(np.array(came)[promising]) > 3 * np.mean(np.array(came)[~promising])


def test_after_twenty_stopped_trials_in_a_row_the_next_one_goes_on():
    trials = [(0.2, 16), (0.4, 16), *[(0.9, 2)] * 19]
    made = []
    for i, (x, n) in enumerate(trials):
        state = State.COMPLETE if n == 16 else State.PRUNED
        made.append(Trial(i, {"x": x}, state, curve(x, n)[-1][1], intermediate_values=curve(x, n)))
    history, judge = History(SPACE, made), Judge()
    assert not judge.prospect(history, at(0.9), curve(0.9, 2)).is_worth_it
    history.extend([Trial(21, {"x": 0.8}, State.PRUNED, curve(0.8, 2)[-1][1], intermediate_values=curve(0.8, 2))])
    assert judge.prospect(history, at(0.9), curve(0.9, 2)) is None
    history.extend([Trial(22, {"x": 0.3}, State.COMPLETE, 0.4, intermediate_values=curve(0.3, 16))])
    assert judge.prospect(history, at(0.9), curve(0.9, 2)) is not None
