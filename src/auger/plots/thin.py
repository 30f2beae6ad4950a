"""Fewer points where there are too many: the best and the incumbents always, of the others every so many."""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array, Index, Mask

#: The most trials that a figure shows one by one.
MAX_POINTS = 2000

_ORDINALS = {
    1: "every other",  # all but a few
    2: "every second",
    3: "every third",
    4: "every fourth",
    5: "every fifth",
    6: "every sixth",
    7: "every seventh",
    8: "every eighth",
    9: "every ninth",
    10: "every tenth",
}


def incumbents(y: Array) -> Mask:
    """Which values are better than all before them, shape (n,). ``y`` is minimized; NaN is never better.

    Example:
        >>> incumbents(np.array([3.0, np.nan, 4.0, 1.0, 1.0])).tolist()
        [True, False, False, True, False]
    """
    filled = np.where(np.isnan(y), np.inf, y)
    before = np.concatenate([[np.inf], np.minimum.accumulate(filled)[:-1]]) if len(y) else filled
    return np.asarray(filled < before)


def thinned(keep: Mask, limit: int = MAX_POINTS) -> tuple[Index, str]:
    """Which of n trials to show, and what to say about it.

    Args:
        keep: shape (n,), True for trials that must stay: the best, the incumbents. Only where these alone are more than
            the limit, every so many of them stay, and the last.
        limit: how many at most.

    Returns:
        Their places, ascending, and a sentence, empty where all are shown.

    Example:
        >>> places, note = thinned(np.arange(10_000) == 7)
        >>> len(places), note
        (1668, '1,668 of 10,000 trials shown: the best, and every sixth.')
    """
    n = len(keep)
    if n <= limit:
        return np.arange(n), ""
    kept, rest = np.flatnonzero(keep), np.flatnonzero(~keep)
    if len(kept) >= limit:
        step = math.ceil(len(kept) / (limit - 1))
        places = np.unique(np.append(kept[::step], kept[-1]))
        return places, f"{len(places):,} of {n:,} trials shown: {_every(step)} of those that were best so far."
    step = math.ceil(len(rest) / (limit - len(kept)))
    places = np.sort(np.concatenate([kept, rest[::step]]))
    return places, f"{len(places):,} of {n:,} trials shown: the best, and {_every(step)}."


def _every(step: int) -> str:
    return _ORDINALS.get(step, f"every {step:,}th")
