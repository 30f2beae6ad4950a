"""Local search: random members, mutations of the best trials, then mutations of the rows with the best scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Score
from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.climb import climb
from auger.maximizers.interface import Maximizer, Pick, Proposal, check_pick
from auger.maximizers.pick import Argmax
from auger.maximizers.pool import propose
from auger.maximizers.reach import inside
from auger.space import Space
from auger.types import Array

# A climb ends where a step gains less than this: a hundred-thousandth of the improvement that a logarithm scores.
_LEAST_GAIN = 1e-5


@dataclass(frozen=True)
class LocalSearch(Maximizer):
    """A pool that is dense where it matters. Pair it with the Tolerance pick, or with a regularized classifier:
    fully grown trees with a plain argmax only re-propose the neighbourhood of the incumbent.

    Args:
        n_random: members drawn from the whole space.
        n_mutants: mutations of the ``n_best`` best trials.
        n_rounds: rounds of ``n_round`` mutations of the ``n_top`` best-scoring rows of the pool.
        n_climbs: at the end, so many of the best-scoring rows climb along the gradient of the score and join the pool.
            They stay strictly inside the range of every continuous parameter, see `auger.maximizers.reach`.
        pick: the rule that chooses from the pool.
    """

    n_random: int = 132
    n_mutants: int = 268
    n_best: int = 10
    n_rounds: int = 2
    n_round: int = 100
    n_top: int = 20
    n_climbs: int = 0
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_random=1, n_mutants=0, n_best=1, n_rounds=0, n_round=0, n_top=1, n_climbs=0)
        check_pick(self.pick)

    @property
    def needs_gradient(self) -> bool:
        """Whether rows climb."""
        return self.n_climbs > 0

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        n_random, n_mutants, n_round = (
            math.ceil(score.effort * n) for n in (self.n_random, self.n_mutants, self.n_round)
        )
        X = np.concatenate(
            [space.sample(n_random, rng), _mutants(space, history.X[history.leaders(self.n_best)], n_mutants, rng)]
        )
        scores = score(X)
        for _ in range(self.n_rounds):
            top = _best(X, scores, self.n_top)
            X, scores = _joined(X, scores, _mutants(space, top, n_round, rng), score)
        if self.n_climbs:
            starts = _best(X, scores, self.n_climbs)
            tops = climb(score, starts, space, inside(starts, space, history), least_gain=_LEAST_GAIN)
            X, scores = _joined(X, scores, tops, score)
        return propose(X, score, space, history, pick=self.pick, rng=rng, scores=scores)


def _best(X: Array, scores: Array, n: int) -> Array:
    return np.asarray(X[np.argsort(-scores, kind="stable")[:n]])


def _joined(X: Array, scores: Array, more: Array, score: Score) -> tuple[Array, Array]:
    if not len(more):
        return X, scores
    return np.concatenate([X, more]), np.concatenate([scores, score(more)])


def _mutants(space: Space, rows: Array, n: int, rng: np.random.Generator) -> Array:
    """Up to n allowed mutations of the rows, spread over them at random."""
    if not len(rows) or not n:
        return np.empty((0, len(space)))
    X = space.mutate(rows[rng.integers(len(rows), size=n)], rng)
    return X[space.allowed(X)]
