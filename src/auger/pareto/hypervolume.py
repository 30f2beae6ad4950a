"""The volume that a set of losses dominates below a reference, and what each of them adds to it.

Two objectives: rectangles. Three: the losses by the first objective, and for each of them the plane of the other two,
where every cell knows the first and the second loss that dominate it: what lies between is dominated by one alone.
Four: the same with a cell in space. More, and very many: a sample of points, the same for all calls.
"""

from __future__ import annotations

import numpy as np

from auger.pareto.dominance import front
from auger.types import Array, Index

#: So many losses are computed exactly, by the number of objectives; of more, the volume is sampled.
EXACT = {1: 10**9, 2: 10**9, 3: 1024, 4: 160}

# Draws times losses of a sample.
_PAIRS = 2_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 65_536


def hypervolume(losses: Array, reference: Array) -> float:
    """The volume below a reference (k,) that losses (n, k) dominate; 0 without a loss below it.

    Exact for up to 4 objectives (unless more than 1,024 losses with three of them, or 160 with four, are on the front).

    Example:
        >>> hypervolume(np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 0.0]]), np.array([3.0, 3.0]))
        3.0
    """
    members = _first_front(losses, reference)
    return float(_volumes(members, reference)[0]) if len(members) else 0.0


def contributions(losses: Array, reference: Array) -> Array:
    """The volume below a reference (k,) that each of the losses (n, k) dominates alone, shape (n,).

    0 for a loss that another dominates or equals, and for one that is not below the reference.

    Example:
        >>> contributions(np.array([[0.0, 2.0], [1.0, 1.0], [1.0, 2.0]]), np.array([2.0, 3.0])).tolist()
        [1.0, 1.0, 0.0]
    """
    inside = np.flatnonzero((losses < reference).all(axis=1))
    alone = np.zeros(len(losses))
    if len(inside):
        alone[inside] = _volumes(losses[inside], reference)[1]
    return alone


def _first_front(losses: Array, reference: Array) -> Array:
    inside = losses[(losses < reference).all(axis=1)]
    return np.unique(inside[front(inside)], axis=0) if len(inside) else inside


def _volumes(losses: Array, reference: Array) -> tuple[float, Array]:
    """The volume that losses (n, k) below the reference dominate, and what each of them dominates alone (n,)."""
    n, k = losses.shape
    if k == 1:
        return _line(losses[:, 0], float(reference[0]))
    if n > EXACT.get(k, 0):
        return _sampled(losses, reference)
    order = np.argsort(losses[:, 0], kind="stable")
    ordered = losses[order]
    widths = np.diff(ordered[:, 0], append=reference[0])
    volume, alone = _SWEEPS[k](ordered[:, 1:], reference[1:], widths)
    back = np.empty(n)
    back[order] = alone
    return volume, back


def _line(losses: Array, reference: float) -> tuple[float, Array]:
    order = np.argsort(losses, kind="stable")
    alone = np.zeros(len(losses))
    alone[order[0]] = losses[order[1]] - losses[order[0]] if len(losses) > 1 else reference - losses[order[0]]
    return reference - float(losses[order[0]]), alone


def _two(losses: Array, reference: Array, widths: Array) -> tuple[float, Array]:
    """Strips along the first objective: the lowest of the losses so far, and the second lowest, bound each."""
    column = losses[:, 0]
    lowest = np.minimum.accumulate(column)
    # what is not the lowest, of the lowest so far and the next, competes for the second place
    loser = np.maximum(np.append(reference, lowest[:-1]), column)
    second = np.minimum.accumulate(loser)
    is_new = np.append(True, column[1:] < lowest[:-1])
    owner = np.maximum.accumulate(np.where(is_new, np.arange(len(column)), 0))
    alone = np.bincount(owner, widths * (second - lowest), minlength=len(column))
    return float(widths @ (reference[0] - lowest)), np.asarray(alone, dtype=np.float64)


def _three(losses: Array, reference: Array, widths: Array) -> tuple[float, Array]:
    """Slices along the first objective, cells along the second."""
    n = len(losses)
    start, lengths = _cells(losses[:, 0], reference[0])
    depth, level = _levels(losses[:, 1], reference[1])
    first, second = np.full((2, n), n)  # in each cell, the two losses that come first along the third objective
    alone, volume = np.zeros(n + 1), 0.0
    for i in range(n):
        cells = slice(start[i], None)
        np.minimum(second[cells], np.maximum(first[cells], level[i]), out=second[cells])
        np.minimum(first[cells], level[i], out=first[cells])
        if widths[i]:
            nearest = depth[first]
            alone += np.bincount(first, widths[i] * lengths * (depth[second] - nearest), minlength=n + 1)
            volume += widths[i] * float(lengths @ (reference[1] - nearest))
    return volume, alone[level]


def _four(losses: Array, reference: Array, widths: Array) -> tuple[float, Array]:
    """Slices along the first objective, cells along the second and the third."""
    n = len(losses)
    rows, heights = _cells(losses[:, 0], reference[0])
    columns, lengths = _cells(losses[:, 1], reference[1])
    areas = np.outer(heights, lengths)
    depth, level = _levels(losses[:, 2], reference[2])
    first, second = np.full((2, n, n), n)
    alone, volume = np.zeros(n + 1), 0.0
    for i in range(n):
        cells = np.s_[rows[i] :, columns[i] :]
        np.minimum(second[cells], np.maximum(first[cells], level[i]), out=second[cells])
        np.minimum(first[cells], level[i], out=first[cells])
        if widths[i]:
            nearest = depth[first]
            heaps = widths[i] * areas * (depth[second] - nearest)
            alone += np.bincount(first.ravel(), heaps.ravel(), minlength=n + 1)
            volume += widths[i] * float(np.vdot(areas, reference[2] - nearest))
    return volume, alone[level]


_SWEEPS = {2: _two, 3: _three, 4: _four}


def _cells(column: Array, end: float) -> tuple[Index, Array]:
    """Cells between the losses along an objective: in which cell each loss (n,) begins, and the lengths (n,)."""
    order = np.argsort(column, kind="stable")
    start = np.empty(len(column), dtype=np.intp)
    start[order] = np.arange(len(column))
    return start, np.diff(column[order], append=end)


def _levels(column: Array, end: float) -> tuple[Array, Index]:
    """The losses along the last objective: their values in ascending order, then the end (n + 1,), and the position of
    each loss among them (n,)."""
    order = np.argsort(column, kind="stable")
    position = np.empty(len(column), dtype=np.intp)
    position[order] = np.arange(len(column))
    return np.append(column[order], end), position


def _sampled(losses: Array, reference: Array) -> tuple[float, Array]:
    """From points drawn between the best losses and the reference, the same for all calls."""
    best = losses.min(axis=0)
    if len(losses) == 1:
        volume = float(np.prod(reference - best))
        return volume, np.array([volume])
    n_draws = min(max(_PAIRS // len(losses), _FEWEST_DRAWS), _MOST_DRAWS)
    draws = best + np.random.default_rng(0).random((n_draws, losses.shape[1])) * (reference - best)
    dominates = np.ones((n_draws, len(losses)), dtype=bool)
    for draw, column in zip(draws.T, losses.T, strict=True):
        dominates &= column <= draw[:, np.newaxis]
    n_dominating = dominates.sum(axis=1)
    share = float(np.prod(reference - best)) / n_draws
    return float(np.count_nonzero(n_dominating)) * share, share * dominates[n_dominating == 1].sum(axis=0).astype(
        np.float64
    )
