"""Several networks in place of one: members that stand for the posterior of the parameters, and what is made of them.

K networks of the same shape, the members, give each row K logits. The paper integrates the parameters out and takes the
mean of the class probabilities (appendix L.2). Where members disagree there is something to learn: an upper confidence
bound or a Thompson sample goes there sooner (Oliveira et al., 2022, do so for classifiers).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from auger.classifiers.losses import sigmoid
from auger.classifiers.networks import ACTIVATIONS, Networks, dropout_mask, forward, layers_of
from auger.errors import ClassifierError, nearest
from auger.types import Array

# The share of hidden units that are left out.
_DROPOUT = 0.1

# The precision of the prior of each weight of the last layer: a standard deviation of 1.
_PRIOR = 1.0

# Learning rates between a third and three times the given one; weight decays between these.
_RATE, _DECAYS = 3.0, (1e-6, 1e-2)


def check_name(name: object, names: Iterable[str], what: str) -> None:
    """Refuse what is not one of the names."""
    names = list(names)
    if not isinstance(name, str) or name not in names:
        raise ClassifierError(f"{what} must be one of these names. Got {name!r}. {nearest(name, names)}")


def varied(learning_rate: float, n_networks: int) -> tuple[Array, Array]:
    """A learning rate and a weight decay for each network, both (K, 1), spread evenly on logarithmic scales.

    They are no draws, so that a network keeps its own from fit to fit. Both grids have all positions, and a large decay
    does not always go with a large rate.
    """
    position = (np.arange(n_networks) + 0.5)[:, np.newaxis] / n_networks
    other = (position * 0.5 * (1 + np.sqrt(5)) * n_networks) % 1.0  # the golden ratio: far apart for any number
    low, high = np.log(_DECAYS)
    return learning_rate * _RATE ** (2 * position - 1), np.exp(low + (high - low) * other)


# -- the posterior ----------------------------------------------------------------------------------------


class _Posterior(ABC):
    """Where the members come from.

    Attributes:
        dropout: the share of hidden units that training leaves out.
    """

    dropout: float = 0.0

    @abstractmethod
    def sample(self, networks: Networks, view: Array, weight: Array, n: int, rng: np.random.Generator) -> Networks:
        """Members, n of each network, which was trained on the examples ``view`` (B, p) of masses (B,)."""


class _Point(_Posterior):
    def sample(self, networks: Networks, view: Array, weight: Array, n: int, rng: np.random.Generator) -> Networks:
        return networks


class _Dropout(_Posterior):
    dropout = _DROPOUT

    def sample(self, networks: Networks, view: Array, weight: Array, n: int, rng: np.random.Generator) -> Networks:
        theta = np.repeat(networks.theta, n, axis=0)
        return _members(networks, theta * dropout_mask(networks.sizes, self.dropout, rng.spawn(len(theta))))


class _Laplace(_Posterior):
    def sample(self, networks: Networks, view: Array, weight: Array, n: int, rng: np.random.Generator) -> Networks:
        theta = np.repeat(networks.theta, n, axis=0)
        outputs, logit = forward(
            layers_of(networks.theta, networks.sizes), view[np.newaxis], ACTIVATIONS[networks.activation]
        )
        n_last = networks.sizes[-2] + 1
        for k, (H, s) in enumerate(zip(outputs[-1], logit, strict=True)):
            features = np.column_stack([H, np.ones(len(H))])
            curvature = features.T @ ((weight * sigmoid(s) * sigmoid(-s))[:, np.newaxis] * features)
            root = np.linalg.cholesky(curvature + _PRIOR * np.eye(n_last))
            # ~ N(0, (root root')^-1)
            theta[k * n : (k + 1) * n, -n_last:] += np.linalg.solve(root.T, rng.standard_normal((n_last, n))).T
        return _members(networks, theta)


def _members(networks: Networks, theta: Array) -> Networks:
    return replace(networks, theta=theta)


#: The posteriors by name.
POSTERIORS: dict[str, _Posterior] = {"none": _Point(), "dropout": _Dropout(), "laplace": _Laplace()}


# -- the acquisition --------------------------------------------------------------------------------------


class Acquisition(ABC):
    """What is made of the logits of the members."""

    def choose(self, members: Networks, rng: np.random.Generator) -> Networks:
        """The members that are asked: all."""
        return members

    @abstractmethod
    def probability(self, logit: Array) -> Array:
        """A probability for each row, (m,), from logits (K, m)."""

    @abstractmethod
    def logit(self, logit: Array) -> tuple[Array, Array]:
        """The logit of the probability, (m,), and its slopes in the logits of the members, (K, m)."""


class _Mean(Acquisition):
    def probability(self, logit: Array) -> Array:
        return np.asarray(np.mean(sigmoid(logit), axis=0))

    def logit(self, logit: Array) -> tuple[Array, Array]:
        return logit_of_mean(logit)


class _Thompson(_Mean):
    def choose(self, members: Networks, rng: np.random.Generator) -> Networks:
        return _members(members, members.theta[[int(rng.integers(len(members.theta)))]])


class _Upper(Acquisition):
    def probability(self, logit: Array) -> Array:
        return sigmoid(self.logit(logit)[0])

    def logit(self, logit: Array) -> tuple[Array, Array]:
        mean, spread = logit.mean(axis=0), logit.std(axis=0)
        off = (logit - mean) / np.where(spread > 0, spread, 1.0)
        return mean + spread, (1 + off) / len(logit)


#: The acquisitions by name.
ACQUISITIONS: dict[str, Acquisition] = {"mean": _Mean(), "upper": _Upper(), "thompson": _Thompson()}


def logit_of_mean(logit: Array) -> tuple[Array, Array]:
    """The logit of the mean of sigmoid(logit (K, m)), shape (m,), and its slopes, shape (K, m).

    With p_k = sigmoid(logit_k): log sum p_k - log sum (1 - p_k), all in logarithms, so that nothing saturates.
    """
    if len(logit) == 1:
        return logit[0], np.ones_like(logit)
    good, rest = -np.logaddexp(0.0, -logit), -np.logaddexp(0.0, logit)  # log p_k and log (1 - p_k)
    all_good, all_rest = np.logaddexp.reduce(good, axis=0), np.logaddexp.reduce(rest, axis=0)
    # p_k (1 - p_k) / sum p  +  p_k (1 - p_k) / sum (1 - p)
    return all_good - all_rest, np.exp(good + rest - all_good) + np.exp(good + rest - all_rest)
