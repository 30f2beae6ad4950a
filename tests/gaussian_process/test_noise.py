import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from auger.gaussian_process.kernel import matern, squares
from auger.gaussian_process.noise import _log_density, noise


def distances(X):
    return squares(X, np.arange(X.shape[1]), X.shape[1])


def standardized(y):
    return (y - y.mean()) / y.std()


def rows(n, d, seed=0):
    return np.random.default_rng(seed).random((n, d))


@pytest.mark.parametrize("deviation", [0.05, 0.2, 0.5])
def test_noise_is_found_and_its_size_is_about_right(deviation):
    X = rows(100, 1)
    y = np.sqrt(1 - deviation**2) * standardized(np.sin(6 * X[:, 0]))
    theta = noise(distances(X), y + np.random.default_rng(1).normal(0, deviation, 100))
    assert math.exp(theta[-1] / 2) == pytest.approx(deviation, rel=0.25)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:, 0] ** 2 + x[:, 1],
        lambda x: np.sin(60 * x).sum(axis=1),
        lambda x: 4 * (x[:, 0] - 0.3) ** 2 + np.cos(60 * x).sum(axis=1),  # a trend and ripples
        lambda x: np.abs(x - 0.4).max(axis=1),
        lambda x: (x[:, 0] > 0.5) + 0.1 * x[:, 1],
    ],
)
@pytest.mark.parametrize("n", [20, 100])
def test_no_noise_is_found_in_a_function_without_any(function, n):
    X = rows(n, 2)
    assert noise(distances(X), standardized(function(X))) is None


def test_repeats_that_disagree_are_noise_and_those_that_nearly_agree_are_not():
    X = np.repeat(rows(15, 4), 2, axis=0)
    y = np.repeat(standardized(rows(15, 1, seed=1)[:, 0]), 2)
    difference = np.tile([-1.0, 1.0], 15)
    assert noise(distances(X), y + 0.05 * difference) is not None
    assert noise(distances(X), y + 1e-6 * difference) is None


def test_the_density_agrees_with_scipy():
    X, y = rows(12, 2), rows(12, 1, seed=1)[:, 0]
    pairs = matern(distances(X).sum(axis=0))[0]
    K = np.diag(np.full(12, 1.3))
    k, i = np.triu_indices(12, 1)
    K[i, k] = K[k, i] = pairs
    constant = -6 * math.log(2 * math.pi)
    assert _log_density(pairs, 1.3, y) + constant == pytest.approx(multivariate_normal(np.zeros(12), K).logpdf(y))
