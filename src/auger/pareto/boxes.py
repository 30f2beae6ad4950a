"""What is left to gain beyond a front, cut into boxes that do not overlap.

A loss y gains something if it is below the reference in every objective and no member of the front is as good as y in
all of them. That region is a union of boxes, at most m + 1 of them with two objectives and m members, 2 m + 1 with
three, and about m^2 with four. They follow from the *local upper bounds*: the corners that the region has inside
(Lacour, Klamroth and Fonseca 2017, "A box decomposition algorithm to compute the hypervolume indicator").
"""

from __future__ import annotations

import numpy as np

from auger.types import Array


def boxes(front: Array, reference: Array) -> tuple[Array, Array]:
    """The region below a reference (k,) that a front (m, k) does not dominate: its boxes, low and high, each (b, k).

    Lows may be -infinity. Members that are not below the reference, or that others dominate, change nothing. Without
    members there is one box, up to the reference.

    Example:
        >>> low, high = boxes(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0]))
        >>> low.tolist(), high.tolist()
        ([[-inf, -inf], [1.0, -inf], [2.0, -inf]], [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    """
    inside = np.unique(front[(front < reference).all(axis=1)], axis=0)  # by the first objective, then the second, ...
    if front.shape[1] == 1:
        return np.full((1, 1), -np.inf), (inside[:1] if len(inside) else reference[np.newaxis])
    return _strips(inside, reference) if front.shape[1] == 2 else _between_bounds(inside, reference)


def _strips(front: Array, reference: Array) -> tuple[Array, Array]:
    """Two objectives: a strip between each member and the next, as high as the members before it leave free."""
    lowest = np.minimum.accumulate(front[:, 1])
    is_lower = np.ones(len(front), dtype=bool)
    is_lower[1:] = front[1:, 1] < lowest[:-1]
    first, second = front[is_lower].T
    low = np.full((len(first) + 1, 2), -np.inf)
    low[1:, 0] = first
    return low, np.stack([np.append(first, reference[0]), np.append(reference[1], second)], axis=1)


def _between_bounds(front: Array, reference: Array) -> tuple[Array, Array]:
    """Three objectives and more: one box below each local upper bound, from where the boxes of others begin."""
    k = len(reference)
    bounds = reference[np.newaxis].copy()
    # [i, j]: the member (or the edge of the reference) that bound i touches in objective j
    touched = np.full((1, k, k), -np.inf)
    touched[0, np.arange(k), np.arange(k)] = reference
    for member in front:
        is_cut = (member < bounds).all(axis=1)
        if not is_cut.any():
            continue
        cut, touched_by_cut = bounds[is_cut], touched[is_cut]
        new_bounds, new_touched = [bounds[~is_cut]], [touched[~is_cut]]
        for j in range(k):
            others = np.delete(touched_by_cut[:, :, j], j, axis=1).max(axis=1)
            is_kept = member[j] >= others
            lower, touches = cut[is_kept], touched_by_cut[is_kept]
            lower[:, j], touches[:, j] = member[j], member
            new_bounds.append(lower)
            new_touched.append(touches)
        bounds, touched = np.concatenate(new_bounds), np.concatenate(new_touched)
    low = np.full(bounds.shape, -np.inf)
    for j in range(k - 1):
        low[:, j] = touched[:, j + 1 :, j].max(axis=1)
    is_box = (low < bounds).all(axis=1)
    return low[is_box], bounds[is_box]
