import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from auger.classifiers.gp.kernel import squares, view, view_column
from auger.classifiers.gp.likelihood import (
    _estimate,
    estimate,
    hyperparameters,
    log_likelihood,
    log_posterior,
    prior,
)
from auger.testing.cases import mixed_space, numeric_space, target


def data(space, n, seed=0):
    X = space.sample(n, np.random.default_rng(seed))
    y = target(X, space)
    return view(X, space), (y - y.mean()) / y.std(), view_column(space)


def positions(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, d)), rng.normal(size=n)


def scikit_learn(X, y, theta):
    kernel = ConstantKernel(1.0) * Matern(np.ones(len(theta) - 2), nu=2.5) + WhiteKernel(1.0)
    process = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    value, gradient = process.log_marginal_likelihood(np.roll(theta, 1)[_swap(len(theta))], eval_gradient=True)
    return value, np.r_[gradient[1:-1], gradient[0], gradient[-1]]


def _swap(n):
    """Ours is (lengthscales, amplitude, noise), rolled (noise, lengthscales, amplitude); theirs is amplitude first."""
    return [n - 1, *range(1, n - 1), 0]


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (30, 1), (60, 6), (40, 50)])
def test_value_and_gradient_are_scikit_learns(n, d):
    X, y = positions(n, d)
    theta = np.random.default_rng(1).normal(size=d + 2) * 0.5 + np.r_[np.zeros(d), 0.3, -4.0]
    value, gradient = log_likelihood(theta, squares(X, np.arange(d), d), y)
    expected, expected_gradient = scikit_learn(X, y, theta)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-6, atol=1e-9)


def test_the_gradient_of_the_posterior_agrees_with_finite_differences():
    space = mixed_space()
    V, y, column = data(space, 40)
    distances = squares(V, column, len(space))
    theta = prior(len(space))[0] + np.random.default_rng(0).normal(size=len(space) + 2)
    expected = approx_fprime(theta, lambda t: log_posterior(t, distances, y)[0], 1e-6)
    np.testing.assert_allclose(log_posterior(theta, distances, y)[1], expected, rtol=1e-4, atol=1e-4)


def test_the_prior_is_the_documented_one():
    center, width = prior(4)
    np.testing.assert_allclose(center, [*[np.log(0.5 * 2.0)] * 4, 0.0, -9.0])
    np.testing.assert_allclose(width, [0.8, 0.8, 0.8, 0.8, 1.0, 2.0])


def test_a_single_row_says_nothing_about_lengthscales():
    center, _ = prior(2)
    found = estimate(np.zeros((1, 2)), np.zeros(1), np.arange(2), 2)
    np.testing.assert_allclose(found.lengthscale, hyperparameters(center).lengthscale)


def test_nothing_nearby_is_more_probable():
    space = numeric_space()
    V, y, column = data(space, 40)
    found = estimate(V, y, column, 2)
    theta = np.log([*found.lengthscale, found.amplitude, found.noise])
    distances = squares(V, column, 2)
    best = log_posterior(theta, distances, y)[0]
    rng = np.random.default_rng(0)
    others = [log_posterior(theta + rng.normal(size=4) * 0.3, distances, y)[0] for _ in range(50)]
    assert best > max(others)


def test_a_parameter_without_effect_gets_a_long_lengthscale():
    X, _ = positions(60, 3)
    y = np.sin(9 * X[:, 0])
    found = estimate(X, y / y.std(), np.arange(3), 3)
    assert found.lengthscale[0] < 0.5
    assert (found.lengthscale[1:] > 1.5).all()


def test_noise_is_found():
    X, noise = positions(200, 2)
    found = estimate(X, np.sin(3 * X[:, 0]) + 0.5 * noise, np.arange(2), 2)
    assert 0.15 < found.noise < 0.35  # 0.25


@pytest.mark.parametrize("y", [np.zeros(30), np.r_[np.zeros(29), 100.0], np.where(np.arange(30) < 15, -1.0, 1.0)])
def test_rows_that_are_all_the_same_do_no_harm(y):
    found = estimate(np.full((30, 4), 0.5), y, np.arange(4), 4)
    assert np.isfinite(found.lengthscale).all() and found.amplitude > 0 and found.noise > 0


def test_memory_changes_nothing_and_cannot_be_spoiled():
    V, y, column = data(numeric_space(), 20)
    first = estimate(V, y, column, 2)
    assert estimate(V.copy(), y.copy(), column, 2) is first
    with pytest.raises(ValueError, match="read-only"):
        first.lengthscale[0] = 1.0
    _estimate.cache_clear()
    again = estimate(V, y, column, 2)
    np.testing.assert_array_equal(again.lengthscale, first.lengthscale)
    assert again[1:] == first[1:]
