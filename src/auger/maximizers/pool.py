"""From a pool of rows to a proposal: rows that were tried before are dropped, the rest is scored, one is picked.

A configuration that was evaluated or is pending is proposed only if no other is left, and then the note of the proposal
says so.
"""

from __future__ import annotations

import numpy as np

from auger.classifiers.interface import Score
from auger.errors import ClassifierError
from auger.history import History
from auger.maximizers.interface import Pick, Proposal
from auger.space import EXHAUSTIVE_LIMIT, Space
from auger.types import Array

# Rows drawn in the hope of something new, in a space too large to list.
_LAST_DRAWS = 10_000


def propose(
    X: Array,
    score: Score,
    space: Space,
    history: History,
    *,
    pick: Pick,
    rng: np.random.Generator,
    scores: Array | None = None,
) -> Proposal:
    """Pick one of the allowed rows X (m, d) that is new; look further when none is.

    Args:
        scores: shape (m,), the scores of X if they were computed already; otherwise only new rows are scored.
    """
    fresh = ~history.contains(X)
    X, scores, note = X[fresh], None if scores is None else scores[fresh], ""
    if not len(X):
        X, note = unseen(space, history, rng=rng)
        scores = None
    if scores is None:
        scores = score(X)
    if np.isnan(scores).any():
        raise ClassifierError(f"A score must give every row a number. Got NaN from {type(score).__name__}.")
    if len(scores) > 1 and scores.min() == scores.max():
        note = "; ".join(filter(None, [note, "all candidates score the same, so this one is as good as random"]))
    chosen = pick.choose(X, scores, space, history, rng=rng)
    return Proposal(X[chosen], float(scores[chosen]), note)


def unseen(space: Space, history: History, *, rng: np.random.Generator) -> tuple[Array, str]:
    """Rows that are not in the history, at least one, and a note; rows of the history only when no others are left."""
    if space.cardinality <= EXHAUSTIVE_LIMIT:
        X = space.members
        new = X[~history.contains(X)]
        if len(new):
            return new, f"chosen among the {len(new)} configurations left"
        return X, f"the space is exhausted: all {len(X)} configurations were tried, so this one is a repeat"
    X = space.sample(_LAST_DRAWS, rng)
    new = X[~history.contains(X)]
    if len(new):
        return new, ""
    return X, f"none of {_LAST_DRAWS:,} random configurations is new, so this one is a repeat"
