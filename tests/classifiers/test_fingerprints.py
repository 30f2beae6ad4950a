import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from auger.classifiers.fingerprints import mixed, of_examples, of_rows

cells = st.sampled_from([0.0, -0.0, 0.25, 1.0, np.nan])


def test_the_mixing_is_that_of_splitmix64():
    # the first outputs of SplitMix64 from the state 0, as its authors' code prints them
    states = np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert mixed(states).tolist() == expected


@given(X=arrays(np.float64, (6, 3), elements=cells))
def test_rows_are_equal_where_their_numbers_are(X):
    numbers = of_rows(X)
    for i, j in np.ndindex(6, 6):
        assert (numbers[i] == numbers[j]) == np.array_equal(X[i], X[j], equal_nan=True)


def test_a_row_has_the_same_number_among_any_others():
    X = np.random.default_rng(0).random((20, 4))
    np.testing.assert_array_equal(of_rows(X)[::-1], of_rows(X[::-1]))
    np.testing.assert_array_equal(of_rows(X)[:7], of_rows(X[:7]))


def test_the_same_values_in_other_columns_are_another_row():
    assert len(set(of_rows(np.array([[0.1, 0.2], [0.2, 0.1], [0.2, 0.2]])).tolist())) == 3


def test_numbers_are_spread_evenly_however_close_the_rows_are():
    share = of_rows(np.arange(20_000)[:, np.newaxis] * 1e-9) / 2.0**64
    counts, _ = np.histogram(share, bins=20, range=(0, 1))
    assert abs(counts - 1000).max() < 150  # five standard deviations


def test_an_example_has_another_number_with_another_class_or_weight():
    rows = of_rows(np.full((4, 2), 0.5))
    numbers = of_examples(rows, np.array([True, False, True, True]), np.array([1.0, 1.0, 2.0, 1.0]))
    assert len(set(numbers.tolist())) == 3 and numbers[0] == numbers[3]


def test_no_rows_have_no_numbers():
    assert of_rows(np.empty((0, 3))).shape == (0,)
