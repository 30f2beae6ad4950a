"""Random search: score many members drawn at random, take one of the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Score
from auger.errors import RecipeError
from auger.history import History
from auger.maximizers.interface import Maximizer, Pick, Proposal, check_pick
from auger.maximizers.pick import Argmax
from auger.maximizers.pool import propose
from auger.space import Space


@dataclass(frozen=True)
class RandomSearch(Maximizer):
    """Score ``n_samples`` random members in one call. The paper uses 500 on discrete spaces.

    The paper reports that more samples are not better, because with fully grown trees exploration comes from imperfect
    maximization (appendix G.1); docs/benchmarks.md could not confirm it.
    """

    n_samples: int = 500
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_samples=1)
        check_pick(self.pick)

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        return propose(space.sample(self.n_samples, rng), score, space, history, pick=self.pick, rng=rng)
