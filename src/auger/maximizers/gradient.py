"""Multi-start L-BFGS: climb the classifier's own gradient from the best of many samples (section 3.2, MLP)."""

from __future__ import annotations

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
from auger.maximizers.reach import to_bounds
from auger.maximizers.relaxation import climb_relaxed
from auger.space import Space
from auger.types import Array


@dataclass(frozen=True)
class Gradient(Maximizer):
    """Climb from the best ``n_starts`` of ``n_samples`` random members.

    Ordered columns move between 0 and 1; choices, and parents of conditional parameters, keep the values of the
    start. The end of a climb is snapped to a member and scored like the samples, so that a point that rounding made
    worse is not proposed for its score before rounding.

    Args:
        n_samples: random members that are scored.
        n_starts: how many climbs.
        pick: the rule that chooses among samples and ends.
        relaxed: climb over the columns of choices, too, from ``n_starts`` random points, and propose one of the ends,
            rounded: as the authors of BORE do. The samples count only where all ends break a constraint.
    """

    n_samples: int = 1024
    n_starts: int = 3
    pick: Pick = Argmax()
    relaxed: bool = False

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_samples=1, n_starts=1)
        check_pick(self.pick)
        if not isinstance(self.relaxed, bool):
            raise RecipeError(f"`relaxed` of a Gradient must be True or False. Got {self.relaxed!r}.")

    @property
    def needs_gradient(self) -> bool:
        """True: it climbs along the gradient."""
        return True

    @property
    def needs_relaxation(self) -> bool:
        """Whether it climbs over choices, too."""
        return self.relaxed

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        X, heights = self._relaxed_pool(score, space, rng) if self.relaxed else self._pool(score, space, rng)
        # pick by height, which still tells rows apart where the probability has saturated at 1
        proposal = propose(X, score, space, history, pick=self.pick, rng=rng, scores=heights)
        return Proposal(proposal.row, float(score(proposal.row[np.newaxis])[0]), proposal.note)

    def _pool(self, score: Score, space: Space, rng: np.random.Generator) -> tuple[Array, Array]:
        """The samples and the ends of climbs from the best of them, with their heights."""
        X = space.sample(self.n_samples, rng)
        heights = score.ascent(X)[0]
        starts = np.argsort(-heights, kind="stable")[: self.n_starts]
        tops = climb(score, X[starts], space, to_bounds(X[starts], space))
        if not len(tops):
            return X, heights
        return np.concatenate([X, tops]), np.concatenate([heights, score.ascent(tops)[0]])

    def _relaxed_pool(self, score: Score, space: Space, rng: np.random.Generator) -> tuple[Array, Array]:
        """The ends of climbs in the relaxed space; where none is allowed, the samples."""
        X = climb_relaxed(score, space, self.n_starts, rng)
        X = X if len(X) else space.sample(self.n_samples, rng)
        return X, score.ascent(X)[0]
