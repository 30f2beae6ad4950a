"""Fewer points where there are too many: the best and the incumbents always, and every k-th of the others."""

from __future__ import annotations

import math

import numpy as np

from auger.types import Array, Index, Mask

#: The most trials that a figure shows one by one.
MAX_POINTS = 2000


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
    """Which of n trials to show, and a note about it.

    Args:
        keep: shape (n,), True for trials that must stay: the best, the incumbents. Only where these alone are more than
            the limit, every k-th of them stays, and the last.
        limit: how many at most.

    Returns:
        Their indices, ascending, and a sentence, empty where all are shown.

    Example:
        >>> shown, note = thinned(np.arange(10_000) == 7)
        >>> len(shown), note
        (1668, '1,668 of 10,000 trials shown: the best, and every 6th.')
    """
    n = len(keep)
    if n <= limit:
        return np.arange(n), ""
    kept, rest = np.flatnonzero(keep), np.flatnonzero(~keep)
    if len(kept) >= limit:
        step = math.ceil(len(kept) / (limit - 1))
        shown = np.unique(np.append(kept[::step], kept[-1]))
        return shown, f"{len(shown):,} of {n:,} trials shown: {_every(step)} of the best."
    step = math.ceil(len(rest) / (limit - len(kept)))
    shown = np.sort(np.concatenate([kept, rest[::step]]))
    return shown, f"{len(shown):,} of {n:,} trials shown: the best, and {_every(step)}."


def _every(step: int) -> str:
    """Which ones, in words.

    Example:
        >>> [_every(step) for step in (2, 11, 21, 52, 113)]
        ['every 2nd', 'every 11th', 'every 21st', 'every 52nd', 'every 113th']
    """
    ending = "th" if step % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(step % 10, "th")
    return f"every {step:,}{ending}"
