"""The last step of a maximizer: which row of the pool to take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.interface import Pick
from auger.space import Space
from auger.types import Array

# Distances are computed for this many candidate-observation pairs at a time: about 8 MB.
_PAIRS = 2**20


@dataclass(frozen=True)
class Argmax(Pick):
    """The highest score; one of the highest at random when they tie, as they do on a forest's plateaus."""

    def choose(self, X: Array, scores: Array, space: Space, history: History, *, rng: np.random.Generator) -> int:
        return _argmax(scores, rng)


@dataclass(frozen=True)
class Tolerance(Pick):
    """Among the rows that score nearly best, the one farthest from everything tried or pending.

    Trees rate whole regions alike, with the plateau around points already seen; a plain argmax proposes next to
    the incumbent again and again. Nearly best means ``score >= max - share * (max - median)``.
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
        return int(near[_argmax(_distance(_points(space, X[near]), _points(space, history.X)), rng)])


def _argmax(values: Array, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(values == values.max())))


def _points(space: Space, X: Array) -> Array:
    """Rows as points whose distance makes sense: two different choices are 1 apart, like the ends of a range."""
    is_choice = ~space.is_ordered[space.one_hot_column]
    return np.asarray(space.one_hot(X) * np.where(is_choice, np.sqrt(0.5), 1.0))


def _distance(points: Array, others: Array) -> Array:
    """Squared distance of each point to the nearest of the others, shape (m,)."""
    chunk = max(_PAIRS // len(points), 1)
    nearest = np.full(len(points), np.inf)
    for start in range(0, len(others), chunk):
        some = others[start : start + chunk]
        # |a - b|^2 = |a|^2 - 2 a.b + |b|^2, the |a|^2 added at the end
        np.minimum(nearest, (-2.0 * points @ some.T + (some**2).sum(axis=1)).min(axis=1), out=nearest)
    return np.asarray(nearest + (points**2).sum(axis=1))
