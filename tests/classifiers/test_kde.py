import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gaussian_kde, norm
from support.labels import KERNEL, LINE, labels_of, plain

from auger.classifiers import kde
from auger.classifiers.kde import KDE, parzen
from auger.errors import ClassifierError
from auger.space import Categorical, Float, Space


def fit(X, labels, space, **settings):
    return KDE(**settings).fit(np.asarray(X, dtype=float), labels, space=space, rng=np.random.default_rng(0))


def density(X, weight, space, at, *, min_bandwidth=1e-3):
    X, weight, at = (np.asarray(array, dtype=float) for array in (X, weight, at))
    return np.exp(parzen(X, weight, space=space, min_bandwidth=min_bandwidth).log_density(at))


def test_one_column_agrees_with_scipy():
    rng = np.random.default_rng(0)
    x, weight, at = rng.random(40), rng.random(40), np.linspace(0, 1, 50)
    mean = np.average(x, weights=weight)
    spread = math.sqrt(np.average((x - mean) ** 2, weights=weight))
    bandwidth = 1.06 * spread * (weight.sum() ** 2 / (weight**2).sum()) ** (-1 / 5)
    # SciPy's factor is in units of its own, unbiased, standard deviation
    scipy = gaussian_kde(x, weights=weight)
    scipy.set_bandwidth(bandwidth / math.sqrt(np.cov(x, aweights=weight)))
    np.testing.assert_allclose(density(x[:, None], weight, LINE, at[:, None]), scipy(at), rtol=1e-10)


def test_the_score_agrees_with_the_formula_written_out():
    rng = np.random.default_rng(1)
    space = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)})
    X, at, z = rng.random((30, 2)), rng.random((20, 2)), np.arange(30) < 10

    def mixture(rows):
        h = 1.06 * rows.std(axis=0) * len(rows) ** (-1 / 6)
        return np.array([norm.pdf(x, rows, h).prod(axis=1).mean() for x in at])

    good, rest = mixture(X[z]), mixture(X[~z])
    expected = good / 3 / (good / 3 + rest * 2 / 3)
    np.testing.assert_allclose(fit(X, plain(z), space)(at), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("choices", "good", "rest", "expected"),
    [
        # four rows each, so lam = (k - 1) / k / 2. k = 2: 3/4 on a match and 1/4 otherwise.
        # l = (10, 6) / 16 and g = (4, 12) / 16
        ("ab", "aaab", "bbbb", [10 / 14, 6 / 18]),
        # k = 3: 4/6 on a match and 1/6 otherwise. l = (10, 7, 7) / 24 and g = (4, 16, 4) / 24
        ("abc", "aabc", "bbbb", [10 / 14, 7 / 23, 7 / 11]),
    ],
)
def test_choices_score_as_worked_out_by_hand(choices, good, rest, expected):
    space = Space({"c": Categorical(tuple(choices))})
    X = space.encode([{"c": c} for c in good + rest])
    score = fit(X, plain(np.arange(8) < 4), space)
    np.testing.assert_allclose(score(space.enumerate()), expected, rtol=1e-12)


def test_inactive_entries_score_as_worked_out_by_hand():
    # four rows, one ordered column: lam = 1/2 * 4^(-2/5). One row is active in degree: it has the uniform spread.
    X = np.array([[0.0, np.nan], [0.0, np.nan], [0.0, np.nan], [1.0, 0.4]])
    lam = 0.5 * 4 ** (-2 / 5)
    h = 1.06 / math.sqrt(12)
    rbf = (3 * (1 - lam) + lam) / 4  # the row with a degree is integrated over it
    poly = (3 * lam + (1 - lam) * norm.pdf(0.7, 0.4, h)) / 4  # the rows without one are uniform over it
    np.testing.assert_allclose(density(X, np.ones(4), KERNEL, [[0.0, np.nan], [1.0, 0.7]]), [rbf, poly], rtol=1e-12)


@given(
    rows=st.lists(st.integers(0, 11), min_size=1, max_size=8),
    weight=st.lists(st.floats(1e-6, 1e6), min_size=8, max_size=8),
)
def test_a_density_over_choices_sums_to_one_also_when_they_are_conditional(rows, weight):
    space = Space(
        {
            "a": ["p", "q", "r"],
            "b": Categorical(("u", "v", "w"), when={"a": "p"}),
            "c": Categorical((1, 2), when={"b": ["u", "w"]}),
            "one": Categorical(("only",)),
            "d": Categorical((1, 2, 3, 4), when={"a": "q"}),
        }
    )
    members = space.enumerate()
    X = members[np.array(rows) % len(members)]
    np.testing.assert_allclose(density(X, weight[: len(X)], space, members).sum(), 1.0, rtol=1e-9)


def test_a_density_over_a_conditional_number_integrates_to_one():
    X = np.array([[0.0, np.nan], [1.0, 0.45], [1.0, 0.5], [1.0, 0.55]])
    grid = np.linspace(0, 1, 2001)
    poly = density(X, np.ones(4), KERNEL, np.column_stack([np.ones(2001), grid]))
    rbf = density(X, np.ones(4), KERNEL, [[0.0, np.nan]])
    np.testing.assert_allclose(rbf[0] + poly[:-1].mean(), 1.0, rtol=1e-3)


def test_far_from_all_rows_the_score_is_still_a_probability():
    # warnings are errors here, so this also says that nothing overflows
    X = np.array([[0.0], [1e-9], [0.001], [0.0011]])
    score = fit(X, plain([True, True, False, False]), LINE)
    at = np.linspace(0, 1, 101)[:, None]
    assert np.isfinite(score(at)).all()
    assert ((score(at) >= 0) & (score(at) <= 1)).all()


def test_rows_that_agree_get_the_least_bandwidth():
    at = np.array([0.49, 0.5, 0.515])
    expected = norm.pdf(at, 0.5, 0.01)
    np.testing.assert_allclose(
        density(np.full((3, 1), 0.5), np.ones(3), LINE, at[:, None], min_bandwidth=0.01), expected, rtol=1e-10
    )


def test_a_single_row_has_the_spread_of_the_uniform_prior():
    at = np.array([0.0, 0.2, 1.0])
    expected = norm.pdf(at, 0.2, 1.06 / math.sqrt(12))
    np.testing.assert_allclose(density([[0.2]], [1.0], LINE, at[:, None]), expected, rtol=1e-10)


def test_one_row_of_choices_says_nothing():
    space = Space({"c": ["a", "b", "c"]})
    np.testing.assert_allclose(density([[1.0]], [1.0], space, space.enumerate()), 1 / 3, rtol=1e-12)


def test_distant_rows_of_little_mass_lose_no_digits():
    # the center is near 0, so the row at 1 lies a thousand bandwidths out
    X, weight = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 1.0, 1e-9])
    expected = 1e-9 / (2 + 1e-9) * norm.pdf(0.0, 0.0, 1e-3)
    np.testing.assert_allclose(density(X, weight, LINE, [[1.0]]), expected, rtol=1e-8)


def test_the_score_depends_on_shares_of_mass_and_not_on_its_unit():
    rng = np.random.default_rng(2)
    X, mass = rng.random((12, 1)), rng.random(12)
    good = np.where(np.arange(12) < 4, mass, 0.0)
    one = fit(X, labels_of(good, mass), LINE)(X)
    np.testing.assert_allclose(fit(X, labels_of(good * 7, mass * 7), LINE)(X), one, rtol=1e-10)


def test_a_good_row_of_more_mass_pulls_the_score_its_way():
    X, rest = np.array([[0.2], [0.8], [0.1], [0.5], [0.9]]), [0, 0, 1, 1, 1]
    low = fit(X, labels_of([5, 1, 0, 0, 0], rest), LINE)(X[:2])
    high = fit(X, labels_of([1, 5, 0, 0, 0], rest), LINE)(X[:2])
    assert low[0] > high[0] and low[1] < high[1]


def test_scoring_in_pieces_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    X, at = rng.random((20, 1)), rng.random((7, 1))
    score = fit(X, plain(np.arange(20) < 5), LINE)
    whole = score(at)
    monkeypatch.setattr(kde, "_PAIRS", 3)
    np.testing.assert_allclose(score(at), whole, rtol=1e-12)


def test_no_rows_have_no_scores():
    assert fit([[0.1], [0.9]], plain([True, False]), LINE)(np.empty((0, 1))).shape == (0,)


@pytest.mark.parametrize("value", [0.0, -1.0, 1e-9, math.inf, math.nan, True, "wide", None])
def test_a_bandwidth_that_is_none_is_refused(value):
    with pytest.raises(ClassifierError, match="`min_bandwidth` of KDE must be a finite number"):
        KDE(min_bandwidth=value)
