"""Search around the best trial, once there are many trials: in a box that narrows as the best trials agree.

In many dimensions the score has too many tops to find the best of them, and most lie where nobody has looked. After a
few hundred answers more is gained close to the best trial. The box needs no memory of successes and failures: it is a
function of the history.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Score
from auger.errors import RecipeError, SpaceError
from auger.history import History
from auger.maximizers.interface import Maximizer, Proposal
from auger.space import Space
from auger.types import Array

# Sides are at least this share of the range, so that something new is left in the box.
_NARROWEST = 1e-9


@dataclass(frozen=True)
class AroundBest(Maximizer):
    """Another maximizer, limited to a box around the best trial.

    Along each ordered parameter the box reaches as far from the best trial, both ways, as the ``n_best`` best trials
    lie apart: a number in which they agree keeps its value. Choices are free, and so are parameters that others depend
    on, and those that only one of these trials has. A space without continuous parameters is searched whole: soon
    nothing new would be left in a box of it. So is a box of which constraints leave next to nothing.

    Args:
        inner: searches the box.
        n_best: how many of the best trials determine its sides.
        above: up to this many answers the whole space is searched.

    Example:
        >>> from auger.maximizers import LocalSearch
        >>> AroundBest(LocalSearch(n_climbs=1), above=100).n_best
        20
    """

    inner: Maximizer
    n_best: int = 20
    above: int = 200

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Maximizer):
            raise RecipeError(f"`inner` of AroundBest must be an auger Maximizer. Got {self.inner!r}.")
        check_settings(self, RecipeError, n_best=2, above=0)

    @property
    def needs_gradient(self) -> bool:
        """Whether the inner one does."""
        return self.inner.needs_gradient

    @property
    def needs_relaxation(self) -> bool:
        """Whether the inner one does."""
        return self.inner.needs_relaxation

    @property
    def needs_mean_shift(self) -> bool:
        """Whether the inner one does."""
        return self.inner.needs_mean_shift

    def maximize(self, score: Score, space: Space, history: History, *, rng: np.random.Generator) -> Proposal:
        if len(history.finished) > self.above:
            leaders = history.leaders(len(history) if space.grid.is_limited else self.n_best)
            part = around_best(space, history.X[leaders], self.n_best)
            try:
                return self.inner.maximize(score, part, history, rng=rng)
            except SpaceError:  # constraints leave next to nothing of it
                pass
        return self.inner.maximize(score, space, history, rng=rng)


def around_best(space: Space, leaders: Array, n_best: int) -> Space:
    """The part of a space around the first of the leaders (k, d), best first; the whole where there is no such part.

    Limits that the space has already are kept: the first ``n_best`` leaders within them count.

    Example:
        >>> from auger.space import Float
        >>> space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
        >>> part = around_best(space, np.array([[0.5, 0.1], [0.75, 0.2]]), n_best=20)
        >>> part.grid.bottom.tolist(), part.grid.top.tolist()
        ([0.25, 0.0], [0.75, 0.2])
    """
    bottom, top = space.grid.bottom, space.grid.top
    leaders = leaders[~((leaders < bottom) | (leaders > top)).any(axis=1)][:n_best]  # NaN is neither
    if not len(leaders):
        return space
    best, is_active = leaders[0], ~np.isnan(leaders)
    highest = np.max(leaders, axis=0, initial=-np.inf, where=is_active)
    lowest = np.min(leaders, axis=0, initial=np.inf, where=is_active)
    is_side = space.is_ordered & ~space.is_parent & is_active[0] & (is_active.sum(axis=0) > 1)
    is_continuous = np.array([n is None for n in space.n_values])
    if not (is_side & is_continuous & (highest > lowest)).any():
        return space
    span = np.where(is_side, np.maximum(highest - lowest, _NARROWEST), 0.0)
    middle = np.where(is_side, best, bottom)
    low, high = space.grid.snap(np.array([middle - span, middle + span]))
    return space.within(np.where(is_side, low, bottom), np.where(is_side, high, top))
