import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from auger.gaussian_process import feasibility
from auger.gaussian_process.hypervolume_improvement import Gains, log_expected_gain, probability, with_slopes
from auger.gaussian_process.improvement import log_improvement
from auger.pareto import boxes, front, hypervolume


def gains_of(members, reference):
    return Gains.of(*boxes(np.asarray(members, dtype=float), np.asarray(reference, dtype=float)))


def example(k, seed=0, n=10):
    """A front, its reference, and means and deviations (6, k) around it."""
    rng = np.random.default_rng(seed)
    members = rng.random((n, k))
    return members[front(members)], np.full(k, 1.1), 1.2 * rng.random((6, k)), 0.01 + 0.3 * rng.random((6, k))


def expected_improvement(mean, deviation, best):
    u = (best - mean) / deviation
    return deviation * (norm.pdf(u) + u * norm.cdf(u))


def test_with_one_objective_it_is_expected_improvement():
    mean, deviation = np.linspace(-3, 9, 40), np.full(40, 0.5)
    gains = gains_of([[1.0], [0.25]], [2.0])
    found = log_expected_gain(mean[:, np.newaxis], deviation[:, np.newaxis], gains)
    np.testing.assert_allclose(found, log_improvement(mean, deviation, 0.25), rtol=1e-11)


def test_before_there_is_a_front_it_is_a_product():
    mean, deviation = np.array([[0.3, -1.0]]), np.array([[0.5, 2.0]])
    expected = expected_improvement(0.3, 0.5, 1.0) * expected_improvement(-1.0, 2.0, 3.0)
    assert log_expected_gain(mean, deviation, gains_of(np.empty((0, 2)), [1.0, 3.0]))[0] == pytest.approx(
        math.log(expected)
    )


def test_by_hand_for_one_member():
    # what is left of the square up to (2, 2) beyond (1, 1): the strip below 1 in a, and the strip below 1 in b
    # for a from 1 to 2
    a, b = (0.8, 0.4), (1.3, 0.7)
    left = expected_improvement(*a, 1.0) * expected_improvement(*b, 2.0)
    below = (expected_improvement(*a, 2.0) - expected_improvement(*a, 1.0)) * expected_improvement(*b, 1.0)
    found = log_expected_gain(np.array([[0.8, 1.3]]), np.array([[0.4, 0.7]]), gains_of([[1.0, 1.0]], [2.0, 2.0]))
    assert found[0] == pytest.approx(math.log(left + below), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_it_is_the_mean_gain_over_draws(k):
    members, reference, mean, deviation = example(k)
    found = np.exp(log_expected_gain(mean, deviation, gains_of(members, reference)))
    chance = probability(mean, deviation, gains_of(members, reference))
    before = hypervolume(members, reference)
    for i in range(3):
        draws = mean[i] + deviation[i] * np.random.default_rng(i).normal(size=(2000, k))
        gain = np.array([hypervolume(np.vstack([members, draw]), reference) - before for draw in draws])
        assert abs(gain.mean() - found[i]) <= 4 * gain.std() / math.sqrt(2000) + 1e-6
        assert abs((gain > 0).mean() - chance[i]) <= 4 * math.sqrt(0.25 / 2000)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_slopes_are_finite_differences(k):
    members, reference, mean, deviation = example(k)
    gains, h = gains_of(members, reference), 1e-6
    value, by_mean, by_deviation = with_slopes(mean, deviation, gains)
    np.testing.assert_array_equal(value, log_expected_gain(mean, deviation, gains))
    for j in range(k):
        step = h * np.eye(k)[j]
        along = (
            log_expected_gain(mean + step, deviation, gains) - log_expected_gain(mean - step, deviation, gains)
        ) / (2 * h)
        np.testing.assert_allclose(by_mean[:, j], along, rtol=1e-4, atol=1e-6)
        along = (
            log_expected_gain(mean, deviation + step, gains) - log_expected_gain(mean, deviation - step, gains)
        ) / (2 * h)
        np.testing.assert_allclose(by_deviation[:, j], along, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("far", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_nothing_underflows_far_behind_the_front(k, far):
    members, reference, mean, deviation = example(k)
    value, by_mean, by_deviation = with_slopes(mean + far, deviation, gains_of(members, reference))
    for array in (value, by_mean, by_deviation):
        assert np.isfinite(array).all()
    assert (by_mean.sum(axis=1) < 0).all()  # and the way back is known


@given(st.integers(0, 999), st.integers(2, 4), st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_order_of_objectives_makes_no_difference(seed, k, n, random):
    members, reference, mean, deviation = example(k, seed, n)
    order = random.sample(range(k), k)
    turned = log_expected_gain(mean[:, order], deviation[:, order], gains_of(members[:, order], reference[order]))
    np.testing.assert_allclose(turned, log_expected_gain(mean, deviation, gains_of(members, reference)), rtol=1e-9)


@given(st.integers(0, 999), st.integers(1, 4))
def test_it_rises_as_means_fall_and_falls_as_the_front_grows(seed, k):
    members, reference, mean, deviation = example(k, seed)
    gains = gains_of(members, reference)
    before = log_expected_gain(mean, deviation, gains)
    assert (log_expected_gain(mean - 0.01, deviation, gains) >= before - 1e-9).all()
    more = gains_of(np.vstack([members, mean[:1]]), reference)
    assert (log_expected_gain(mean, deviation, more) <= before + 1e-9).all()


@pytest.mark.parametrize("members", [[[0.5, 0.5]] * 3, [[0.5, 0.5], [0.5, 0.7], [0.7, 0.5]], [[2.0, 2.0]]])
def test_a_front_of_equals_or_of_nothing_is_no_trouble(members):
    gains = gains_of(members, [1.0, 1.0])
    for array in with_slopes(np.array([[0.5, 0.5], [3.0, 0.1]]), np.full((2, 2), 1e-6), gains):
        assert np.isfinite(array).all()


# -- feasibility --------------------------------------------------------------------------------------------


def test_feasibility_is_the_normal_distribution_function_and_its_slopes_are_finite_differences():
    mean, deviation, h = np.linspace(-3, 40, 20), np.linspace(0.1, 2, 20), 1e-6
    value, by_mean, by_deviation = feasibility.with_slopes(mean, deviation, 0.25)
    np.testing.assert_allclose(value, norm.logcdf(0.25, mean, deviation), rtol=1e-9)
    np.testing.assert_array_equal(value, feasibility.log_feasibility(mean, deviation, 0.25))
    up, down = (feasibility.log_feasibility(mean + s, deviation, 0.25) for s in (h, -h))
    np.testing.assert_allclose(by_mean, (up - down) / (2 * h), rtol=1e-4, atol=1e-6)
    up, down = (feasibility.log_feasibility(mean, deviation + s, 0.25) for s in (h, -h))
    np.testing.assert_allclose(by_deviation, (up - down) / (2 * h), rtol=1e-3, atol=1e-6)


def test_feasibility_does_not_underflow():
    for array in feasibility.with_slopes(np.array([1e6, -1e6]), np.array([1e-3, 1e-3]), 0.0):
        assert np.isfinite(array).all()
