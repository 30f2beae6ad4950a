"""What the paper derives and our code relies on, checked with numbers: sections 2 and 3, appendices A to D."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from auger.classifiers import networks as nn
from auger.classifiers.losses import LOSSES, sigmoid
from auger.density_ratio import relative_of_ordinary
from auger.history import History
from auger.labels import label
from auger.space import Space

X = np.linspace(-4.0, 4.0, 9)
shares = st.floats(0.05, 0.95)


def good(x):
    return norm.pdf(x, 1, 0.5)


def rest(x):
    return norm.pdf(x, 0, 2)


def improvement_of_halves(x, gamma, good_of_value):
    """E[max(tau - y, 0) | x] where y is normal, x of the rest has the density `rest`, and x of y <= tau its own."""
    tau = norm.ppf(gamma)
    joint = lambda y: good_of_value(x, y) * norm.pdf(y)  # noqa: E731
    p_good = quad(joint, -8, tau)[0]
    return quad(lambda y: (tau - y) * joint(y), -8, tau)[0] / (p_good + (1 - gamma) * rest(x))


@given(gamma=shares)
def test_expected_improvement_is_proportional_to_the_relative_ratio_where_only_the_side_of_tau_matters(gamma):
    """Equations 5, 6 and 11, appendix A: the assumption of TPE, which has one density for all good values."""
    improvement = np.array([improvement_of_halves(x, gamma, lambda x, y: good(x)) for x in X])
    ratio = relative_of_ordinary(good(X) / rest(X), gamma)
    np.testing.assert_allclose(improvement / improvement.max(), ratio / ratio.max(), rtol=1e-6, atol=1e-9)


def test_expected_improvement_is_not_proportional_to_it_where_the_best_values_are_elsewhere():
    """Why `weights="improvement"` exists: what is a little better than tau counts as much as what is far better."""
    x, gamma = np.array([-1.0, 1.0]), 1 / 3
    best = norm.ppf(gamma / 10)
    of_value = lambda x, y: norm.pdf(x, 1, 0.5) if y <= best else norm.pdf(x, -1, 0.5)  # noqa: E731
    improvement = [improvement_of_halves(each, gamma, of_value) for each in x]
    l_of_x = 0.1 * norm.pdf(x, 1, 0.5) + 0.9 * norm.pdf(x, -1, 0.5)
    ratio = relative_of_ordinary(l_of_x / rest(x), gamma)
    assert ratio[0] / ratio[1] > 1.5 * improvement[0] / improvement[1]


@given(
    values=st.lists(st.tuples(st.sampled_from("pqr"), st.integers(-50, 50)), min_size=4, max_size=30),
    gamma=shares,
)
def test_improvement_weights_make_the_odds_proportional_to_the_expected_improvement(values, gamma):
    """Section A of the map: per choice, the mass of good over that of the rest is the mean improvement."""
    history = History(Space({"c": list("pqr")}))
    for choice, value in values:
        history.finish(history.start({"c": choice}).number, value=float(value))
    labels = label(history, gamma=gamma, weights="improvement")
    improvement = np.where(labels.z, np.maximum(labels.tau - labels.y, 0.0), 0.0)
    if not improvement.any():
        return  # all good values tie with tau: they count alike
    members = [np.array([choice == each for choice, _ in values]) for each in {choice for choice, _ in values}]
    expected = np.array([improvement[rows].mean() for rows in members])
    odds = np.array([labels.positive[rows].sum() / labels.negative[rows].sum() for rows in members])
    # a good value that ties with tau keeps a hundred-thousandth of the largest weight
    np.testing.assert_allclose(odds / odds.max(), expected / expected.max(), atol=1e-3)


@given(gamma=shares)
def test_bayes_rule_makes_the_class_probability_gamma_times_the_relative_ratio(gamma):
    """Equations 4, 7 and 8, appendix C, both ways to the same result."""
    p_good, p_rest = gamma * good(X), (1 - gamma) * rest(X)
    pi = p_good / (p_good + p_rest)
    by_bayes = (pi / gamma) / (gamma * pi / gamma + (1 - gamma) * (1 - pi) / (1 - gamma))  # equation 7
    np.testing.assert_allclose(by_bayes, pi / gamma)
    np.testing.assert_allclose(by_bayes, good(X) / (gamma * good(X) + (1 - gamma) * rest(X)))
    ordinary = (1 - gamma) / gamma * pi / (1 - pi)
    np.testing.assert_allclose(relative_of_ordinary(ordinary, gamma), pi / gamma)


@pytest.mark.parametrize("gamma", [0.1, 1 / 3, 0.5])
def test_the_expected_log_loss_is_least_at_gamma_times_the_relative_ratio(gamma):
    """Equations 10 and 12, appendix D.1: at each x, by search over all log-odds."""
    s = np.linspace(-12, 12, 240_001)
    loss = LOSSES["log"].value
    for x in X[2:7]:
        cost = gamma * good(x) * loss(s, np.ones_like(s)) + (1 - gamma) * rest(x) * loss(s, np.zeros_like(s))
        least = sigmoid(s[[cost.argmin()]])[0]
        assert least == pytest.approx(gamma * relative_of_ordinary(good(x) / rest(x), gamma), abs=1e-4)


@given(values=st.lists(st.floats(-5, 5), min_size=3, max_size=20), gamma=shares, seed=st.integers(0, 99))
def test_the_loss_that_is_minimized_is_that_of_the_expectations_with_the_share_of_good_as_balance(values, gamma, seed):
    """Equations 9 and 12, appendix D.2: a mean over all examples, or over each class, weighted by beta."""
    rng = np.random.default_rng(seed)
    history = History(Space({"x": (0.0, 1.0)}))
    for value in values:
        history.finish(history.start({"x": float(rng.random())}).number, value=value)
    labels = label(history, gamma=gamma)
    index, target, weight = labels.rows()
    s = rng.normal(size=len(values))[index]
    value = LOSSES["log"].value(s, target.astype(float)) * weight
    beta = labels.share
    assert beta == pytest.approx(np.mean(labels.z))
    assert value.mean() == pytest.approx(beta * value[target].mean() + (1 - beta) * value[~target].mean())
    # and its slope is what training takes: of a network that has nothing but a bias
    sizes = (1, 1)
    networks = nn.initial(sizes, "elu", rng.spawn(1))
    batch = nn.Batch(np.zeros((1, len(s), 1)), target[None].astype(float), weight[None])
    gradient = np.zeros_like(networks.theta)
    layers = nn.layers_of(networks.theta, sizes)
    nn.loss_gradient(layers, batch, nn.ACTIVATIONS["elu"], LOSSES["log"], into=nn.layers_of(gradient, sizes))
    assert gradient[0, 1] == pytest.approx(0.5 - beta)  # its logit is 0, so it says 1/2 where beta is right
