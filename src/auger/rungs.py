"""Trials that were stopped early, among those that were not: where each would rank.

rung         how far a trial came, see `auger.history.rung_of`
order        numbers of trials, best first

Complete trials rank by value. Then, from the highest rung down, the trials that stopped there are put in: one with k
values at least as good as its own at this rung, among those of the trials already in order, goes behind the k-th of
these. So a trial is compared with the others where all of them have a value, each trial counts at the highest rung it
came to, and the lower rungs say nothing about those that came further. A trial whose rung nobody else came to, or
whose last value is NaN, goes to the end.
"""

from __future__ import annotations

import numpy as np

from auger.history import History, rung_of
from auger.types import Array, Index


def merge(complete: Index, stopped: Index, history: History) -> Index:
    """The order of trials (n + m,), given that of the complete ones (n,) and the numbers of those stopped early (m,).

    Those with equal values at the same rung go by age.

    Example:
        >>> from auger.history import State, Trial
        >>> from auger.space import Space
        >>> curves = [[(1, 5.0), (9, 1.0)], [(1, 3.0), (9, 2.0)], [(1, 4.0)], [(1, 6.0)]]
        >>> states = [State.COMPLETE, State.COMPLETE, State.PRUNED, State.PRUNED]
        >>> trials = [Trial(i, {"x": i / 8}, states[i], steps[-1][1], steps=steps) for i, steps in enumerate(curves)]
        >>> history = History(Space({"x": (0.0, 1.0)}), trials)
        >>> merge(np.array([0, 1]), np.array([2, 3]), history).tolist()
        [0, 2, 1, 3]
    """
    order = complete
    rungs = np.array([rung_of(history.trials[i].steps[-1][0]) for i in stopped])
    for rung in np.unique(rungs)[::-1].tolist():
        values = history.at(rung)
        new = np.sort(stopped[rungs == rung])
        new = new[np.argsort(values[new], kind="stable")]  # NaN last
        order = np.insert(order, places(values[order], values[new]), new)
    return order


def places(known: Array, new: Array) -> Index:
    """Before which of the trials in order, with values known (n,) at a rung, NaN for none, the new ones (k,) go."""
    comparable = np.flatnonzero(~np.isnan(known))
    n_as_good = np.searchsorted(np.sort(known[comparable]), new, side="right")
    behind = np.concatenate([[0], comparable + 1])
    return np.where(np.isnan(new) | (len(comparable) == 0), len(known), behind[n_as_good])
