"""Exhaustive search: score every configuration that was not tried, where there are few enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.history import History
from auger.maximizers.interface import EXHAUSTIVE_LIMIT, Maximizer, Pick, Proposal
from auger.maximizers.pick import Argmax
from auger.maximizers.pool import propose
from auger.maximizers.random import RandomSearch
from auger.space import Space


@dataclass(frozen=True)
class Exhaustive(Maximizer):
    """Score all members of a space of at most ``limit``; leave larger and continuous spaces to ``otherwise``."""

    limit: int = EXHAUSTIVE_LIMIT
    pick: Pick = Argmax()
    otherwise: Maximizer = RandomSearch()

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        if space.cardinality > self.limit:
            return self.otherwise.maximize(score, space, history, rng=rng)
        return propose(space.members, score, space, history, pick=self.pick, rng=rng)


@dataclass(frozen=True)
class ByDomain(Maximizer):
    """One maximizer for spaces of discrete parameters only, another as soon as one is continuous."""

    discrete: Maximizer
    continuous: Maximizer

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        chosen = self.discrete if space.is_finite else self.continuous
        return chosen.maximize(score, space, history, rng=rng)
