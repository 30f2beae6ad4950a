"""Stopped and running trials with several objectives: what they would come to, and whether they may join the front."""

import math

import numpy as np
import pytest

from auger import Optimizer
from auger.curves.early_stopping import Prospect, Prospects, _chance_of_front
from auger.curves.final_values import final_losses, final_values
from auger.history import History
from auger.labels import label
from auger.objectives import Objectives
from auger.pareto import front
from auger.space import Space
from auger.trial import State, Trial

SPACE = Space({"x": (0.0, 1.0)})
OBJECTIVES = Objectives(("minimize", "minimize"))


def curve(x, n):
    """Both fall by 1 / step: to x, and to 1 - x."""
    return [(step, x + 1 / step, 1 - x + 1 / step) for step in range(1, n + 1)]


def history_of(*trials, full=16, lift=0.0):
    """Of (x, steps) each, pruned with fewer steps than ``full``, with ``lift`` on what those have."""
    made = []
    for i, (x, n) in enumerate(trials):
        steps = [(s, a + lift, b + lift) if n < full else (s, a, b) for s, a, b in curve(x, n)]
        state = State.COMPLETE if n == full else State.PRUNED
        made.append(Trial(i, {"x": x}, state, steps[-1][1:], intermediate_values=steps))
    return History(SPACE, made, objectives=OBJECTIVES)


COMPLETE = [(x, 16) for x in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]


def test_the_chance_is_that_of_no_member_of_the_front_being_better_in_everything():
    certain = np.array([[0.0, 1e-9], [0.0, 1e-9]])
    assert _chance_of_front(certain, np.array([[1.0, 1.0]])) == 1.0
    assert _chance_of_front(certain, np.array([[-1.0, 0.5]])) == 1.0  # it is worse in one of them
    assert _chance_of_front(certain, np.array([[-1.0, -1.0]])) == 0.0
    uncertain = np.array([[0.0, 1.0], [0.0, 2.0]])
    assert _chance_of_front(uncertain, np.array([[0.0, 0.0]])) == pytest.approx(0.75, abs=0.02)
    assert _chance_of_front(uncertain, np.array([[0.0, -99.0], [-99.0, 0.0]])) == pytest.approx(0.25, abs=0.02)


def test_each_objective_of_a_stopped_trial_is_predicted_by_its_own_curve():
    history = history_of(*COMPLETE, (0.3, 8), (0.7, 8))
    losses = final_losses(history)
    assert np.isnan(losses[:6]).all()
    np.testing.assert_allclose(losses[6:], [[0.3625, 0.7625], [0.7625, 0.3625]], atol=0.05)


def test_a_stopped_trial_ranks_behind_the_front_and_behind_what_beats_it():
    history = history_of(*COMPLETE, (0.3, 8))
    worse = history_of(*COMPLETE, (0.3, 8), lift=0.5)
    last = history.y[:6].max()  # all complete trials are on it
    assert final_values(history)[6] == np.nextafter(last, math.inf)
    assert final_values(worse)[6] == np.nextafter(last, math.inf)  # all members of the first front beat it, or none
    beaten = History(SPACE, [*history.trials, Trial(7, {"x": 0.5}, State.COMPLETE, (2.0, 2.0))], objectives=OBJECTIVES)
    labels = label(beaten, gamma=0.9, final_values=final_values(beaten))
    assert labels.z.tolist() == [True] * 7 + [False]


def test_without_complete_trials_the_stopped_ones_rank_among_each_other():
    history = history_of((0.2, 8), (0.3, 8), (0.25, 4))
    values = final_values(history)
    assert np.isfinite(values).all()


def test_a_trial_that_may_join_the_front_goes_on_and_one_that_all_beat_does_not():
    made = Prospects(history_of(*COMPLETE))
    row = SPACE.encode([{"x": 0.5}])[0]
    assert made.of(row, curve(0.5, 4)).is_worth_it
    lifted = [(step, a + 1.0, b + 1.0) for step, a, b in curve(0.5, 4)]
    assert not made.of(row, lifted).is_worth_it
    one = [(step, a - 1.0, b + 1.0) for step, a, b in curve(0.5, 4)]  # much better in one objective
    assert made.of(row, one).is_worth_it


@pytest.mark.parametrize("values", [(math.nan, 0.5), (0.5, math.inf)])
def test_a_last_value_that_is_not_finite_leaves_no_chance(values):
    made = Prospects(history_of((0.2, 16), (0.4, 16)))
    assert made.of(SPACE.encode([{"x": 0.1}])[0], [(1, 0.6, 0.6), (2, *values)]) == Prospect(
        0.0, 0.875 * 2 / 3
    )  # both are on the front


def test_a_run_stops_the_trials_that_both_objectives_speak_against():
    """What `bad` does to both shows at once; no trial that would have been on the front is stopped."""
    optimizer = Optimizer({"x": (0.0, 1.0), "bad": (0.0, 1.0)}, "bore-rf", directions=["minimize", "maximize"], seed=0)
    for _ in range(40):
        trial = optimizer.ask()
        x, bad = trial.config["x"], trial.config["bad"]
        for step in range(1, 9):
            optimizer.report(trial, step, [x**2 + bad + 1 / step, -((x - 1) ** 2) - bad - 1 / step])
            if optimizer.should_prune(trial):
                break
        optimizer.tell(trial, [x**2 + bad + 1 / 8, -((x - 1) ** 2) - bad - 1 / 8], pruned=step < 8)
    ends = np.array([(t.values[0], -t.values[1]) for t in optimizer.trials])
    is_pruned = np.array([t.state is State.PRUNED for t in optimizer.trials])
    assert np.count_nonzero(is_pruned) >= 8
    assert not (front(ends) & is_pruned).any()
