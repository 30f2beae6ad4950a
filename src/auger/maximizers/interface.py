"""What a maximizer is: a search for a member of the space that has a high score and was not tried yet.

A maximizer gathers a *pool* of members with their scores; a *pick* rule chooses one of them. Everything here
works on snapped rows X (m, d), so that a proposal is always a point the space really contains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from auger.classifiers.interface import Score
from auger.errors import RecipeError
from auger.history import History
from auger.space import Space
from auger.types import Array


@dataclass(frozen=True)
class Proposal:
    """One row to try next.

    Attributes:
        row: shape (d,), a member of the space.
        score: what the classifier gave to it.
        note: what the user should know about the search; usually empty.
    """

    row: Array
    score: float
    note: str = ""


class Maximizer(ABC):
    """Settings of a search for the row with the best score."""

    @property
    def needs_gradient(self) -> bool:
        """Whether it works only with classifiers that declare a gradient."""
        return False

    @property
    def needs_relaxation(self) -> bool:
        """Whether it works only with classifiers that declare a relaxation."""
        return False

    @property
    def needs_mean_shift(self) -> bool:
        """Whether it works only with classifiers that declare steps of mean shift."""
        return False

    @abstractmethod
    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        """Propose a member of ``space`` that is not in ``history``, as long as one is left."""


class Pick(ABC):
    """Chooses one row of a pool."""

    @abstractmethod
    def choose(self, X: Array, scores: Array, space: Space, history: History, *, rng: np.random.Generator) -> int:
        """The position of the chosen row in the pool X (m, d) with scores (m,); m >= 1."""


def check_pick(pick: object) -> None:
    """Refuse what is not a Pick."""
    if not isinstance(pick, Pick):
        raise RecipeError(f"`pick` must be a Pick such as Argmax() or Tolerance(). Got {pick!r}.")
