import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from auger.insight.logistic import Belief, logit, probability


def test_it_finds_the_coefficients_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    z = rng.random(300) < 1 / (1 + np.exp(-(1.5 * x[:, 0] - 0.5 * x[:, 1])))
    weight = rng.uniform(0.5, 2.0, size=300)
    reference = LogisticRegression(C=1 / 3.0, fit_intercept=False, tol=1e-10, max_iter=1000).fit(x, z, weight)
    theta = Belief(np.zeros(2), np.full(2, 3.0)).learn(x, z, weight)
    np.testing.assert_allclose(theta, reference.coef_[0], rtol=1e-6)


def test_without_outcomes_it_believes_what_it_did():
    belief = Belief(np.array([0.5, -2.0]), np.array([1.0, 9.0]))
    np.testing.assert_array_equal(belief.learn(np.empty((0, 2)), np.empty(0, dtype=bool)), belief.mean)


def test_many_outcomes_outweigh_a_belief():
    z = np.arange(100_000) % 4 == 0
    theta = Belief(np.array([5.0]), np.array([1.0])).learn(np.ones((len(z), 1)), z)
    assert probability(np.ones((1, 1)), theta)[0] == pytest.approx(0.25, abs=1e-3)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(-1e3, 1e3))
def test_it_ends_where_the_slope_is_0_however_far_apart_the_classes_are(n_yes, n_no, gap):
    F = np.column_stack([np.ones(n_yes + n_no), np.where(np.arange(n_yes + n_no) < n_yes, gap, -gap)])
    z = np.arange(n_yes + n_no) < n_yes
    belief = Belief(np.array([0.0, 0.3]), np.array([0.5, 8.0]))
    theta = belief.learn(F, z)
    slope = F.T @ (probability(F, theta) - z) + belief.precision * (theta - belief.mean)
    assert np.abs(slope).max() < 1e-5 * max(1.0, abs(gap))


def test_the_logit_undoes_the_curve():
    heights = np.linspace(-30, 30, 13)
    np.testing.assert_allclose(logit(probability(heights[:, None], np.ones(1))), heights, rtol=1e-2)
