"""Losses whose minimum is a density ratio: their table, their slopes, and what models with them learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.labels import plain

from auger.classifiers import MLP, Boosting
from auger.classifiers.losses import LOSSES, sigmoid
from auger.errors import ClassifierError, RecipeError
from auger.recipes import as_recipe
from auger.space import Categorical, Space

# The table of the module in plain numbers: phi, its slope, and the costs of a good and of another example, of u.
TABLE = {
    "log": (
        lambda u: u * np.log(u) - (1 + u) * np.log(1 + u),
        lambda u: np.log(u) - np.log(1 + u),
        lambda u: np.log(1 + 1 / u),
        lambda u: np.log(1 + u),
    ),
    "exponential": (lambda u: -2 * np.sqrt(u), lambda u: -1 / np.sqrt(u), lambda u: 1 / np.sqrt(u), np.sqrt),
    "kliep": (lambda u: u * np.log(u) - u, np.log, lambda u: -np.log(u), lambda u: u),
    "lsif": (lambda u: u**2 / 2, lambda u: u, lambda u: -u, lambda u: u**2 / 2),
}
log_odds = st.floats(-4, 4)
names = pytest.mark.parametrize("name", TABLE)


def test_every_loss_is_in_the_table():
    assert list(LOSSES) == list(TABLE)


def slope_at(name, s, target):
    return LOSSES[name].slope(np.array([s]), np.array([float(target)]))[0]


@names
@given(s=log_odds)
def test_slopes_are_those_of_the_costs(name, s):
    _, _, good, other = TABLE[name]
    for target, cost in ((1, good), (0, other)):
        numeric = (cost(np.exp(s + 1e-6)) - cost(np.exp(s - 1e-6))) / 2e-6
        assert slope_at(name, s, target) == pytest.approx(numeric, rel=1e-5, abs=1e-8)


@names
@given(s=log_odds)
def test_values_are_the_costs(name, s):
    _, _, good, other = TABLE[name]
    value = LOSSES[name].value(np.array([s, s]), np.array([1.0, 0.0]))
    np.testing.assert_allclose(value, [good(np.exp(s)), other(np.exp(s))], rtol=1e-9, atol=1e-12)


@names
@given(s=log_odds)
def test_the_curvature_is_the_mean_second_derivative_where_the_estimate_is_right(name, s):
    p = sigmoid(np.array([s]))[0]
    second = [(slope_at(name, s + 1e-5, target) - slope_at(name, s - 1e-5, target)) / 2e-5 for target in (1, 0)]
    curvature = LOSSES[name].curvature(np.array([s]))[0]
    assert curvature == pytest.approx(p * second[0] + (1 - p) * second[1], rel=1e-4)
    assert curvature > 0


@names
@given(good=st.floats(0.01, 100), other=st.floats(0.01, 100))
def test_the_slope_is_0_at_the_odds_of_the_masses(name, good, other):
    s = np.log(good / other)
    scale = abs(good * slope_at(name, s, 1))
    assert good * slope_at(name, s, 1) + other * slope_at(name, s, 0) == pytest.approx(0.0, abs=1e-9 * scale)


@names
@given(s=log_odds, right=log_odds)
def test_the_cost_beyond_the_least_is_a_bregman_divergence_of_the_odds(name, s, right):
    phi, phi_slope, good, other = TABLE[name]
    u, o = np.exp(s), np.exp(right)
    cost = lambda u: o * good(u) + other(u)  # noqa: E731  (per example of the rest)
    divergence = phi(o) - phi(u) - phi_slope(u) * (o - u)
    assert cost(u) - cost(o) == pytest.approx(divergence, rel=1e-6, abs=1e-9)
    assert divergence >= -1e-9


@pytest.mark.parametrize("s", [-1e9, -800.0, 800.0, 1e9])
@names
def test_no_log_odds_overflow(name, s):
    assert np.isfinite([slope_at(name, s, 0), slope_at(name, s, 1), LOSSES[name].curvature(np.array([s]))[0]]).all()


# Shares of good rows in four cells, which any model with any of the losses must find.
SHARES = np.array([0.1, 0.3, 0.5, 0.8])
CELLS = Space({"cell": Categorical(["a", "b", "c", "d"])})


@pytest.mark.parametrize(
    ("make", "n_fits"),
    [(lambda loss: MLP(loss=loss, n_steps=600, batch_size=400, learning_rate=0.01), 3), (Boosting, 1)],
    ids=["mlp", "boosting"],
)
@names
def test_models_learn_the_share_of_good_rows_with_every_loss(name, make, n_fits):
    code = np.repeat(np.arange(4.0), 100)
    z = np.concatenate([np.arange(100) < 100 * share for share in SHARES])
    score = None
    for k in range(n_fits):
        rng = np.random.default_rng(k)
        score = make(loss=name).fit(code[:, None], plain(z), space=CELLS, rng=rng, previous=score)
    np.testing.assert_allclose(score(np.arange(4.0)[:, None]), SHARES, atol=0.03)


def test_a_loss_is_an_option_of_recipes_with_networks_and_xgboost():
    assert as_recipe("bore-mlp loss=kliep").classifier == MLP(loss="kliep")
    assert as_recipe("lfbo-xgb loss=lsif ensemble=2").classifier.classifier == Boosting(loss="lsif")
    assert as_recipe("bore-xgb loss=log").name == "bore-xgb"


@pytest.mark.parametrize("make", [MLP, Boosting])
def test_an_unknown_loss_is_refused(make):
    with pytest.raises(ClassifierError, match="`loss` of an? .* must be the name of a loss. Got 'kleip'. Did you mean"):
        make(loss="kleip")
    with pytest.raises(RecipeError, match="`loss` is for networks and XGBoost. Got it with Forest"):
        as_recipe("bore-rf loss=kliep")
