"""Volumes, contributions and boxes, against inclusion and exclusion, counting, and Optuna."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna._hypervolume import compute_hypervolume

from auger.pareto import boxes, contributions, front, hypervolume
from auger.pareto.hypervolume import EXACT

coarse = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4).map(float), min_size=k, max_size=k), min_size=1, max_size=7).map(
        np.array
    )
)


def by_inclusion_and_exclusion(losses, reference):
    total = 0.0
    for size in range(1, len(losses) + 1):
        for some in combinations(losses, size):
            total += (-1) ** (size + 1) * np.prod(np.maximum(reference - np.max(some, axis=0), 0.0))
    return total


def sphere(n, k, seed=0):
    """A front: points on a sphere."""
    points = np.abs(np.random.default_rng(seed).normal(size=(n, k)))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@given(coarse)
def test_the_volume_is_that_of_inclusion_and_exclusion(losses):
    reference = np.full(losses.shape[1], 3.5)  # some losses lie beyond it
    assert hypervolume(losses, reference) == pytest.approx(by_inclusion_and_exclusion(losses, reference))


@given(coarse)
def test_a_contribution_is_what_the_volume_loses_without_it(losses):
    reference = np.full(losses.shape[1], 3.5)
    whole = by_inclusion_and_exclusion(losses, reference)
    expected = [whole - by_inclusion_and_exclusion(np.delete(losses, i, axis=0), reference) for i in range(len(losses))]
    np.testing.assert_allclose(contributions(losses, reference), expected, atol=1e-9)


@given(coarse)
def test_boxes_cover_what_nothing_dominates_and_do_not_overlap(losses):
    k = losses.shape[1]
    reference = np.full(k, 3.5)
    low, high = boxes(losses, reference)
    assert (low < high).all()
    points = np.random.default_rng(0).random((500, k)) * 5.5 - 1.0
    is_dominated = (losses <= points[:, np.newaxis]).all(axis=2).any(axis=1)
    n_boxes = ((low < points[:, np.newaxis]) & (points[:, np.newaxis] < high)).all(axis=2).sum(axis=1)
    np.testing.assert_array_equal(n_boxes, ~is_dominated & (points < reference).all(axis=1))


@given(coarse, st.randoms(use_true_random=False))
def test_the_order_of_objectives_makes_no_difference(losses, random):
    k = losses.shape[1]
    order = random.sample(range(k), k)
    reference = np.linspace(3.0, 4.0, k)
    turned = losses[:, order], reference[order]
    assert hypervolume(*turned) == pytest.approx(hypervolume(losses, reference))
    np.testing.assert_allclose(contributions(*turned), contributions(losses, reference), atol=1e-9)


@pytest.mark.parametrize(("k", "n"), [(2, 60), (3, 60), (4, 25)])
def test_it_is_the_volume_that_optuna_computes(k, n):
    points, reference = sphere(n, k), np.full(k, 1.1)
    assert hypervolume(points, reference) == pytest.approx(compute_hypervolume(points, reference), rel=1e-12)


def test_by_hand():
    # 3 x 1 + 1 x 2 of the plane, minus nothing twice: the corner (2, 1) is the only common one
    losses, reference = np.array([[0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]), np.array([3.0, 3.0])
    assert hypervolume(losses, reference) == 5.0
    assert contributions(losses, reference).tolist() == [2.0, 2.0, 0.0]
    # two unit cubes that share a half
    losses, reference = np.array([[0.0, 0.0, 0.0], [0.5, -0.5, 0.0]]), np.ones(3)
    assert hypervolume(losses, reference) == 1.25
    assert contributions(losses, reference).tolist() == [0.5, 0.25]


def test_what_is_not_below_the_reference_counts_nothing():
    losses = np.array([[0.0, 3.0], [4.0, -9.0], [np.inf, -1.0]])
    assert hypervolume(losses, np.array([1.0, 3.0])) == 0.0
    assert contributions(losses, np.array([1.0, 3.0])).tolist() == [0.0] * 3
    assert hypervolume(np.empty((0, 2)), np.ones(2)) == 0.0


def test_of_more_objectives_the_volume_is_sampled():
    points, reference = sphere(15, 5), np.full(5, 1.1)
    exact = compute_hypervolume(points, reference)
    assert hypervolume(points, reference) == pytest.approx(exact, rel=0.02)
    without = [exact - compute_hypervolume(np.delete(points, i, axis=0), reference) for i in range(15)]
    np.testing.assert_allclose(contributions(points, reference), without, atol=0.02 * exact)


def test_of_very_many_losses_too():
    n = EXACT[4] + 1
    points, reference = sphere(n, 4), np.full(4, 1.1)
    assert hypervolume(points, reference) == pytest.approx(compute_hypervolume(points, reference), rel=0.02)


@pytest.mark.parametrize(("k", "n"), [(2, 13), (3, 25)])
def test_there_are_as_many_boxes_as_theory_says(k, n):
    assert len(boxes(sphere(12, k), np.full(k, 1.1))[0]) == n  # m + 1, and 2 m + 1


def test_members_that_others_dominate_change_no_box():
    members = sphere(6, 3)
    more = np.concatenate([members, members[:2] + 0.01, members[:1]])
    assert front(more).sum() == 7
    for a, b in zip(boxes(members, np.full(3, 2.0)), boxes(more, np.full(3, 2.0)), strict=True):
        assert set(map(tuple, a)) == set(map(tuple, b))
