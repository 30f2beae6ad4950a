"""Kernel mean matching (Huang et al., 2007), in its inductive form: a density ratio by equal means of features.

The notation is that of `kernel_mixture`, with a_i and b_i the masses of example i as good and as rest. Reweighted by
the ratio, the rest has the same mean of features as the good, in the space of the kernel. Matching the means minimizes

    |sum_i b_i f(x_i) phi(x_i) - sum_i a_i phi(x_i)|^2

where phi are the features. The original matches weights of the rows of the rest and says nothing about other rows; a
mixture of kernels in their place can be maximized (Kanamori, Suzuki and Sugiyama, 2012). The sum of b_i f(x_i) is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.kernel_mixture import Examples, kernel
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array

# The width, in units of the median distance between rows. No criterion is known for it: half was better than all of the
# median on the spaces of the kit.
_WIDTH = 0.5

# Added to the diagonal, relative to its mean.
_RIDGE = 1e-5

# The least mass of the rest at a center.
_LEAST_MASS = 1e-6

# Means are matched at so many rows of each class at the most: the costs grow with their square.
_MOST_ROWS = 1000


@dataclass(frozen=True)
class KernelMeanMatching(Classifier):
    """Kernel mean matching: the ordinary ratio r_0 = l / g.

    The width is half the median distance between rows, a rule of thumb. The objective cannot choose it: a width under
    which all rows look alike matches every mean.

    Args:
        n_centers: the most centers; of more good rows, so many are drawn at random.
    """

    n_centers: int = 100

    has_gradient = True
    has_relaxation = True
    has_mean_shift = True

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_centers=1)

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("scipy.optimize",)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        examples = Examples.of(X, labels, space, self.n_centers, rng)
        good, rest = _some(examples.V, examples.good, rng), _some(examples.V, examples.rest, rng)
        width = _width(examples, *rest)
        return examples.score(width, _weights(examples.centers, width, good, rest), is_relative=False)


def _width(examples: Examples, U: Array, b: Array) -> float:
    """Half the median distance, or more, until the rest has some mass at every center: means are matched there only."""
    width = examples.median * _WIDTH
    while (b @ kernel(U, examples.centers, width)).min() < _LEAST_MASS:
        width *= 2
    return width


def _weights(centers: Array, width: float, good: tuple[Array, Array], rest: tuple[Array, Array]) -> Array:
    """The weights of the centers (b,) that match the means of rows and masses, those of the good and of the rest."""
    from scipy.optimize import nnls  # 0.4 s to import

    (V, a), (U, b) = good, rest
    phi = b[:, np.newaxis] * kernel(U, centers, width)
    means = phi.sum(axis=0)
    phi /= means  # all centers count alike, however much of the rest is near them
    H, h = phi.T @ kernel(U, U, width) @ phi, phi.T @ (kernel(U, V, width) @ a)
    H[np.diag_indices_from(H)] += _RIDGE * np.trace(H) / len(H)
    root = np.linalg.cholesky(H).T
    share = nnls(root, np.linalg.solve(root.T, h))[0]
    return np.asarray(share / share.sum() / means)


def _some(V: Array, mass: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The rows (m, p) with a mass and their masses (m,), which add up to 1; a random choice of very many."""
    rows = np.flatnonzero(mass > 0)
    if len(rows) > _MOST_ROWS:
        rows = rng.choice(rows, _MOST_ROWS, replace=False)
    return V[rows], mass[rows] / mass[rows].sum()
