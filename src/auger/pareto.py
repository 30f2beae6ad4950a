"""The Pareto front, and several objectives as one value to minimize: the front of a trial, and what it adds to it.

The first front holds the trials that no other beats in all objectives, the second those that only the first beats, and
so on (non-dominated sorting; Deb et al. 2002). Within the first front, the trials rank by how much the volume that
the front dominates would shrink without them (hypervolume contribution); within the others, by the empty space around
them (crowding distance). So good trials are spread out along the front.
"""

from __future__ import annotations

import numpy as np

from auger.types import Array, Index, Mask

# Three objectives and more: the volume is sampled, so many points times members of the front.
_PAIRS = 200_000

# Of more than twice so many trials, only the fronts of the best so many are ranked exactly; the others count as equally
# bad, for good, so that the cost of a new trial does not grow with the number of old ones.
_KEPT = 500

# Infinite values are allowed; their differences must be finite.
_LARGEST = 1e300


class Fronts:
    """Ranks of trials that keep arriving.

    Example:
        >>> fronts = Fronts()
        >>> fronts.add(np.array([[2.0, 2.0]])).tolist()
        [0.0]
        >>> fronts.add(np.array([[1.0, 1.0]])).tolist()
        [1.0, 0.0]
    """

    def __init__(self) -> None:
        self._losses: list[Array] = []
        self._best: Index = np.empty(0, dtype=np.intp)  # numbers of the trials that are ranked

    def add(self, losses: Array) -> Array:
        """Take in losses (k, m) of new trials. Returns the values (n,) of all, old ones first."""
        n_old = len(self._losses)
        self._losses += list(losses)
        self._best = np.concatenate([self._best, np.arange(n_old, len(self._losses))])
        ranked = rank(np.array([self._losses[i] for i in self._best.tolist()]))
        if len(ranked) > 2 * _KEPT:  # whole fronts are kept: trials behind a front do not change it
            is_kept = ranked < np.floor(np.partition(ranked, _KEPT)[_KEPT]) + 1
            self._best, ranked = self._best[is_kept], ranked[is_kept]
        values = np.full(len(self._losses), ranked.max() + 1)
        values[self._best] = ranked
        return values


def rank(losses: Array) -> Array:
    """Values (n,) of losses (n, m): the front, 0, 1, ..., plus the position within it divided by its size.

    Example:
        >>> rank(np.array([[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).round(2).tolist()
        [0.33, 0.67, 0.0, 1.0]
    """
    losses = np.clip(losses, -_LARGEST, _LARGEST)
    values = np.empty(len(losses))
    left, number = np.arange(len(losses)), 0
    while len(left):
        on_front = front(losses[left])
        members, left = left[on_front], left[~on_front]
        worth = contribution(losses[members], losses.max(axis=0)) if number == 0 else crowding(losses[members])
        order = np.argsort(-worth, kind="stable")
        values[members[order]] = number + np.arange(len(members)) / len(members)
        number += 1
    return values


def placed(losses: Array, ranked: Array, values: Array) -> Array:
    """Values (p,) for losses (p, m) of trials that are only predicted, among the values (n,) of ranked losses (n, m).

    Each comes right behind the worst of those that beat it; if none does, behind the whole first front: nothing that is
    predicted is better than what was measured.

    Example:
        >>> ranked = np.array([[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
        >>> placed(np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 4.0]]), ranked, rank(ranked)).round(2).tolist()
        [0.67, 0.67, 1.0]
    """
    is_beaten = (ranked <= losses[:, np.newaxis]).all(axis=2)
    least = values[values < np.floor(values.min()) + 1].max()
    behind = np.where(is_beaten, values, least).max(axis=1)
    return np.asarray(np.nextafter(behind, np.inf))


def front(losses: Array) -> Mask:
    """Which of the losses (n, m) no other beats by being as good in every objective and better in one, shape (n,).

    Example:
        >>> front(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])).tolist()
        [True, True, False, True]
    """
    distinct, which = np.unique(losses, axis=0, return_inverse=True)  # by the first objective, then the second, ...
    return _front_of_sorted(distinct)[which.reshape(-1)]


def _front_of_sorted(losses: Array) -> Mask:
    """The front of distinct losses (n, m) in lexicographic order: a loss is beaten by earlier ones only."""
    if losses.shape[1] == 2:
        on_front = np.ones(len(losses), dtype=bool)
        on_front[1:] = losses[1:, 1] < np.minimum.accumulate(losses[:-1, 1])
        return on_front
    on_front = np.zeros(len(losses), dtype=bool)
    left = np.arange(len(losses))
    while len(left):
        first = losses[left[0]]  # nothing left beats it
        on_front[left[0]] = True
        left = left[1:][(losses[left[1:]] < first).any(axis=1)]
    return on_front


def contribution(front: Array, worst: Array) -> Array:
    """The volume that each member of a front (k, m) dominates alone (k,), up to a factor.

    The volume ends a tenth of its width beyond the ``worst`` (m,) losses.
    """
    best = front.min(axis=0)
    width = np.where(worst > best, worst - best, 1.0)
    points = (front - best) / width  # in [0, 1], and the end at 1.1
    return _alone_in_plane(points) if front.shape[1] == 2 else _alone_in_sample(points)


def _alone_in_plane(points: Array) -> Array:
    """Rectangles between neighbors: on a front of two objectives, one rises as the other falls."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    first, second = points[order].T
    alone = np.empty(len(points))
    alone[order] = (np.append(first[1:], 1.1) - first) * (np.append(1.1, second[:-1]) - second)
    return alone


def _alone_in_sample(points: Array) -> Array:
    n_draws = max(_PAIRS // len(points), 100)
    draws = np.random.default_rng(0).random((n_draws, points.shape[1])) * 1.1
    dominates = np.ones((n_draws, len(points)), dtype=bool)
    for draw, point in zip(draws.T, points.T, strict=True):
        dominates &= point <= draw[:, np.newaxis]
    return np.asarray(dominates[dominates.sum(axis=1) == 1].sum(axis=0), dtype=np.float64)


def crowding(losses: Array) -> Array:
    """How far apart the neighbors on either side are in each objective, in units of its width, summed (n,)."""
    total = np.zeros(len(losses))
    for column in losses.T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        gaps = np.full(len(order), np.inf)
        gaps[1:-1] = (ordered[2:] - ordered[:-2]) / ((ordered[-1] - ordered[0]) or 1.0)
        total[order] += gaps
    return total
