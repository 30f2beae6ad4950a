"""Climb over all columns of the one-hot view, those of choices included, and round where a climb ends.

This is how the authors of BORE maximize a network on spaces with choices: a choice of k values is k numbers between 0
and 1, as if they were independent, and the largest of them wins. The score of the rounded row may be far below that of
the point where the climb ended.
"""

from __future__ import annotations

import numpy as np

from auger.classifiers.interface import Score
from auger.maximizers.climb import LEAST_GAIN, ascend
from auger.space import Space, Views
from auger.types import Array


def climb_relaxed(score: Score, space: Space, n_starts: int, rng: np.random.Generator) -> Array:
    """Where climbs from random points of the relaxed space end, as allowed members, (up to n_starts, d)."""
    column = score.views.one_hot_column
    is_ordered = space.is_ordered[column]
    low, high = np.where(is_ordered, space.grid.bottom[column], 0.0), np.where(is_ordered, space.grid.top[column], 1.0)

    def height(v: Array) -> tuple[float, Array]:
        heights, slopes = score.relaxed(v[np.newaxis])
        return float(heights[0]), slopes[0]

    starts = low + rng.random((n_starts, len(column))) * (high - low)
    ends = np.array([ascend(height, start, low, high, LEAST_GAIN) for start in starts])
    tops = space.close(rounded(ends, score.views, space, rng))
    return tops[space.allowed(tops)]


def rounded(V: Array, views: Views, space: Space, rng: np.random.Generator) -> Array:
    """Viewed rows (m, p) as latent rows (m, d): of a choice, the code whose column is highest."""
    X = np.empty((len(V), len(space)))
    for j, is_ordered in enumerate(space.is_ordered):
        columns = np.flatnonzero(views.one_hot_column == j)
        if is_ordered:
            X[:, j] = V[:, columns[0]]
            continue
        codes = views.one_hot_code[columns][np.argmax(V[:, columns], axis=1)]
        # of very many choices, those that nothing was learned of share a column: any of them is as good
        X[:, j] = np.where(np.isinf(codes), rng.integers(int(space.grid.top[j]) + 1, size=len(V)), codes)
    return X
