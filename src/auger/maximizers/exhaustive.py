"""Exhaustive search: score every configuration that was not tried, where there are few enough."""

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
from auger.maximizers.random import RandomSearch
from auger.space import EXHAUSTIVE_LIMIT, Space


@dataclass(frozen=True)
class Exhaustive(Maximizer):
    """Score all members of a space of at most ``limit``; leave larger and continuous spaces to ``otherwise``."""

    limit: int = EXHAUSTIVE_LIMIT
    pick: Pick = Argmax()
    otherwise: Maximizer = RandomSearch()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, limit=1)
        check_pick(self.pick)

    @property
    def needs_gradient(self) -> bool:
        """Whether ``otherwise`` needs one."""
        return self.otherwise.needs_gradient

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        if space.cardinality > self.limit:
            return self.otherwise.maximize(score, space, history, rng=rng)
        return propose(space.members, score, space, history, pick=self.pick, rng=rng)
