"""Conditions, found from which parameters appear together.

A define-by-run objective asks for some parameters only on certain branches. What is known of that is which parameters
each trial had. Parameter p is taken to depend on parent q having one of some values when

    q is there whenever p is, and in some trial without p as well,
    p never appears with another value of q, and
    that accounts for trials that went without p.

Few parents are looked for that account together for *all* trials without p; the fewer values they have (or where
numbers are cut at a threshold, as in "layer 3 exists from three layers on"), the sooner they are believed. Where no
parents account for all, p is *open*: it is proposed wherever its parents, if any are beyond doubt, do not rule it
out, and used if the objective asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auger.types import Array, Index, Mask

#: Numbers with more values than this are nobody's parents.
MAX_VALUES = 100

# Conditions of one parameter that are looked for at most.
_MAX_PARENTS = 3

# How probable it may be that trials with a value of the parent went without the parameter by chance, to be told apart.
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
        is_open: whether there are trials without it where they do hold.
        is_seen: whether any trial has had it.
    """

    conditions: tuple[Condition, ...] = ()
    is_open: bool = False
    is_seen: bool = True


@dataclass
class Conditions:
    """The conditions of d columns, kept up to date while rows arrive.

    What they are after n rows depends on those rows and their order only, not on how many came at a time.

    Args:
        n_codes: shape (d,), how many values each column has; 0 for one that cannot be a parent.
        is_ordered: shape (d,), whether they have an order.

    Example:
        >>> conditions = Conditions(n_codes=[2, 0], is_ordered=[False, True])
        >>> codes = np.array([[0, -1], [1, 0], [1, 0], [0, -1]])  # column 1 has no codes: 0 says that it is there
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
        self.parents = [Parents(is_seen=False)] * d
        self._codes: Codes = np.empty((0, d), dtype=np.int64)  # with room to grow
        self._is_evidence: Mask = np.empty(0, dtype=bool)

    def follow(self, codes: Codes, is_evidence: Mask) -> bool:
        """Take in new rows.

        Args:
            codes: shape (n, d), what every row has in every column, -1 for nothing.
            is_evidence: shape (n,), whether a row's lack of a parameter means that it is not asked for there. A
                trial that failed may not have come to it.

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
                self.parents = [self._find(j, rows, evidence) for j in range(len(self.n_codes))]
        return self.parents != before

    def _store(self, codes: Codes, is_evidence: Mask, end: int) -> None:
        if end > len(self._codes):
            room = max(64, 2 * len(self._codes), end) - len(self._codes)
            self._codes = np.pad(self._codes, ((0, room), (0, 0)))
            self._is_evidence = np.pad(self._is_evidence, (0, room))
        self._codes[self._n_read : end] = codes
        self._is_evidence[self._n_read : end] = is_evidence

    def _n_expected(self, end: int) -> int:
        """How many rows can be read on before one gives a reason to look at all of them again."""
        codes, is_evidence = self._codes[self._n_read : end], self._is_evidence[self._n_read : end]
        is_there = codes >= 0
        is_lacking = ~is_there & is_evidence[:, np.newaxis]
        is_strange = np.zeros(len(codes), dtype=bool)
        for j, each in enumerate(self.parents):
            if each.conditions:
                is_expected = self._hold(each.conditions, codes)
                is_strange |= is_there[:, j] & ~is_expected
                is_lacking[:, j] &= is_expected
        is_open = np.array([each.is_open for each in self.parents], dtype=bool)
        is_seen = np.array([each.is_seen for each in self.parents], dtype=bool)
        is_strange |= is_lacking[:, is_seen & ~is_open].any(axis=1) | is_there[:, ~is_seen].any(axis=1)
        n = int(np.argmax(is_strange)) if is_strange.any() else len(codes)
        # of an open parameter more may be known by now
        return min(n, self._n_last + self._n_last // 2 - self._n_read + 1) if is_open.any() else n

    def _hold(self, conditions: Iterable[Condition], codes: Codes) -> Mask:
        """Whether all conditions hold, shape (n,)."""
        ok = np.ones(len(codes), dtype=bool)
        for each in conditions:
            is_right = np.zeros(self.n_codes[each.parent] + 1, dtype=bool)  # the last for -1, nothing
            is_right[list(each.codes)] = True
            ok &= is_right[codes[:, each.parent]]
        return ok

    def _find(self, child: int, codes: Codes, is_evidence: Mask) -> Parents:
        is_there = codes[:, child] >= 0
        without = codes[~is_there & is_evidence]
        if not len(without) or not is_there.any():
            return Parents(is_seen=bool(is_there.any()))
        tables = self._tables(child, codes[is_there], without)
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
            chosen = _beyond_doubt(chosen, int(np.count_nonzero(is_there & is_evidence)), without, n_doubts)
        return Parents(tuple(table.condition() for table in chosen), is_open=bool(len(left)))

    def _tables(self, child: int, present: Codes, without: Codes) -> list[_Table]:
        """What every possible parent has to say. Where it is there, it must be in more rows than the child."""
        return [
            _Table(j, np.bincount(present[:, j], minlength=n) > 0, bool(self.is_ordered[j]), _seen(without[:, j], n))
            for j, n in enumerate(self.n_codes)
            if n > 1 and j != child and (present[:, j] >= 0).all() and (without[:, j] >= 0).any()
        ]


@dataclass(eq=False)
class _Table:
    """A possible parent: which of its codes appear with the child (n_codes,), and which at all."""

    parent: int
    is_with: Mask
    is_ordered: bool
    is_without: Mask

    def explains(self, rows: Codes) -> Mask:
        """Which rows (n, d) go without the child because of this parent, shape (n,)."""
        codes = rows[:, self.parent]
        return (codes < 0) | ~self.is_with[codes]

    def gain(self, rows: Codes) -> float:
        """Rows explained, less what it takes to believe it: a bit a value, or the two ends of a stretch of numbers."""
        seen = np.flatnonzero(self.is_with | self.is_without)
        n_changes = int(np.count_nonzero(np.diff(self.is_with[seen].astype(np.int8))))
        cost = n_changes + 1 if self.is_ordered else len(seen)
        explained = int(np.count_nonzero(self.explains(rows)))
        return explained - cost if explained else -math.inf

    def condition(self) -> Condition:
        """The codes that go with the child. A number that was never seen goes with its nearest neighbor."""
        codes = np.flatnonzero(self.is_with)
        if self.is_ordered:
            seen = np.flatnonzero(self.is_with | self.is_without)
            nearest = seen[np.argmin(np.abs(np.arange(len(self.is_with))[:, np.newaxis] - seen), axis=1)]
            codes = np.flatnonzero(self.is_with[nearest])
        return Condition(self.parent, tuple(codes.tolist()))


def _beyond_doubt(tables: list[_Table], n_with: int, without: Codes, n_doubts: int) -> list[_Table]:
    """The conditions that stand although they do not account for everything.

    Where the other conditions hold, a share r of the rows has the child. That m of them with some value of a parent
    all go without it by chance has probability (1 - r)**m. A value is ruled out where that is small, among as many
    values as there are to doubt.
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


def _seen(codes: Codes, n: int) -> Mask:
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
