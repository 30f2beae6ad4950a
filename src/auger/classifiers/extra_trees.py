"""Extremely randomized trees of our own: soft labels, choices and inactive parameters as they are, and fast."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers import compiled, trees
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.trees import Sample, Trees
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array, Index

# So many rows are checked first for columns that vary.
_FIRST_LOOK = 64


@dataclass(frozen=True)
class ExtraTrees(Classifier):
    """Extremely randomized trees, fully grown (Geurts et al., 2006), described in `auger.classifiers.trees`.

    A row that is an example of both classes is one row with a soft label, its share of positive mass; scores are
    means of such shares. With many observations each tree learns from some of them, so that a fit takes as long
    with 100,000 as with 1,000. Runs in C where the installation could compile it, else in NumPy, with the same
    scores; the environment variable AUGER_PURE=1 asks for NumPy.

    Args:
        n_trees: number of trees.
        max_features: how many columns compete at each split; columns that are constant within a node do not. None
            for the square root, rounded down, of how many columns that vary the one-hot view has.
        max_rows: up to this many observations each tree learns from all of them.
        n_rows: with more observations, how many each tree learns from; at most ``max_rows``.
    """

    n_trees: int = 50
    max_features: int | None = None
    max_rows: int = 256
    n_rows: int = 200  # clearly fewer than max_rows: trees that share nearly all rows would be much the same

    is_random = True

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_trees=1, max_rows=2, n_rows=2)
        if self.max_features is not None:
            check_settings(self, ClassifierError, max_features=1)
        if self.n_rows > self.max_rows:
            raise ClassifierError(
                f"`n_rows` of an ExtraTrees must be at most `max_rows`, {self.max_rows}. Got {self.n_rows}."
            )

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        sample = self._sample(X, labels, space, rng)
        max_features = self.max_features or _root(space, sample.columns)
        seed = int(rng.integers(2**64, dtype=np.uint64))
        grow = compiled.grow if compiled.is_available() else trees.grow
        return _ExtraTreesScore(grow(sample, max_features, seed))

    def _sample(self, X: Array, labels: Labels, space: Space, rng: np.random.Generator) -> Sample:
        mass = labels.positive + labels.negative
        row = np.flatnonzero(mass > 0)
        if len(row) <= self.max_rows:
            rows = np.tile(np.arange(len(row)), (self.n_trees, 1))
        else:
            rows = _deal(len(row), self.n_trees, self.n_rows, rng)
            if rows.size < len(row):
                # what the trees need of X, in one piece: a tree's rows lie side by side
                row = row[rows.ravel()]
                rows = np.arange(rows.size).reshape(rows.shape)
            else:
                # some rows are in several trees, some may be in none
                is_dealt = np.zeros(len(row), dtype=bool)
                is_dealt[rows] = True
                row, rows = row[is_dealt], (np.cumsum(is_dealt) - 1)[rows]
        X = np.asarray(X, dtype=np.float64).take(row, axis=0)
        return Sample(X, space.is_ordered, labels.positive[row], mass[row], rows, _varying(X))


def _deal(n: int, n_trees: int, n_rows: int, rng: np.random.Generator) -> Index:
    """Different rows for each tree, shape (n_trees, n_rows).

    Dealt like cards, from a new pack when the old one has no full hand left: where n is a multiple of ``n_rows``
    no row is in two trees more than another.
    """
    hands, n_missing = [], n_trees
    while n_missing:
        n_hands = min(n // n_rows, n_missing)
        hands.append(rng.choice(n, (n_hands, n_rows), replace=False))
        n_missing -= n_hands
    return np.concatenate(hands)


def _root(space: Space, columns: Index) -> int:
    """As many as compete in scikit-learn's forests on the one-hot view.

    The root of the number of parameters is too few where all are choices: 2 of the 6 of NAS-Bench-201, for a log
    loss 0.02 above that of scikit-learn, against 0.002 with the 5 that result here.
    """
    n_columns = sum(1 if space.is_ordered[j] else space.n_values[j] or 0 for j in columns.tolist())
    return max(math.isqrt(n_columns), 1)


def _varying(X: Array) -> Index:
    """The columns that can be split on: those with two values, or a value and NaN."""
    for rows in (X[:_FIRST_LOOK], X):  # all columns vary within the first rows, as a rule
        varies = (rows[0] != rows).any(axis=0) & ~np.isnan(rows).all(axis=0)
        if varies.all():
            break
    return np.flatnonzero(varies)


@dataclass(frozen=True)
class _ExtraTreesScore(Score):
    forest: Trees

    def __call__(self, X: Array) -> Array:
        score = compiled.score if compiled.is_available() else trees.score
        return score(self.forest, np.ascontiguousarray(X, dtype=np.float64))
