"""Extremely randomized trees (Geurts et al., 2006): a whole forest is grown together, one level at a time.

X (n, d)       encoded rows: positions, codes, NaN where inactive
positive (n,)  how much each row counts as an example of good
mass (n,)      how much it counts in all; positive / mass is its target, in [0, 1]
rows (T, r)    the rows of X that each of the T trees learns from

A node looks at columns in random order until ``max_features`` of them were candidates: those that vary within the
node. Each candidate gets one random split, and the one with the largest gain is taken,

    gain = S_left^2 / W_left + S_right^2 / W_right        S, W: sums of positive and of mass

which orders splits as the reduction of the variance of the target does, and as that of the Gini index. A node
without candidates, or of one target only, is a leaf; its value is S / W. A split sends a row to the left iff

    its rank <= threshold         the rank of a position is the position itself; of a code, a random number in
                                  [0, 1) drawn for this split; the threshold is uniform between the least and the
                                  largest rank in the node, so both sides have rows
    it is inactive in that column and bit 0 of the split's ``draw`` is set

Where all active rows of a node have the same rank, the split is between them (left) and the inactive.

Every random number is a function of where it is used, so the order of the computation does not matter: a node has
a key, and number i of its stream is output i of SplitMix64 (Steele et al., 2014) started there. Numbers 0 and 1 are
the keys of the children. Number 2 + j belongs to column j: columns are looked at in the order of their numbers, and
the ``draw`` of a split is number 0 of the stream that starts at that of its column.

`auger.classifiers.compiled` does all of this in C, with the same result to the last bit: change one only together
with the other, and keep the order of every sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auger.types import Array, Index, Mask

Bits = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # what SplitMix64 adds at each step

# Below this many entries of X a level costs what its calls of NumPy cost.
_FEW_ENTRIES = 20_000


@dataclass(frozen=True)
class Sample:
    """What a forest learns from.

    Attributes:
        X: shape (n, d), without gaps in memory.
        is_ordered: shape (d,), False for columns of codes.
        positive: shape (n,), see the head of this module.
        mass: shape (n,), all above 0.
        rows: shape (T, r), which rows of X belong to which tree.
        columns: those of X that may be split on.
    """

    X: Array
    is_ordered: Mask
    positive: Array
    mass: Array
    rows: Index
    columns: Index


@dataclass(frozen=True)
class Trees:
    """A grown forest: one entry per node, level by level; the first ``n_trees`` nodes are the roots.

    Attributes:
        n_trees: the number of trees.
        is_ordered: shape (d,), False for columns of codes.
        column: the column a node splits on; 0 in a leaf.
        threshold: the largest rank that goes left; inf if only inactive rows go right; 0 in a leaf.
        draw: the random bits of a split; 0 in a leaf.
        child: the node on the left; the one on the right is next to it. 0 in a leaf, as node 0 is a root.
        value: the mean target of the rows in the node.
    """

    n_trees: int
    is_ordered: Mask
    column: Index
    threshold: Array
    draw: Bits
    child: Index
    value: Array

    @classmethod
    def blank(cls, sample: Sample) -> Trees:
        """Room for all possible nodes: with one row per leaf, 2 r - 1 per tree."""
        n_trees, n_rows = sample.rows.shape
        n = n_trees * (2 * n_rows - 1)
        child, draw = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.uint64)
        return cls(n_trees, sample.is_ordered, np.zeros_like(child), np.zeros(n), draw, child, np.zeros(n))

    def first(self, n: int) -> Trees:
        """The first n nodes, in memory of their own."""
        kept = (part[:n].copy() for part in (self.column, self.threshold, self.draw, self.child, self.value))
        return Trees(self.n_trees, self.is_ordered, *kept)  # type: ignore[arg-type]


def score(trees: Trees, X: Array) -> Array:
    """The mean over the trees of the value in the leaf where each row of X (m, d) ends, shape (m,)."""
    row = np.tile(np.arange(len(X)), trees.n_trees)
    node = np.repeat(np.arange(trees.n_trees), len(X))
    walking = np.flatnonzero(trees.child[node])
    while len(walking):
        here = node[walking]
        rank = _ranks(X, trees.is_ordered, row[walking], trees.column[here], here, trees.draw)
        here = trees.child[here] + _goes_right(rank, trees.threshold[here], here, trees.draw)
        node[walking] = here
        walking = walking[trees.child[here] > 0]
    # bincount adds in the order of its input: tree after tree, as C does
    return np.asarray(np.bincount(row, weights=trees.value[node], minlength=len(X)) / trees.n_trees)


def _ranks(X: Array, is_ordered: Mask, row: Index, column: Index, split: Index, draw: Bits) -> Array:
    """The rank of each row in the column of the split it stands before; ``draw[split]`` are the split's bits."""
    rank: Array = X.ravel().take(row * X.shape[1] + column)
    if not is_ordered.all():
        coded = np.flatnonzero(~is_ordered[column])
        rank[coded] = _rank_of_code(rank[coded], draw[split[coded]])
    return rank


def _goes_right(rank: Array, threshold: Array, split: Index, draw: Bits) -> Mask:
    right = rank > threshold
    inactive = np.flatnonzero(np.isnan(rank))
    if len(inactive):
        right[inactive] = draw[split[inactive]] & np.uint64(1) == 0
    return np.asarray(right)


# -- random numbers -----------------------------------------------------------------------------------------


def _mix(z: Bits) -> Bits:
    """The output function of SplitMix64: a bijection that makes neighbours unlike each other."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _numbers(key: Bits | np.uint64, i: npt.ArrayLike) -> Bits:
    """Numbers i of the streams that start at the keys; both broadcast, and one of them must be an array."""
    return _mix(key + _GOLDEN * (np.asarray(i, dtype=np.uint64) + np.uint64(1)))


def _unit(bits: Bits) -> Array:
    """Uniform in [0, 1): the upper 53 bits."""
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _rank_of_code(code: Array, draw: Bits) -> Array:
    """A rank in [0, 1) for each code, the same for the same code and draw; NaN stays."""
    is_active = ~np.isnan(code)
    number = np.where(is_active, code, 0.0).astype(np.int64).view(np.uint64)
    return np.where(is_active, _unit(_numbers(draw, number)), np.nan)


# -- growing ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Level:
    """Nodes yet to be split, and their rows: those of the first node, then those of the second ..."""

    row: Index
    node: Index
    count: Index
    key: Bits

    def __len__(self) -> int:
        return len(self.node)

    @property
    def start(self) -> Index:
        return np.asarray(np.cumsum(self.count) - self.count)

    def part(self, keep: Mask) -> _Level:
        if keep.all():
            return self
        return _Level(self.row[np.repeat(keep, self.count)], self.node[keep], self.count[keep], self.key[keep])


@dataclass(frozen=True)
class _Splits:
    """The best split of each node of a level so far."""

    gain: Array  # -inf where there is none
    column: Index
    threshold: Array
    draw: Bits
    mass: Array  # (nodes, 2): left and right
    positive: Array

    def part(self, keep: Mask) -> _Splits:
        if keep.all():
            return self
        return _Splits(*(field[keep] for field in vars(self).values()))

    def improve(self, where: Index, other: _Splits) -> None:
        """Take over what is better for the nodes ``where``; of equals, the one found first stays."""
        better = other.gain > self.gain[where]
        for mine, others in zip(vars(self).values(), vars(other).values(), strict=True):
            mine[where[better]] = others[better]


def grow(sample: Sample, max_features: int, seed: int) -> Trees:
    """Grow a forest, as the head of this module describes it."""
    trees = Trees.blank(sample)
    n_trees, n_rows = sample.rows.shape
    tree, target = np.arange(n_trees), sample.positive / sample.mass
    level = _Level(sample.rows.ravel(), tree, np.full(n_trees, n_rows), _numbers(np.uint64(seed), tree))
    trees.value[tree] = _means(np.repeat(tree, n_rows), sample.positive[level.row], sample.mass[level.row])
    n_nodes = n_trees
    while len(level) and len(sample.columns):
        level = level.part(_is_mixed(level, target))
        if not len(level):
            break
        splits = _best_splits(sample, level, max_features)
        is_split = splits.gain > -np.inf
        level, splits = level.part(is_split), splits.part(is_split)
        child = n_nodes + 2 * np.arange(len(level))
        trees.column[level.node] = splits.column
        trees.threshold[level.node] = splits.threshold
        trees.draw[level.node] = splits.draw
        trees.child[level.node] = child
        trees.value[n_nodes : n_nodes + 2 * len(level)] = (splits.positive / splits.mass).ravel()
        n_nodes += 2 * len(level)
        level = _children(sample, level, splits, child)
    return trees.first(n_nodes)


def _means(group: Index, positive: Array, mass: Array) -> Array:
    return np.asarray(np.bincount(group, weights=positive) / np.bincount(group, weights=mass))


def _is_mixed(level: _Level, target: Array) -> Mask:
    """Which nodes hold more than one target."""
    targets = target[level.row]
    return np.asarray(np.minimum.reduceat(targets, level.start) < np.maximum.reduceat(targets, level.start))


def _best_splits(sample: Sample, level: _Level, max_features: int) -> _Splits:
    """The best of one random split for each of the first ``max_features`` columns that vary in a node."""
    n, d = len(level), len(sample.columns)
    limit = np.full(n, min(max_features, d))
    columns, draw = _in_random_order(sample.columns, level.key)
    # What counts are the columns that vary, the first ``limit`` of them. Where few rows are left, one look at all
    # columns is cheaper than a second look.
    k = d if len(level.row) * d <= _FEW_ENTRIES else min(max_features, d)
    splits, n_varying = _try(sample, level, columns[:k], draw[:k], limit)
    short = n_varying < limit
    if k < d and short.any():
        rest = (limit - n_varying)[short]
        others, _ = _try(sample, level.part(short), columns[k:, short], draw[k:, short], rest)
        splits.improve(np.flatnonzero(short), others)
    return splits


def _in_random_order(columns: Index, key: Bits) -> tuple[Index, Bits]:
    """All columns in an order of its own for each node, and the draws that go with them, both (d, nodes)."""
    numbers = _numbers(key[:, np.newaxis], columns + 2)
    order = np.argsort(numbers, axis=1)  # no two are equal: the output of SplitMix64 is a bijection
    return columns[order.T], _numbers(np.take_along_axis(numbers, order, axis=1).T, 0)


def _try(sample: Sample, level: _Level, columns: Index, draw: Bits, limit: Index) -> tuple[_Splits, Index]:
    """Split each node on each of its columns (k, nodes), up to ``limit`` of those that vary; keep the best.

    Returns also how many of its columns vary in each node.
    """
    k, n = columns.shape
    column, draw = columns.ravel(), draw.ravel()
    count, row = np.tile(level.count, k), np.tile(level.row, k)
    split = np.repeat(np.arange(k * n), count)
    rank = _ranks(sample.X, sample.is_ordered, row, np.repeat(column, count), split, draw)
    varies, threshold, draw = _thresholds(rank, np.cumsum(count) - count, draw)
    is_used = varies & (np.cumsum(varies.reshape(k, n), axis=0) <= limit).ravel()
    if 2 * np.count_nonzero(is_used) < len(is_used):  # else it is cheaper to carry the unused along
        used = np.flatnonzero(np.repeat(is_used, count))
        rank, split, row = rank[used], split[used], row[used]
    side = 2 * split + _goes_right(rank, threshold[split], split, draw)
    # bincount adds in the order of its input: row after row, as C does
    mass = np.bincount(side, weights=sample.mass[row], minlength=2 * k * n).reshape(-1, 2)
    positive = np.bincount(side, weights=sample.positive[row], minlength=2 * k * n).reshape(-1, 2)
    gain = np.full(k * n, -np.inf)
    terms = positive[is_used] * (positive[is_used] / mass[is_used])  # a square could overflow
    gain[is_used] = terms[:, 0] + terms[:, 1]
    best = np.argmax(gain.reshape(k, n), axis=0) * n + np.arange(n)
    splits = _Splits(gain[best], column[best], threshold[best], draw[best], mass[best], positive[best])
    return splits, varies.reshape(k, n).sum(axis=0)


def _thresholds(rank: Array, start: Index, draw: Bits) -> tuple[Mask, Array, Bits]:
    """Whether the ranks vary within each split, a random threshold, and the draw with bit 0 as it applies."""
    low, high = np.fmin.reduceat(rank, start), np.fmax.reduceat(rank, start)
    threshold = low + _unit(draw) * (high - low)
    threshold = np.where(threshold < high, threshold, low)  # rounding may reach the upper end
    varies = low < high
    is_partly_inactive = (low == high) & np.logical_or.reduceat(np.isnan(rank), start)
    if is_partly_inactive.any():
        threshold[is_partly_inactive] = np.inf
        draw = np.where(is_partly_inactive, draw & ~np.uint64(1), draw)
    return varies | is_partly_inactive, threshold, draw


def _children(sample: Sample, level: _Level, splits: _Splits, child: Index) -> _Level:
    """The next level: each node's rows on the left, then those on the right, in the order they had."""
    n = len(level)
    split = np.repeat(np.arange(n), level.count)
    rank = _ranks(sample.X, sample.is_ordered, level.row, splits.column[split], split, splits.draw)
    side = 2 * split + _goes_right(rank, splits.threshold[split], split, splits.draw)
    # NumPy sorts 16 bits by radix, several times faster
    order = np.argsort(side.astype(np.uint16) if 2 * n <= 2**16 else side, kind="stable")
    key = _numbers(level.key[:, np.newaxis], [0, 1]).ravel()
    node = np.column_stack([child, child + 1]).ravel()
    return _Level(level.row[order], node, np.bincount(side, minlength=2 * n), key)
