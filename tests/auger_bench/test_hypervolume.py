import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auger import pareto
from auger_bench.hypervolume import added, hypervolume

points = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 4), min_size=m, max_size=m), min_size=1, max_size=7)
)


def counted(rows, side):
    """The number of unit cells up to (side, ..., side) that at least one row dominates."""
    cells = itertools.product(range(side), repeat=len(rows[0]))
    return sum(any(all(r <= c for r, c in zip(row, cell, strict=True)) for row in rows) for cell in cells)


@given(points)
def test_on_a_grid_it_is_the_number_of_dominated_cells(rows):
    assert hypervolume(rows, [4] * len(rows[0])) == counted(rows, 4)


@given(points)
def test_what_each_point_adds_sums_up_to_the_whole_in_any_order(rows):
    reference = [4] * len(rows[0])
    for order in (rows, rows[::-1]):
        gains = [added(row, order[:i], reference) for i, row in enumerate(order)]
        assert sum(gains) == hypervolume(rows, reference)
        assert min(gains) >= 0.0


def test_no_points_and_points_beyond_the_reference_dominate_nothing():
    assert hypervolume([], [1.0, 1.0]) == 0.0
    assert hypervolume([[1.0, 0.0], [0.5, 2.0]], [1.0, 1.0]) == 0.0
    assert added([1.0, 0.0], [], [1.0, 1.0]) == 0.0


@pytest.mark.parametrize("m", [2, 3, 4])
def test_many_points_agree_with_counting_at_random(m):
    rng = np.random.default_rng(m)
    rows = np.abs(rng.normal(size=(40, m)))
    draws = 2 * rng.random((20_000, m))
    share = (rows[:, np.newaxis] <= draws).all(axis=2).any(axis=0).mean()
    assert hypervolume(rows, [2.0] * m) == pytest.approx(2.0**m * share, rel=0.03)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_the_measure_agrees_with_the_volumes_of_auger_which_are_computed_another_way(m):
    rows = np.random.default_rng(m).random((60, m))
    reference = np.full(m, 0.9)
    assert hypervolume(rows, reference) == pytest.approx(pareto.hypervolume(rows, reference), rel=1e-9)
