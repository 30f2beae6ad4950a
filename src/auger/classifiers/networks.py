"""Several small neural networks of one shape, trained at once in NumPy.

The first axis of each array says which network, and a 1 there means that all share it.

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
from typing import NamedTuple

import numpy as np

from auger.checks import check_whole
from auger.classifiers.losses import Loss
from auger.errors import ClassifierError
from auger.types import Array, Index, Mask

# Adam's decay rates and guard against division by zero: the defaults of Keras, which the authors' code used.
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-7

# An epoch whose loss is not lower by this much has not changed it.
_LEAST_FALL = 1e-3

# Weights and biases of each layer, first layer first: [(W (K, in, out), b (K, 1, out)), ...]
Layers = list[tuple[Array, Array]]


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


@dataclass(frozen=True, eq=False)
class Networks:
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

    def with_inputs(self, position: Index) -> Networks:
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


# -- layers, forwards and backwards ---------------------------------------------------------------------


class Activation(NamedTuple):
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


ACTIVATIONS = {
    "elu": Activation(
        apply=_elu,
        chain=lambda H, delta: np.multiply(delta, np.minimum(H, 0.0) + 1.0, out=delta),
    ),
    "relu": Activation(
        apply=lambda H: np.maximum(H, 0.0, out=H),
        chain=lambda H, delta: np.multiply(delta, H > 0.0, out=delta),
    ),
    "tanh": Activation(
        apply=lambda H: np.tanh(H, out=H),
        chain=lambda H, delta: np.multiply(delta, 1.0 - H * H, out=delta),
    ),
}


def layers_of(flat: Array, sizes: Sequence[int]) -> Layers:
    """Views into parameters (K, P), or into anything of that shape, as weights and biases."""
    layers = []
    start = 0
    for n_in, n_out in pairwise(sizes):
        middle, end = start + n_in * n_out, start + n_in * n_out + n_out
        layers.append((flat[:, start:middle].reshape(-1, n_in, n_out), flat[:, None, middle:end]))
        start = end
    return layers


def forward(layers: Layers, X: Array, activation: Activation) -> tuple[list[Array], Array]:
    """What enters each layer, and the logit (K, B)."""
    outputs = [X]
    for W, b in layers[:-1]:
        H = outputs[-1] @ W
        H += b
        activation.apply(H)
        outputs.append(H)
    W, b = layers[-1]
    return outputs, (outputs[-1] @ W + b)[:, :, 0]


def deltas_of(layers: Layers, outputs: list[Array], slope: Array, activation: Activation) -> list[Array]:
    """The delta of each layer, first layer first, from the slope with respect to the logit (K, B)."""
    deltas = [slope[:, :, None]]
    for (W, _), H in zip(layers[:0:-1], outputs[:0:-1], strict=True):
        delta = deltas[-1] @ W.swapaxes(1, 2)
        activation.chain(H, delta)
        deltas.append(delta)
    return deltas[::-1]


# -- training --------------------------------------------------------------------------------------------


class Batch(NamedTuple):
    """Examples for one gradient step: inputs (K, B, p), classes (K, B) and weights (K, B)."""

    X: Array
    target: Array
    weight: Array


def initial(sizes: tuple[int, ...], activation: str, rngs: Sequence[np.random.Generator]) -> Networks:
    """Weights ~ Glorot's uniform, each network from its own generator; biases 0."""
    n_parameters = sum(n_in * n_out + n_out for n_in, n_out in pairwise(sizes))
    theta, mean, square = np.zeros((3, len(rngs), n_parameters))
    for W, _ in layers_of(theta, sizes):
        limit = math.sqrt(6.0 / sum(W.shape[1:]))
        for k, rng in enumerate(rngs):
            W[k] = rng.uniform(-limit, limit, size=W.shape[1:])
    return Networks(sizes, activation, theta, mean, square, n_taken=0)


def batches_of(
    view: Array,
    target: Mask,
    weight: Array,
    *,
    n_steps: int,
    batch_size: int,
    rngs: Sequence[np.random.Generator],
) -> Iterator[Batch]:
    """The batches of one fit: whole passes in a new order each, or part of one pass if the steps end before it."""
    n = len(view)
    data = Batch(view[None], target[None].astype(np.float64), weight[None])
    starts = range(0, n, batch_size)[:n_steps]
    for _ in range(max(n_epochs(n, n_steps=n_steps, batch_size=batch_size), 1)):
        if n > batch_size:  # a batch that holds everything is the same in any order
            order = np.stack([rng.permutation(n) for rng in rngs])
            data = Batch(view[order], target[order].astype(np.float64), weight[order])
        for start in starts:
            yield Batch(*(part[:, start : start + batch_size] for part in data))


class Plateau:
    """Tells when the loss of whole epochs no longer falls (early stopping; appendix F of the paper).

    Args:
        patience: the plateau is reached after so many epochs in a row whose loss is not below the lowest before them by
            a thousandth (of a nat, for the log loss).
        n_batches: of an epoch.

    Example:
        >>> plateau = Plateau(2, n_batches=1)
        >>> [plateau.is_reached(loss) for loss in (0.5, 0.4, 0.3995, 0.3, 0.2995, 0.2995)]
        [False, False, False, False, False, True]
    """

    def __init__(self, patience: int, n_batches: int) -> None:
        self._patience, self._n_batches = patience, n_batches
        self._losses: list[float] = []
        self._lowest, self._n_idle = math.inf, 0

    def is_reached(self, loss: float) -> bool:
        """Take in the mean loss of the next batch; whether the plateau is reached now."""
        self._losses.append(loss)
        if len(self._losses) < self._n_batches:
            return False
        mean, self._losses = sum(self._losses) / self._n_batches, []
        self._n_idle = 0 if mean < self._lowest - _LEAST_FALL else self._n_idle + 1
        self._lowest = min(self._lowest, mean)
        return self._n_idle >= self._patience


def trained(
    networks: Networks,
    batches: Iterable[Batch],
    loss: Loss,
    *,
    learning_rate: float | Array,
    decay: float | Array = 0.0,
    dropout: float = 0.0,
    rngs: Sequence[np.random.Generator] = (),
    plateau: Plateau | None = None,
) -> Networks:
    """The networks after one step of Adam per batch; the arguments stay as they are.

    Args:
        networks: to start from.
        batches: of examples.
        loss: to minimize.
        learning_rate: of all networks, or one for each, (K, 1).
        decay: half the square of each weight and bias costs this much; of all networks, or one for each, (K, 1).
        dropout: the share of hidden units that each step leaves out.
        rngs: one generator per network, for the units that are left out.
        plateau: ends the training where it is reached. None: all batches are seen.
    """
    theta, mean, square = networks.theta.copy(), networks.mean.copy(), networks.square.copy()
    gradient = np.empty_like(theta)
    mask, masked = np.ones_like(theta), theta if not dropout else np.empty_like(theta)
    layers, slots = layers_of(masked, networks.sizes), layers_of(gradient, networks.sizes)
    activation = ACTIVATIONS[networks.activation]
    n_taken = networks.n_taken
    for batch in batches:
        n_taken += 1
        if dropout:
            mask = dropout_mask(networks.sizes, dropout, rngs)
            np.multiply(theta, mask, out=masked)
        logit = loss_gradient(layers, batch, activation, loss, into=slots)
        if dropout:
            gradient *= mask
        if np.any(decay):
            gradient += decay * theta
        mean *= _BETA1
        mean += (1.0 - _BETA1) * gradient
        square *= _BETA2
        square += (1.0 - _BETA2) * np.square(gradient)
        # Keras corrects the bias of both averages in the step size, so epsilon is not corrected
        rate = learning_rate * math.sqrt(1.0 - _BETA2**n_taken) / (1.0 - _BETA1**n_taken)
        theta -= rate * mean / (np.sqrt(square) + _EPSILON)
        if plateau is not None and plateau.is_reached(float(np.mean(loss.value(logit, batch.target) * batch.weight))):
            break
    for array in (theta, mean, square):
        array.flags.writeable = False
    return Networks(networks.sizes, networks.activation, theta, mean, square, n_taken)


def loss_gradient(layers: Layers, batch: Batch, activation: Activation, loss: Loss, *, into: Layers) -> Array:
    """Write the gradient of a batch's mean weighted loss, in the shape of the layers, to ``into``; return the logits.

    The mean is over examples, not over weight, as in Keras: a light batch moves the parameters less.
    """
    outputs, logit = forward(layers, batch.X, activation)
    slope = loss.slope(logit, batch.target) * batch.weight / logit.shape[1]
    for (dW, db), H, delta in zip(into, outputs, deltas_of(layers, outputs, slope, activation), strict=True):
        np.matmul(H.swapaxes(1, 2), delta, out=dW)
        np.sum(delta, axis=1, keepdims=True, out=db)
    return logit


def dropout_mask(sizes: Sequence[int], dropout: float, rngs: Sequence[np.random.Generator]) -> Array:
    """Factors of parameters (K, P) that leave out a share of the hidden units, at random, and make up for it.

    A unit that is left out has no weight in the next layer; what the others put out counts 1 / (1 - dropout) times.
    """
    mask = np.ones((len(rngs), sum(n_in * n_out + n_out for n_in, n_out in pairwise(sizes))))
    for W, _ in layers_of(mask, sizes)[1:]:
        for k, rng in enumerate(rngs):
            is_kept = rng.random((W.shape[1], 1)) >= dropout
            W[k] = is_kept / (1 - dropout)
    return mask
