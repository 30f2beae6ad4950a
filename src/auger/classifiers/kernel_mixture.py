"""A density ratio as a mixture of Gaussian kernels: what RuLSIF, uLSIF, KLIEP and kernel mean matching fit.

l(x), g(x)     densities of the good and of the rest; rows carry masses, and each density is that of its masses
c_k            the centers: the good rows, or a random choice of them
K(x, c)        exp(-|x - c|^2 / (2 width^2)), with distances as `Tolerance` measures them: two choices are 1 apart
theta_k        weights >= 0

    f(x) = sum_k theta_k K(x, c_k)

f estimates the ordinary ratio r_0 = l / g or, where it is relative, r_gamma = l / (gamma l + (1 - gamma) g). No density
is estimated on the way. The first gives pi = gamma r_0 / (gamma r_0 + 1 - gamma), the second pi = gamma r_gamma.

The logarithm of f has the gradient (m(x) - x) / width^2, where m(x) is the mean of the centers, weighted by
theta_k K(x, c_k). A step to m(x) never goes downhill, needs no step size, and ends at a mode of f: mean shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array

#: Widths that a fit chooses from, in units of the median distance between rows.
WIDTHS = tuple(2.0 ** (step / 2) for step in range(-6, 4))

# The median is that of the distances between so many rows: more do not change a width that is a choice among few.
_MEDIAN_ROWS = 300

# A weight below this share of the largest is one that rounding left over.
_LEAST_WEIGHT = 1e-12


@dataclass(frozen=True)
class Examples:
    """Rows, as the kernels see them, with masses that add up to 1 in each class.

    Attributes:
        views: of the rows.
        scale: shape (p,), what makes columns of the one-hot view distances.
        V: shape (n, p), the rows in these units.
        good, rest: shape (n,), the mass of each row as an example of either class.
        gamma: the share of the good.
        centers: shape (b, p), some of the good rows.
        median: the median distance between rows; 1 where all are the same.
    """

    views: Views
    scale: Array
    V: Array
    good: Array
    rest: Array
    gamma: float
    centers: Array
    median: float

    @classmethod
    def of(cls, X: Array, labels: Labels, space: Space, n_centers: int, rng: np.random.Generator) -> Examples:
        """Those of encoded rows (n, d); of more than ``n_centers`` good rows, so many are drawn as centers."""
        views = space.views(X)
        scale = np.where(space.is_ordered[views.one_hot_column], 1.0, np.sqrt(0.5))
        V = views.one_hot(X) * scale
        centers = np.flatnonzero(labels.positive > 0)
        if len(centers) > n_centers:
            centers = np.sort(rng.choice(centers, n_centers, replace=False))
        good, rest = (mass / mass.sum() for mass in (labels.positive, labels.negative))
        return cls(views, scale, V, good, rest, labels.share, V[centers], _median_distance(V, rng))

    def kernels(self, width: float) -> Array:
        """K(x_i, c_k) for all rows and centers, shape (n, b)."""
        return kernel(self.V, self.centers, width)

    def score(self, width: float, theta: Array, *, is_relative: bool) -> MixtureScore:
        """The score of a mixture with the weights theta (b,), none negative, not all 0."""
        is_kept = theta > _LEAST_WEIGHT * theta.max()
        log_theta, centers = np.log(theta[is_kept]), self.centers[is_kept]
        return MixtureScore(self.views, self.scale, centers, log_theta, width, self.gamma, is_relative=is_relative)


@dataclass(frozen=True)
class MixtureScore(Score):
    """An estimate of a density ratio.

    Attributes:
        views: of the rows that were learned from.
        scale: shape (p,), the unit of distance in each column of the view.
        centers: shape (b, p), in these units.
        log_theta: shape (b,), the logarithms of their weights.
        width: of the kernels.
        gamma: the share of the good.
        is_relative: whether the mixture is r_gamma, and not r_0.
    """

    views: Views
    scale: Array
    centers: Array
    log_theta: Array
    width: float
    gamma: float
    is_relative: bool

    def __call__(self, X: Array) -> Array:
        """The estimate of pi (m,), at most 1: nothing bounds the mixture itself."""
        odds = self.gamma * np.exp(self._log_ratio(self.views.one_hot(X) * self.scale)[0])
        return np.asarray(np.minimum(odds, 1.0) if self.is_relative else odds / (odds + 1 - self.gamma))

    def ascent(self, X: Array) -> tuple[Array, Array]:
        """The logarithm of the ratio, shape (m,), and its gradient, shape (m, d)."""
        height, slope = self.relaxed(self.views.one_hot(X))
        return height, self.views.gradient(slope, X)

    def relaxed(self, V: Array) -> tuple[Array, Array]:
        V = V * self.scale
        height, share = self._log_ratio(V)
        return height, (share @ self.centers - V) * self.scale / self.width**2

    def mean_shift(self, V: Array) -> Array:
        return np.asarray(self._log_ratio(V * self.scale)[1] @ self.centers / self.scale)

    def _log_ratio(self, V: Array) -> tuple[Array, Array]:
        """The logarithm of the mixture (m,), and the share of each center in it, (m, b)."""
        terms = self.log_theta - squared_distances(V, self.centers) / (2 * self.width**2)
        top = terms.max(axis=1)
        share = np.exp(terms - top[:, np.newaxis])
        total = share.sum(axis=1)
        return top + np.log(total), share / total[:, np.newaxis]


def kernel(V: Array, centers: Array, width: float) -> Array:
    """The Gaussian kernel between rows (m, p) and centers (b, p), shape (m, b)."""
    return np.asarray(np.exp(squared_distances(V, centers) / (-2 * width**2)))


def squared_distances(V: Array, centers: Array) -> Array:
    """Between all rows (m, p) and centers (b, p), shape (m, b)."""
    squares = (V**2).sum(axis=1)[:, np.newaxis] - 2 * V @ centers.T + (centers**2).sum(axis=1)
    return np.asarray(np.maximum(squares, 0.0))  # rounding may leave less


def _median_distance(V: Array, rng: np.random.Generator) -> float:
    if len(V) > _MEDIAN_ROWS:
        V = V[rng.choice(len(V), _MEDIAN_ROWS, replace=False)]
    squares = squared_distances(V, V)[np.triu_indices(len(V), 1)]
    apart = squares[squares > 0]
    return float(np.sqrt(np.median(apart))) if len(apart) else 1.0
