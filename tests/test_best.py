"""The best trial by the one rule, and the settings to use as every door shows them."""

import math

import pytest

from auger import History, Optimizer, Space
from auger.best import Best, best_settings
from auger.objectives import Direction, Objectives
from auger.provenance import Origin, Provenance
from auger.trial import State, Trial, best_of
from auger.view import Baseline, view

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


# -- noise --------------------------------------------------------------------------------------------------

LINE = Space({"x": (0.0, 1.0)})


def run_of(*results, direction=Direction.MINIMIZE):
    """A run of trials: x, the values of its runs, and the number of the trial that it confirms, if so."""
    objectives, trials = Objectives((direction,)), []
    for number, (x, runs, *confirms) in enumerate(results):
        provenance = Provenance(Origin.CONFIRMATION, confirms=confirms[0]) if confirms else Provenance()
        minimized = [objectives.minimized([value])[0] for value in runs]
        value = sum(minimized) / len(minimized)
        trials.append(Trial(number, {"x": x}, State.COMPLETE, value, provenance=provenance, runs=tuple(minimized)))
    return view(History(LINE, trials, objectives=objectives))


NOISY = [(0.9, [5.0, 5.4, 5.2]), (0.1, [1.0, 3.0, 2.6]), (0.12, [2.2, 2.0, 2.4]), (0.5, [4.0, 4.4, 4.2])]


def test_the_runs_of_a_trial_are_the_evidence_of_noise_and_its_range():
    best = best_settings(run_of(*NOISY))
    assert best.number in (1, 2) and best.n_runs == 3 and not best.is_confirmed
    runs = NOISY[best.number][1]
    assert (best.low, best.high) == (min(runs), max(runs)) and min(runs) < best.expected < max(runs)
    assert "noise" in best.reason and "±" in best.headline and "3 runs" in best.headline


def test_runs_may_have_values_whose_squares_are_beyond_the_largest_number():
    best = best_settings(run_of((0.1, [0.0, 1e300, 2e300])))
    assert (best.expected, best.error) == pytest.approx((1e300, 1e300 / math.sqrt(3)))


def test_runs_that_agree_are_said_to_agree():
    best = best_settings(run_of((0.9, [5.0] * 3), (0.1, [2.0] * 3), (0.5, [4.0] * 3)))
    assert (best.estimate, best.error, best.headline) == (None, None, "2, 3 runs, all the same")


@pytest.mark.parametrize("direction", list(Direction))
def test_confirmed_settings_are_told_by_their_further_runs_only(direction):
    """Trial 1 was the best, partly by luck; its settings and those of the others were run again."""
    sign = direction.sign
    again = [(0.1, [3.0, 3.4], 1), (0.12, [2.0, 2.2], 2), (0.5, [4.1, 4.3], 3), (0.9, [5.0, 5.2], 0)]
    results = [(x, [sign * value for value in runs], *confirms) for x, runs, *confirms in [*NOISY, *again]]
    best = best_settings(run_of(*results, direction=direction))
    assert best.number == 5 and best.config == {"x": 0.12} and best.is_confirmed and best.n_runs == 2
    assert best.expected == pytest.approx(sign * 2.1) and best.error == pytest.approx(0.1)
    assert sorted([best.low, best.high]) == sorted([sign * 2.0, sign * 2.2]) and best.low <= best.high
    assert best.baseline.number == 7 and best.baseline.value == pytest.approx(sign * 5.1)
    assert best.gain == pytest.approx(3.0 / 5.1)


def test_a_confirmation_does_not_decide_before_all_candidates_are_confirmed():
    best = best_settings(run_of(*NOISY, (0.5, [4.1, 4.3], 3)))
    assert not best.is_confirmed and best.config["x"] in (0.1, 0.12)


def test_defaults_that_prove_best_are_the_best_and_gain_nothing():
    again = [(0.1, [6.0, 6.4], 1), (0.12, [7.0, 7.2], 2), (0.5, [8.1, 8.3], 3), (0.9, [5.0, 5.2], 0)]
    best = best_settings(run_of(*NOISY, *again))
    assert best.config == {"x": 0.9} and best.baseline is None and best.comparison is None


def test_the_gain_is_that_of_the_expected_value_and_may_be_none():
    def gain(expected, direction):
        return Best(1, {}, 1.0, expected, 0.1, "", Baseline(0, 2.0, "the defaults"), direction)

    assert gain(1.5, Direction.MINIMIZE).gain == 0.25 and gain(1.5, Direction.MAXIMIZE).gain == -0.25
    assert gain(1.5, Direction.MAXIMIZE).comparison == "no better than the defaults (2, trial 0)"
