"""BORE-MLP: small neural networks, with the paper's settings (appendix J.3), and several at once in place of one.

A network is a point estimate of its parameters theta. The paper's outlook asks for the class probability with theta
marginalized out (appendix L.2): several *members*, each a network, stand for the posterior of theta. They are networks
of different starts, of different hyperparameters, or samples around one network (`auger.classifiers.members`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auger.checks import check_settings, is_number
from auger.classifiers import fingerprints
from auger.classifiers.fingerprints import Marks
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.losses import LOSSES, check_loss
from auger.classifiers.members import ACQUISITIONS, POSTERIORS, Acquisition, check_name, varied
from auger.classifiers.networks import (
    ACTIVATIONS,
    Networks,
    Plateau,
    batches_of,
    deltas_of,
    forward,
    initial,
    layers_of,
    trained,
)
from auger.errors import ClassifierError, nearest
from auger.labels import Kind, Labels
from auger.space import Space, Views
from auger.types import Array, Mask

# "elu activations [are] particularly effective for lower-dimensional problems, with relu remaining otherwise the
# best choice" (appendix J.3); the paper names no border, and this is ours.
_MOST_PARAMETERS_FOR_ELU = 10

# Rows are scored in blocks of about this many multiplications per layer (256 rows of 32 x 32). OpenBLAS splits larger
# products over threads, which on a busy machine wait for each other: 1024 rows took 0.7 ms in blocks, 5 ms at once.
_MULTIPLICATIONS_AT_ONCE = 2**18


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
        n_networks: networks trained side by side, with their own starts and their own shuffling.
        is_varied: whether they differ in their learning rates and weight decays, too (hyper-deep ensembles; Wenzel et
            al., 2020).
        posterior: "none": the members are the networks. "dropout": samples of each network, trained and scored with
            hidden units left out at random (Gal and Ghahramani, 2016). "laplace": samples of its last layer, from a
            Gaussian around its weights with the curvature of the log loss (Laplace's method).
        n_samples: of each network, where there is a posterior.
        acquisition: "mean" of the members' probabilities; "upper": one standard deviation above the mean of their
            logits; "thompson": one member, drawn anew in every fit.
        loss: "log", the paper's, or another of `auger.classifiers.losses`: "exponential", "kliep" or "lsif".
        emphasis: how much an example counts in training that is new, or whose class has changed since the previous fit;
            others, and pending trials, count 1 (importance sampling; appendix F of the paper).
        patience: a fit ends before its steps after so many epochs in which the loss has not fallen by a thousandth
            (early stopping; appendix F); 0: it never does.

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
    is_varied: bool = False
    posterior: str = "none"
    n_samples: int = 16
    acquisition: str = "mean"
    loss: str = "log"
    emphasis: float = 1.0
    patience: int = 0

    has_gradient = True
    has_relaxation = True
    is_warm = True
    is_random = True

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_layers=1, n_units=1, batch_size=1, n_steps=1, n_networks=1, n_samples=2)
        check_settings(self, ClassifierError, patience=0)
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise ClassifierError(
                f"`activation` of an MLP must be None or the name of an activation. Got {self.activation!r}. "
                f"{nearest(self.activation, ACTIVATIONS)}"
            )
        rate: Any = self.learning_rate
        if not (is_number(rate) and math.isfinite(rate) and rate > 0):
            raise ClassifierError(f"`learning_rate` of an MLP must be a finite number above 0. Got {rate!r}.")
        emphasis: Any = self.emphasis
        if not (is_number(emphasis) and 1 <= emphasis < math.inf):
            raise ClassifierError(f"`emphasis` of an MLP must be a finite number of at least 1. Got {emphasis!r}.")
        if not isinstance(self.is_varied, bool):
            raise ClassifierError(f"`is_varied` of an MLP must be True or False. Got {self.is_varied!r}.")
        check_name(self.posterior, POSTERIORS, "`posterior` of an MLP")
        check_name(self.acquisition, ACQUISITIONS, "`acquisition` of an MLP")
        check_loss(self.loss, "an MLP")

    def check(self, *, is_weighted: bool) -> None:
        if self.n_networks == 1 and self.is_varied:
            raise ClassifierError(
                "`is_varied` of an MLP needs several networks, such as `ensemble=5` in a recipe. Got 1."
            )
        if self.n_networks == 1 and self.posterior == "none" and self.acquisition != "mean":
            raise ClassifierError(
                "`acquisition` of an MLP needs several networks or samples of one, such as `ensemble=5` or "
                f"`posterior=dropout` in a recipe. Got {self.acquisition!r} of a single network."
            )

    def ensemble(self, n_fits: int) -> MLP:
        """So many networks: they are trained side by side, continue from their previous fit, and have a gradient."""
        return replace(self, n_networks=n_fits)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        index, target, mass = labels.rows()
        views, weight = space.views(X), mass
        view = _view(views, X)[index]
        sizes = (view.shape[1], *[self.n_units] * self.n_layers, 1)
        activation = self.activation or ("elu" if len(space) <= _MOST_PARAMETERS_FOR_ELU else "relu")
        rngs = rng.spawn(self.n_networks)  # network k sees the same stream whatever the number of networks
        examples = _examples(X[index], target) if self.emphasis > 1 else None
        previous_score = previous if isinstance(previous, _MLPScore) else None
        networks = None if previous_score is None else previous_score.networks_for(space, views)
        if previous_score and networks is not None and networks.architecture == (self.n_networks, sizes, activation):
            start = networks
            if examples is not None and previous_score.examples is not None:
                is_known = np.isin(examples, previous_score.examples) | (labels.kinds[index] == Kind.PENDING)
                weight = np.where(is_known, mass, mass * self.emphasis)
        else:
            start = initial(sizes, activation, rngs)
        posterior, acquisition = POSTERIORS[self.posterior], ACQUISITIONS[self.acquisition]
        rates, decays = varied(self.learning_rate, self.n_networks) if self.is_varied else (self.learning_rate, 0.0)
        networks = trained(
            start,
            batches_of(view, target, weight, n_steps=self.n_steps, batch_size=self.batch_size, rngs=rngs),
            LOSSES[self.loss],
            learning_rate=rates,
            decay=decays,
            dropout=posterior.dropout,
            rngs=rngs,
            plateau=Plateau(self.patience, -(-len(view) // self.batch_size)) if self.patience else None,
        )
        members = posterior.sample(networks, view, mass, self.n_samples, rng)
        return _MLPScore(networks, acquisition.choose(members, rng), acquisition, space, views, examples)


# -- what a fit returns ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _MLPScore(Score):
    """What networks say of rows.

    Attributes:
        networks: from which the next fit continues.
        members: that are asked: the networks, or samples of them.
        acquisition: what is made of the members' answers.
        examples: one number for each that was learned, for the next fit to know the new ones; None: it will not ask.
    """

    networks: Networks
    members: Networks
    acquisition: Acquisition
    space: Space
    views: Views
    examples: Marks | None

    def networks_for(self, space: Space, views: Views) -> Networks | None:
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
        """The probability that the acquisition makes of those of the members, shape (m,)."""
        activation = ACTIVATIONS[self.members.activation]
        layers = layers_of(self.members.theta, self.members.sizes)
        view = _view(self.views, X)[None]
        probability = np.empty(len(X))
        step = max(_MULTIPLICATIONS_AT_ONCE // max(W[0].size for W, _ in layers), 64)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            _, logit = forward(layers, view[:, rows], activation)
            probability[rows] = self.acquisition.probability(logit)
        return probability

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """The logit of the score, shape (m,), and its gradient, shape (m, d)."""
        height, slope = self.relaxed(_view(self.views, X))
        return height, self.views.gradient(slope, X)

    def relaxed(self, V: Array) -> tuple[Array, Array]:
        """The logit of the score at viewed rows (m, p), shape (m,), and its gradient, shape (m, p)."""
        activation = ACTIVATIONS[self.members.activation]
        layers = layers_of(self.members.theta, self.members.sizes)
        outputs, logit = forward(layers, V[None], activation)
        height, share = self.acquisition.logit(logit)
        delta = deltas_of(layers, outputs, share, activation)[0]
        return height, np.sum(delta @ layers[0][0].swapaxes(1, 2), axis=0)


def _view(views: Views, X: Array) -> Array:
    return views.one_hot(X, inactive=0.5)  # the middle; the parents that switch a parameter off are inputs too


def _examples(X: Array, target: Mask) -> Marks:
    return fingerprints.of_examples(fingerprints.of_rows(X), target)


def _inputs(views: Views) -> list[tuple[int, str]]:
    """What each input is: a column of X and a code, as text because NaN does not equal NaN."""
    return list(zip(views.one_hot_column.tolist(), map(str, views.one_hot_code.tolist()), strict=True))
