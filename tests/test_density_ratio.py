"""The paper's toy example (appendix H), where both densities are known, and the edges of `relative_density_ratio`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

from auger.classifiers.boosting import Boosting
from auger.classifiers.calibrated import Calibrated
from auger.classifiers.forest import Forest
from auger.classifiers.kde import KDE
from auger.classifiers.kernel_mean_matching import KernelMeanMatching
from auger.classifiers.kliep import KLIEP
from auger.classifiers.least_squares_ratio import LeastSquaresRatio
from auger.classifiers.mlp import MLP
from auger.classifiers.sklearn import SklearnClassifier
from auger.density_ratio import ordinary_density_ratio, relative_density_ratio, relative_of_ordinary
from auger.errors import ClassifierError

GAMMA = 1 / 4
GRID = np.linspace(-6, 6, 1001)
SEEDS = range(4)


def true_ratio(x):
    good = 0.3 * norm.pdf(x, 2, 1) + 0.7 * norm.pdf(x, -3, 0.5)
    return good / (GAMMA * good + (1 - GAMMA) * norm.pdf(x, 0, 2))


def toy(seed, n=1000):
    rng = np.random.default_rng(seed)
    n_good = round(GAMMA * n)
    noise, is_right = rng.normal(size=n_good), rng.random(n_good) < 0.3
    return np.where(is_right, 2 + noise, -3 + 0.5 * noise), rng.normal(0, 2, n - n_good)


def ratio_of_kdes(good, rest, seed, x=GRID):
    """Two density estimates, each with the bandwidth of the normal reference rule."""

    def density(sample):
        return norm.pdf(x[:, None], sample, 1.06 * sample.std() * len(sample) ** -0.2).mean(axis=1)

    return density(good) / (GAMMA * density(good) + (1 - GAMMA) * density(rest))


def estimated_by(classifier):
    return lambda good, rest, seed: relative_density_ratio(good, rest, classifier=classifier, rng=seed)(GRID)


def errors(estimate):
    """Root mean square error, every point of the grid counting the same, and how far off a maximizer is.

    Where several points tie for the maximum it is one of them at random, so their distances are averaged.
    """
    mode = GRID[true_ratio(GRID).argmax()]
    off = np.abs(GRID[estimate >= estimate.max() - 1e-9] - mode)
    return math.sqrt(np.square(estimate - true_ratio(GRID)).mean()), off.mean()


def mean_errors(estimate):
    return np.mean([errors(estimate(*toy(seed), seed)) for seed in SEEDS], axis=0)


@pytest.mark.parametrize(
    "classifier",
    [
        # inputs are positions in [0, 1], a twelfth of the paper's units: 2,000 steps of Adam's usual 1e-3 fall short
        MLP(n_layers=3, n_units=32, activation="elu", n_steps=2000, learning_rate=3e-3),
        # the paper's forest, fully grown, does not pass: see the next test
        Forest(min_samples_leaf=15),
        Boosting(),
        LeastSquaresRatio(),
        LeastSquaresRatio(is_relative=False),
        KLIEP(),
    ],
    ids=["mlp", "forest", "boosting", "rulsif", "ulsif", "kliep"],
)
def test_a_classifier_recovers_the_toy_ratio_and_its_mode_better_than_two_kdes(classifier):
    rmse, off = mean_errors(estimated_by(classifier))
    rmse_kdes, off_kdes = mean_errors(ratio_of_kdes)
    assert rmse < 0.8 * rmse_kdes
    assert off < 0.5 * off_kdes


def test_the_papers_fully_grown_forest_finds_the_mode_but_not_the_ratio():
    # its leaves are single examples, so it jumps between 0 and 1 / gamma wherever the samples overlap
    rmse, off = mean_errors(estimated_by(Forest()))
    rmse_kdes, off_kdes = mean_errors(ratio_of_kdes)
    assert rmse > rmse_kdes
    assert off < off_kdes


def test_kernel_mean_matching_with_its_one_width_is_hardly_better_than_two_kdes():
    # the narrow peak of the toy needs another width than everything else, and no criterion chooses one
    rmse, off = mean_errors(estimated_by(KernelMeanMatching()))
    rmse_kdes, off_kdes = mean_errors(ratio_of_kdes)
    assert 0.8 * rmse_kdes < rmse < 1.2 * rmse_kdes
    assert off < off_kdes


def test_the_kde_classifier_is_the_ratio_of_two_kdes():
    for seed in SEEDS:
        good, rest = toy(seed)
        ratio = relative_density_ratio(good, rest, classifier=KDE())
        both = np.concatenate([good, rest])
        inside = np.linspace(both.min(), both.max(), 100)
        np.testing.assert_allclose(ratio(inside), ratio_of_kdes(good, rest, seed, inside), rtol=1e-9)


def test_gamma_other_than_the_share_of_the_samples_reweights_them():
    # half of the draws are good, yet the ratio asked for is that of a quarter
    rng = np.random.default_rng(0)
    good, rest = rng.normal(1, 1, 2000), rng.normal(0, 1, 2000)
    x = np.array([-1.0, 0.0, 1.0, 2.0])
    r = norm.pdf(x, 1, 1) / norm.pdf(x, 0, 1)
    for gamma in (0.25, 0.5, 0.75):
        ratio = relative_density_ratio(good, rest, gamma=gamma, classifier=Forest(min_samples_leaf=150), rng=0)
        np.testing.assert_allclose(ratio(x), r / (gamma * r + 1 - gamma), atol=0.3)


def test_two_columns_have_a_ratio_too():
    rng = np.random.default_rng(0)
    good, rest = rng.normal([1, 100], [1, 10], (300, 2)), rng.normal([0, 100], [1, 10], (600, 2))
    ratio = relative_density_ratio(good, rest, classifier=KDE())
    values = ratio([[2.0, 100.0], [-2.0, 100.0]])
    assert values.shape == (2,)
    assert values[0] > 1.5 and values[1] < 0.5


@given(
    x=st.floats(-6, 6),
    gamma=st.floats(0, 1, exclude_max=True),
    mean=st.floats(-3, 3),
    scale=st.floats(0.2, 3),
)
def test_the_relative_ratio_of_known_densities_is_h_of_their_ordinary_ratio(x, gamma, mean, scale):
    good, rest = norm.pdf(x, mean, scale), norm.pdf(x)
    expected = good / (gamma * good + (1 - gamma) * rest)
    assert relative_of_ordinary(good / rest, gamma) == pytest.approx(expected, rel=1e-9)


@given(u=st.lists(st.floats(0, allow_nan=False), min_size=2, max_size=8), gamma=st.floats(0, 0.99))
def test_h_keeps_the_order_and_stays_between_0_and_1_over_gamma(u, gamma):
    u = np.sort(u)
    h = relative_of_ordinary(u, gamma)
    assert (h[1:] >= h[:-1] * (1 - 1e-12)).all() and (h >= 0).all()
    if gamma:
        assert (h <= 1 / gamma * (1 + 1e-12)).all()
    else:
        np.testing.assert_array_equal(h, u)


@given(gamma=st.floats(0.05, 0.95), n_good=st.integers(1, 8), n_rest=st.integers(1, 8), seed=st.integers(0, 99))
def test_estimates_of_both_ratios_are_related_as_the_ratios_are(gamma, n_good, n_rest, seed):
    rng = np.random.default_rng(seed)
    good, rest = rng.normal(1, 1, n_good), rng.normal(0, 1, n_rest)
    x = np.linspace(-1, 2, 20)
    ordinary = ordinary_density_ratio(good, rest, classifier=KDE())(x)
    relative = relative_density_ratio(good, rest, gamma=gamma, classifier=KDE())(x)
    np.testing.assert_allclose(relative_of_ordinary(ordinary, gamma), relative, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("n_rest", [500, 2000])
def test_the_ordinary_ratio_is_found_whatever_the_share_of_the_samples(n_rest):
    rng = np.random.default_rng(0)
    good, rest = rng.normal(0.5, 1, 2000), rng.normal(0, 1, n_rest)
    x = np.linspace(-1.5, 1.5, 7)
    estimate = ordinary_density_ratio(good, rest, classifier=Forest(min_samples_leaf=100), rng=0)(x)
    np.testing.assert_allclose(np.log(estimate), np.log(norm.pdf(x, 0.5) / norm.pdf(x)), atol=0.4)


def test_the_ordinary_ratio_is_infinite_where_the_classifier_is_certain():
    ratio = ordinary_density_ratio([0.0, 0.1], [0.9, 1.0], classifier=Forest(n_trees=5), rng=0)
    assert ratio([0.0, 1.0]).tolist() == [math.inf, 0.0]


@pytest.mark.parametrize(
    ("ratio", "gamma", "message"),
    [
        ([1.0], 1.0, "`gamma` must be at least 0 and below 1. Got 1.0"),
        ([1.0], -0.1, "`gamma` must be at least 0 and below 1. Got -0.1"),
        ([1.0, -2.0], 0.5, "`ratio` must be at least 0. Got -2.0"),
        ([math.nan], 0.5, "`ratio` must be at least 0. Got nan"),
    ],
)
def test_what_is_no_ratio_or_no_gamma_is_refused(ratio, gamma, message):
    with pytest.raises(ClassifierError, match=message):
        relative_of_ordinary(ratio, gamma)


@given(
    gamma=st.floats(0.01, 0.99),
    n_good=st.integers(1, 8),
    n_rest=st.integers(1, 8),
    scale=st.sampled_from([1e-300, 1e-9, 1.0, 1e9, 1e300]),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
@pytest.mark.parametrize(
    "classifier", [KDE(), Boosting(n_rounds=5), MLP(n_steps=5)], ids=lambda one: type(one).__name__
)
def test_the_ratio_lies_between_0_and_1_over_gamma(classifier, gamma, n_good, n_rest, scale, seed):
    rng = np.random.default_rng(seed)
    good, rest = rng.normal(size=n_good) * scale, rng.normal(size=n_rest) * scale
    ratio = relative_density_ratio(good, rest, gamma=gamma, classifier=classifier, rng=seed)
    values = ratio(np.concatenate([good, rest, [-1.7e308, 0.0, 1.7e308]]))
    assert ((values >= 0) & (values <= 1 / gamma)).all()


@given(scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
@settings(deadline=None, max_examples=20)
@pytest.mark.parametrize("classifier", [Forest(n_trees=5), Boosting(n_rounds=5)], ids=["forest", "boosting"])
def test_other_units_and_another_zero_leave_a_tree_estimate_as_it_is(classifier, scale, shift):
    # at the samples themselves: thresholds lie halfway between them, out of the reach of rounding
    good, rest = toy(0, n=40)
    x = np.concatenate([good, rest])
    one = relative_density_ratio(good, rest, classifier=classifier, rng=0)(x)
    other = relative_density_ratio(good * scale + shift, rest * scale + shift, classifier=classifier, rng=0)
    np.testing.assert_allclose(other(x * scale + shift), one, rtol=1e-9)


def test_points_far_outside_are_moved_to_the_edge():
    ratio = relative_density_ratio([0.0, 1.0, 2.0], [5.0, 8.0, 10.0], classifier=KDE())
    np.testing.assert_array_equal(ratio([-0.5, 10.5]), ratio([-1e6, 1e6]))
    assert ratio([-0.4])[0] != ratio([-0.5])[0]


def test_a_column_of_one_value_is_no_obstacle():
    rng = np.random.default_rng(0)
    good, rest = np.column_stack([rng.normal(1, 1, 50), np.full(50, 7.0)]), np.full((50, 2), 7.0)
    rest[:, 0] = rng.normal(-1, 1, 50)
    values = relative_density_ratio(good, rest, classifier=KDE())([[1.0, 7.0], [-1.0, 7.0]])
    assert values[0] > values[1]


def test_sizes_that_match_gamma_need_no_weights():
    # 0.3 * 10 / 3 is not 1 in floating point, and an estimator without weights would be refused
    ratio = relative_density_ratio(
        np.arange(3.0), np.arange(7.0), gamma=0.1 * 3, classifier=SklearnClassifier(KNeighborsClassifier(1))
    )
    assert ratio([0.0]).shape == (1,)


def test_a_seed_and_a_generator_make_it_repeatable():
    good, rest = toy(0, n=100)
    one, same, generator = (
        relative_density_ratio(good, rest, classifier=Forest(n_trees=5), rng=rng)(GRID)
        for rng in (3, 3, np.random.default_rng(3))
    )
    np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(one, generator)


def test_scores_that_are_no_probabilities_are_refused_and_calibration_helps():
    good, rest = toy(0, n=200)
    margin = SklearnClassifier(RidgeClassifier())
    ratio = relative_density_ratio(good, rest, classifier=margin)
    with pytest.raises(ClassifierError, match=r"must be probabilities.*RidgeClassifier.*Calibrated\(\.\.\.\)"):
        ratio(GRID)
    assert relative_density_ratio(good, rest, classifier=Calibrated(margin), rng=0)(GRID).max() <= 4


@pytest.mark.parametrize(
    ("good", "rest", "gamma", "message"),
    [
        ([], [1.0], None, "`good` must hold at least one point"),
        ([1.0], np.empty((0, 1)), None, "`rest` must hold at least one point"),
        ([[[1.0]]], [1.0], None, r"`good` must have shape \(n,\) or \(n, d\). Got \(1, 1, 1\)"),
        (1.0, [1.0], None, r"`good` must have shape \(n,\) or \(n, d\). Got \(\)"),
        ([[1.0, 2.0]], [1.0], None, "`rest` must have as many columns as `good`, 2. Got 1"),
        ([1.0, math.nan], [1.0], None, "`good` must be finite. Got nan"),
        ([1.0], [math.inf], None, "`rest` must be finite. Got inf"),
        (["one"], [1.0], None, "`good` must be an array of real numbers. Got \\['one'\\]"),
        ([1.0], [2.0], 0.0, "`gamma` must be strictly between 0 and 1, or None. Got 0.0"),
        ([1.0], [2.0], 1, "`gamma` must be strictly between 0 and 1, or None. Got 1"),
        ([1.0], [2.0], "a third", "`gamma` must be strictly between 0 and 1, or None. Got 'a third'"),
    ],
)
def test_bad_samples_and_gammas_are_refused(good, rest, gamma, message):
    with pytest.raises(ClassifierError, match=message):
        relative_density_ratio(good, rest, gamma=gamma, classifier=KDE())


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[1.0, 2.0]], r"`x` must have shape \(n,\) or \(n, 1\). Got \(1, 2\)"),
        (1.0, r"`x` must have shape \(n,\) or \(n, 1\). Got \(\)"),
        ([math.nan], "`x` must be finite. Got nan"),
    ],
)
def test_bad_points_are_refused(x, message):
    ratio = relative_density_ratio([1.0, 2.0], [3.0, 4.0], classifier=KDE())
    with pytest.raises(ClassifierError, match=message):
        ratio(x)
