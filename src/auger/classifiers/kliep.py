"""KLIEP: a density ratio by the least Kullback-Leibler divergence (Sugiyama et al., 2008).

The notation is that of `kernel_mixture`, with a_i and b_i the masses of example i as good and as rest. KLIEP maximizes

    sum_i a_i log f(x_i)    such that    sum_i b_i f(x_i) = 1,    theta >= 0

With m_k = sum_i b_i K(x_i, c_k), the proportions beta_k = theta_k m_k add up to 1, and the objective is the likelihood
of a mixture of the K(., c_k) / m_k. Expectation-maximization climbs it without a step size:

    beta_k <- beta_k sum_i a_i K(x_i, c_k) / (m_k f(x_i))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.kernel_mixture import WIDTHS, Examples
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array, Index

# A climb ends after so many steps, or when no proportion moves by more than this.
_STEPS, _LEAST_MOVE = 300, 1e-6

# Kernels at a center so far from all of the rest would have no finite ratio.
_LEAST_MEAN = 1e-12
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class KLIEP(Classifier):
    """Kullback-Leibler importance estimation procedure: the ordinary ratio r_0 = l / g.

    The width is the one under which good rows that were left out of the fit are most likely; of a single good row, the
    median distance.

    Args:
        n_centers: the most centers; of more good rows, so many are drawn at random.
        n_folds: parts of the good rows, each left out once.
    """

    n_centers: int = 100
    n_folds: int = 5

    has_gradient = True
    has_relaxation = True
    has_mean_shift = True

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_centers=1, n_folds=2)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        examples = Examples.of(X, labels, space, self.n_centers, rng)
        good = np.flatnonzero(examples.good > 0)
        folds = np.array_split(rng.permutation(len(good)), min(self.n_folds, len(good)))
        components = [_Components.of(examples, good, ratio * examples.median) for ratio in WIDTHS]
        if len(folds) > 1:
            best = max(components, key=lambda mixture: mixture.left_out_likelihood(folds))
        else:
            best = _Components.of(examples, good, examples.median)
        return examples.score(best.width, best.theta, is_relative=False)


@dataclass(frozen=True)
class _Components:
    """The components of the mixture for one width.

    Attributes:
        width: of the kernels.
        a: shape (g,), the masses of the good rows.
        densities: shape (g, b), K(x_i, c_k) / m_k at the good rows.
        means: shape (b,), m_k.
    """

    width: float
    a: Array
    densities: Array
    means: Array

    @classmethod
    def of(cls, examples: Examples, good: Index, width: float) -> _Components:
        """Those of a width."""
        kernels = examples.kernels(width)
        means = np.maximum(examples.rest @ kernels, _LEAST_MEAN)
        return cls(width, examples.good[good], kernels[good] / means, means)

    @property
    def theta(self) -> Array:
        """The weights of the centers (b,)."""
        return np.asarray(self._proportions(self.a[:, np.newaxis])[:, 0] / self.means)

    def left_out_likelihood(self, folds: Sequence[Index]) -> float:
        """The logarithm of f at all good rows, each from a fit without its fold; its mean by mass."""
        masses = np.repeat(self.a[:, np.newaxis], len(folds), axis=1)
        for j, fold in enumerate(folds):
            masses[fold, j] = 0.0
        ratios = self.densities @ self._proportions(masses / masses.sum(axis=0))
        fold_of = np.empty(len(self.a), dtype=np.intp)
        for j, fold in enumerate(folds):
            fold_of[fold] = j
        left_out = ratios[np.arange(len(self.a)), fold_of]
        return float(self.a @ np.log(np.maximum(left_out, _TINY)))

    def _proportions(self, masses: Array) -> Array:
        """The proportions of the likeliest mixtures (b, k), one for each column of masses (g, k)."""
        b = self.densities.shape[1]
        beta = np.full((b, masses.shape[1]), 1 / b)
        for _ in range(_STEPS):
            share = masses / np.maximum(self.densities @ beta, _TINY)
            moved = beta * (self.densities.T @ share)
            if np.abs(moved - beta).max() < _LEAST_MOVE:
                return np.asarray(moved)
            beta = moved
        return beta
