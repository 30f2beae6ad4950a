"""Conditions, inferred from which parameters appear together.

A define-by-run objective asks for some parameters only on certain branches. All that a study shows of this is which
parameters each trial has. Parameter p is taken to depend on some values of a parent q when

    every trial with p has q, and some trial without p has q as well,
    p never appears with another value of q, and
    that explains trials without p.

The search is for few parents that together explain *all* trials without p. A parent with few values needs few trials to
be believed, and so does a number with a threshold, as in "layer 3 exists from three layers on". Where no parents
explain all trials without p, p is *open*: it is proposed wherever its parents, if any are beyond doubt, do not rule it
out, and used if the objective asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auger.types import Array, Index, Mask

#: A number with more values than this is never a parent.
MAX_VALUES = 100

# At most so many conditions of one parameter.
_MAX_PARENTS = 3

# A value of a parent is ruled out if it is less probable than this that its trials lack the parameter by chance.
_CHANCE = 0.01

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Condition:
    """Column ``parent`` must hold one of the ``codes``."""

    parent: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Parents:
    """What a parameter depends on.

    Attributes:
        conditions: all must hold where the parameter appears.
        is_open: whether there are trials without it in which they do hold.
        has_appeared: whether any trial has had it.
    """

    conditions: tuple[Condition, ...] = ()
    is_open: bool = False
    has_appeared: bool = True


@dataclass
class InferredConditions:
    """The conditions of d columns, kept up to date while rows arrive.

    After n rows they depend on those rows and their order only, not on how many arrived at a time.

    Args:
        n_codes: shape (d,), how many values each column has; 0 for one that cannot be a parent.
        is_ordered: shape (d,), whether they have an order.

    Example:
        >>> conditions = InferredConditions(n_codes=[2, 0], is_ordered=[False, True])
        >>> codes = np.array([[0, -1], [1, 0], [1, 0], [0, -1]])  # column 1 has no codes: 0 says that it has a value
        >>> conditions.follow(codes, np.ones(4, dtype=bool))
        True
        >>> conditions.parents[1].conditions
        (Condition(parent=0, codes=(1,)),)
    """

    n_codes: Sequence[int]
    is_ordered: Sequence[bool]
    parents: list[Parents] = field(init=False)
    _n_read: int = field(default=0, init=False)
    _n_last: int = field(default=0, init=False)  # rows at the last look at all of them

    def __post_init__(self) -> None:
        d = len(self.n_codes)
        self.parents = [Parents(has_appeared=False)] * d
        self._codes: Codes = np.empty((0, d), dtype=np.int64)  # with room to grow
        self._is_evidence: Mask = np.empty(0, dtype=bool)

    def follow(self, codes: Codes, is_evidence: Mask) -> bool:
        """Take in new rows.

        Args:
            codes: shape (n, d), the code of every row in every column, -1 where it has no value.
            is_evidence: shape (n,), whether a parameter that a row lacks was not asked for. A trial that failed may
                have ended before it asked.

        Returns:
            Whether the conditions have changed.
        """
        before, end = self.parents, self._n_read + len(codes)
        self._store(codes, is_evidence, end)
        while self._n_read < end:
            self._n_read += self._n_expected(end)
            if self._n_read < end:
                self._n_read += 1
                self._n_last = self._n_read
                rows, evidence = self._codes[: self._n_read], self._is_evidence[: self._n_read]
                self.parents = [self._infer(j, rows, evidence) for j in range(len(self.n_codes))]
        return self.parents != before

    def _store(self, codes: Codes, is_evidence: Mask, end: int) -> None:
        if end > len(self._codes):
            room = max(64, 2 * len(self._codes), end) - len(self._codes)
            self._codes = np.pad(self._codes, ((0, room), (0, 0)))
            self._is_evidence = np.pad(self._is_evidence, (0, room))
        self._codes[self._n_read : end] = codes
        self._is_evidence[self._n_read : end] = is_evidence

    def _n_expected(self, end: int) -> int:
        """How many rows can be read before one contradicts the conditions, so that they must be inferred again."""
        codes, is_evidence = self._codes[self._n_read : end], self._is_evidence[self._n_read : end]
        is_present = codes >= 0
        is_lacking = ~is_present & is_evidence[:, np.newaxis]
        is_strange = np.zeros(len(codes), dtype=bool)
        for j, own in enumerate(self.parents):
            if own.conditions:
                is_expected = self._hold(own.conditions, codes)
                is_strange |= is_present[:, j] & ~is_expected
                is_lacking[:, j] &= is_expected
        is_open = np.array([own.is_open for own in self.parents], dtype=bool)
        is_old = np.array([own.has_appeared for own in self.parents], dtype=bool)
        is_strange |= is_lacking[:, is_old & ~is_open].any(axis=1) | is_present[:, ~is_old].any(axis=1)
        n = int(np.argmax(is_strange)) if is_strange.any() else len(codes)
        # more rows may show the conditions of an open parameter
        return min(n, self._n_last + self._n_last // 2 - self._n_read + 1) if is_open.any() else n

    def _hold(self, conditions: Iterable[Condition], codes: Codes) -> Mask:
        """Whether all conditions hold, shape (n,)."""
        ok = np.ones(len(codes), dtype=bool)
        for condition in conditions:
            is_right = np.zeros(self.n_codes[condition.parent] + 1, dtype=bool)  # the last for -1, no value
            is_right[list(condition.codes)] = True
            ok &= is_right[codes[:, condition.parent]]
        return ok

    def _infer(self, child: int, codes: Codes, is_evidence: Mask) -> Parents:
        is_present = codes[:, child] >= 0
        without = codes[~is_present & is_evidence]
        if not len(without) or not is_present.any():
            return Parents(has_appeared=bool(is_present.any()))
        tables = self._tables(child, codes[is_present], without)
        n_doubts = sum(len(table.is_with) for table in tables)
        chosen: list[_Table] = []
        left = without
        while len(left) and tables and len(chosen) < _MAX_PARENTS:
            best = max(tables, key=lambda table: table.gain(left))
            if not best.explains(left).any():
                break
            chosen.append(best)
            tables.remove(best)
            left = left[~best.explains(left)]
        if len(left):
            chosen = _beyond_doubt(chosen, int(np.count_nonzero(is_present & is_evidence)), without, n_doubts)
        return Parents(tuple(table.condition() for table in chosen), is_open=bool(len(left)))

    def _tables(self, child: int, present: Codes, without: Codes) -> list[_Table]:
        """One table per possible parent: every row with the child has it, and some row without the child."""
        return [
            _Table(j, np.bincount(present[:, j], minlength=n) > 0, bool(self.is_ordered[j]), _occurs(without[:, j], n))
            for j, n in enumerate(self.n_codes)
            if n > 1 and j != child and (present[:, j] >= 0).all() and (without[:, j] >= 0).any()
        ]


@dataclass(eq=False)
class _Table:
    """A possible parent: which of its codes occur in rows with the child, and in rows without it, both (n_codes,)."""

    parent: int
    is_with: Mask
    is_ordered: bool
    is_without: Mask

    def explains(self, rows: Codes) -> Mask:
        """Which rows (n, d) lack the child because of this parent, shape (n,)."""
        codes = rows[:, self.parent]
        return (codes < 0) | ~self.is_with[codes]

    def gain(self, rows: Codes) -> float:
        """Rows explained, less a cost: one per value of a choice, or one per stretch of numbers."""
        occurring = np.flatnonzero(self.is_with | self.is_without)
        n_changes = int(np.count_nonzero(np.diff(self.is_with[occurring].astype(np.int8))))
        cost = n_changes + 1 if self.is_ordered else len(occurring)
        explained = int(np.count_nonzero(self.explains(rows)))
        return explained - cost if explained else -math.inf

    def condition(self) -> Condition:
        """The codes that go with the child. A number that never occurred counts as its nearest neighbor."""
        codes = np.flatnonzero(self.is_with)
        if self.is_ordered:
            occurring = np.flatnonzero(self.is_with | self.is_without)
            nearest = occurring[np.argmin(np.abs(np.arange(len(self.is_with))[:, np.newaxis] - occurring), axis=1)]
            codes = np.flatnonzero(self.is_with[nearest])
        return Condition(self.parent, tuple(codes.tolist()))


def _beyond_doubt(tables: list[_Table], n_with: int, without: Codes, n_doubts: int) -> list[_Table]:
    """The conditions that are beyond doubt although they do not explain all rows without the child.

    Where the other conditions hold, a share r of the rows has the child. The probability that m rows with some value of
    a parent all lack the child by chance is (1 - r)**m. A value is ruled out where that is small, in view of how many
    values are doubted.
    """
    for table in reversed(tables):  # the last explains the least
        rows = without
        for other in tables:
            rows = rows if other is table else rows[~other.explains(rows)]
        rate = n_with / max(n_with + len(rows), 1)
        needed = math.log(_CHANCE / n_doubts) / math.log1p(-rate) if 0 < rate < 1 else math.inf
        counts = np.bincount(rows[:, table.parent] + 1, minlength=len(table.is_with) + 1)[1:]
        table.is_with = table.is_with | (counts < needed)
    return [table for table in tables if not table.is_with[table.is_without].all()]


def _occurs(codes: Codes, n: int) -> Mask:
    return np.asarray(np.bincount(codes[codes >= 0], minlength=n) > 0)


def codes_of(X: Array, levels: Sequence[Array | None]) -> Codes:
    """Encoded rows (n, d) as codes: the number of the entry among the ``levels`` of its column, -1 where NaN.

    A column without levels has code 0 wherever it is not NaN.
    """
    codes = np.full(X.shape, -1, dtype=np.int64)
    for j, entries in enumerate(levels):
        on: Index = np.flatnonzero(~np.isnan(X[:, j]))
        codes[on, j] = 0 if entries is None else np.searchsorted(entries, X[on, j])
    return codes
