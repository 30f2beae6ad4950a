"""Losses whose minimum is a density ratio (Sugiyama, Suzuki and Kanamori, 2012; Menon and Ong, 2016).

s          what a model puts out: the logarithm of its estimate of the odds
u          that estimate, e^s
o          the odds P(good | x) / P(rest | x) = gamma l(x) / ((1 - gamma) g(x)), which are the density ratio r_0 up to
           a constant; P(good | x) = o / (1 + o) = gamma r_gamma(x)
phi        a convex function

An example costs -phi'(u) if it is good and u phi'(u) - phi(u) if it is not. At any x, the expected cost per example of
the rest is then a constant plus phi(o) - phi(u) - phi'(u) (o - u): a Bregman divergence of the estimate from the odds,
which is 0 where they agree and positive elsewhere. The losses differ in which disagreements they mind most:

    name          phi(u)                           a good example   another        h(u)
    log           u log u - (1 + u) log(1 + u)     log(1 + 1/u)     log(1 + u)     1 / (1 + u)
    exponential   -2 sqrt(u)                       1 / sqrt(u)      sqrt(u)        1 / (2 sqrt(u))
    kliep         u log u - u                      -log u           u              1
    lsif          u^2 / 2                          -u               u^2 / 2        u

In s, the slope is -h(u) for a good example and u h(u) for another, with h(u) = u phi''(u). The log loss is the paper's
(eq. 9); KLIEP and LSIF are the estimators of these names with a network or trees in place of kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auger.errors import ClassifierError, nearest
from auger.types import Array

# Log-odds beyond this count as this much in slopes: a class without examples of the other has no finite optimum.
_LARGEST = 20.0


@dataclass(frozen=True)
class Loss:
    """A loss, and its derivatives in the log-odds s.

    Attributes:
        value: of s and classes (0 or 1), both of any one shape.
        slope: of the same.
        curvature: of s: the mean of the second derivative where the estimate is right, which is never negative.
    """

    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]
    curvature: Callable[[Array], Array]


def sigmoid(s: Array) -> Array:
    """1 / (1 + exp(-s)) without overflow, exact in both tails."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -s)))


def _bregman(good: Callable[[Array], Array], rest: Callable[[Array], Array], h: Callable[[Array], Array]) -> Loss:
    """The loss with these costs of examples, and this h, all functions of u."""

    def odds(s: Array) -> Array:
        return np.asarray(np.exp(np.clip(s, -_LARGEST, _LARGEST)))

    def value(s: Array, target: Array) -> Array:
        u = odds(s)
        return np.where(target > 0, good(u), rest(u))

    def slope(s: Array, target: Array) -> Array:
        u = odds(s)
        return np.asarray(h(u) * np.where(target > 0, -1.0, u))

    def curvature(s: Array) -> Array:
        u = odds(s)
        return np.asarray(h(u) * u / (1 + u))

    return Loss(value, slope, curvature)


#: The losses by name.
LOSSES = {
    "log": Loss(
        lambda s, target: np.logaddexp(0.0, s) - target * s,
        lambda s, target: sigmoid(s) - target,
        lambda s: sigmoid(s) * sigmoid(-s),
    ),
    "exponential": _bregman(lambda u: 1 / np.sqrt(u), np.sqrt, lambda u: np.asarray(0.5 / np.sqrt(u))),
    "kliep": _bregman(lambda u: -np.log(u), lambda u: u, np.ones_like),
    "lsif": _bregman(lambda u: -u, lambda u: u * u / 2, lambda u: u),
}


def check_loss(name: object, owner: str) -> None:
    """Refuse what is not the name of a loss; ``owner`` has the field."""
    if not isinstance(name, str) or name not in LOSSES:
        raise ClassifierError(f"`loss` of {owner} must be the name of a loss. Got {name!r}. {nearest(name, LOSSES)}")
