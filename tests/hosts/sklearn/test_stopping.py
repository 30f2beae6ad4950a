import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from auger.hosts.sklearn.stopping import lag

# four candidates on three folds, best first; the better half is candidate + fold + noise with the noise
#   [[1, -1, 0], [-1, 1, 0]] / 20,   so sigma^2 = 4 (1/20)^2 / ((2 - 1) (3 - 1)) = 1/200
COMPLETE = np.array([[0.95, 0.75, 0.85], [0.75, 0.75, 0.75], [0.60, 0.60, 0.60], [0.10, 0.10, 0.10]])


def test_the_bound_is_that_worked_by_hand():
    behind = lag(np.array([0.5]), COMPLETE, n_candidates=4)
    # the worst of the best third of 4 is the second; half of 5 % for each of two looks
    assert behind.mean == pytest.approx(0.25)
    assert behind.estimate == pytest.approx(0.75 - 0.25)
    assert behind.bound == pytest.approx(stats.t.ppf(0.975, 2) * math.sqrt(1 / 200) * math.sqrt(2 * (1 - 1 / 3)))
    assert not behind.is_hopeless


def test_with_more_folds_less_is_left_to_chance():
    behind = lag(np.array([0.4, 0.4]), COMPLETE, n_candidates=4)
    assert behind.bound == pytest.approx(stats.t.ppf(0.975, 2) * math.sqrt(1 / 200) * math.sqrt(2 * (1 / 2 - 1 / 3)))
    assert behind.is_hopeless


def test_the_more_were_stopped_the_lower_the_mark():
    # a third of 9 are three, of 30 more than there are
    partial = np.array([0.05])
    assert [round(lag(partial, COMPLETE, n).mean, 3) for n in (3, 4, 9, 30)] == [0.9, 0.7, 0.55, 0.05]


def test_nothing_is_hopeless_before_four_are_known():
    for n in range(4):
        assert not lag(np.array([-1e9]), COMPLETE[:n], n_candidates=10).is_hopeless


def test_one_fold_is_all_there_is():
    assert not lag(np.array([0.5]), np.full((4, 1), 0.5), n_candidates=4).is_hopeless


tables = st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=4, max_size=12).map(np.array)


@given(tables, st.integers(1, 4), st.floats(-3, 3), st.floats(0.1, 10))
def test_the_unit_of_scores_and_how_hard_the_folds_are_change_nothing(table, j, shift, factor):
    partial, complete = table[0], table[1:]
    before = lag(partial[:j], complete, len(complete))
    hard = np.linspace(0, shift, 5)
    after = lag(factor * (partial + hard)[:j], factor * (complete + hard), len(complete))
    # the worst of the best third may be another candidate where two are equal but for rounding
    if np.unique(complete.mean(axis=1).round(6)).size == len(complete):
        assert after.mean == pytest.approx(factor * before.mean, abs=1e-9, nan_ok=True)
        assert after.bound == pytest.approx(factor * before.bound, abs=1e-6, nan_ok=True)


def test_a_candidate_that_is_level_with_the_best_third_is_seldom_stopped():
    rng, n_wrong, n_runs = np.random.default_rng(0), 0, 400
    for _ in range(n_runs):
        folds, means = rng.normal(size=5), -np.sort(-rng.normal(size=12))
        table = means[:, np.newaxis] + folds + 0.3 * rng.normal(size=(12, 5))
        partial = means[3] + folds + 0.3 * rng.normal(size=5)
        is_level = lag(partial, table, 12).mean <= 0
        n_wrong += is_level and any(lag(partial[:j], table, 12).is_hopeless for j in range(1, 5))
    assert n_wrong / n_runs <= 0.05


def test_a_candidate_that_is_far_behind_is_stopped_after_the_first_fold():
    rng, n_stopped, n_runs = np.random.default_rng(0), 0, 100
    for _ in range(n_runs):
        table = np.linspace(1, -1, 12)[:, np.newaxis] + 0.3 * rng.normal(size=(12, 5))
        n_stopped += lag(-3 + 0.3 * rng.normal(size=1), table, 12).is_hopeless
    assert n_stopped == n_runs
