import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from auger.insight.report_card import learned_curve


def test_it_finds_the_coefficients_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    z = rng.random(300) < 1 / (1 + np.exp(-(1.5 * x[:, 0] - 0.5 * x[:, 1])))
    reference = LogisticRegression(C=1 / 3.0, fit_intercept=False, tol=1e-10, max_iter=1000).fit(x, z)
    theta = learned_curve(x, z, np.zeros(2), np.full(2, 3.0))
    np.testing.assert_allclose(theta, reference.coef_[0], rtol=1e-6)


def test_without_outcomes_it_believes_what_it_did():
    mean = np.array([0.5, -2.0])
    theta = learned_curve(np.empty((0, 2)), np.empty(0, dtype=bool), mean, np.array([1.0, 9.0]))
    np.testing.assert_array_equal(theta, mean)


def test_many_outcomes_outweigh_a_belief():
    z = np.arange(100_000) % 4 == 0
    theta = learned_curve(np.ones((len(z), 1)), z, np.array([5.0]), np.array([1.0]))
    assert expit(theta[0]) == pytest.approx(0.25, abs=1e-3)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(-1e3, 1e3))
def test_it_ends_where_the_slope_is_0_however_far_apart_the_classes_are(n_yes, n_no, gap):
    F = np.column_stack([np.ones(n_yes + n_no), np.where(np.arange(n_yes + n_no) < n_yes, gap, -gap)])
    z = np.arange(n_yes + n_no) < n_yes
    mean, precision = np.array([0.0, 0.3]), np.array([0.5, 8.0])
    theta = learned_curve(F, z, mean, precision)
    slope = F.T @ (expit(F @ theta) - z) + precision * (theta - mean)
    assert np.abs(slope).max() < 1e-5 * max(1.0, abs(gap))
