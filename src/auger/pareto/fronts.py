"""The Pareto front, and several objectives as one value to minimize: the front of a trial, and what it adds to it.

The first front holds the trials that no other beats in all objectives, the second those that only the first beats, and
so on (non-dominated sorting; Deb et al. 2002). Within the first front, the trials rank by how much the volume that
the front dominates would shrink without them (hypervolume contribution); within the others, by the empty space around
them (crowding distance). So good trials are spread out along the front.
"""

from __future__ import annotations

import numpy as np

from auger.pareto.dominance import front_numbers, is_beaten
from auger.pareto.hypervolume import EXACT, contributions
from auger.types import Array, Index

# After so many trials, and so many more, those behind the best half are forgotten: they count as equally bad, for good,
# so that the cost of a new trial does not grow with the number of bad ones. Counts of trials decide, so it makes no
# difference how many come at a time.
_BLOCK = 1000

# More new trials than this are sorted together with the others, fewer are inserted one by one.
_MANY = 64

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
        self._n = 0
        # of the trials that are ranked, by number: their numbers, losses, fronts, and values
        self._numbers: Index = np.empty(0, dtype=np.intp)
        self._losses: Array = np.empty((0, 0))
        self._fronts: Index = np.empty(0, dtype=np.intp)
        self._values: Array = np.empty(0)
        self._changed: set[int] = set()  # fronts whose values are to be computed again
        self._worst: Array = np.empty(0)

    def add(self, losses: Array) -> Array:
        """Take in losses (n, k) of new trials. Returns the values of all, old ones first."""
        losses = np.clip(losses, -_LARGEST, _LARGEST)
        while len(losses):
            size = _BLOCK - self._n % _BLOCK
            self._take(losses[:size])
            losses = losses[size:]
            if self._n % _BLOCK == 0:
                self._forget()
        self._evaluate()
        values = np.full(self._n, self._fronts.max(initial=-1) + 1.0)
        values[self._numbers] = self._values
        return values

    def _take(self, losses: Array) -> None:
        """Find the fronts of new trials, and of those that they push back."""
        n_old, n_new = len(self._losses), len(losses)
        self._losses = np.concatenate([self._losses.reshape(n_old, losses.shape[1]), losses])
        self._numbers = np.concatenate([self._numbers, np.arange(self._n, self._n + n_new)])
        self._values = np.concatenate([self._values, np.full(n_new, np.nan)])
        self._n += n_new
        if n_new > _MANY:
            self._fronts = front_numbers(self._losses)
            self._changed = set(range(int(self._fronts.max()) + 1))
        else:
            self._fronts = np.concatenate([self._fronts, np.full(n_new, -1)])
            for i in range(n_old, n_old + n_new):
                self._insert(i)

    def _insert(self, i: int) -> None:
        """The front of trial i follows the last one that beats it; what it beats there moves back, and so on."""
        losses, fronts = self._losses[:i], self._fronts[:i]
        is_equal = (losses == self._losses[i]).all(axis=1)
        beats = (losses <= self._losses[i]).all(axis=1) & ~is_equal
        front = int(fronts[beats].max(initial=-1)) + 1
        moved = np.flatnonzero((fronts == front) & (losses >= self._losses[i]).all(axis=1) & ~is_equal)
        self._fronts[i] = front
        self._changed.add(front)
        while len(moved):
            front += 1
            others = np.flatnonzero(fronts == front)
            fronts[moved] = front
            self._changed.add(front)
            # every front is beaten by the one before it as a whole, so that equal losses are in the same
            moved = others[is_beaten(losses[others], losses[moved])]

    def _evaluate(self) -> None:
        """The values of the trials in fronts that changed."""
        worst = self._losses.max(axis=0, initial=-np.inf)
        if not np.array_equal(worst, self._worst):
            self._worst = worst
            self._changed.add(0)  # contributions depend on it
        for front in self._changed:
            members = np.flatnonzero(self._fronts == front)
            self._values[members] = front + _within(self._losses[members], front, worst)
        self._changed = set()

    def _forget(self) -> None:
        """Keep whole fronts, at least half of the trials: those behind a front do not change it."""
        half = self._n // 2
        if len(self._numbers) > half:
            is_kept = self._fronts <= np.partition(self._fronts, half)[half]
            self._numbers, self._losses = self._numbers[is_kept], self._losses[is_kept]
            self._fronts, self._values = self._fronts[is_kept], self._values[is_kept]
            self._changed &= set(range(int(self._fronts.max()) + 1))


def rank(losses: Array) -> Array:
    """Values (n,) of losses (n, k): the front, 0, 1, ..., plus the position within it divided by its size.

    Example:
        >>> rank(np.array([[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).round(2).tolist()
        [0.33, 0.67, 0.0, 1.0]
    """
    losses = np.clip(losses, -_LARGEST, _LARGEST)
    number = front_numbers(losses)
    values = np.empty(len(losses))
    for front in range(int(number.max(initial=-1)) + 1):
        members = np.flatnonzero(number == front)
        values[members] = front + _within(losses[members], front, losses.max(axis=0))
    return values


def placed(losses: Array, ranked: Array, values: Array) -> Array:
    """Values (p,) for losses (p, k) of trials that are only predicted, among the values (n,) of ranked losses (n, k).

    Each comes right behind the worst of those that beat it; if none does, behind the whole first front: nothing that is
    predicted is better than what was measured.

    Example:
        >>> ranked = np.array([[0.0, 3.0], [3.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
        >>> placed(np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 4.0]]), ranked, rank(ranked)).round(2).tolist()
        [0.67, 0.67, 1.0]
    """
    is_beaten = np.ones((len(losses), len(ranked)), dtype=bool)
    for column, other in zip(losses.T, ranked.T, strict=True):
        is_beaten &= other <= column[:, np.newaxis]
    least = values[values < np.floor(values.min()) + 1].max()
    behind = np.where(is_beaten, values, least).max(axis=1)
    return np.asarray(np.nextafter(behind, np.inf))


def _within(members: Array, front: int, worst: Array) -> Array:
    """Positions (m,) within a front, in [0, 1): by contribution on the first, by room on the others; ties by age.

    A first front of more members than contributions are exact for counts like the others.
    """
    n, k = members.shape
    is_exact = n <= EXACT.get(k, EXACT[max(EXACT)])
    worth = contribution(members, worst) if front == 0 and is_exact else crowding(members)
    positions = np.empty(n)
    positions[np.argsort(-worth, kind="stable")] = np.arange(n) / n
    return positions


def contribution(front: Array, worst: Array) -> Array:
    """The volume that each member of a front (m, k) dominates alone (m,), in units of its width.

    The volume ends a tenth of its width beyond the ``worst`` (k,) losses. Exact for up to 4 objectives.
    """
    best = front.min(axis=0)
    width = np.where(worst > best, worst - best, 1.0)
    return contributions((front - best) / width, np.full(front.shape[1], 1.1))


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
