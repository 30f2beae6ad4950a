import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna._hypervolume import compute_hypervolume
from optuna.study._multi_objective import _fast_non_domination_rank

from auger.pareto import Fronts, contribution, crowding, front, rank
from auger.pareto import fronts as fronts_of_trials

INF = math.inf

values = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3), st.sampled_from([INF, -INF]))
losses = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(values, min_size=m, max_size=m), min_size=1, max_size=12).map(np.array)
)


@given(losses)
def test_whoever_is_beaten_in_everything_ranks_behind(table):
    found = rank(table)
    for i, mine in enumerate(table):
        for j, other in enumerate(table):
            if (mine <= other).all() and (mine < other).any():
                assert found[i] < found[j]


@given(losses)
def test_ranks_are_all_different_and_finite(table):
    found = rank(table)
    assert np.isfinite(found).all()
    assert len(set(found)) == len(table)


def test_on_the_first_front_those_come_first_who_add_the_most():
    # rectangles up to (4.4, 4.4), a tenth beyond the worst: 1.4 x 0.4, 1 x 3, 2 x 0.9, 0.4 x 0.1
    table = np.array([[0.0, 4.0], [1.0, 1.0], [2.0, 0.1], [4.0, 0.0]])
    assert rank(table).tolist() == [0.5, 0.0, 0.25, 0.75]


def test_on_the_others_those_with_room_around_them():
    first = np.array([[0.0, 0.0]])
    second = np.array([[1.0, 9.0], [2.0, 8.5], [3.0, 8.0], [8.0, 2.0], [9.0, 1.0]])
    found = rank(np.concatenate([first, second]))
    assert found[0] == 0.0
    assert np.argsort(found[1:]).tolist() == [0, 4, 3, 2, 1]  # the ends, then by the width of the gap
    assert crowding(second)[1:4].tolist() == pytest.approx([2 / 8 + 1 / 8, 6 / 8 + 6.5 / 8, 6 / 8 + 7 / 8])


@pytest.mark.parametrize("m", [2, 3])
def test_contributions_are_those_of_the_hypervolume(m):
    rng = np.random.default_rng(m)
    points = np.abs(rng.normal(size=(12, m)))
    front = points / np.linalg.norm(points, axis=1, keepdims=True)  # on a sphere: nobody beats anybody
    worst = front.max(axis=0)
    best = front.min(axis=0)
    end = best + 1.1 * (worst - best)
    whole = compute_hypervolume(front, end)
    exact = np.array([whole - compute_hypervolume(np.delete(front, i, axis=0), end) for i in range(12)])
    found = contribution(front, worst)
    np.testing.assert_allclose(found / found.sum(), exact / exact.sum(), atol=1e-12 if m == 2 else 0.02)


def test_a_point_seen_twice_adds_nothing():
    front = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert contribution(front, np.array([1.0, 1.0])).tolist() == [0.0, 0.0, pytest.approx(0.1)]


@given(losses, st.integers(1, 5))
def test_it_does_not_matter_for_ranks_how_many_trials_come_at_a_time(table, size):
    fronts = Fronts()
    for start in range(0, len(table), size):
        found = fronts.add(table[start : start + size])
    np.testing.assert_array_equal(found, rank(table))


def test_of_many_trials_the_best_are_ranked_exactly_and_the_others_come_last(monkeypatch):
    monkeypatch.setattr(fronts_of_trials, "_BLOCK", 40)
    table = np.random.default_rng(0).normal(size=(320, 2))
    fronts = Fronts()
    for row in table:
        found = fronts.add(row[np.newaxis])
    exact = np.floor(rank(table))
    best = np.argsort(exact, kind="stable")[:80]
    np.testing.assert_array_equal(np.floor(found[best]), exact[best])
    assert (np.delete(found, best) >= found[best].min()).all()


def dominated(points):
    """By the definition, pair by pair."""
    return [
        any(all(a <= b for a, b in zip(p, q, strict=True)) and tuple(p) != tuple(q) for p in points) for q in points
    ]


@given(st.integers(2, 3).flatmap(lambda k: st.lists(st.tuples(*[st.integers(0, 4)] * k), min_size=1, max_size=25)))
def test_the_front_is_the_points_that_no_other_dominates(points):
    assert front(np.array(points, dtype=float)).tolist() == [not beaten for beaten in dominated(points)]


def test_huge_values_do_not_overflow():
    assert front(np.array([[1e308, 1e308], [-1e308, 1.7e308], [1.7e308, 1.7e308]])).tolist() == [True, True, False]


@given(st.integers(2, 4), st.integers(0, 99), st.integers(1, 40), st.booleans())
def test_fronts_are_those_of_optuna(n_objectives, seed, n, is_coarse):
    rng = np.random.default_rng(seed)
    losses = rng.normal(size=(n, n_objectives))
    losses = losses.round() if is_coarse else losses  # with ties and repeats
    np.testing.assert_array_equal(np.floor(rank(losses)), _fast_non_domination_rank(losses))
