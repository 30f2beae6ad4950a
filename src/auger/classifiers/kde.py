"""TPE: the ratio of two Parzen estimators, one of the good and one of the rest (section 2.3 of the paper).

l(x), g(x)     densities of the good and of the rest
w_i            the mass of row i, positive for l and negative for g, normalized to sum 1
K(x, x_i)      a kernel: the product over columns of one kernel a column
n              the effective number of rows, (sum w)^2 / sum w^2; rows of equal mass count 1 each
d              the number of ordered columns

    l(x) = sum_i w_i K(x, x_i)       pi(x) = gamma l(x) / (gamma l(x) + (1 - gamma) g(x))

The kernel of one column, with q the entry of x and r that of the row:

ordered        normal, of bandwidth h = 1.06 s n^(-1/(4 + d)): the normal reference rule, with s the standard
               deviation and n the effective number of the rows active in that column
categorical    Aitchison and Aitken: 1 - lam if q = r, else lam / (k - 1), with lam = (k - 1) / k n^(-2/(4 + d)).
               One row says nothing (all k choices alike), many rows speak for themselves only, and the rate is
               that of h^2, as for mixed data in Li and Racine (2003)
inactive       q and r both inactive: 1. Only q: 1, the row's entry is integrated out. Only r: the density of the
               uniform prior, 1 for a position and 1 / k for a choice

No constant punishes rows of which only one is active: one of their parents must differ then, and its kernel has
charged for that. So over choices, conditional or not, l and g sum to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.checks import is_number
from auger.classifiers.interface import Classifier, Score
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array

# Kernels are computed for this many pairs of rows at a time: 8 MB of float64.
_PAIRS = 2**20

# A single row has no spread to measure. It gets that of the uniform prior.
_UNIFORM_STD = 1 / math.sqrt(12)

# Below this the square of a distance, in bandwidths, could exceed 1e12, and its rounding be felt in the kernel.
_LEAST_BANDWIDTH = 1e-6


@dataclass(frozen=True)
class KDE(Classifier):
    """Two Parzen estimators, each with its own bandwidth for each column.

    It shows the pitfalls the paper lists (section 2.4): far from the data the thinner tail decides, and pi, though
    never NaN, rounds to 0 or 1. Kernels reach over the edges of the space; TPE as found elsewhere truncates them.

    Args:
        min_bandwidth: the least bandwidth, in positions, where the range of a parameter has length 1. It matters
            when rows agree in a column.
    """

    min_bandwidth: float = 1e-3

    def __post_init__(self) -> None:
        value = self.min_bandwidth
        if not is_number(value) or not _LEAST_BANDWIDTH <= value < math.inf:
            raise ClassifierError(
                f"`min_bandwidth` of KDE must be a finite number, at least {_LEAST_BANDWIDTH:g}. Got {value!r}."
            )

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("scipy.special",)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        good = parzen(X, labels.positive, space=space, min_bandwidth=self.min_bandwidth)
        rest = parzen(X, labels.negative, space=space, min_bandwidth=self.min_bandwidth)
        return _KDEScore(good, rest, labels.share)


@dataclass(frozen=True)
class _KDEScore(Score):
    good: Parzen
    rest: Parzen
    gamma: float

    def __call__(self, X: Array) -> Array:
        from scipy.special import expit  # 0.1 s to import

        prior = math.log(self.gamma) - math.log1p(-self.gamma)
        return np.asarray(expit(prior + self.good.log_density(X) - self.rest.log_density(X)))


@dataclass(frozen=True)
class Parzen:
    """A density over the rows of a space.

    The logarithm of a product kernel is a sum over columns, and each term is an inner product of a function of x
    and one of the row. So the kernels of all pairs are one product of matrices.

    Attributes:
        space: says what the columns are.
        center: shape (d,) over ordered columns, subtracted so that the squares below lose no digits.
        rows: shape (n, f), features of the rows, in the order of `_of_queries`.
        wide: choices that would have too many features, and are compared one by one.
    """

    space: Space
    center: Array
    rows: Array
    wide: tuple[_Wide, ...] = ()

    def log_density(self, X: Array) -> Array:
        """The logarithm of the density at rows (m, d), shape (m,); always finite."""
        queries = self._of_queries(X)
        step = max(_PAIRS // len(self.rows), 1)
        parts = [np.empty(0)]
        for start in range(0, len(X), step):
            terms = queries[start : start + step] @ self.rows.T
            for choice in self.wide:
                choice.add_to(terms, X[start : start + step, choice.column])
            parts.append(_log_sum_exp(terms))
        return np.concatenate(parts)

    def _of_queries(self, X: Array) -> Array:
        ordered = X[:, self.space.is_ordered] - self.center
        active = ~np.isnan(ordered)
        ordered = np.where(active, ordered, 0.0)
        blocks = [np.ones((len(X), 1)), ordered**2, ordered, active.astype(np.float64)]
        blocks += [(X[:, [j]] == np.arange(k)).astype(np.float64) for j, k in _choices(self.space)]
        return np.concatenate(blocks, axis=1)


@dataclass(frozen=True)
class _Wide:
    """The kernels of a choice with very many values.

    Attributes:
        column: which of X.
        codes: shape (n,), of the rows.
        same, other, inactive: the logarithm of the kernel where codes agree, differ, and where the row has none.
    """

    column: int
    codes: Array
    same: float
    other: float
    inactive: float

    def add_to(self, terms: Array, codes: Array) -> None:
        """Add to the logarithms of kernels (m, n) those of queries with these codes (m,)."""
        is_active = ~np.isnan(codes)
        kernel = np.where(codes[:, np.newaxis] == self.codes, self.same, self.other)
        kernel[:, np.isnan(self.codes)] = self.inactive
        terms += kernel * is_active[:, np.newaxis]


def parzen(X: Array, weight: Array, *, space: Space, min_bandwidth: float) -> Parzen:
    """Estimate the density that rows (n, d) with masses ``weight`` (n,), some above 0, were drawn from."""
    X, weight = X[weight > 0], weight[weight > 0]
    ordered = X[:, space.is_ordered]
    active = ~np.isnan(ordered)
    d = ordered.shape[1]
    mass = weight[:, None] * active
    total = np.maximum(mass.sum(axis=0), np.finfo(np.float64).tiny)  # a column may be inactive throughout
    center = (mass * np.where(active, ordered, 0.0)).sum(axis=0) / total
    ordered = np.where(active, ordered - center, 0.0)
    spread = np.sqrt((mass * ordered**2).sum(axis=0) / total)
    spread = np.where(active.sum(axis=0) > 1, spread, _UNIFORM_STD)
    h = np.maximum(1.06 * spread * _effective(mass) ** (-1 / (4 + d)), min_bandwidth)
    # log N(q; r, h^2) = q^2 * (-1 / 2h^2) + q * (r / h^2) + 1 * (-r^2 / 2h^2 - log(h sqrt(2 pi)))
    blocks = [
        np.log(weight / weight.sum())[:, None],
        np.where(active, -0.5 / h**2, 0.0),
        ordered / h**2,
        np.where(active, -0.5 * (ordered / h) ** 2 - np.log(h * math.sqrt(2 * math.pi)), 0.0),
    ]
    shrinkage = float(_effective(weight[:, None])[0]) ** (-2 / (4 + d))
    blocks += [_aitchison_aitken(X[:, [j]], k, shrinkage) for j, k in _choices(space)]
    wide = tuple(_Wide(j, X[:, j], *_kernels(space.n_values[j] or 0, shrinkage)) for j in space.wide)
    return Parzen(space, center, np.concatenate(blocks, axis=1), wide)


def _aitchison_aitken(codes: Array, k: int, shrinkage: float) -> Array:
    """Logarithms of the kernel from each row's code (n, 1) to each of the k choices, shape (n, k)."""
    same, other, inactive = _kernels(k, shrinkage)
    return np.where(np.isnan(codes), inactive, np.where(codes == np.arange(k), same, other))


def _kernels(k: int, shrinkage: float) -> tuple[float, float, float]:
    """The logarithm of the kernel of k choices: from a code to itself, to another, and from an inactive row to any."""
    lam = (k - 1) / k * shrinkage
    # with one choice lam is 0 and nothing ever mismatches; any number with a logarithm will do
    other = lam / max(k - 1, 1) or 1.0
    return math.log1p(-lam), math.log(other), -math.log(k)


def _choices(space: Space) -> list[tuple[int, int]]:
    """The categorical columns that have features, each with its number of choices."""
    return [(j, k or 0) for j, k in enumerate(space.n_values) if not space.is_ordered[j] and j not in space.wide]


def _effective(mass: Array) -> Array:
    """The effective number of rows behind the masses of each column, (n, d) -> (d,); at least 1."""
    largest = mass.max(axis=0)
    share = mass / np.where(largest > 0, largest, 1.0)  # in units of the largest, so that no square underflows
    return np.asarray(np.maximum(share.sum(axis=0) ** 2 / np.maximum((share**2).sum(axis=0), 1.0), 1.0))


def _log_sum_exp(terms: Array) -> Array:
    """log sum exp over each row, (m, n) -> (m,); ``terms`` is overwritten."""
    top = terms.max(axis=1)
    terms -= top[:, None]
    return np.asarray(top + np.log(np.exp(terms, out=terms).sum(axis=1)))
