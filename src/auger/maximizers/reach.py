"""How far a climb may go: to the bounds, or short of them.

A model knows least outside its data, so expected improvement rises towards bounds and corners, and a climb ends there:
about half of the process' proposals had a value on a bound before this rule, at no gain. A value exactly on a bound may
also be invalid: 0 and 1, for a share that must lie between them.
"""

from __future__ import annotations

import numpy as np

from auger.history import History
from auger.labels import Kind, kinds_of
from auger.space import Space
from auger.types import Array, Mask

# A climb goes this share of the way from its start to a bound, ...
_SHARE = 0.5
# ... but up to the bound if it starts as close as this share of the range: proposals have moved there, step by step,
_NEAR = 0.01
# and then it ends this share of the range before it.
_MARGIN = 1e-7


def to_bounds(starts: Array, space: Space) -> tuple[Array, Array]:
    """The lowest and highest entries of climbs from rows (k, d), each (k, d): those of the columns."""
    return np.tile(space.grid.bottom, (len(starts), 1)), np.tile(space.grid.top, (len(starts), 1))


def inside(starts: Array, space: Space, history: History) -> tuple[Array, Array]:
    """The same for climbs that stay strictly inside the range of every continuous parameter.

    A climb goes half of the way to a bound, so that the next can go on from there if it was worth it; one that starts
    within a hundredth of the range goes up to a ten-millionth of it. Where trials have failed between a bound and all
    trials that have a value, a climb ends halfway between the two kinds.
    """
    bottom, top = space.grid.bottom, space.grid.top
    kinds = kinds_of(history, slice(None))
    has_value, has_failed = kinds == Kind.FEASIBLE, kinds == Kind.UNRANKED
    first, last = space.grid.neighbor(np.array([bottom, top]), np.outer([1.0, -1.0], np.ones(len(space))))
    is_continuous = np.array([n is None for n in space.n_values])
    gaps = _least_gap(starts - bottom, first - bottom, history.X - bottom, has_value, has_failed, top - bottom)
    low = np.where(is_continuous, np.minimum(bottom + gaps, starts), bottom)
    gaps = _least_gap(top - starts, top - last, top - history.X, has_value, has_failed, top - bottom)
    high = np.where(is_continuous, np.maximum(top - gaps, starts), top)
    return low, high


def _least_gap(starts: Array, step: Array, tried: Array, has_value: Mask, has_failed: Mask, width: Array) -> Array:
    """How close to a bound climbs may come, (k, d).

    Args:
        starts: the distances of the starts from the bound, (k, d).
        step: the distance of the entry next to the bound, (d,).
        tried: the distances of the trials, (n, d); NaN where a parameter is inactive.
        has_value, has_failed: which trials have a value, and which have failed, (n,).
        width: of the columns, (d,).
    """
    gaps = np.where(starts <= _NEAR * width, np.maximum(_MARGIN * width, step), _SHARE * starts)
    if not has_failed.any():
        return np.asarray(gaps)
    closest = np.min(tried[has_value], axis=0, initial=np.inf, where=~np.isnan(tried[has_value]))
    closest = np.where(np.isinf(closest), 0.0, closest)  # without a value there is nothing to compare with
    failed = tried[has_failed]
    is_beyond = (failed >= 0.0) & (failed < closest)  # NaN is not, nor is what limits leave out
    innermost = np.max(failed, axis=0, initial=0.0, where=is_beyond)
    return np.maximum(gaps, np.where(is_beyond.any(axis=0), (innermost + closest) / 2, 0.0))
