"""The Sobol sequence, against SciPy's."""

import warnings

import numpy as np
import pytest
from scipy.stats import qmc

from auger import Float, Space
from auger.errors import SpaceError
from auger.space.sobol import Sobol, direction_numbers, direction_numbers_of_points


def of_scipy(n, d, seed, skip):
    sequence = qmc.Sobol(d, rng=np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a first draw that is no power of two
        return sequence.random(skip + n)[skip:]


@pytest.mark.parametrize("d", [1, 2, 3, 10, 57, 400])
@pytest.mark.parametrize(("seed", "skip"), [(0, 0), (1, 1), ([7, 1], 100), ([3, 1, 4], 4095)])
def test_points_are_those_of_scipy_to_the_last_bit(d, seed, skip):
    points = Sobol(d, np.random.default_rng(seed), skip=skip).random(9)
    assert points.tobytes() == of_scipy(9, d, seed, skip).tobytes()


def test_the_generator_is_left_as_scipy_leaves_it():
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    Sobol(4, ours)
    qmc.Sobol(4, rng=theirs)
    assert (ours.random(), ours.spawn(1)[0].random()) == (theirs.random(), theirs.spawn(1)[0].random())


def test_points_drawn_in_parts_are_those_drawn_at_once():
    whole = Sobol(3, np.random.default_rng(0)).random(20)
    sequence = Sobol(3, np.random.default_rng(0))
    parts = [sequence.random(n) for n in (1, 2, 0, 9, 8)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_direction_numbers_follow_from_the_points_where_scipy_keeps_no_such_file():
    np.testing.assert_array_equal(direction_numbers_of_points(40), direction_numbers(40))


def test_too_many_parameters_for_a_sobol_sequence_are_refused_by_their_number():
    space = Space({f"x{i}": Float(0, 1) for i in range(21_202)})
    with pytest.raises(SpaceError, match="at most 21,201 columns. Got 21,202"):
        space.sobol(1, seed=0)
