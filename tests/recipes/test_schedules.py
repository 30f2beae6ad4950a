import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.samplers._tpe.sampler import default_gamma, hyperopt_default_gamma
from support.histories import sampled

from auger.labels import check_gamma, label
from auger.recipes.schedules import SCHEDULES, decay, linear, sqrt


@given(n=st.integers(1, 10**6), name=st.sampled_from(sorted(SCHEDULES)))
def test_a_schedule_is_a_share_that_never_grows_by_more_than_rounding(n, name):
    assert 0 < SCHEDULES[name](n) < 1
    assert SCHEDULES[name](n + 50) < SCHEDULES[name](n) + 1 / n


@pytest.mark.parametrize(("schedule", "theirs"), [(linear, default_gamma), (sqrt, hyperopt_default_gamma)])
def test_as_many_are_good_as_in_the_libraries_they_are_named_after(schedule, theirs):
    for n in (2, 3, 9, 10, 11, 16, 17, 99, 100, 101, 249, 250, 251, 3000):
        assert label(sampled({"x": (0.0, 1.0)}, lambda config: config["x"], n), gamma=schedule).z.sum() == theirs(n)


@pytest.mark.parametrize(
    ("n", "n_good"), [(1, 1), (2, 1), (3, 2), (10, 5), (11, 6), (40, 10), (90, 15), (1000, 50), (4000, 100)]
)
def test_the_decay_begins_with_a_half_and_keeps_ever_more_good_ones(n, n_good):
    assert math.ceil(n * decay(n) - 1e-9) == n_good


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_is_a_gamma_and_can_be_pickled(name):
    check_gamma(SCHEDULES[name])
    assert pickle.loads(pickle.dumps(SCHEDULES[name])) is SCHEDULES[name]
    assert SCHEDULES[name].__name__ == name
