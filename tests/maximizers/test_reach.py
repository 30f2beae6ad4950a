import numpy as np
import pytest

from auger import Float, Int, Optimizer, Space
from auger.history import History
from auger.maximizers.reach import inside, to_bounds
from auger.trial import State


def history_of(space, values):
    """A history of pairs of a config and its value; None for a failure."""
    history = History(space)
    for config, value in values:
        number = history.start(config).number
        if value is None:
            history.finish(number, state=State.FAILED, error="crashed")
        else:
            history.finish(number, value=value)
    return history


LINE = Space({"x": Float(0.0, 1.0)})


@pytest.mark.parametrize(
    ("start", "low", "high"),
    [
        (0.5, 0.25, 0.75),  # half of the way to either bound
        (0.2, 0.1, 0.6),
        (0.01, 1e-7, 0.505),  # within a hundredth: up to a ten-millionth
        (0.995, 0.4975, 1 - 1e-7),
        (0.0, 0.0, 0.5),  # a start on a bound, because a trial there was good, may stay
    ],
)
def test_a_climb_goes_half_of_the_way_and_up_to_a_bound_it_starts_close_to(start, low, high):
    reach = inside(np.array([[start]]), LINE, History(LINE))
    np.testing.assert_allclose(np.concatenate(reach)[:, 0], [low, high], rtol=1e-12)


def test_to_bounds_a_climb_goes_all_the_way():
    low, high = to_bounds(np.array([[0.5], [0.2]]), LINE)
    assert (low.tolist(), high.tolist()) == ([[0.0], [0.0]], [[1.0], [1.0]])


def test_numbers_with_finitely_many_values_reach_their_bounds():
    space = Space({"n": Int(1, 9), "share": Float(0.0, 1.0, step=0.25), "x": Float(0.0, 1.0)})
    low, high = inside(np.array([[0.5, 0.5, 0.5]]), space, History(space))
    assert (low.tolist(), high.tolist()) == ([[0.0, 0.0, 0.25]], [[1.0, 1.0, 0.75]])


@pytest.mark.parametrize(
    ("values", "low"),
    [
        ([(0.001, None), (0.005, 1.0)], 0.003),  # halfway between the failure and the nearest value
        ([(0.001, None), (0.002, None), (0.004, 1.0)], 0.003),
        ([(0.001, None), (0.0005, 1.0)], 1e-7),  # a value beyond the failure: the bound is not to blame
        ([(0.001, None)], 1e-7),  # no value: nothing to compare with
        ([(0.3, None), (0.005, 1.0)], 1e-7),  # a failure elsewhere
    ],
)
def test_a_failure_next_to_a_bound_keeps_climbs_away_at_once(values, low):
    history = history_of(LINE, [({"x": x}, value) for x, value in values])
    assert inside(np.array([[0.008]]), LINE, history)[0][0, 0] == pytest.approx(low)


def test_inactive_parameters_and_trials_without_them_are_left_out():
    space = Space({"kind": ["a", "b"], "x": Float(0.0, 1.0, when={"kind": "b"})})
    history = history_of(
        space, [({"kind": "a"}, 1.0), ({"kind": "b", "x": 0.001}, None), ({"kind": "b", "x": 0.005}, 2.0)]
    )
    low, high = inside(np.array([[1.0, 0.008]]), space, history)
    assert (low[0, 1], high[0, 1]) == (pytest.approx(0.003), pytest.approx(0.504))


@pytest.mark.parametrize("is_low_better", [True, False])
def test_a_bound_that_is_the_optimum_is_approached_and_never_proposed(is_low_better):
    optimizer = Optimizer({name: Float(-2.0, 3.0) for name in "abc"}, seed=0)
    for _ in range(40):
        trial = optimizer.ask()
        value = sum(trial.config.values())
        optimizer.tell(trial, value if is_low_better else -value)
    bound = -2.0 if is_low_better else 3.0
    assert max(abs(value - bound) for value in optimizer.best.config.values()) <= 5e-6  # 1e-6 of the range
    assert ((optimizer.history.X > 0) & (optimizer.history.X < 1)).all()


def test_a_climb_ends_one_entry_before_the_bound_of_a_range_that_is_narrow_for_double_precision():
    space = Space({"x": Float(1e9, 1e9 + 1.0)})
    low, high = inside(space.snap(np.array([[0.005]])), space, History(space))
    snapped = space.snap(np.concatenate([low, high]))
    assert snapped[0, 0] > 0.0 and snapped[1, 0] < 1.0


def test_a_share_that_must_be_strictly_between_its_bounds_costs_no_trial():
    """Optuna's terminator_simple.py: ``min_samples_split`` between 0 and 1, best close to 0, an error at 0."""
    optimizer = Optimizer({"split": Float(0.0, 1.0), "depth": Int(2, 32), "criterion": ["gini", "entropy"]}, seed=1)
    for _ in range(50):
        trial = optimizer.ask()
        assert 0.0 < trial.config["split"] < 1.0
        optimizer.tell(trial, trial.config["split"] + abs(trial.config["depth"] - 20) / 100)
