import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.neural_network import MLPClassifier

from auger.classifiers import networks as nn
from auger.classifiers.forest import Forest
from auger.classifiers.losses import LOSSES
from auger.classifiers.members import logit_of_mean
from auger.classifiers.mlp import MLP
from auger.classifiers.networks import n_epochs
from auger.errors import ClassifierError
from auger.labels import Kind, Labels
from auger.space import Float, Int, Space

SQUARE = Space({"a": (0.0, 1.0), "b": (0.0, 1.0)})
MIXED = Space(
    {
        "rate": Float(1e-4, 1.0, log=True),
        "kernel": ["rbf", "poly", "linear"],
        "degree": Int(2, 9, when={"kernel": "poly"}),
        "width": Float(0.1, 10.0, when={"kernel": ["rbf", "poly"]}),
        "solver": ["exact", "fast"],
        "tolerance": Float(0.0, 1.0, when={"solver": "fast"}),
    }
)


def _labels(z, positive=1.0, negative=1.0):
    z = np.asarray(z, dtype=bool)
    return Labels(z, np.where(z, 0.0, 1.0), 0.5, positive * z, negative * ~z)


def _data(space, n, seed=0):
    """Rows whose first parameter decides: the lowest quarter is good."""
    X = space.sample(n, np.random.default_rng(seed))
    return X, _labels(X[:, 0] <= np.quantile(X[:, 0], 0.25))


def _fit(classifier, X, labels, space, *, seed=0, previous=None):
    return classifier.fit(X, labels, space=space, rng=np.random.default_rng(seed), previous=previous)


def _loss(score, X, labels):
    index, target, weight = labels.rows()
    return log_loss(target, score(X)[index], sample_weight=weight)


def _parameters(score):
    networks = score.networks
    return [networks.theta, networks.mean, networks.square]


# -- gradients ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_networks", [1, 3])
@pytest.mark.parametrize("activation", ["elu", "relu", "tanh"])
def test_the_gradient_agrees_with_finite_differences_where_a_parameter_is_ordered_and_active(activation, n_networks):
    X, labels = _data(MIXED, 60)
    score = _fit(MLP(activation=activation, n_networks=n_networks), X, labels, MIXED)
    _, gradient = score.ascent(X)
    h = 1e-6
    expected = np.zeros_like(X)
    for j in np.flatnonzero(MIXED.is_ordered):
        step = h * np.eye(len(MIXED))[j]
        difference = (score.ascent(X + step)[0] - score.ascent(X - step)[0]) / (2 * h)
        expected[:, j] = np.where(np.isnan(X[:, j]), 0.0, difference)
    np.testing.assert_allclose(gradient, expected, atol=1e-7)


def test_choices_and_inactive_parameters_have_gradient_zero_and_the_others_do_not():
    X, labels = _data(MIXED, 60)
    _, gradient = _fit(MLP(), X, labels, MIXED).ascent(X)
    moves = MIXED.is_ordered & ~np.isnan(X)
    np.testing.assert_array_equal(gradient != 0.0, moves)


@pytest.mark.parametrize("n_networks", [1, 3])
def test_what_is_ascended_is_the_logit_of_the_score(n_networks):
    X, labels = _data(MIXED, 60)
    score = _fit(MLP(n_networks=n_networks), X, labels, MIXED)
    probability = score(X)
    np.testing.assert_allclose(score.ascent(X)[0], np.log(probability / (1.0 - probability)), atol=1e-12)


@pytest.mark.parametrize("activation", ["elu", "relu", "tanh"])
def test_the_gradient_of_the_loss_agrees_with_finite_differences_of_the_log_loss_of_scikit_learn(activation):
    rng = np.random.default_rng(1)
    sizes, n_rows, n_networks = (2, 3, 2, 1), 7, 2
    start = nn.initial(sizes, activation, rng.spawn(n_networks))
    theta = start.theta + 0.3 * rng.normal(size=start.theta.shape)  # biases that are not 0
    target = np.array([[1, 0, 0, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1, 1]], dtype=np.float64)
    batch = nn.Batch(rng.random((n_networks, n_rows, 2)), target, rng.uniform(0.2, 3.0, size=(n_networks, n_rows)))
    gradient = np.empty_like(theta)
    function = nn.ACTIVATIONS[activation]
    nn.loss_gradient(nn.layers_of(theta, sizes), batch, function, LOSSES["log"], into=nn.layers_of(gradient, sizes))

    def mean_loss(theta, k):
        _, logit = nn.forward(nn.layers_of(theta, sizes), batch.X, function)
        probability = 1.0 / (1.0 + np.exp(-logit[k]))
        return log_loss(batch.target[k], probability, sample_weight=batch.weight[k], normalize=False) / n_rows

    expected = np.empty_like(theta)
    h = 1e-6
    for k, i in np.ndindex(theta.shape):
        step = np.zeros_like(theta)
        step[k, i] = h
        expected[k, i] = (mean_loss(theta + step, k) - mean_loss(theta - step, k)) / (2 * h)
    np.testing.assert_allclose(gradient, expected, atol=1e-8)


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        ([0.0, 0.0], 0.0),
        ([800.0, 800.0, 800.0], 800.0),
        ([-800.0, -800.0], -800.0),
        ([900.0, -900.0], 0.0),  # 1 and 0: the mean is a half
        ([1000.0, 3000.0], 1000.0 + np.log(2.0)),  # 1 - mean = exp(-1000) / 2
        ([-1000.0, -3000.0], -1000.0 - np.log(2.0)),
        ([np.log(3.0), -np.log(3.0), np.log(3.0)], np.log(7.0 / 5.0)),  # (3/4 + 1/4 + 3/4) / 3 = 7/12
    ],
)
def test_the_logit_of_a_mean_probability_is_right_where_probabilities_are_0_or_1(logits, expected):
    value, _ = logit_of_mean(np.array(logits)[:, None])
    assert value[0] == pytest.approx(expected, rel=1e-14, abs=1e-14)


# -- how long -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rows", "n_steps", "batch_size", "expected"),
    [
        (512, 800, 64, 100),  # the paper's example
        (1, 800, 64, 800),  # "for all 0 < N <= B": the paper's other example
        (64, 800, 64, 800),
        (65, 800, 64, 400),
        (64, 100, 64, 100),
        (65, 100, 64, 50),
        (129, 100, 64, 33),  # three batches: 33 passes are 99 steps
        (6400, 100, 64, 1),
        (6401, 100, 64, 0),  # 101 batches do not fit
    ],
)
def test_the_number_of_epochs_is_that_of_the_paper(n_rows, n_steps, batch_size, expected):
    assert n_epochs(n_rows, n_steps=n_steps, batch_size=batch_size) == expected


@given(n_rows=st.integers(1, 10**6), n_steps=st.integers(1, 10**4), batch_size=st.integers(1, 10**4))
def test_one_epoch_more_would_not_fit_into_the_steps(n_rows, n_steps, batch_size):
    epochs = n_epochs(n_rows, n_steps=n_steps, batch_size=batch_size)
    n_batches = len(range(0, n_rows, batch_size))
    assert epochs * n_batches <= n_steps < (epochs + 1) * n_batches


def _batches(n, *, n_steps, batch_size, n_networks=1):
    """The row numbers (K, B) of each batch."""
    rngs = np.random.default_rng(0).spawn(n_networks)
    view = np.arange(n, dtype=np.float64)[:, None]
    batches = nn.batches_of(view, np.ones(n, bool), np.ones(n), n_steps=n_steps, batch_size=batch_size, rngs=rngs)
    return [batch.X[:, :, 0] for batch in batches]


def test_each_epoch_sees_each_example_once_in_an_order_of_its_own():
    batches = _batches(5, n_steps=7, batch_size=3)
    assert [batch.shape for batch in batches] == [(1, 3), (1, 2)] * 3
    epochs = [np.concatenate(batches[i : i + 2], axis=1)[0] for i in (0, 2, 4)]
    for epoch in epochs:
        assert sorted(epoch) == list(range(5))
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_each_network_is_shuffled_for_itself():
    first, second = np.concatenate(_batches(50, n_steps=5, batch_size=10, n_networks=2), axis=1)
    assert sorted(first) == sorted(second) == list(range(50))
    assert list(first) != list(second)


def test_with_too_many_examples_for_one_pass_a_random_part_is_seen_once():
    seen = np.concatenate(_batches(100, n_steps=3, batch_size=4), axis=1)[0]
    assert len(seen) == len(set(seen)) == 12
    assert sorted(seen) != list(range(12))


def test_a_row_that_is_an_example_of_both_classes_counts_twice():
    X, labels = _data(SQUARE, 50)
    both = replace(labels, negative=np.ones(50))  # 13 good rows and 50 of the rest: 63 examples
    settings = MLP(batch_size=60, n_steps=10)
    assert _fit(settings, X, labels, SQUARE).networks.n_taken == 10
    assert _fit(settings, X, both, SQUARE).networks.n_taken == 10  # 5 epochs of two batches
    assert _fit(replace(settings, n_steps=11), X, both, SQUARE).networks.n_taken == 10
    assert _fit(replace(settings, n_steps=11), X, labels, SQUARE).networks.n_taken == 11


# -- the networks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_layers", "expected"),
    [(1, 2 * 32 + 32 + 33), (2, 2 * 32 + 32 + 32 * 32 + 32 + 33), (3, 2 * (32 * 33) + 96 + 33)],
)
def test_there_are_exactly_as_many_hidden_layers_as_asked(n_layers, expected):
    X, labels = _data(SQUARE, 20)
    assert _fit(MLP(n_layers=n_layers), X, labels, SQUARE).networks.theta.shape == (1, expected)


@pytest.mark.parametrize(("n_parameters", "expected"), [(1, "elu"), (10, "elu"), (11, "relu")])
def test_the_activation_is_elu_up_to_ten_parameters_and_relu_above(n_parameters, expected):
    space = Space({f"x{j}": (0.0, 1.0) for j in range(n_parameters)})
    X, labels = _data(space, 20)
    assert _fit(MLP(n_steps=1), X, labels, space).networks.activation == expected


def test_choices_do_not_count_as_several_parameters_for_the_activation():
    space = Space({"a": (0.0, 1.0), "b": [f"choice {i}" for i in range(20)]})
    X, labels = _data(space, 20)
    assert _fit(MLP(n_steps=1), X, labels, space).networks.activation == "elu"


def test_weights_start_within_glorots_limits_and_biases_at_zero():
    started = nn.initial((5, 40, 30, 1), "elu", np.random.default_rng(0).spawn(20))
    limits = [np.sqrt(6 / 45), np.sqrt(6 / 70), np.sqrt(6 / 31)]
    for (W, b), limit in zip(nn.layers_of(started.theta, started.sizes), limits, strict=True):
        assert 0.99 * limit < np.abs(W).max() <= limit
        assert np.std(W) == pytest.approx(limit / np.sqrt(3), rel=0.05)
        assert not b.any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # that it stops early is the point
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_training_takes_the_same_steps_as_scikit_learn(activation):
    rng = np.random.default_rng(2)
    X, z, sizes = rng.random((50, 3)), rng.random(50) < 0.3, (3, 8, 5, 1)

    def sklearn_theta(learning_rate):
        model = MLPClassifier(
            sizes[1:-1],
            activation=activation,
            alpha=0.0,
            batch_size=20,
            learning_rate_init=learning_rate,
            max_iter=4,
            shuffle=False,
            random_state=0,
            epsilon=1e-7,
        ).fit(X, z)
        pairs = zip(model.coefs_, model.intercepts_, strict=True)
        return np.concatenate([part.ravel() for pair in pairs for part in pair])[None]

    start = sklearn_theta(1e-300)  # too small to move
    zeros = np.zeros_like(start)
    batches = [
        nn.Batch(X[None, i : i + 20], z[None, i : i + 20].astype(np.float64), np.ones((1, len(z[i : i + 20]))))
        for i in (0, 20, 40)  # the last one holds 10
    ]
    before = nn.Networks(sizes, activation, start, zeros, zeros, 0)
    trained = nn.trained(before, batches * 4, LOSSES["log"], learning_rate=0.01)
    assert np.abs(trained.theta - start).max() > 0.05
    np.testing.assert_allclose(trained.theta, sklearn_theta(0.01), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_rows", [40, 150])  # one batch, and three with shuffling
def test_networks_trained_together_equal_networks_trained_one_after_another(n_rows):
    X, labels = _data(MIXED, n_rows)
    rng = np.random.default_rng(7)
    alone = [MLP().fit(X, labels, space=MIXED, rng=rng) for _ in range(3)]  # spawns child 0, then 1, then 2
    together = _fit(MLP(n_networks=3), X, labels, MIXED, seed=7)
    expected = np.concatenate([score.networks.theta for score in alone])
    np.testing.assert_allclose(together.networks.theta, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together(X), np.mean([score(X) for score in alone], axis=0), rtol=0, atol=1e-12)


def test_networks_side_by_side_differ():
    X, labels = _data(SQUARE, 40)
    theta = _fit(MLP(n_networks=2), X, labels, SQUARE).networks.theta
    assert not np.isclose(theta[0], theta[1]).any()


# -- warm starts ----------------------------------------------------------------------------------------


def test_two_fits_of_100_steps_equal_one_of_200():
    X, labels = _data(SQUARE, 40)  # one batch, so no order to be drawn anew
    first = _fit(MLP(), X, labels, SQUARE)
    second = _fit(MLP(), X, labels, SQUARE, seed=1, previous=first)
    at_once = _fit(MLP(n_steps=200), X, labels, SQUARE)
    assert second.networks.n_taken == 200
    for continued, expected in zip(_parameters(second), _parameters(at_once), strict=True):
        np.testing.assert_array_equal(continued, expected)


@pytest.mark.parametrize("n_networks", [1, 3])
def test_a_warm_fit_goes_on_learning_and_leaves_the_previous_score_alone(n_networks):
    X, labels = _data(MIXED, 150)
    first = _fit(MLP(n_networks=n_networks), X, labels, MIXED)
    before = [array.copy() for array in _parameters(first)], _loss(first, X, labels)
    second = _fit(MLP(n_networks=n_networks), X, labels, MIXED, seed=1, previous=first)
    assert _loss(second, X, labels) < 0.9 * before[1]
    assert first.networks.n_taken == 99  # 33 epochs of three batches
    for array, old in zip(_parameters(first), before[0], strict=True):
        np.testing.assert_array_equal(array, old)


def test_what_a_fit_returns_cannot_be_written_to():
    X, labels = _data(SQUARE, 20)
    for array in _parameters(_fit(MLP(), X, labels, SQUARE)):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0


@pytest.mark.parametrize(
    "other",
    [MLP(n_units=16), MLP(n_layers=1), MLP(n_networks=2), MLP(activation="tanh"), Forest(n_trees=2)],
    ids=["width", "depth", "number", "activation", "another classifier"],
)
def test_a_previous_score_of_another_architecture_is_not_used(other):
    X, labels = _data(SQUARE, 30)
    previous = _fit(other, X, labels, SQUARE)
    score = _fit(MLP(), X, labels, SQUARE, seed=1, previous=previous)
    np.testing.assert_array_equal(score(X), _fit(MLP(), X, labels, SQUARE, seed=1)(X))


def test_a_previous_score_of_a_space_with_other_columns_is_not_used():
    previous = _fit(MLP(), *_data(SQUARE, 30), SQUARE)
    X, labels = _data(MIXED, 30)
    score = _fit(MLP(), X, labels, MIXED, seed=1, previous=previous)
    np.testing.assert_array_equal(score(X), _fit(MLP(), X, labels, MIXED, seed=1)(X))


def test_elu_by_default_continues_from_elu_by_name():
    X, labels = _data(SQUARE, 30)
    previous = _fit(MLP(activation="elu"), X, labels, SQUARE)
    assert _fit(MLP(), X, labels, SQUARE, previous=previous).networks.n_taken == 200


# -- less work per fit (appendix F) -----------------------------------------------------------------------


def test_an_emphasis_counts_new_examples_and_flipped_ones_so_many_times():
    X, labels = _data(SQUARE, 41)
    settings = MLP(emphasis=4.0)
    before = _fit(settings, X[:40], labels.take(np.arange(40)), SQUARE)
    flipped = labels.z.copy()
    flipped[7] = not flipped[7]
    score = _fit(settings, X, _labels(flipped), SQUARE, seed=1, previous=before)
    # by hand: the new row 40 and the row 7 whose class has changed weigh 4, the others 1
    weight = np.where(np.isin(np.arange(41), [7, 40]), 4.0, 1.0)
    by_hand = replace(_labels(flipped), positive=weight * flipped, negative=weight * ~flipped)
    expected = _fit(MLP(), X, by_hand, SQUARE, seed=1, previous=before)
    np.testing.assert_array_equal(score.networks.theta, expected.networks.theta)


def test_without_a_previous_fit_no_example_is_new():
    X, labels = _data(SQUARE, 40)
    plain, emphasized = (_fit(MLP(emphasis=emphasis), X, labels, SQUARE) for emphasis in (1.0, 4.0))
    np.testing.assert_array_equal(plain.networks.theta, emphasized.networks.theta)
    after_plain = _fit(MLP(emphasis=4.0), X, labels, SQUARE, seed=1, previous=plain)  # which remembers no examples
    np.testing.assert_array_equal(
        after_plain.networks.theta, _fit(MLP(), X, labels, SQUARE, seed=1, previous=plain).networks.theta
    )


def test_pending_trials_are_new_in_every_fit_and_get_no_emphasis():
    X, labels = _data(SQUARE, 41)
    before = _fit(MLP(emphasis=4.0), X[:40], labels.take(np.arange(40)), SQUARE)
    kind = np.where(np.arange(41) == 40, Kind.PENDING, Kind.FEASIBLE)
    pending = replace(_labels(np.where(np.arange(41) == 40, False, labels.z)), kind=kind)
    score, plain = (_fit(MLP(emphasis=e), X, pending, SQUARE, seed=1, previous=before) for e in (4.0, 1.0))
    np.testing.assert_array_equal(score.networks.theta, plain.networks.theta)


def test_an_emphasis_is_of_training_and_makes_no_posterior_narrower():
    X, labels = _data(SQUARE, 60)
    settings = MLP(emphasis=1e6, posterior="laplace", n_steps=1, learning_rate=1e-12, n_samples=200)
    before = _fit(settings, X[:40], labels.take(np.arange(40)), SQUARE)
    emphasized = _fit(settings, X, labels, SQUARE, previous=before)
    plain = _fit(replace(settings, emphasis=1.0), X, labels, SQUARE, previous=before)
    spread = [score.members.theta[:, -33:].std(axis=0) for score in (emphasized, plain)]
    np.testing.assert_allclose(spread[0], spread[1], rtol=1e-6)


@pytest.mark.parametrize("n_networks", [1, 3])
def test_patience_ends_fits_that_learn_nothing_more_and_none_that_learn(n_networks):
    X, labels = _data(SQUARE, 60)
    settings = MLP(patience=5, n_networks=n_networks)
    first = _fit(settings, X, labels, SQUARE)
    assert first.networks.n_taken == 100  # the loss falls all the time
    score, taken = first, []
    for seed in range(1, 40):
        previous, score = score, _fit(settings, X, labels, SQUARE, seed=seed, previous=score)
        taken.append(score.networks.n_taken - previous.networks.n_taken)
    assert min(taken) == taken[-1] == 6  # the first epoch sets the mark, and five are not below it
    assert _loss(score, X, labels) < 0.5 * _loss(first, X, labels)


@pytest.mark.parametrize(
    ("losses", "n_batches", "reached"),
    [
        ([1.0, 0.9, 0.8, 0.7], 1, None),
        ([1.0, 0.9995, 0.999], 1, 2),
        ([1.0, 1.1, 0.9, 1.0, 1.0], 1, 4),
        ([1.0, 0.0, 0.9, 0.2, 0.8, 0.3], 2, 5),  # epochs of 0.5, 0.55 and 0.55
        ([1.0, float("nan"), float("nan")], 1, 2),
    ],
)
def test_a_plateau_is_reached_when_epochs_in_a_row_are_not_lower(losses, n_batches, reached):
    plateau = nn.Plateau(2, n_batches)
    ends = [i for i, loss in enumerate(losses) if plateau.is_reached(loss)]
    assert ends[:1] == ([] if reached is None else [reached])


# -- learning -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "n_fits", "is_good"),
    [
        (MLP(), 30, lambda radius: radius < 0.25),  # a disc, with the paper's settings
        (MLP(activation="relu", learning_rate=0.01), 15, lambda radius: np.abs(radius - 0.3) < 0.08),  # a ring
    ],
    ids=["disc", "ring"],
)
def test_a_round_boundary_is_learned_by_warm_fits_and_not_by_the_first(settings, n_fits, is_good):
    X, unseen = (SQUARE.sample(n, np.random.default_rng(n)) for n in (200, 500))
    z, truth = (is_good(np.hypot(*(rows - 0.5).T)) for rows in (X, unseen))
    score, quality = None, []
    for seed in range(n_fits):
        score = _fit(settings, X, _labels(z), SQUARE, seed=seed, previous=score)
        quality.append(roc_auc_score(truth, score(unseen)))
    assert quality[0] < 0.8
    assert quality[-1] > 0.95


def test_the_score_estimates_the_probability_of_good():
    space = Space({"x": (0.0, 1.0)})
    rng = np.random.default_rng(3)
    X = space.sample(2000, rng)
    labels = _labels(rng.random(2000) < X[:, 0])  # P(z = 1 | x) = x
    score = None
    for seed in range(10):
        score = _fit(MLP(), X, labels, space, seed=seed, previous=score)
    grid = np.linspace(0.05, 0.95, 50)[:, None]
    np.testing.assert_allclose(score(grid), grid[:, 0], atol=0.08)


def test_a_heavier_example_pulls_the_probability_towards_its_class():
    X = np.array([[0.2, 0.2], [0.2, 0.2], [0.8, 0.8]])  # the same row, once good and once not
    probability = {
        weight: _fit(MLP(n_steps=500), X, _labels([True, False, False], positive=weight), SQUARE)(X[:1])[0]
        for weight in (0.25, 1.0, 4.0)
    }
    for weight, expected in [(0.25, 0.2), (1.0, 0.5), (4.0, 0.8)]:  # weight : 1
        assert probability[weight] == pytest.approx(expected, abs=0.05)


def test_rows_with_inactive_parameters_have_a_probability():
    X, labels = _data(MIXED, 60)
    probability = _fit(MLP(), X, labels, MIXED)(X)
    assert np.isnan(X).any()
    assert ((probability > 0.0) & (probability < 1.0)).all()


def test_an_inactive_number_counts_as_the_middle_of_its_range():
    X, labels = _data(MIXED, 60)
    filled = np.where(np.isnan(X), 0.5, X)
    score, same = _fit(MLP(), X, labels, MIXED), _fit(MLP(), filled, labels, MIXED)
    np.testing.assert_array_equal(score(X), same(filled))
    np.testing.assert_array_equal(score(X), score(filled))


def test_one_row_of_each_class_is_enough():
    score = _fit(MLP(), np.array([[0.1, 0.1], [0.9, 0.9]]), _labels([True, False]), SQUARE)
    good, rest = score(np.array([[0.1, 0.1], [0.9, 0.9]]))
    assert good > rest


# -- the same again, and the unpleasant -----------------------------------------------------------------


@pytest.mark.parametrize("n_networks", [1, 3])
def test_the_same_seed_gives_the_same_score_and_another_seed_another(n_networks):
    X, labels = _data(MIXED, 100)
    settings = MLP(n_networks=n_networks)
    first, again, other = (_fit(settings, X, labels, MIXED, seed=seed)(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other, rtol=1e-6).all()


def test_many_rows_score_as_they_do_one_by_one():
    X, labels = _data(MIXED, 100)
    score = _fit(MLP(n_networks=2), X, labels, MIXED)
    rows = MIXED.sample(1000, np.random.default_rng(5))
    np.testing.assert_allclose(score(rows), [score(row[None])[0] for row in rows], rtol=1e-12)
    assert score(rows[:0]).shape == (0,)


def test_fitting_and_scoring_change_nothing_they_are_given():
    X, labels = _data(SQUARE, 100)
    kept = X.copy()
    score = _fit(MLP(), X, labels, SQUARE)
    score(X)
    score.ascent(X)
    np.testing.assert_array_equal(X, kept)


def test_a_pickled_score_scores_and_continues_the_same():
    X, labels = _data(MIXED, 100)
    score = _fit(MLP(), X, labels, MIXED)
    copy = pickle.loads(pickle.dumps(score))
    np.testing.assert_array_equal(copy(X), score(X))
    continued = [_fit(MLP(), X, labels, MIXED, seed=1, previous=previous)(X) for previous in (score, copy)]
    np.testing.assert_array_equal(*continued)


@pytest.mark.parametrize("n_networks", [1, 3])
def test_enormous_logits_neither_overflow_nor_lose_their_slope(n_networks):
    X, labels = _data(SQUARE, 40)
    score = _fit(MLP(n_networks=n_networks), X, labels, SQUARE)
    networks = replace(score.networks, theta=score.networks.theta * 1e3)
    enormous = replace(score, networks=networks, members=networks)
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        probability = enormous(X)
        logit, gradient = enormous.ascent(X)
        continued = _fit(MLP(n_networks=n_networks), X, _labels(~labels.z), SQUARE, previous=enormous)
    assert ((probability >= 0.0) & (probability <= 1.0)).all()
    assert np.isfinite(gradient).all() and np.isfinite(continued(X)).all()
    # where networks contradict each other for sure the mean is 1/3 or 2/3, and truly flat
    agreed = np.abs(logit) > 1.0
    assert agreed.mean() > 0.9 and np.abs(logit[agreed]).min() > 1e6
    assert gradient[agreed].any(axis=1).all()


@pytest.mark.parametrize("name", ["n_layers", "n_units", "batch_size", "n_steps", "n_networks"])
@pytest.mark.parametrize("value", [0, -1, 2.0, "2", True, None])
def test_a_count_that_is_no_positive_integer_is_refused_by_name(name, value):
    with pytest.raises(
        ClassifierError, match=rf"`{name}` of an MLP must be a whole number of at least 1\. Got {value!r}\."
    ):
        MLP(**{name: value})


@pytest.mark.parametrize("value", [0.0, -1e-3, float("nan"), float("inf"), "fast", None, True])
def test_a_learning_rate_that_is_not_positive_is_refused(value):
    with pytest.raises(
        ClassifierError, match=rf"`learning_rate` of an MLP must be a finite number above 0\. Got {value!r}\."
    ):
        MLP(learning_rate=value)


@pytest.mark.parametrize("value", [0.0, 0.99, float("nan"), float("inf"), "4", None, True])
def test_an_emphasis_below_one_is_refused(value):
    with pytest.raises(
        ClassifierError, match=rf"`emphasis` of an MLP must be a finite number of at least 1\. Got {value!r}\."
    ):
        MLP(emphasis=value)


@pytest.mark.parametrize("value", [-1, 1.5, "5", None])
def test_a_patience_that_is_no_count_is_refused(value):
    with pytest.raises(
        ClassifierError, match=rf"`patience` of an MLP must be a whole number of at least 0\. Got {value!r}\."
    ):
        MLP(patience=value)


@pytest.mark.parametrize("value", ["rleu", "", 3])
def test_an_unknown_activation_is_refused_with_the_known_ones(value):
    with pytest.raises(ClassifierError, match=rf"Got {value!r}\. .*Known: 'elu', 'relu', 'tanh'"):
        MLP(activation=value)


def test_epochs_of_no_rows_are_refused():
    with pytest.raises(ClassifierError, match="`n_rows` must be a whole number of at least 1"):
        n_epochs(0, n_steps=100, batch_size=64)


def test_numpy_integers_are_integers():
    X, labels = _data(SQUARE, 20)
    counts = {name: np.int64(2) for name in ("n_layers", "n_units", "batch_size", "n_steps", "n_networks")}
    assert _fit(MLP(**counts), X, labels, SQUARE)(X).shape == (20,)
