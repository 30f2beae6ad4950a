"""Differential evolution over typed members of the space (Storn and Price 1997, rand/1/bin)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings, is_number
from auger.classifiers.interface import Score
from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.interface import Maximizer, Pick, Proposal, check_pick
from auger.maximizers.pick import Argmax
from auger.maximizers.pool import propose
from auger.space import Space, reflect
from auger.types import Array, Index


@dataclass(frozen=True)
class Evolution(Maximizer):
    """Evolve a population towards a high score; each generation is scored in one call.

    Choices and integers stay choices and integers: arithmetic happens on ordered columns of latent rows, choices
    are inherited from one parent or another, and only closed rows (snapped, conditions applied) are scored.
    The proposal is picked among everything that was scored, so a population that settled on a configuration of the
    history still yields a new one.

    Args:
        n_evaluations: rows scored in all; the paper's limit is 2,000.
        n_population: rows of a generation: 10 per dimension, as Storn and Price advise, for ten dimensions; fewer where
            that would leave less than ten generations.
        step: F, the length of a step along the difference of two others.
        crossover: CR, the chance that a column comes from the mutant.
        pick: the rule that chooses among the rows scored.
    """

    n_evaluations: int = 2000
    n_population: int = 100
    step: float = 0.5
    crossover: float = 0.5
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_evaluations=1, n_population=4)
        if not is_number(self.step) or not 0.0 < self.step <= 2.0:
            raise RecipeError(f"`step` of an Evolution must be in (0, 2]. Got {self.step!r}.")
        if not is_number(self.crossover) or not 0.0 <= self.crossover <= 1.0:
            raise RecipeError(f"`crossover` of an Evolution must be between 0 and 1. Got {self.crossover!r}.")
        check_pick(self.pick)

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        n = min(self.n_population, max(self.n_evaluations // 10, 4), self.n_evaluations)
        X = space.sample(n, rng)
        latent, fitness = space.open(X, rng), score(X)
        rows, scores = [X], [fitness.copy()]
        left = self.n_evaluations - n
        while left > 0 and n >= 4:
            parents, children = self._children(latent, space, rng)
            parents, children = parents[:left], children[:left]
            X = space.close(children)
            ok = space.allowed(X)
            values = np.full(len(X), -np.inf)
            if ok.any():
                values[ok] = score(X[ok])
                rows.append(X[ok])
                scores.append(values[ok])
            # a child that ties replaces its parent: on the plateaus of trees that is how a population moves
            better = values >= fitness[parents]
            latent[parents[better]] = children[better]
            fitness[parents[better]] = values[better]
            left -= len(X)
        return propose(
            np.concatenate(rows), score, space, history, pick=self.pick, rng=rng, scores=np.concatenate(scores)
        )

    def _children(self, latent: Array, space: Space, rng: np.random.Generator) -> tuple[Index, Array]:
        """The parents in a random order, and one child of each."""
        # three different others for each row: the next three in a random circle
        circle = rng.permutation(len(latent))
        ring = latent[np.concatenate([circle, circle[:3]])]
        others = (ring[1:-2], ring[2:-1], ring[3:])
        return circle, children(ring[:-3], others, space, rng, step=self.step, crossover=self.crossover)


def children(
    parent: Array,
    others: tuple[Array, Array, Array],
    space: Space,
    rng: np.random.Generator,
    *,
    step: float,
    crossover: float,
) -> Array:
    """One child of each latent row, rand/1/bin: columns of a + F (b - c) with chance CR, at least one, else its own.

    A choice of the mutant is b's where b and c differ, with chance F, else a's.
    """
    n, d = parent.shape
    a, b, c = others
    chances = rng.random((2, n, d))
    mutant = reflect(a + step * (b - c))
    if not space.is_ordered.all():
        inherited = np.where((b != c) & (chances[1] < step), b, a)
        mutant = np.where(space.is_ordered, mutant, inherited)
    crossed = chances[0] < crossover
    crossed[np.arange(n), rng.integers(d, size=n)] = True
    return np.where(crossed, mutant, parent)
