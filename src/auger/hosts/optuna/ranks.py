"""Several objectives as one value to minimize: which front a trial is on, and how alone it is there.

The first front holds the trials that no other beats in all objectives, the second those that only the first beats, and
so on (non-dominated sorting). Within a front, those with the most empty space around them come first (crowding
distance), so that what is good is also spread out (Deb et al. 2002, NSGA-II).
"""

from __future__ import annotations

import numpy as np
from optuna.study._multi_objective import _fast_non_domination_rank

from auger.types import Array


def rank(losses: Array) -> Array:
    """Values (n,) of losses (n, m): the front, 0, 1, ..., plus the place within it divided by its size.

    Example:
        >>> rank(np.array([[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).round(2).tolist()
        [0.0, 0.33, 0.67, 1.0]
    """
    front = _fast_non_domination_rank(losses)
    values = np.empty(len(losses))
    for each in np.unique(front):
        members = np.flatnonzero(front == each)
        order = np.argsort(-_crowding(losses[members]), kind="stable")
        values[members[order]] = each + np.arange(len(members)) / len(members)
    return values


def _crowding(losses: Array) -> Array:
    """How far apart the neighbors on either side are, in each objective, in units of its width, summed (n,)."""
    total = np.zeros(len(losses))
    for column in losses.T:
        order = np.argsort(column, kind="stable")
        ordered = np.clip(column[order], -1e300, 1e300)  # infinite values are allowed, and differences must be finite
        gaps = np.full(len(order), np.inf)
        width = ordered[-1] - ordered[0]
        gaps[1:-1] = (ordered[2:] - ordered[:-2]) / (width or 1.0)
        total[order] += gaps
    return total
