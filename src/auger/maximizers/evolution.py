"""Differential evolution over typed members of the space (Storn and Price 1997, rand/1/bin)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.interface import Maximizer, Pick, Proposal
from auger.maximizers.pick import Argmax
from auger.maximizers.pool import propose
from auger.space import Space, reflect
from auger.types import Array


@dataclass(frozen=True)
class Evolution(Maximizer):
    """Evolve a population towards a high score; each generation is scored in one call.

    Choices and integers stay choices and integers: arithmetic happens on ordered columns of latent rows, choices
    are inherited from one parent or another, and only closed rows (snapped, conditions applied) are scored.
    The proposal is picked among everything that was scored, so a population that settled on a known
    configuration still yields a new one.

    Args:
        n_evaluations: rows scored in all; the paper's limit is 2,000.
        n_population: rows of a generation.
        step: F, the length of a step along the difference of two others.
        crossover: CR, the chance that a column comes from the mutant.
        pick: the rule that chooses among the rows scored.
    """

    n_evaluations: int = 2000
    n_population: int = 50
    step: float = 0.5
    crossover: float = 0.5
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        for name, least in (("n_evaluations", 1), ("n_population", 4)):
            if getattr(self, name) < least:
                raise RecipeError(f"`{name}` of an Evolution must be at least {least}. Got {getattr(self, name)!r}.")

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        X = space.sample(min(self.n_population, self.n_evaluations), rng)
        latent, fitness = space.open(X, rng), score(X)
        rows, scores = [X], [fitness.copy()]
        left = self.n_evaluations - len(X)
        while left > 0 and len(X) >= 4:
            children = self._children(latent, space, rng)[:left]
            X = space.close(children)
            ok = space.allowed(X)
            values = np.full(len(X), -np.inf)
            if ok.any():
                values[ok] = score(X[ok])
                rows.append(X[ok])
                scores.append(values[ok])
            # a child that ties replaces its parent: on the plateaus of trees that is how a population moves
            better = values >= fitness[: len(X)]
            latent[: len(X)][better] = children[better]
            fitness[: len(X)][better] = values[better]
            left -= len(X)
        return propose(
            np.concatenate(rows), score, space, history, pick=self.pick, rng=rng, scores=np.concatenate(scores)
        )

    def _children(self, latent: Array, space: Space, rng: np.random.Generator) -> Array:
        n, d = latent.shape
        # three different others for each row: the first three of a random order that leaves the row itself out
        order = np.argsort(rng.random((n, n - 1)), axis=1)[:, :3]
        others = order + (order >= np.arange(n)[:, np.newaxis])
        a, b, c = (latent[others[:, k]] for k in range(3))
        moved = reflect(a + self.step * (b - c))
        inherited = np.where((b != c) & (rng.random((n, d)) < self.step), b, a)
        mutant = np.where(space.is_ordered, moved, inherited)
        crossed = rng.random((n, d)) < self.crossover
        crossed[np.arange(n), rng.integers(d, size=n)] = True
        return np.where(crossed, mutant, latent)
