"""Logistic regression with a belief about its coefficients: what a few yes-or-no outcomes can teach, and no more.

F (m, q)     features of m outcomes; a first column of ones is the intercept
z (m,)       whether each came out as yes
theta (q,)   coefficients: P(yes) = expit(F theta), theta_i ~ N(mean_i, 1 / precision_i) before any outcome
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.types import Array, Mask

# Newton's method from the belief's mean: a handful of steps, each halved until the posterior grows.
_N_STEPS = 50
_N_HALVINGS = 30
_SMALL = 1e-9


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed of the coefficients, each of shape (q,)."""

    mean: Array
    precision: Array

    def learn(self, F: Array, z: Mask, weight: Array | None = None) -> Array:
        """The most probable coefficients (q,) given outcomes, which may count for more or less than one: (m,)."""
        weight = np.ones(len(z)) if weight is None else weight
        theta = self.mean.copy()
        loss = self._loss(theta, F, z, weight)
        for _ in range(_N_STEPS):
            p = probability(F, theta)
            slope = F.T @ (weight * (p - z)) + self.precision * (theta - self.mean)
            curvature = (F * (weight * p * (1 - p))[:, np.newaxis]).T @ F + np.diag(self.precision)
            step = np.linalg.solve(curvature, slope)
            for _ in range(_N_HALVINGS):
                new = self._loss(theta - step, F, z, weight)
                if new <= loss:
                    break
                step = step / 2
            theta, loss = theta - step, new
            if np.abs(step).max() < _SMALL:
                break
        return theta

    def _loss(self, theta: Array, F: Array, z: Mask, weight: Array) -> float:
        height = F @ theta
        away = theta - self.mean
        return float(weight @ (np.logaddexp(0.0, height) - z * height) + 0.5 * away @ (self.precision * away))


def probability(F: Array, theta: Array) -> Array:
    """P(yes) of features (m, q), shape (m,)."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * (F @ theta))))  # the logistic curve, which never overflows this way


def logit(p: Array) -> Array:
    """The logarithm of the odds; p must lie strictly between 0 and 1."""
    return np.asarray(np.log(p) - np.log1p(-p))
