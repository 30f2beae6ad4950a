import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import yeojohnson, yeojohnson_llf

from auger.gaussian_process.warp import Warp, _compressed, warp

NAN, INF = math.nan, math.inf

# one rounding of what is added must not be felt, so that a * y + b keeps its shape
tidy = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=20).map(np.array)
anything = st.lists(st.floats(), min_size=1, max_size=20).map(np.array)


def targets(y):
    return warp(y)(y)


def standard(values):
    return (values - values.mean()) / values.std()


def test_the_shape_is_the_one_worked_by_hand():
    # median 2, interquartile range 2
    u = standard(np.array([-1.0, -0.5, 0.0, math.log(1.5), math.log(2.0)]))
    curve = warp(np.arange(5.0))
    assert curve.power == 1.25  # compression has made the upper side the shorter one: it is stretched again
    bent = np.where(u > 0, (np.abs(1 + u) ** 1.25 - 1) / 1.25, -((np.abs(1 - u) ** 0.75 - 1) / 0.75))
    np.testing.assert_allclose(curve(np.arange(5.0)), standard(bent))


@given(st.integers(0, 10**6), st.integers(3, 60), st.floats(0.1, 3.0))
def test_the_power_is_the_likeliest_one_of_an_independent_implementation(seed, n, skew):
    y = np.random.default_rng(seed).normal(size=n)
    y = np.sign(y) * np.abs(y) ** skew
    curve = warp(y)
    u = (_compressed(y, curve.median, curve.scale) - curve.mean) / curve.deviation
    np.testing.assert_allclose(curve(y), standard(yeojohnson(u, curve.power)), rtol=1e-9, atol=1e-9)
    likelihoods = [yeojohnson_llf(power, u) / n for power in np.linspace(-1.0, 3.0, 17)]
    assert yeojohnson_llf(curve.power, u) / n >= max(likelihoods) - 2e-6


def test_a_value_that_was_not_learned_from_lands_between_its_neighbors():
    curve = warp(np.array([0.0, 1.0, 5.0]))
    low, middle, high = curve(np.array([1.0, 3.0, 5.0]))
    assert low < middle < high


@given(tidy, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_another_unit_and_another_zero_change_nothing(y, factor, shift):
    np.testing.assert_allclose(targets(factor * y + shift), targets(y), rtol=1e-6, atol=1e-6)


@given(anything)
def test_targets_are_finite_and_in_the_order_of_the_values(y):
    found = targets(y)
    assert np.isfinite(found).all()
    known = y[np.isfinite(y)]
    assert (np.diff(warp(y)(np.sort(known))) >= 0).all()


@given(tidy.filter(lambda y: len(np.unique(y)) > 1))
def test_targets_are_standardized_and_tell_different_values_apart(y):
    found = targets(y)
    assert abs(found.mean()) < 1e-9
    assert abs(found.std() - 1) < 1e-9
    assert (np.diff(warp(y)(np.unique(y))) > 0).all()


@pytest.mark.parametrize("y", [[3.0], [3.0, 3.0, 3.0], [0.1 + 0.2, 0.3, 0.3], [1e300] * 5, [-0.0, 0.0], [NAN, 2.0]])
def test_values_that_agree_up_to_rounding_are_all_at_zero(y):
    np.testing.assert_allclose(targets(np.array(y)), 0.0, atol=1e-12)


def test_without_a_finite_value_everything_is_at_zero():
    np.testing.assert_array_equal(targets(np.array([NAN, INF, -INF])), 0.0)


def test_nan_and_infinity_take_the_ends_and_do_not_bend_the_rest():
    y = np.array([1.0, 5.0, 2.0, 9.0])
    found = targets(np.array([*y, NAN, INF, -INF]))
    np.testing.assert_array_equal(found[:4], targets(y))
    np.testing.assert_array_equal(found[4:], [found[3], found[3], found[0]])


@pytest.mark.parametrize("huge", [1e6, 1e150, 1e300, 1.7e308])
def test_one_awful_value_leaves_the_others_room(huge):
    found = targets(np.array([*np.arange(20.0), huge]))
    assert found[-1] - found[0] < 6
    assert found[10] - found[0] > 0.5


@pytest.mark.parametrize("huge", [1e6, 1e150, 1e300, 1.7e308])
def test_one_wonderful_value_stands_out_and_is_finite(huge):
    found = targets(np.array([*np.arange(20.0), -huge]))
    assert found[-1] < found[:-1].min() - 3
    assert np.isfinite(found).all()


def test_most_values_equal_still_leave_a_scale():
    found = targets(np.array([0.0] * 9 + [-1.0]))
    assert found[-1] < -2.9
    assert np.ptp(found[:-1]) == 0


def test_the_far_end_below_continues_smoothly():
    curve = warp(np.arange(-100.0, 101.0))  # median 0, interquartile range 100
    at = 1e4 + np.array([-2e-2, -1e-2, 0.0, 1e-2, 2e-2])
    steps = np.diff(curve(-at))
    np.testing.assert_allclose(steps, steps[0], rtol=1e-4)


def in_scales(curve, s):
    return curve.median + curve.scale * s


# in scales from the median: past the middle, where it is logarithmic below, and up to where it is flat above
far = st.one_of(st.floats(-3.0, 3.0), st.floats(-120.0, 999.0), st.floats(2.0, 9.0).map(lambda power: -(10**power)))


@given(tidy, st.booleans(), far)
def test_the_inverse_leads_back(y, is_bent, s):
    curve = warp(y, is_bent=is_bent)
    at = in_scales(curve, np.array([s]))
    np.testing.assert_allclose(curve.inverse(curve(at)), at, rtol=1e-6, atol=1e-6 * curve.scale)


@given(tidy, st.booleans(), far)
def test_the_slope_of_the_inverse_is_that_of_small_steps(y, is_bent, s):
    curve = warp(y, is_bent=is_bent)
    step = 1e-5 * (1 + abs(s))
    low, at, high = in_scales(curve, np.minimum(s, 990.0) + np.array([-step, 0.0, step]))
    below, middle, above = curve(np.array([low, at, high]))
    np.testing.assert_allclose(curve.inverse_slope(np.array([middle])), (high - low) / (above - below), rtol=1e-2)


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
def test_the_inverse_holds_for_every_power(power):
    curve = Warp(median=3.0, scale=2.0, mean=-1.0, deviation=1.5, power=power, bent_mean=0.3, bent_deviation=0.8)
    y = in_scales(curve, np.array([-1e200, -1e9, -101.0, -99.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 30.0, 999.0]))
    np.testing.assert_allclose(curve.inverse(curve(y)), y, rtol=1e-6)


@given(anything, st.floats(allow_nan=False))
def test_any_target_has_a_finite_value_and_more_is_not_less(y, t):
    curve = warp(y)
    at = np.array([-INF, t, INF])
    found, slope = curve.inverse(at), curve.inverse_slope(at)
    assert np.isfinite(found).all() and (found[1:] >= found[:-1]).all()  # a difference may overflow
    assert np.isfinite(slope).all() and (slope >= 0).all()


def test_targets_above_the_flat_end_have_the_value_where_it_begins():
    curve = warp(np.arange(5.0))  # median 2, interquartile range 2
    np.testing.assert_allclose(curve.inverse(np.array([1e3, INF])), 2.0 + 2.0 * 1e3)


def test_of_very_many_values_some_stand_for_all_whatever_their_order():
    """Values of two models that take turns: every other one alone would be another curve."""
    rng = np.random.default_rng(0)
    y = rng.lognormal(size=5_001) * np.where(np.arange(5_001) % 2, 100.0, 1.0)
    curve = warp(y)
    assert curve == warp(np.sort(y)) == warp(rng.permutation(y))
    assert (curve.lowest, curve.highest) == (y.min(), y.max())
    assert curve.median == pytest.approx(np.median(y), rel=0.01)
    targets = curve(y)
    assert abs(targets.mean()) < 0.01 and abs(targets.std() - 1) < 0.01
