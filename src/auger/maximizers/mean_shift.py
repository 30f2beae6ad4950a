"""Mean shift: climb a mixture of kernels by moving to the mean of the kernels, again and again (Cheng, 1995)."""

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
from auger.maximizers.relaxation import rounded
from auger.space import Space
from auger.types import Array

# A climb ends after so many steps, or when no column moves by more than this. Near a flat top steps are small.
_STEPS, _LEAST_MOVE = 200, 1e-6


@dataclass(frozen=True)
class MeanShift(Maximizer):
    """Climb from the best ``n_starts`` of ``n_samples`` random members and the ``n_best`` best trials, all at once.

    All columns move, those of choices too: a choice is a point between its values, and the nearest one wins where the
    climb ends. The ends are snapped to members, scored, and join the random members.

    Args:
        n_samples: random members that are scored.
        n_starts: how many climbs.
        n_best: trials that are starts as well: modes of the score lie between good trials.
        pick: the rule that chooses among samples and ends.
    """

    n_samples: int = 1024
    n_starts: int = 20
    n_best: int = 20
    pick: Pick = Argmax()

    def __post_init__(self) -> None:
        check_settings(self, RecipeError, n_samples=1, n_starts=1, n_best=0)
        check_pick(self.pick)

    @property
    def needs_mean_shift(self) -> bool:
        """True: it takes the steps of a mixture of kernels."""
        return True

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        samples = space.sample(self.n_samples, rng)
        rows = np.concatenate([samples, history.X[history.leaders(self.n_best)]])
        heights = score.ascent(rows)[0]
        starts = rows[np.argsort(-heights, kind="stable")[: self.n_starts]]
        ends = space.close(rounded(_modes(score, starts), score.views, space, rng))
        tops = ends[space.allowed(ends)]
        # by height, which still tells rows apart where the score rounds to the same number
        scores = np.concatenate([heights[: len(samples)], score.ascent(tops)[0]])
        X = np.concatenate([samples, tops])
        proposal = propose(X, score, space, history, pick=self.pick, rng=rng, scores=scores)
        return Proposal(proposal.row, float(score(proposal.row[np.newaxis])[0]), proposal.note)


def _modes(score: Score, starts: Array) -> Array:
    """Where mean shift ends from rows (k, d), in the one-hot view (k, p)."""
    V = score.views.one_hot(starts)
    for _ in range(_STEPS):
        moved = score.mean_shift(V)
        if np.abs(moved - V).max() < _LEAST_MOVE:
            return moved
        V = moved
    return V
