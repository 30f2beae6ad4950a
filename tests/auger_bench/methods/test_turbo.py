import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from auger.gaussian_process.likelihood import Hyperparameters
from auger.space import Float, Space
from auger_bench.methods import method
from auger_bench.methods.turbo import thompson
from auger_bench.problems import problem

PLANE = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})


def after(values, space=PLANE):
    """TuRBO after these values, whatever it asked for."""
    turbo = method("turbo").make(space, 0, len(values))
    for value in values:
        turbo.tell(turbo.ask(), value)
    return turbo


START = [5.0, 4.0, 3.0, 2.0]  # the hypercube of two parameters


@pytest.mark.parametrize(
    ("values", "length"),
    [
        ([], 0.8),
        ([1.0, 0.9], 0.8),
        ([1.0, 0.9, 0.8], 1.6),  # three in a row
        ([1.0, 0.9, 3.0, 0.8], 0.8),  # not in a row
        ([1.0, 0.9995, 0.998], 0.8),  # the second is better by less than a thousandth
        ([3.0] * 4, 0.4),  # max(4, d) failures
        ([3.0] * 3 + [1.0] + [3.0] * 3, 0.8),
        ([3.0] * 8, 0.2),
        ([1.0, 0.9, 0.8, 0.7, 0.6, 0.5], 1.6),  # no longer than that
        ([float("nan")] * 4, 0.4),
    ],
)
def test_the_length_follows_the_rules_of_the_paper(values, length):
    assert after(START + values)._length == length


def test_a_region_that_became_too_short_is_left_for_a_new_one():
    turbo = after(START + [3.0] * 28)  # 0.8 / 2^7 is not below 2^-7 yet, 0.8 / 2^7 = 0.00625 is
    assert (turbo._length, turbo._rows, len(turbo._first)) == (0.8, [], 4)


def test_it_begins_with_a_latin_hypercube():
    turbo = method("turbo").make(PLANE, 3, 10)
    rows = PLANE.encode([turbo.ask() for _ in range(4)])
    np.testing.assert_array_equal(np.sort(np.floor(4 * rows), axis=0), np.tile(np.arange(4.0)[:, None], 2))


def test_proposals_of_a_short_region_lie_in_its_box():
    turbo = after(START + [3.0] * 12)  # length 0.1; the best value is the last of the start
    best = turbo._rows[3]
    for _ in range(3):
        row = PLANE.encode([turbo.ask()])[0]
        lengthscale = turbo._theta.lengthscale
        assert (np.abs(row - best) <= 0.05 * lengthscale / np.sqrt(lengthscale.prod()) + 1e-12).all()
        turbo.tell(PLANE.decode(row[None])[0], 2.5)


def test_thompson_samples_have_mean_and_covariance_of_an_independent_process():
    rng = np.random.default_rng(0)
    X, candidates = rng.random((6, 2)), rng.random((4, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1]
    theta = Hyperparameters(np.array([0.5, 0.8]), 1.3, 0.01)
    kernel = ConstantKernel(1.3) * Matern([0.5, 0.8], nu=2.5)
    reference = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(X, y)
    mean, covariance = reference.predict(candidates, return_cov=True)
    draws = np.array([thompson(X, y, candidates, theta, rng) for _ in range(4000)])
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=4 * np.sqrt(covariance.diagonal() / 4000).max())
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.01)


def test_it_solves_a_bowl_that_random_search_does_not():
    black_box = problem("rotated-ellipsoid6+shifted1")
    turbo = method("turbo").make(black_box.space, 0, 120)
    values = []
    for _ in range(120):
        config = turbo.ask()
        values.append(black_box(config))
        turbo.tell(config, values[-1])
    start, end = min(values[:12]), min(values)
    assert black_box.regret(end) < 0.02 * black_box.regret(start)
