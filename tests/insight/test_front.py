"""The front in data and words, against answers worked by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fronts import LINE, LINE_OBJECTIVES, nets, run_of
from support.runs import told

from auger import Optimizer
from auger.errors import ObjectiveError, TrialError
from auger.insight import (
    advice,
    attainment,
    drivers,
    feasibility,
    front,
    importance,
    trade_offs,
    view,
    why_on_front,
)
from auger.insight.front import Lead, spread
from auger.insight.volume import attained


@pytest.fixture(scope="module")
def line():
    return view(run_of(LINE, LINE_OBJECTIVES))


def test_the_front_has_its_trials_the_best_of_each_objective_and_the_compromise(line):
    of_run = front(line)
    assert [member.number for member in of_run.members] == [1, 2, 0]
    assert of_run.best == {"loss": 1, "seconds": 0} and of_run.n_compared == 5
    assert of_run.compromise == 2  # losses of 0.25 and 0.375 of the width of the front; the others are 1 somewhere


def test_a_trial_is_ahead_of_those_that_are_as_good_elsewhere(line):
    middle = why_on_front(line, 2)
    assert middle.leads == (Lead("loss", 1, 0, 0.5), Lead("seconds", 1, 1, 9.0))
    assert middle.best_in == () and middle.twins == () and middle.beaten_by == ()
    first = why_on_front(line, 1)
    assert first.best_in == ("loss",) and first.leads == (Lead("loss", 3, 2, 0.2), Lead("seconds"))
    assert first.text.startswith(
        "Trial 1 is on the front. It has the lowest loss. "
        "Of 3 other trials as good in seconds, the best reaches loss 0.2 (trial 2)."
    )


def test_the_share_of_a_trial_is_what_only_it_dominates(line):
    # the box reaches from (0.1, 1) to a tenth beyond the front, (0.54, 9.8), in whose units the trials of the front
    # are at (0, 10/11), (10/44, 30/88) and (10/11, 0): by strips along the loss, up to 1
    strips = [10 / 44 * (1 - 10 / 11), (10 / 11 - 10 / 44) * (1 - 30 / 88), 1 / 11]
    own = [10 / 44 * (1 - 10 / 11), (10 / 11 - 10 / 44) * (10 / 11 - 30 / 88), 1 / 11 * 30 / 88]
    np.testing.assert_allclose([member.share for member in front(line).members], np.array(own) / sum(strips))
    np.testing.assert_allclose(attainment(line).share[-1], sum(strips))


def test_what_beats_a_trial_is_named(line):
    beaten = why_on_front(line, 3)
    assert not beaten.is_on_front and beaten.beaten_by == (1, 2)
    assert beaten.text.endswith("trial 1 and 1 other are as good in every objective, and better in one.")
    with pytest.raises(TrialError, match=r"must be that of a trial of this run \(0 to 4\). Got 7"):
        why_on_front(line, 7)


@pytest.mark.parametrize(
    ("values", "constraints", "words"),
    [
        (None, (), "it is failed."),
        ((float("nan"), 1.0), (), "it has no finite value in every objective."),
        ((0.0, 0.0), (-1.0, 2.0), "it breaks constraint 1 by 2."),
    ],
)
def test_a_trial_that_is_compared_with_none_says_why(values, constraints, words):
    run = view(run_of([(1.0, 1.0), values], constraints=[(), constraints]))
    assert why_on_front(run, 1).text == f"Trial 1 is not on the front: {words}"


def test_steps_say_what_one_unit_of_an_objective_buys_of_another():
    run = run_of([(0.5, 1.0), (0.1, 9.0), (0.2, 4.0)], {"loss": "minimize", "speed": "maximize"})
    # 0.1 has the highest speed as well, and beats the others
    assert trade_offs(run) == []
    (first, second) = trade_offs(run_of(LINE, LINE_OBJECTIVES))
    assert (first.first, first.second, second.first, second.second) == (1, 2, 2, 0)
    assert (first.loss, first.gain, first.rate) == (pytest.approx(0.1), 5.0, pytest.approx(50.0))
    (back, _) = trade_offs(run_of(LINE, LINE_OBJECTIVES), ("seconds", "loss"))
    assert (back.first, back.second, back.loss, back.gain) == (0, 2, 3.0, pytest.approx(0.3))


def test_signs_are_those_of_better_and_worse_whatever_the_direction():
    run = run_of([(0.5, 1.0), (0.9, 0.25)], {"accuracy": "maximize", "speed": "maximize"})
    (step,) = trade_offs(run)
    assert (step.first, step.second, step.loss, step.gain) == (1, 0, pytest.approx(0.4), 0.75)


def test_few_steps_keep_the_ends_and_lie_evenly():
    losses = np.array([[i / 100, 1 - i / 100] for i in range(101)])
    assert spread(losses, 5).tolist() == [0, 25, 50, 75, 100]
    assert spread(losses[:3], 5).tolist() == [0, 1, 2]
    run = run_of([tuple(own) for own in losses.tolist()])
    assert [(step.first, step.second) for step in trade_offs(run, most=2)] == [(0, 50), (50, 100)]


@pytest.mark.parametrize(
    ("objectives", "message"),
    [((0, 0), "two different"), ((0,), "two of this run's"), ("01", "two of this run's"), ((0, "speed"), "one of 0")],
)
def test_objectives_that_are_no_pair_are_refused(line, objectives, message):
    with pytest.raises(ObjectiveError, match=message):
        trade_offs(line, objectives)


# -- volumes ------------------------------------------------------------------------------------------------------


def brute_force(points, n=64):
    """The volume by cells of a grid."""
    centers = (np.arange(n) + 0.5) / n
    grid = np.stack(np.meshgrid(*[centers] * points.shape[1], indexing="ij"), axis=-1)
    return np.any([(point <= grid).all(axis=-1) for point in points], axis=0).mean()


points_on_a_grid = st.integers(2, 3).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9).map(lambda i: i / 8), min_size=k, max_size=k), min_size=1, max_size=8)
)


@given(points_on_a_grid)
def test_volumes_are_those_of_a_grid(rows):
    points = np.array(rows)
    steps, volumes = attained(points)
    assert (np.diff(steps) > 0).all() and (np.diff(volumes) > 0).all()
    expected = brute_force(points, 8)
    assert (volumes[-1] if len(volumes) else 0.0) == pytest.approx(expected, abs=1e-12)


def test_with_more_objectives_the_volume_is_sampled_and_never_falls():
    points = np.random.default_rng(0).random((60, 4))
    _, volumes = attained(points)
    assert (np.diff(volumes) > 0).all() and volumes[-1] == pytest.approx(brute_force(points, 16), abs=0.02)


def test_attainment_rises_to_one_where_a_trial_is_best_in_everything():
    reached = attainment(run_of([(2.0, 2.0), (3.0, 3.0), (1.0, 2.0), (1.0, 1.0)]))
    assert reached.numbers.tolist() == [0, 2, 3] and reached.share[-1] == 1.0
    assert reached.best == (1.0, 1.0) and reached.reference == pytest.approx((3.2, 3.2))


def test_a_reference_of_the_user_bounds_the_volume():
    values = [(0.5, 1.0), (0.1, 9.0), (0.2, 4.0)]
    reached = attainment(run_of(values, LINE_OBJECTIVES, reference={"loss": 0.5, "seconds": 9.0}))
    assert reached.numbers.tolist() == [2] and reached.reference == (0.5, 9.0)
    assert reached.share.tolist() == [pytest.approx(0.75 * 5 / 8)]  # trials on its border add nothing
    out_of_reach = attainment(run_of(values, LINE_OBJECTIVES, reference={"loss": 0.1, "seconds": 1.0}))
    assert not len(out_of_reach.share) and out_of_reach.note.startswith("No trial is better than the reference")


# -- corners ------------------------------------------------------------------------------------------------------

CORNERS = {
    "no trial": [],
    "one trial": [(1.0, 2.0)],
    "all failed": [None, None],
    "all equal": [(1.0, 2.0)] * 6,
    "one objective constant": [(float(i), 2.0) for i in range(6)],
    "five objectives": [tuple(np.random.default_rng(i).random(5)) for i in range(30)],
    "huge": [(1e308, -1e308), (-1e308, 1e308), (0.0, 0.0), (1.7e308, 5.0)],
    "tiny": [(5e-324, 0.0), (0.0, 5e-324)],
}


@pytest.mark.parametrize("name", CORNERS)
def test_every_look_at_any_front_has_an_answer(name):
    run = view(run_of(CORNERS[name]))
    of_run, reached = front(run), attainment(run)
    assert of_run.note if not of_run.members else set(of_run.best) == set(run.objectives.names)
    assert (reached.share > 0).all() and (reached.share <= 1 + 1e-12).all() and np.isfinite(reached.share).all()
    assert [member.number for member in of_run.members] == [trial.number for trial in run.front]
    assert all(np.isfinite(member.share) and 0 <= member.share <= 1 + 1e-9 for member in of_run.members)
    assert all(step.loss > 0 and step.gain > 0 for step in trade_offs(run))
    assert all(why_on_front(run, trial.number).text.startswith(f"Trial {trial.number} is ") for trial in run.trials)
    assert advice(run).text and drivers(run).share.shape == (1, len(run.objectives))


def test_equal_trials_are_twins_and_the_only_one_says_so():
    members = front(run_of([(1.0, 2.0)] * 3)).members
    assert [member.twins for member in members] == [(1, 2), (0, 2), (0, 1)]
    assert all(member.share == 0 for member in members) and "2 others have the same values." in members[0].text
    assert "there is no other to compare it with" in front(run_of([(1.0, 2.0)])).members[0].text


# -- constraints --------------------------------------------------------------------------------------------------


def test_constraints_are_counted_by_name_over_time():
    limits = [(1.0, 2.0), (-1.0, 4.0), (-1.0, -1.0), (0.0,)]
    run = replace(view(run_of([(1.0, 1.0)] * 4, constraints=limits)), named_constraints=("memory",))
    found = feasibility(run)
    assert run.constraints == ("memory", "constraint 1")
    memory, other = found.limits
    assert (memory.n_trials, memory.n_satisfied, memory.typical, memory.n_alone) == (4, 3, 1.0, 0)
    assert (other.n_trials, other.n_satisfied, other.typical, other.n_alone) == (3, 1, 3.0, 1)
    np.testing.assert_allclose(found.share, [0, 0, 1 / 3, 1 / 2])
    np.testing.assert_allclose(found.shares, [[0, 0], [1 / 2, 0], [2 / 3, 1 / 3], [3 / 4, 1 / 3]])
    assert found.first == 2 and found.nearest is None and found.n_feasible == 2


def test_a_share_over_time_forgets_what_is_long_ago():
    limits = [(1.0,)] * 30 + [(-1.0,)] * 30
    found = feasibility(run_of([(1.0, 1.0)] * 60, constraints=limits))
    assert found.window == 20 and found.share[[29, 39, 49, 59]].tolist() == [0.0, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("values", [(1.0, 1.0), (1.0,)])
def test_where_no_trial_is_feasible_the_nearest_is_named(values):
    run = run_of([values] * 3, constraints=[(3.0, -1.0), (0.5, 0.25), (-5.0, 2.0)])
    assert feasibility(run).nearest == 1
    assert advice(run).text == (
        "None of 3 complete trials satisfies all constraints yet. "
        "Nearest is trial 1, which breaks constraint 0 by 0.5 and constraint 1 by 0.25."
    )
    if len(values) > 1:
        assert front(run).note == "No trial satisfies all constraints yet."


def test_a_run_without_constraints_has_none():
    assert feasibility(told(1.0, None)).limits == ()


# -- one objective of several ---------------------------------------------------------------------------------------


def test_a_run_is_seen_as_if_it_had_one_objective_only():
    run = view(nets(60))
    seconds = run.only(1)
    assert seconds is run.only(1) and seconds.objectives.names == ("seconds",)
    assert seconds.best.values[0] == np.nanmin(run.losses[:, 1])
    assert seconds.baseline.value == run.values_of(run.by_number[run.baseline.number])[1]
    np.testing.assert_array_equal(seconds.history.X, run.history.X)
    assert seconds.history.finished == run.history.finished
    assert [trial.state for trial in seconds.trials] == [trial.state for trial in run.trials]
    single = view(told(1.0, 2.0))
    assert single.only(0) is single


def test_intermediate_values_of_an_objective_stay_with_it():
    optimizer = Optimizer({"x": (0.0, 1.0)}, directions=LINE_OBJECTIVES, seed=0)
    trial = optimizer.report(optimizer.ask(), 1, {"loss": 3.0, "seconds": 4.0})
    optimizer.tell(trial, pruned=True)
    assert view(optimizer).only(1).trials[0].intermediate_values == ((1.0, 4.0),)


def test_each_objective_has_drivers_of_its_own():
    run = view(nets(200))
    found = drivers(run)
    share = {
        name: dict(zip(found.objectives, row, strict=True)) for name, row in zip(found.names, found.share, strict=True)
    }
    assert share["lr"]["error"] > 0.2 > share["lr"]["seconds"]
    assert share["layers"]["seconds"] > 0.2 and share["width"]["seconds"] > 0.2
    np.testing.assert_allclose(found.share.sum(axis=0), 1.0)
    trend = dict(zip(found.names, found.trend, strict=True))
    assert trend["width"][1] > 0.5 and np.isnan(trend["act"]).all()
    np.testing.assert_array_equal(
        importance(run, objective="error").permutation, importance(run, objective=0).permutation
    )
    assert importance(run).permutation.shape == (5,)
    with pytest.raises(ObjectiveError, match="An objective must be one of 0"):
        importance(run, objective="speed")


def test_the_headline_compares_each_objective_with_the_baseline():
    run = view(run_of(LINE, LINE_OBJECTIVES))
    assert advice(run).text == (
        "Choose among 3 trials: loss down to 0.1 and seconds down to 1 (the first trial: 0.5 and 1). "
        "A compromise is trial 2, with loss 0.2 and seconds 4."
    )
    only_one = run_of([(1.0, 2.0), (0.5, 1.0)])
    assert advice(only_one).text == "Use trial 1, which no other beats: f0 0.5 and f1 1 (the first trial: 1 and 2)."
