import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Exponentiation, Matern, WhiteKernel
from support.effects import SumsOfEffects

from auger.gaussian_process.kernel import squares
from auger.gaussian_process.likelihood import _estimate, estimate, hyperparameters, log_likelihood, prior, trends_of
from auger.gaussian_process.posterior import posterior
from auger.space import Categorical, Float, Space
from auger.testing.cases import mixed_space, numeric_space, target


def data(space, n, seed=0):
    X = space.sample(n, np.random.default_rng(seed))
    y = target(X, space)
    return space.euclidean(X), (y - y.mean()) / y.std(), space.euclidean_column


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


def quadratic_kernel(p):
    """((p + 12 v.w) / (2 p))^2 as scikit-learn writes it."""
    product = DotProduct(np.sqrt(p / 12), sigma_0_bounds="fixed")
    return ConstantKernel((6 / p) ** 2, constant_value_bounds="fixed") * Exponentiation(product, 2)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (30, 1), (60, 6), (40, 50)])
def test_value_and_gradient_are_scikit_learns_with_trends_too(n, d):
    X, y = positions(n, d)
    theta = np.random.default_rng(1).normal(size=d + 4) * 0.5 + np.r_[np.zeros(d), 0.3, -4.0, -1.0, -2.0]
    kernel = ConstantKernel() * Matern(np.ones(d), nu=2.5) + WhiteKernel() + ConstantKernel() * quadratic_kernel(d)
    kernel += ConstantKernel() * SumsOfEffects(d)
    process = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    order = np.r_[d, np.arange(d), d + 1, d + 2, d + 3]  # theirs: amplitude, lengthscales, noise, trend, effects
    expected, expected_gradient = process.log_marginal_likelihood(theta[order], eval_gradient=True)
    value, gradient = log_likelihood(theta, squares(X, np.arange(d), d), y, trends_of(X, np.arange(d), d))
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    np.testing.assert_allclose(gradient[order], expected_gradient, rtol=1e-6, atol=1e-9)


def posterior_of(V, y, column, n_parameters):
    distances, trends = squares(V, column, n_parameters), trends_of(V, np.arange(V.shape[1]), n_parameters)
    likelihood = lambda theta: log_likelihood(theta, distances, y, trends)  # noqa: E731
    return lambda theta: prior(n_parameters).times(likelihood, theta)


def test_the_gradient_of_the_posterior_agrees_with_finite_differences():
    space = mixed_space()
    posterior = posterior_of(*data(space, 40), len(space))
    theta = prior(len(space)).center + np.random.default_rng(0).normal(size=len(space) + 4)
    expected = approx_fprime(theta, lambda t: posterior(t)[0], 1e-6)
    np.testing.assert_allclose(posterior(theta)[1], expected, rtol=1e-4, atol=1e-4)


def test_the_prior_is_the_documented_one():
    belief = prior(4)
    center, width = [*[np.log(0.5 * 2.0)] * 4, 0.0, -9.0, -2.0, -2.0], [0.8, 0.8, 0.8, 0.8, 1.0, 2.0, 2.0, 2.0]
    np.testing.assert_allclose(belief.center, center)
    np.testing.assert_allclose(belief.width, width)
    np.testing.assert_allclose(belief.high - belief.center, 4 * np.array(width))
    np.testing.assert_allclose(prior(4, has_trend=False).center, center[:-2])


def test_a_single_row_says_nothing_about_lengthscales():
    found = estimate(np.zeros((1, 2)), np.zeros(1), np.arange(2), 2)
    np.testing.assert_allclose(found.lengthscale, hyperparameters(prior(2).center, 2).lengthscale)


def test_nothing_nearby_is_more_probable():
    V, y, column = data(numeric_space(), 40)
    found = estimate(V, y, column, 2)
    theta = np.log([*found.lengthscale, *found[1:]])
    posterior, rng = posterior_of(V, y, column, 2), np.random.default_rng(0)
    assert posterior(theta)[0] > max(posterior(theta + rng.normal(size=6) * 0.3)[0] for _ in range(50))


def test_a_start_from_fewer_rows_ends_no_lower_than_the_search_from_the_prior():
    V, y, column = data(numeric_space(), 60)
    posterior = posterior_of(V, y, column, 2)
    early = estimate(V[:40], y[:40], column, 2)
    ends = [estimate(V, y, column, 2, start=start) for start in (None, early)]
    values = [posterior(np.log([*end.lengthscale, *end[1:]]))[0] for end in ends]
    assert values[1] > values[0] - 0.1  # nats
    assert values[1] > posterior(np.log([*early.lengthscale, *early[1:]]))[0]


def test_a_bowl_across_the_axes_is_a_trend_and_ripples_are_none():
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (60, 4))
    bowl, ripples = X.sum(axis=1) ** 2 + X[:, 0], np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1])
    found = [estimate(X, (y - y.mean()) / y.std(), np.arange(4), 4) for y in (bowl, ripples)]
    assert found[0].trend > 10 * found[0].amplitude
    assert found[1].trend < 0.2 * found[1].amplitude


def test_a_bowl_along_many_axes_is_a_sum_of_effects():
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (90, 30))
    y = (X**2 @ np.linspace(1, 3, 30)) + X.sum(axis=1)
    found = estimate(X, (y - y.mean()) / y.std(), np.arange(30), 30)
    assert found.effects > 10 * max(found.amplitude, found.trend)


def test_the_bottom_of_a_bowl_in_many_dimensions_is_found_from_few_rows():
    rng = np.random.default_rng(0)
    X, bottom, column = rng.uniform(-0.5, 0.5, (60, 30)), rng.uniform(-0.3, 0.3, 30), np.arange(30)
    y = ((X - bottom) ** 2).sum(axis=1)
    theta = estimate(X, (y - y.mean()) / y.std(), column, 30)
    process = posterior(X, (y - y.mean()) / y.std(), column, theta)
    line = np.linspace(-0.5, 0.5, 101)[:, np.newaxis]
    lowest = []
    for j in range(30):  # along each axis, the others in the middle
        V = np.zeros((101, 30))
        V[:, [j]] = line
        lowest.append(line[np.argmin(process.predict(V)[0]), 0])
    assert np.abs(lowest - bottom).mean() < 0.05


def test_a_choice_of_many_does_not_hide_a_bowl_along_numbers():
    space = Space({"kind": Categorical(tuple(range(50))), **{f"x{i}": Float(0.0, 1.0) for i in range(6)}})
    X = space.sample(80, np.random.default_rng(0))
    y, views = ((X[:, 1:] - 0.4) ** 2).sum(axis=1), space.views(X)
    y = (y - y.mean()) / y.std()
    found = estimate(views.euclidean(X), y, views.euclidean_column, 7, positions=views.positions)
    assert found.effects > 5 * max(found.amplitude, found.trend)


def test_without_trends_none_is_found():
    V, y, column = data(numeric_space(), 20)
    assert estimate(V, y, column, 2, has_trend=False)[3:] == (0.0, 0.0)


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
