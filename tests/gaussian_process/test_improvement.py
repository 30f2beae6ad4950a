import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr
from scipy.stats import norm

from auger.gaussian_process.improvement import log_improvement, with_slopes


def log_h(u):
    """The logarithm of expected improvement with deviation 1, best 0 and mean -u."""
    return log_improvement(-np.asarray(u, dtype=float), np.ones(np.shape(u)), 0.0)


def tail(u):
    """log h(u) for u < 0 from its integral: h(u) / phi(u) = int_0^inf t exp(-t - t^2 / (2 u^2)) dt / u^2."""
    area, _ = quad(lambda t: t * math.exp(-t - 0.5 * (t / u) ** 2), 0, 60, epsabs=0, epsrel=1e-12, limit=200)
    return norm.logpdf(u) + math.log(area) - 2 * math.log(-u)


def test_it_is_the_textbook_formula_where_that_works():
    u = np.linspace(-4, 30, 200)
    np.testing.assert_allclose(np.exp(log_h(u)), norm.pdf(u) + u * norm.cdf(u), rtol=1e-10)


@pytest.mark.parametrize("u", [-1.0, -1.1, -3.0, -10.0, -37.0, -38.0, -60.0, -99.9, -100.1, -1e3, -1e4, -1e6, -1e8])
def test_it_is_the_integral_far_in_the_tail(u):
    # absolute: what is asked is the relative error of h; rounding -u^2 / 2 alone costs 1e-16 of it
    np.testing.assert_allclose(log_h([u])[0], tail(u), rtol=1e-15, atol=1e-11)


def test_it_agrees_with_scipys_log_ndtr_where_digits_are_left():
    u = np.linspace(-30, -2, 100)
    expected = norm.logpdf(u) + np.log1p(u * np.exp(log_ndtr(u) - norm.logpdf(u)))
    np.testing.assert_allclose(log_h(u), expected, rtol=1e-9)


@given(st.floats(-1e7, 1e3), st.floats(1e-6, 1e3), st.floats(-10, 10))
def test_it_rises_with_the_deviation_and_falls_with_the_mean(u, deviation, best):
    mean = np.array([best - u * deviation])
    here = log_improvement(mean, np.array([deviation]), best)
    assert np.isfinite(here).all()
    rounding = 1e-14  # far above the incumbent the deviation makes no difference
    assert (log_improvement(mean, np.array([deviation * 1.001]), best) >= here - rounding).all()
    assert (log_improvement(mean - 0.001 * deviation, np.array([deviation]), best) >= here - rounding).all()


@pytest.mark.parametrize("near", [-1.0, -100.0])
def test_there_is_no_step_where_formulas_meet(near):
    u = near + np.array([-1e-9, 1e-9])
    both = log_h(u)
    slope = -with_slopes(-u, np.ones(2), 0.0)[1]
    np.testing.assert_allclose(both[1] - both[0], 2e-9 * slope.mean(), atol=1e-11)
    np.testing.assert_allclose(slope[0], slope[1], rtol=1e-7)


@pytest.mark.parametrize("u", [-1e5, -300.0, -99.0, -30.0, -5.0, -1.01, -0.99, 0.0, 2.0, 30.0])
def test_slopes_agree_with_finite_differences(u):
    deviation, best, h = 0.7, 0.3, 1e-5
    mean = best - u * deviation

    def at(m, d):
        return log_improvement(np.array([m]), np.array([d]), best)[0]

    value, by_mean, by_deviation = with_slopes(np.array([mean]), np.array([deviation]), best)
    assert value[0] == at(mean, deviation)
    expected = (at(mean + h, deviation) - at(mean - h, deviation)) / (2 * h)
    np.testing.assert_allclose(by_mean[0], expected, rtol=1e-4)
    expected = (at(mean, deviation + h) - at(mean, deviation - h)) / (2 * h)
    np.testing.assert_allclose(by_deviation[0], expected, rtol=1e-4, atol=1e-9)
