import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Exponentiation, Matern, WhiteKernel
from support.effects import SumsOfEffects

from auger.gaussian_process.cholesky import cholesky
from auger.gaussian_process.likelihood import Hyperparameters
from auger.gaussian_process.posterior import left_out, posterior
from auger.testing.cases import mixed_space


def case(n, d, seed=0):
    rng = np.random.default_rng(seed)
    given = Hyperparameters(rng.uniform(0.2, 2.0, d), 1.7, 1e-3, 0.4, 0.7)
    return rng.random((n, d)), rng.normal(size=n), given


def scikit_learn(V, y, scale, given, at, positions=None):
    """Mean and latent deviation; their deviation is of an observation, noise included."""
    p = V.shape[1]
    kernel = ConstantKernel(given.amplitude) * Matern(1 / scale, nu=2.5) + WhiteKernel(given.noise)
    if given.trend:
        kernel += ConstantKernel(given.trend * (6 / p) ** 2) * Exponentiation(DotProduct(np.sqrt(p / 12)), 2)
    if given.effects:
        kernel += ConstantKernel(given.effects) * SumsOfEffects(len(given.lengthscale), positions)
    process = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(V, y)
    mean, deviation = process.predict(at, return_std=True)
    return mean, np.sqrt(deviation**2 - given.noise)


@pytest.mark.parametrize(("trend", "effects"), [(0.0, 0.0), (0.4, 0.0), (30.0, 0.7), (0.0, 30.0)])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 2), (50, 6), (30, 50)])
def test_mean_and_deviation_are_scikit_learns(n, d, trend, effects):
    V, y, given = case(n, d)
    given = given._replace(trend=trend, effects=effects)
    at = np.random.default_rng(1).random((40, d))
    mean, deviation = posterior(V, y, np.arange(d), given).predict(at)
    expected = scikit_learn(V, y, 1 / given.lengthscale, given, at)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(deviation, expected[1], rtol=1e-6)


def test_they_are_among_choices_and_inactive_parameters_too():
    space, rng = mixed_space(), np.random.default_rng(0)
    column, views = space.euclidean_column, space.views(space.sample(1, rng))
    V, at = space.euclidean(space.sample(40, rng)), space.euclidean(space.sample(60, rng))
    y, given = rng.normal(size=40), Hyperparameters(rng.uniform(0.3, 2.0, len(space)), 0.8, 1e-2, 0.5, 0.3)
    mean, deviation = posterior(V, y, column, given, positions=views.positions).predict(at)
    expected = scikit_learn(V, y, 1 / given.lengthscale[column], given, at, views.positions)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(deviation, expected[1], rtol=1e-6)


def test_columns_that_are_0_in_all_rows_may_be_left_out():
    V, y, given = case(30, 4)
    at, wide = np.random.default_rng(1).random((20, 4)), np.zeros((1, 3))
    columns = np.arange(4)
    given = given._replace(lengthscale=np.r_[given.lengthscale, 1.0])  # the fifth is a choice of three that never occur
    narrow = posterior(V, y, columns, given, 7, columns)
    whole = posterior(np.c_[V, np.repeat(wide, 30, axis=0)], y, np.r_[columns, 4, 4, 4], given, positions=columns)
    expected = whole.predict_with_slopes(np.c_[at, np.repeat(wide, 20, axis=0)], columns)
    for ours, theirs in zip(narrow.predict_with_slopes(at, columns), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


def test_rows_without_a_target_narrow_the_deviation_and_leave_the_mean_alone():
    V, y, given = case(30, 3)
    at = np.random.default_rng(1).random((40, 3))
    before = posterior(V[:20], y[:20], np.arange(3), given).predict(at)
    after = posterior(V, y[:20], np.arange(3), given).predict(at)
    full = posterior(V, y, np.arange(3), given).predict(at)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(after[1], full[1])
    assert (after[1] < before[1]).all()


def test_a_believer_told_what_it_expects_changes_no_mean():
    V, y, given = case(30, 3)
    at = np.random.default_rng(1).random((40, 3))
    early = posterior(V[:20], y[:20], np.arange(3), given)
    told = posterior(V, np.r_[y[:20], early.predict(V[20:])[0]], np.arange(3), given)
    np.testing.assert_allclose(told.predict(at)[0], early.predict(at)[0], rtol=1e-7, atol=1e-9)


def test_slopes_agree_with_finite_differences():
    V, y, given = case(30, 4)
    process = posterior(V, y, np.arange(4), given)
    at, columns, h = np.random.default_rng(1).random((20, 4)), np.array([0, 2]), 1e-6
    mean, deviation, by_mean, by_deviation = process.predict_with_slopes(at, columns)
    np.testing.assert_allclose((mean, deviation), process.predict(at), rtol=1e-12)
    for p, j in enumerate(columns):
        step = h * np.eye(4)[j]
        up, down = process.predict(at + step), process.predict(at - step)
        np.testing.assert_allclose(by_mean[:, p], (up[0] - down[0]) / (2 * h), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(by_deviation[:, p], (up[1] - down[1]) / (2 * h), rtol=1e-5, atol=1e-7)


def test_a_row_many_times_over_is_a_row_with_less_noise():
    given = Hyperparameters(np.ones(1), 1.0, 0.3)
    at = np.linspace(0, 1, 5)[:, None]
    many = posterior(np.full((30, 1), 0.5), np.ones(30), np.zeros(1, dtype=int), given)
    once = posterior(np.array([[0.5]]), np.ones(1), np.zeros(1, dtype=int), given._replace(noise=0.01))
    np.testing.assert_allclose(many.predict(at), once.predict(at), rtol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 2), (20, 3)])
def test_a_target_left_out_is_predicted_by_a_process_of_the_others(n, d):
    V, y, given = case(n, d)
    expected = []
    for i in range(n):
        others = np.delete(np.arange(n), i)
        expected.append(posterior(V[others], y[others], np.arange(d), given).predict(V[i : i + 1])[0][0])
    np.testing.assert_allclose(left_out(posterior(V, y, np.arange(d), given), y), expected, rtol=1e-6, atol=1e-9)


def test_without_noise_duplicates_need_the_jitter_and_get_it():
    V, given = np.repeat([[0.2], [0.8]], 20, axis=0), Hyperparameters(np.ones(1), 1.0, 0.0)
    mean, deviation = posterior(V, np.repeat([1.0, -1.0], 20), np.zeros(1, dtype=int), given).predict(V[[0, -1]])
    np.testing.assert_allclose(mean, [1.0, -1.0], atol=1e-3)
    assert (deviation < 1e-2).all()


def test_a_definite_matrix_is_factored_as_it_is():
    A = np.random.default_rng(0).normal(size=(10, 10))
    K = A @ A.T + np.eye(10)
    np.testing.assert_allclose(np.tril(cholesky(K)), np.linalg.cholesky(K), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("low", [-1e-12, -1e-6, -0.1])
def test_the_jitter_grows_until_it_is_enough(low):
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))
    K = Q @ np.diag([low, 1, 1, 1, 1, 1]) @ Q.T
    L = np.tril(cholesky(K))
    added = (L @ L.T - K).diagonal()
    np.testing.assert_allclose(added, added[0], rtol=1e-3)
    assert -low <= added[0] * 1.0001 and added[0] < max(-20 * low, 1e-9)
