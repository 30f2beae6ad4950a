"""A maximizer for each kind of domain, as the paper has it (section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.history import History
from auger.maximizers.interface import Maximizer, Proposal
from auger.space import Space


@dataclass(frozen=True)
class ByDomain(Maximizer):
    """One maximizer for spaces of discrete parameters only, another as soon as one is continuous."""

    discrete: Maximizer
    continuous: Maximizer

    @property
    def needs_gradient(self) -> bool:
        """Whether either of them does."""
        return self.discrete.needs_gradient or self.continuous.needs_gradient

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        chosen = self.discrete if space.is_finite else self.continuous
        return chosen.maximize(score, space, history, rng=rng)
