"""The last step of a maximizer: which row of the pool to take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.interface import Pick
from auger.space import Space
from auger.types import Array

# Distances are computed for this many candidate-observation pairs at a time: 2 MB, which stay in the cache. With more
# candidates than usual, for so many observations that the cost of a call does not matter.
_PAIRS = 2**18
_FEW_ROWS = 512

# Squared distances as close as this are the same up to rounding, which depends on the machine.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Argmax(Pick):
    """The highest score; one of the highest at random when they tie, as they do on a forest's plateaus."""

    def choose(self, X: Array, scores: Array, space: Space, history: History, *, rng: np.random.Generator) -> int:
        return _argmax(scores, rng)


@dataclass(frozen=True)
class Tolerance(Pick):
    """Among the rows that score nearly best, the one farthest from everything tried or pending.

    Trees rate whole regions alike, with the highest plateau around the best trials; a plain argmax proposes next
    to the incumbent again and again. Nearly best means ``score >= max - share * (max - median)``.
    """

    share: float = 0.4

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise RecipeError(f"`share` of a Tolerance must be between 0 and 1. Got {self.share!r}.")

    def choose(self, X: Array, scores: Array, space: Space, history: History, *, rng: np.random.Generator) -> int:
        best = scores.max()
        near = np.flatnonzero(scores >= best - self.share * (best - np.median(scores)))
        if not len(history):
            return int(rng.choice(near))
        return int(near[_argmax(_distance(space, X[near], history.X), rng, _ROUNDING)])


def _argmax(values: Array, rng: np.random.Generator, rounding: float = 0.0) -> int:
    return int(rng.choice(np.flatnonzero(values >= values.max() - rounding)))


def _distance(space: Space, X: Array, others: Array) -> Array:
    """Squared distance of each row of X (m, d) to the nearest of the others (n, d), shape (m,).

    Two different choices are 1 apart, like the ends of a range: their one-hot columns count half.
    """
    views = space.views(X[:0])  # all codes of a wide choice share a column here: they are compared below
    weight = np.where(space.is_ordered[views.one_hot_column], 1.0, 0.5)
    points = views.one_hot(X)
    # |a - b|^2 = |a|^2 - 2 a.b + |b|^2, the |a|^2 added at the end; |b|^2 is one more column of the product
    factors = np.column_stack([-2.0 * weight * points, np.ones(len(points))])
    nearest = np.full(len(points), np.inf)
    # Encoded again at every call: that costs less than the product, and a view kept for all observations would take
    # more memory than the observations where choices are many.
    size = max(_PAIRS // len(points), _FEW_ROWS)
    for start in range(0, len(others), size):
        some = views.one_hot(others[start : start + size])
        some = np.column_stack([some, some**2 @ weight])
        squares = factors @ some.T
        for j in space.wide:
            a, b = X[:, j, np.newaxis], others[start : start + size, j]
            squares += (a < b) | (a > b)  # NaN, which is inactive, is neither
        np.minimum(nearest, squares.min(axis=1), out=nearest)
    return np.asarray(nearest + points**2 @ weight)
