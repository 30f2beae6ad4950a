import numpy as np
import pytest
from support.histories import history_of, sampled

from auger.insight import view
from auger.insight.lens import look
from auger.space import Space
from auger.trial import State

LINE = Space({"x": (0.0, 1.0)})


def labels_of(values, states=None):
    configs = [{"x": (i * 0.37) % 1} for i in range(len(values))]
    return look(view(history_of(LINE, configs, values, states)))


# the default recipe's gamma is 0.1; with fewer than 100 trials there are ten good ones, or a third
@pytest.mark.parametrize(
    ("values", "n_good"),
    [
        (range(6), 2),
        (range(60), 10),
        (range(200), 20),
        ([0] * 25 + list(range(1, 36)), 25),  # ties at the threshold are all good
        ([0] * 9 + [1] * 51, 9),  # or none of them, where that is nearer
        ([0] * 59 + [1], 59),
    ],
)
def test_so_many_are_good(values, n_good):
    assert int(labels_of(values).z.sum()) == n_good


def test_what_failed_is_not_good_however_many():
    found = labels_of([0.0] * 20, dict.fromkeys(range(5, 20), State.FAILED))
    assert found.z.tolist() == [True] * 5 + [False] * 15


def test_of_many_trials_some_stand_for_all():
    found = look(view(sampled(LINE, lambda config: config["x"], 5000)))
    assert found.X.shape == (2000, 1) and int(found.z.sum()) == 200
    assert found.X[found.z].max() < found.X[~found.z].min()


@pytest.mark.parametrize(
    ("values", "states", "reason"),
    [
        ([], {}, "No trial has an answer yet."),
        ([1.0], {}, "Only one trial has an answer, and there is nothing to compare it with."),
        ([1.0] * 5, dict.fromkeys(range(5), State.FAILED), "No trial has a value yet."),
        ([float("nan")] * 5, {}, "No trial has a value yet."),
        ([1.0] * 5, {}, "All trials have the same value, so none is better than another."),
    ],
)
def test_where_there_is_nothing_to_see_it_says_why(values, states, reason):
    assert labels_of(values, states) == reason


def test_a_trial_that_is_running_is_not_looked_at():
    configs = [{"x": i / 30} for i in range(20)]
    history = history_of(LINE, configs, range(20))
    history.start({"x": 0.99})
    assert len(look(view(history)).X) == 20
    assert np.isfinite(look(view(history)).p(LINE.sample(5, np.random.default_rng(0)))).all()
