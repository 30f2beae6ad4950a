"""BORE-MLP: small neural networks in NumPy, with the paper's settings (appendix J.3).

K networks are trained at once: the first axis of each array says which, and a 1 there means that all share it.

    H (K, B, h)       what a layer puts out for B examples; for the input, the one-hot view (K, B, p)
    logit (K, B)      what the network puts out: P(z = 1 | x) = sigmoid(logit)
    delta (K, B, h)   slope of something with respect to what enters the activation of a layer
    theta (K, P)      every weight and bias of a network in one row, so that Adam is a few operations on one array
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from auger.checks import check_settings, check_whole, is_number
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.losses import LOSSES, Loss, check_loss, sigmoid
from auger.errors import ClassifierError, nearest
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array, Index, Mask

# Adam's decay rates and guard against division by zero: the defaults of Keras, which the authors' code used.
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-7

# "elu activations [are] particularly effective for lower-dimensional problems, with relu remaining otherwise the
# best choice" (appendix J.3); the paper names no border, and this is ours.
_MOST_PARAMETERS_FOR_ELU = 10

# Rows are scored in blocks of about this many multiplications per layer (256 rows of 32 x 32). OpenBLAS splits larger
# products over threads, which on a busy machine wait for each other: 1024 rows took 0.7 ms in blocks, 5 ms at once.
_MULTIPLICATIONS_AT_ONCE = 2**18

# Weights and biases of each layer, first layer first: [(W (K, in, out), b (K, 1, out)), ...]
_Layers = list[tuple[Array, Array]]


@dataclass(frozen=True)
class MLP(Classifier):
    """Multilayer perceptrons; the defaults are the paper's.

    A fit starts from the weights and the Adam moments of the previous one, if that had the same architecture.

    Args:
        n_layers: number of hidden layers.
        n_units: width of each.
        activation: "elu", "relu" or "tanh"; None takes elu up to 10 parameters and relu above.
        learning_rate: step size of Adam.
        batch_size: examples per gradient step.
        n_steps: gradient steps in each fit, rounded down to whole passes over the data (see `n_epochs`); with more
            than ``n_steps * batch_size`` examples, a random part of them is seen once.
        n_networks: networks trained side by side, with their own starts and their own shuffling; the score is
            their mean probability.
        loss: "log", the paper's, or another of `auger.classifiers.losses`: "exponential", "kliep" or "lsif".

    Example:
        >>> MLP().ensemble(5).n_networks
        5
    """

    n_layers: int = 2
    n_units: int = 32
    activation: str | None = None
    learning_rate: float = 1e-3
    batch_size: int = 64
    n_steps: int = 100
    n_networks: int = 1
    loss: str = "log"

    has_gradient = True
    has_relaxation = True
    is_warm = True
    is_random = True

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_layers=1, n_units=1, batch_size=1, n_steps=1, n_networks=1)
        if self.activation is not None and self.activation not in _ACTIVATIONS:
            raise ClassifierError(
                f"`activation` of an MLP must be None or the name of an activation. Got {self.activation!r}. "
                f"{nearest(self.activation, _ACTIVATIONS)}"
            )
        rate: Any = self.learning_rate
        if not (is_number(rate) and math.isfinite(rate) and rate > 0):
            raise ClassifierError(f"`learning_rate` of an MLP must be a finite number above 0. Got {rate!r}.")
        check_loss(self.loss, "an MLP")

    def ensemble(self, n_fits: int) -> MLP:
        """So many networks: they are trained side by side, continue from their previous fit, and have a gradient."""
        return replace(self, n_networks=n_fits)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        index, target, weight = labels.rows()
        views = space.views(X)
        view = _view(views, X)[index]
        sizes = (view.shape[1], *[self.n_units] * self.n_layers, 1)
        activation = self.activation or ("elu" if len(space) <= _MOST_PARAMETERS_FOR_ELU else "relu")
        rngs = rng.spawn(self.n_networks)  # network k sees the same stream whatever the number of networks
        earlier = previous.networks_for(space, views) if isinstance(previous, _MLPScore) else None
        if earlier is not None and earlier.architecture == (self.n_networks, sizes, activation):
            start = earlier
        else:
            start = _initial(sizes, activation, rngs)
        batches = _batches(view, target, weight, n_steps=self.n_steps, batch_size=self.batch_size, rngs=rngs)
        trained = _trained(start, batches, LOSSES[self.loss], learning_rate=self.learning_rate)
        return _MLPScore(trained, space, views)


def n_epochs(n_rows: int, *, n_steps: int, batch_size: int) -> int:
    """Passes over the data that fit into a number of gradient steps: E = floor(S / ceil(N / B)).

    0 when there are not even enough steps for one pass, which is when N > S * B.

    Example:
        >>> n_epochs(512, n_steps=800, batch_size=64)
        100
    """
    for name, value in (("n_rows", n_rows), ("n_steps", n_steps), ("batch_size", batch_size)):
        check_whole(value, 1, f"`{name}`", ClassifierError)
    return n_steps // -(-n_rows // batch_size)


# -- what a fit returns ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Networks:
    """K networks of one shape, and the state of Adam.

    Attributes:
        sizes: width of the input, of each hidden layer, and of the output (1).
        activation: name of the activation of the hidden layers.
        theta: the parameters, shape (K, P).
        mean: moving average of the gradient, shape (K, P).
        square: moving average of its square, shape (K, P).
        n_taken: gradient steps so far, over all fits.
    """

    sizes: tuple[int, ...]
    activation: str
    theta: Array
    mean: Array
    square: Array
    n_taken: int

    @property
    def architecture(self) -> tuple[int, tuple[int, ...], str]:
        """What two sets of networks must share for one to continue from the other."""
        return len(self.theta), self.sizes, self.activation

    def with_inputs(self, position: Index) -> _Networks:
        """The same networks, where input i is the earlier input ``position[i]``; -1 for one without any weight yet."""
        n_old, n_hidden = self.sizes[:2]

        def moved(flat: Array) -> Array:
            K = len(flat)
            first = flat[:, : n_old * n_hidden].reshape(K, n_old, n_hidden)
            kept = np.where((position >= 0)[:, np.newaxis], first[:, position], 0.0)
            return np.concatenate([kept.reshape(K, -1), flat[:, n_old * n_hidden :]], axis=1)

        return replace(
            self,
            sizes=(len(position), *self.sizes[1:]),
            theta=moved(self.theta),
            mean=moved(self.mean),
            square=moved(self.square),
        )


@dataclass(frozen=True, eq=False)
class _MLPScore(Score):
    networks: _Networks
    space: Space
    views: Views

    def networks_for(self, space: Space, views: Views) -> _Networks | None:
        """The networks with the inputs of other views: those that both have keep their weights, new ones start at 0.

        Inputs come and go only with the codes of wide choices (see `auger.space.views`). A weight of 0 is what the
        weights of Glorot come to where inputs are many. None: of another space with such choices.
        """
        if not space.wide:
            return self.networks
        if space is not self.space and space.parameters != self.space.parameters:
            return None
        before = {key: i for i, key in enumerate(_inputs(self.views))}
        return self.networks.with_inputs(np.array([before.get(key, -1) for key in _inputs(views)]))

    def __call__(self, X: Array) -> Array:
        """The mean probability of the networks, shape (m,)."""
        activation = _ACTIVATIONS[self.networks.activation]
        layers = _layers(self.networks.theta, self.networks.sizes)
        view = _view(self.views, X)[None]
        probability = np.empty(len(X))
        step = max(_MULTIPLICATIONS_AT_ONCE // max(W[0].size for W, _ in layers), 64)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            _, logit = _forward(layers, view[:, rows], activation)
            np.mean(sigmoid(logit), axis=0, out=probability[rows])
        return probability

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """The logit of the score, shape (m,), and its gradient, shape (m, d)."""
        height, slope = self.relaxed(_view(self.views, X))
        return height, self._unview(slope, X)

    def relaxed(self, V: Array) -> tuple[Array, Array]:
        """The logit of the score at viewed rows (m, p), shape (m,), and its gradient, shape (m, p)."""
        activation = _ACTIVATIONS[self.networks.activation]
        layers = _layers(self.networks.theta, self.networks.sizes)
        outputs, logit = _forward(layers, V[None], activation)
        height, share = _logit_of_mean(logit)
        delta = _deltas(layers, outputs, share, activation)[0]
        return height, np.sum(delta @ layers[0][0].swapaxes(1, 2), axis=0)

    def _unview(self, slope: Array, X: Array) -> Array:
        """The gradient with respect to X (m, d), from the one with respect to its one-hot view (m, p)."""
        is_ordered = self.space.is_ordered
        gradient = np.zeros(X.shape)
        gradient[:, is_ordered] = slope[:, is_ordered[self.views.one_hot_column]]
        gradient[np.isnan(X)] = 0.0
        return gradient


def _view(views: Views, X: Array) -> Array:
    return views.one_hot(X, inactive=0.5)  # the middle; the parents that switch a parameter off are inputs too


def _inputs(views: Views) -> list[tuple[int, str]]:
    """What each input is: a column of X and a code, as text because NaN does not equal NaN."""
    return list(zip(views.one_hot_column.tolist(), map(str, views.one_hot_code.tolist()), strict=True))


def _logit_of_mean(logit: Array) -> tuple[Array, Array]:
    """The logit of the mean of sigmoid(logit (K, m)), shape (m,), and its slopes, shape (K, m).

    With p_k = sigmoid(logit_k): log sum p_k - log sum (1 - p_k), all in logarithms, so that nothing saturates.
    """
    if len(logit) == 1:
        return logit[0], np.ones_like(logit)
    good, rest = -np.logaddexp(0.0, -logit), -np.logaddexp(0.0, logit)  # log p_k and log (1 - p_k)
    all_good, all_rest = np.logaddexp.reduce(good, axis=0), np.logaddexp.reduce(rest, axis=0)
    # p_k (1 - p_k) / sum p  +  p_k (1 - p_k) / sum (1 - p)
    return all_good - all_rest, np.exp(good + rest - all_good) + np.exp(good + rest - all_rest)


# -- layers, forwards and backwards ---------------------------------------------------------------------


class _Activation(NamedTuple):
    """A nonlinearity.

    Attributes:
        apply: replaces its argument by the activation of it.
        chain: multiplies its second argument by the slope, told by what the activation put out, the first.
    """

    apply: Callable[[Array], object]
    chain: Callable[[Array, Array], object]


def _elu(H: Array) -> None:
    low = np.minimum(H, 0.0)
    np.expm1(low, out=low)
    np.maximum(H, low, out=H)  # exp(h) - 1 >= h, so this is exp(h) - 1 below 0, and h above


_ACTIVATIONS = {
    "elu": _Activation(
        apply=_elu,
        chain=lambda H, delta: np.multiply(delta, np.minimum(H, 0.0) + 1.0, out=delta),
    ),
    "relu": _Activation(
        apply=lambda H: np.maximum(H, 0.0, out=H),
        chain=lambda H, delta: np.multiply(delta, H > 0.0, out=delta),
    ),
    "tanh": _Activation(
        apply=lambda H: np.tanh(H, out=H),
        chain=lambda H, delta: np.multiply(delta, 1.0 - H * H, out=delta),
    ),
}


def _layers(flat: Array, sizes: Sequence[int]) -> _Layers:
    """Views into parameters (K, P), or into anything of that shape, as weights and biases."""
    layers = []
    start = 0
    for n_in, n_out in pairwise(sizes):
        middle, end = start + n_in * n_out, start + n_in * n_out + n_out
        layers.append((flat[:, start:middle].reshape(-1, n_in, n_out), flat[:, None, middle:end]))
        start = end
    return layers


def _forward(layers: _Layers, X: Array, activation: _Activation) -> tuple[list[Array], Array]:
    """What enters each layer, and the logit (K, B)."""
    outputs = [X]
    for W, b in layers[:-1]:
        H = outputs[-1] @ W
        H += b
        activation.apply(H)
        outputs.append(H)
    W, b = layers[-1]
    return outputs, (outputs[-1] @ W + b)[:, :, 0]


def _deltas(layers: _Layers, outputs: list[Array], slope: Array, activation: _Activation) -> list[Array]:
    """The delta of each layer, first layer first, from the slope with respect to the logit (K, B)."""
    deltas = [slope[:, :, None]]
    for (W, _), H in zip(layers[:0:-1], outputs[:0:-1], strict=True):
        delta = deltas[-1] @ W.swapaxes(1, 2)
        activation.chain(H, delta)
        deltas.append(delta)
    return deltas[::-1]


# -- training --------------------------------------------------------------------------------------------


class _Batch(NamedTuple):
    """Examples for one gradient step: inputs (K, B, p), classes (K, B) and weights (K, B)."""

    X: Array
    target: Array
    weight: Array


def _initial(sizes: tuple[int, ...], activation: str, rngs: Sequence[np.random.Generator]) -> _Networks:
    """Weights ~ Glorot's uniform, each network from its own generator; biases 0."""
    n_parameters = sum(n_in * n_out + n_out for n_in, n_out in pairwise(sizes))
    theta, mean, square = np.zeros((3, len(rngs), n_parameters))
    for W, _ in _layers(theta, sizes):
        limit = math.sqrt(6.0 / sum(W.shape[1:]))
        for k, rng in enumerate(rngs):
            W[k] = rng.uniform(-limit, limit, size=W.shape[1:])
    return _Networks(sizes, activation, theta, mean, square, n_taken=0)


def _batches(
    view: Array,
    target: Mask,
    weight: Array,
    *,
    n_steps: int,
    batch_size: int,
    rngs: Sequence[np.random.Generator],
) -> Iterator[_Batch]:
    """The batches of one fit: whole passes in a new order each, or part of one pass if the steps end before it."""
    n = len(view)
    data = _Batch(view[None], target[None].astype(np.float64), weight[None])
    starts = range(0, n, batch_size)[:n_steps]
    for _ in range(max(n_epochs(n, n_steps=n_steps, batch_size=batch_size), 1)):
        if n > batch_size:  # a batch that holds everything is the same in any order
            order = np.stack([rng.permutation(n) for rng in rngs])
            data = _Batch(view[order], target[order].astype(np.float64), weight[order])
        for start in starts:
            yield _Batch(*(part[:, start : start + batch_size] for part in data))


def _trained(networks: _Networks, batches: Iterable[_Batch], loss: Loss, *, learning_rate: float) -> _Networks:
    """The networks after one step of Adam per batch; the arguments stay as they are."""
    theta, mean, square = networks.theta.copy(), networks.mean.copy(), networks.square.copy()
    gradient = np.empty_like(theta)
    layers, slots = _layers(theta, networks.sizes), _layers(gradient, networks.sizes)
    activation = _ACTIVATIONS[networks.activation]
    n_taken = networks.n_taken
    for batch in batches:
        n_taken += 1
        _loss_gradient(layers, batch, activation, loss, into=slots)
        mean *= _BETA1
        mean += (1.0 - _BETA1) * gradient
        square *= _BETA2
        square += (1.0 - _BETA2) * np.square(gradient)
        # Keras corrects the bias of both averages in the step size, so epsilon is not corrected
        rate = learning_rate * math.sqrt(1.0 - _BETA2**n_taken) / (1.0 - _BETA1**n_taken)
        theta -= rate * mean / (np.sqrt(square) + _EPSILON)
    for array in (theta, mean, square):
        array.flags.writeable = False
    return _Networks(networks.sizes, networks.activation, theta, mean, square, n_taken)


def _loss_gradient(layers: _Layers, batch: _Batch, activation: _Activation, loss: Loss, *, into: _Layers) -> None:
    """Write the gradient of a batch's mean weighted loss, in the shape of the layers, to ``into``.

    The mean is over examples, not over weight, as in Keras: a light batch moves the parameters less.
    """
    outputs, logit = _forward(layers, batch.X, activation)
    slope = loss.slope(logit, batch.target) * batch.weight / logit.shape[1]
    for (dW, db), H, delta in zip(into, outputs, _deltas(layers, outputs, slope, activation), strict=True):
        np.matmul(H.swapaxes(1, 2), delta, out=dW)
        np.sum(delta, axis=1, keepdims=True, out=db)
