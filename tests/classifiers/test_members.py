"""Members that stand for the posterior of a network, and what is made of their answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.labels import LINE, plain

from auger.classifiers import MLP
from auger.classifiers import networks as nn
from auger.classifiers.losses import LOSSES, sigmoid
from auger.classifiers.members import ACQUISITIONS, POSTERIORS, varied
from auger.errors import ClassifierError

logits = st.lists(st.floats(-6, 6), min_size=1, max_size=5).map(lambda row: np.array(row)[:, None])
X = np.linspace(0.02, 0.98, 60)[:, None]
GOOD = (X[:, 0] > 0.3) & (X[:, 0] < 0.5)


def fit(n_fits=10, seed=0, **settings):
    score = None
    for k in range(n_fits):
        rng = np.random.default_rng([seed, k])
        score = MLP(**settings).fit(X, plain(GOOD), space=LINE, rng=rng, previous=score)
    return score


@pytest.mark.parametrize("name", ACQUISITIONS)
@given(logits)
def test_the_logit_is_that_of_the_probability_and_has_its_slopes(name, logit):
    acquisition = ACQUISITIONS[name]
    height, share = acquisition.logit(logit)
    p = acquisition.probability(logit)
    np.testing.assert_allclose(sigmoid(height), p, rtol=1e-9)
    if logit.std() < 1e-3:
        return  # where all agree the standard deviation has a kink
    for k in range(len(logit)):
        step = np.zeros_like(logit)
        step[k] = 1e-6
        numeric = (acquisition.logit(logit + step)[0] - acquisition.logit(logit - step)[0]) / 2e-6
        np.testing.assert_allclose(share[k], numeric, rtol=1e-4, atol=1e-5)


@given(logits)
def test_the_upper_bound_is_above_the_mean_of_logits_by_their_standard_deviation(logit):
    height, _ = ACQUISITIONS["upper"].logit(logit)
    assert height[0] == pytest.approx(np.mean(logit) + np.std(logit))


def test_a_thompson_sample_is_one_member_and_another_in_the_next_fit():
    theta = np.arange(12.0).reshape(4, 3)
    members = nn.Networks((2, 1), "elu", theta, theta, theta, 0)
    choose = ACQUISITIONS["thompson"].choose
    chosen = {choose(members, np.random.default_rng(seed)).theta.tobytes() for seed in range(40)}
    assert chosen == {row.tobytes() for row in theta}


def test_dropout_keeps_the_mean_of_what_enters_a_layer():
    sizes, rng = (3, 50, 40, 1), np.random.default_rng(0)
    masks = nn.dropout_mask(sizes, 0.2, rng.spawn(400))
    layers = nn.layers_of(masks, sizes)
    assert (layers[0][0] == 1.0).all() and all((b == 1.0).all() for _, b in layers)
    for W, _ in layers[1:]:
        assert set(np.unique(W)) == {0.0, 1.25}
        assert (W[:, :, :1] == W).all(), "a unit is left out for all units of the next layer"
        assert W.mean() == pytest.approx(1.0, abs=0.02)


def test_laplace_samples_have_the_covariance_of_a_logistic_regression_on_the_last_layer():
    networks = fit().networks
    outputs, s = nn.forward(nn.layers_of(networks.theta, networks.sizes), X[None], nn.ACTIVATIONS["elu"])
    features = np.column_stack([outputs[-1][0], np.ones(len(X))])
    p, weight = sigmoid(s[0]), np.linspace(0.5, 2.0, len(X))
    covariance = np.linalg.inv(
        sum(w * q * (1 - q) * np.outer(h, h) for w, q, h in zip(weight, p, features, strict=True)) + np.eye(33)
    )
    members = POSTERIORS["laplace"].sample(networks, X, weight, 40_000, np.random.default_rng(0))
    off = members.theta - networks.theta
    assert not off[:, :-33].any()
    np.testing.assert_allclose(off[:, -33:].mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(np.cov(off[:, -33:].T), covariance, atol=0.03)


@pytest.mark.parametrize("posterior", ["dropout", "laplace"])
def test_members_disagree_more_where_there_is_no_data(posterior):
    far = np.abs(X[:, 0] - 0.4) > 0.35

    def spread(score, rows):
        V = rows[None]
        logit = nn.forward(nn.layers_of(score.members.theta, score.members.sizes), V, nn.ACTIVATIONS["elu"])[1]
        return logit.std(axis=0).mean()

    score = None
    for k in range(10):
        rng = np.random.default_rng(k)
        settings = MLP(posterior=posterior, n_samples=64)
        score = settings.fit(X[~far], plain(GOOD[~far]), space=LINE, rng=rng, previous=score)
    assert len(score.members.theta) == 64
    assert spread(score, X[far]) > spread(score, X[~far])


@pytest.mark.parametrize(
    "settings",
    [
        {"posterior": "dropout"},
        {"posterior": "laplace"},
        {"n_networks": 3, "is_varied": True},
        {"n_networks": 3, "acquisition": "upper"},
        {"posterior": "laplace", "acquisition": "upper"},
        {"posterior": "dropout", "acquisition": "thompson"},
    ],
    ids=str,
)
def test_all_kinds_of_members_learn_where_the_good_rows_are(settings):
    score = fit(20, learning_rate=0.01, **settings)
    p = score(X)
    assert p[GOOD].mean() > p[~GOOD].mean() + 0.3
    height, slope = score.ascent(X)
    np.testing.assert_allclose(sigmoid(height), p, rtol=1e-9)
    numeric = (score.ascent(X + 1e-6)[0] - score.ascent(X - 1e-6)[0]) / 2e-6
    np.testing.assert_allclose(slope[:, 0], numeric, rtol=1e-3, atol=1e-3)


def test_varied_networks_have_rates_and_decays_of_their_own_that_cover_the_ranges():
    for n in (1, 2, 5, 10):
        rates, decays = varied(0.01, n)
        assert rates.shape == decays.shape == (n, 1)
        assert len(np.unique(rates)) == len(np.unique(decays.round(12))) == n
        assert rates.min() >= 0.01 / 3 and rates.max() <= 0.03
        assert decays.min() >= 1e-6 and decays.max() <= 1e-2


def test_weight_decay_makes_weights_small():
    batch = nn.Batch(X[None], GOOD[None].astype(float), np.ones((1, len(X))))
    start = nn.initial((1, 8, 1), "elu", np.random.default_rng(0).spawn(1))
    free, small = (
        np.abs(nn.trained(start, [batch] * 300, LOSSES["log"], learning_rate=0.01, decay=decay).theta).sum()
        for decay in (0.0, 1.0)
    )
    assert small < 0.2 * free


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"posterior": "bayes"},
            "`posterior` of an MLP must be one of these names. Got 'bayes'. Known: 'none', 'dropout",
        ),
        ({"acquisition": "uper"}, "`acquisition` of an MLP must be one of .* Got 'uper'. Did you mean 'upper'"),
        ({"n_samples": 1}, "`n_samples` of an MLP must be a whole number of at least 2. Got 1"),
        ({"is_varied": "yes"}, "`is_varied` of an MLP must be True or False. Got 'yes'"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ClassifierError, match=message):
        MLP(**settings)
