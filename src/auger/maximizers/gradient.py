"""Multi-start L-BFGS: climb the classifier's own gradient from the best of many samples (section 3.2, MLP)."""

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
from auger.types import Array


@dataclass(frozen=True)
class Gradient(Maximizer):
    """Climb from the best ``n_starts`` of ``n_samples`` random members.

    Ordered columns move between 0 and 1; choices, and whatever switches other parameters on and off, keep the
    values of the start. Where a climb ends is snapped to a member and rated as such: it competes with
    the samples on equal terms, so rounding never passes off a worse point as the optimum.
    """

    n_samples: int = 1024
    n_starts: int = 3
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_samples=1, n_starts=1)
        check_pick(self.pick)

    @property
    def needs_gradient(self) -> bool:
        """It does."""
        return True

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        X = space.sample(self.n_samples, rng)
        heights = score.ascent(X)[0]
        starts = np.argsort(-heights, kind="stable")[: self.n_starts]
        tops = space.snap(np.array([_climb(score, X[start], space) for start in starts]))
        tops = tops[space.allowed(tops)]
        X = np.concatenate([X, tops])
        heights = np.concatenate([heights, score.ascent(tops)[0]]) if len(tops) else heights
        # pick by height, which still tells rows apart where the probability has saturated at 1
        proposal = propose(X, score, space, history, pick=self.pick, rng=rng, scores=heights)
        return Proposal(proposal.row, float(score(proposal.row[np.newaxis])[0]), proposal.note)


def _climb(score: Score, start: Array, space: Space) -> Array:
    from scipy.optimize import minimize  # noqa: PLC0415  (0.4 s to import)

    free = np.flatnonzero(space.is_ordered & ~space.is_parent & ~np.isnan(start))
    if not len(free):
        return start
    row = start[np.newaxis].copy()

    def descend(x: Array) -> tuple[float, Array]:
        row[0, free] = x
        height, slope = score.ascent(row)
        return -float(height[0]), -slope[0, free]

    bounds = list(zip(space.grid.bottom[free], space.grid.top[free], strict=True))
    found = minimize(descend, start[free], jac=True, method="L-BFGS-B", bounds=bounds)
    row[0, free] = found.x
    return np.asarray(row[0])
