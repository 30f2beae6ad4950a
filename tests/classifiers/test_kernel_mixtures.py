"""Density ratios fitted as mixtures of kernels, against slow solutions of the same problems by other means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import Ridge
from support.labels import LINE, plain

from auger.classifiers import KLIEP, KernelMeanMatching, LeastSquaresRatio
from auger.classifiers.kernel_mean_matching import _weights
from auger.classifiers.kernel_mixture import Examples, kernel
from auger.classifiers.kliep import _Components
from auger.classifiers.least_squares_ratio import _LeastSquares
from auger.errors import ClassifierError
from auger.history import History
from auger.maximizers import Gradient, MeanShift
from auger.space import Categorical, Float, Space
from auger.testing.cases import mixed_space

MIXTURES = {
    "rulsif": LeastSquaresRatio(),
    "ulsif": LeastSquaresRatio(is_relative=False),
    "kliep": KLIEP(),
    "kmm": KernelMeanMatching(),
}
SPACE = Space({"x": Float(0.0, 1.0), "c": Categorical(["p", "q", "r"])})


def examples(seed=0, n=24, is_weighted=False):
    """Rows near (0.3, p) are good."""
    rng = np.random.default_rng(seed)
    X = SPACE.sample(n, rng)
    labels = plain(np.abs(X[:, 0] - 0.3) + (X[:, 1] > 0) < 0.5)
    masses = rng.uniform(0.1, 3.0, (2, n)) if is_weighted else np.ones((2, n))
    z = labels.z
    return Examples.of(X, type(labels)(z, labels.y, labels.tau, masses[0] * z, masses[1] * ~z), SPACE, 100, rng)


def masses_in_H(some, is_relative):
    alpha = some.gamma if is_relative else 0.0
    return alpha * some.good + (1 - alpha) * some.rest


@given(st.integers(0, 99), st.booleans(), st.booleans(), st.sampled_from([1e-3, 0.1, 10.0]))
def test_the_left_out_error_is_that_of_fits_without_each_example(seed, is_relative, is_weighted, penalty):
    some = examples(seed, is_weighted=is_weighted)
    w, a, phi = masses_in_H(some, is_relative), some.good, some.kernels(0.4)
    error = 0.0
    for i in range(len(a)):
        rest = np.arange(len(a)) != i
        H = phi[rest].T @ np.diag(w[rest]) @ phi[rest] + penalty * np.eye(phi.shape[1])
        f = phi[i] @ np.linalg.solve(H, phi[rest].T @ a[rest])
        error += 0.5 * w[i] * f**2 - a[i] * f
    assert _LeastSquares.of(phi, w, a).left_out_error(penalty) == pytest.approx(error, rel=1e-6, abs=1e-9)


@given(st.integers(0, 99), st.booleans(), st.sampled_from([1e-3, 0.1, 10.0]))
def test_the_weights_are_the_least_squares_among_those_that_are_not_negative(seed, is_relative, penalty):
    some = examples(seed)
    w, a, phi = masses_in_H(some, is_relative), some.good, some.kernels(0.4)
    H, h = phi.T @ (w[:, None] * phi) + penalty * np.eye(phi.shape[1]), phi.T @ a
    theta = _LeastSquares.of(phi, w, a).weights(penalty)
    slope = H @ theta - h  # 0 where a weight is positive, and uphill where it is 0
    assert (theta >= 0).all() and theta.max() > 0
    np.testing.assert_allclose(slope[theta > 0], 0.0, atol=1e-9)
    assert (slope[theta == 0] > -1e-9).all()


def test_rulsif_with_the_shares_as_they_are_is_a_least_squares_fit_of_the_labels():
    some = examples()
    phi, z, n = some.kernels(0.4), some.good > 0, len(some.good)
    penalty = 0.5
    ridge = Ridge(alpha=penalty * n, fit_intercept=False).fit(phi, z / some.gamma)
    bounded = Ridge(alpha=penalty * n, fit_intercept=False, positive=True).fit(phi, z / some.gamma)
    fit = _LeastSquares.of(phi, masses_in_H(some, True), some.good)
    A = np.diag(fit.eigenvalues + penalty)
    np.testing.assert_allclose(fit.axes @ np.linalg.solve(A, fit.axes.T @ phi.T @ some.good), ridge.coef_, rtol=1e-6)
    np.testing.assert_allclose(fit.weights(penalty), bounded.coef_, atol=1e-3)  # its solver stops early


@given(st.integers(0, 99), st.booleans())
def test_kliep_is_the_likeliest_mixture_whose_mean_over_the_rest_is_1(seed, is_weighted):
    some = examples(seed, is_weighted=is_weighted)
    good = np.flatnonzero(some.good > 0)
    components = _Components.of(some, good, 0.4)
    phi, a = some.kernels(0.4), some.good
    assert some.rest @ phi @ components.theta == pytest.approx(1.0)

    def loss(beta):
        return -a[good] @ np.log(phi[good] @ (beta / components.means))

    # over softmax(x), so that no bound and no sum need be kept
    best = minimize(lambda x: loss(softmax(x)), np.zeros(len(components.means)), method="BFGS")
    assert loss(components.theta * components.means) <= best.fun + 0.01  # its last steps are small


def test_the_left_out_likelihood_of_kliep_is_that_of_fits_without_each_fold():
    some = examples(3)
    good = np.flatnonzero(some.good > 0)
    folds = np.array_split(np.arange(len(good)), 3)
    components = _Components.of(some, good, 0.4)
    expected = 0.0
    for fold in folds:
        kept = np.delete(np.arange(len(good)), fold)
        a = components.a[kept] / components.a[kept].sum()
        without = _Components(0.4, a, components.densities[kept], components.means)
        expected += components.a[fold] @ np.log(some.kernels(0.4)[good[fold]] @ without.theta)
    assert components.left_out_likelihood(folds) == pytest.approx(expected)


def test_kernel_mean_matching_matches_the_means_better_than_any_change_of_it():
    some, width, rng = examples(1, n=40), 0.4, np.random.default_rng(0)
    theta = _weights(some.centers, width, (some.V, some.good), (some.V, some.rest))
    phi, K = some.kernels(width), kernel(some.V, some.V, width)

    def mismatch(theta):
        off = some.rest * (phi @ theta) - some.good
        return off @ K @ off

    assert some.rest @ phi @ theta == pytest.approx(1.0)
    changes = rng.normal(0, 0.05, (200, len(theta)))
    others = np.maximum(theta + changes * theta.max(), 0.0)
    others /= (others @ (phi.T @ some.rest))[:, None]
    assert sum(mismatch(other) < mismatch(theta) for other in others) <= 2  # a ridge of 1e-5 is there, too


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_has_its_slope_in_every_column_of_the_view(name):
    space, rng = mixed_space(), np.random.default_rng(0)
    X = space.sample(60, rng)
    score = MIXTURES[name].fit(X, plain(np.arange(60) < 20), space=space, rng=rng)
    V = rng.random((5, len(score.views.one_hot_column)))
    slope = score.relaxed(V)[1]
    for j in range(V.shape[1]):
        step = np.zeros(V.shape[1])
        step[j] = 1e-6
        numeric = (score.relaxed(V + step)[0] - score.relaxed(V - step)[0]) / 2e-6
        np.testing.assert_allclose(slope[:, j], numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", MIXTURES)
def test_mean_shift_never_goes_downhill_and_ends_where_no_column_has_a_slope(name):
    space, rng = mixed_space(), np.random.default_rng(0)
    X = space.sample(60, rng)
    score = MIXTURES[name].fit(X, plain(np.arange(60) < 20), space=space, rng=rng)
    V = rng.random((20, len(score.views.one_hot_column)))
    heights = score.relaxed(V)[0]
    for _ in range(2000):
        moved = score.mean_shift(V)
        after = score.relaxed(moved)[0]
        assert (after >= heights - 1e-9).all()
        V, heights = moved, after
    np.testing.assert_allclose(score.relaxed(V)[1], 0.0, atol=1e-4)


@pytest.mark.parametrize("name", MIXTURES)
def test_the_proposal_of_mean_shift_is_as_high_as_that_of_twenty_climbs_along_the_gradient(name):
    space, rng = Space({f"x{i}": Float(0.0, 1.0) for i in range(4)}), np.random.default_rng(1)
    X = space.sample(60, rng)
    score = MIXTURES[name].fit(X, plain(np.abs(X - 0.4).sum(axis=1) < 0.9), space=space, rng=rng)
    rows = [
        maximizer.maximize(score, space, History(space), rng=np.random.default_rng(0)).row
        for maximizer in (MeanShift(), Gradient(n_starts=20))
    ]
    shifted, climbed = score.ascent(np.array(rows))[0]
    assert shifted >= climbed - 1e-5


@pytest.mark.parametrize("spread", [0.01, 1e-9])
@pytest.mark.parametrize("n_good", [1, 8, 20, 39])
@pytest.mark.parametrize("name", MIXTURES)
def test_classes_that_are_far_apart_are_told_apart(name, n_good, spread):
    rng = np.random.default_rng(n_good)
    z = np.arange(40) < n_good
    X = np.where(z, 0.2, 0.8)[:, None] + spread * rng.normal(size=(40, 1))
    score = MIXTURES[name].fit(X, plain(z), space=LINE, rng=rng)
    near, far = score.ascent(np.array([[0.2], [0.8]]))[0]
    assert np.isfinite([near, far]).all() and near > far


@pytest.mark.parametrize("name", MIXTURES)
def test_of_very_many_good_rows_some_are_centers(name):
    rng = np.random.default_rng(0)
    X = SPACE.sample(3000, rng)
    score = MIXTURES[name].fit(X, plain(X[:, 0] < 0.5), space=SPACE, rng=rng)
    assert len(score.centers) <= 100
    assert (score(X)[X[:, 0] < 0.4].min() > score(X)[X[:, 0] > 0.6]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LeastSquaresRatio(is_relative=1), "`is_relative` of a LeastSquaresRatio must be True or False. Got 1"),
        (lambda: LeastSquaresRatio(n_centers=0), "`n_centers` of a LeastSquaresRatio must be a whole number of at lea"),
        (lambda: KLIEP(n_folds=1), "`n_folds` of a KLIEP must be a whole number of at least 2. Got 1"),
        (lambda: KernelMeanMatching(n_centers=1.5), "`n_centers` of a KernelMeanMatching must be a whole number"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(ClassifierError, match=message):
        make()
