"""One maximizer for discrete spaces and one for the others, as in the paper (section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.history import History
from auger.maximizers.interface import Maximizer, Proposal
from auger.space import Space


@dataclass(frozen=True)
class ByDomain(Maximizer):
    """One maximizer for spaces of discrete parameters only, another where at least one is continuous."""

    discrete: Maximizer
    continuous: Maximizer

    @property
    def needs_gradient(self) -> bool:
        """Whether either of the two needs one."""
        return self.discrete.needs_gradient or self.continuous.needs_gradient

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        chosen = self.discrete if space.is_finite else self.continuous
        return chosen.maximize(score, space, history, rng=rng)
