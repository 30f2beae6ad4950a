"""What a parameter is: the values it takes and how they become numbers.

Every parameter turns a list of its values into one float64 column and back. A column is either

ordered     numbers in [0, 1]. Float and Int by position between ``low`` and ``high`` (in log space when
            ``log``), Ordinal by index, i / (k - 1).
categorical codes 0, 1, ..., k - 1 without order.

A column is *snapped* when it holds only entries that decode to values of the parameter. Every parameter has
a grid of them, numbered 0, 1, ...; the grid of a continuous Float has at most 13 decimals, so that
encode(decode(x)) == x to the last bit, and a run that is resumed from stored configurations computes with exactly the
numbers of the uninterrupted run.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from auger.errors import SpaceError
from auger.types import Array


class Parameter(ABC):
    """What Float, Int, Categorical and Ordinal have in common.

    Attributes:
        when: conditions, parent name -> values of the parent for which this parameter is active. All must
            hold. Empty: always active.
    """

    when: Mapping[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        """Without what is computed when first asked for: scikit-learn compares pickles before and after a fit."""
        own = type(self)
        return {k: v for k, v in vars(self).items() if not isinstance(getattr(own, k, None), cached_property)}

    @property
    def is_ordered(self) -> bool:
        """Whether the column holds positions in [0, 1] (True) or codes (False)."""
        return True

    @property
    @abstractmethod
    def n_values(self) -> int | None:
        """How many values there are; None when continuous."""

    @abstractmethod
    def encode(self, values: Sequence[Any], name: str) -> Array:
        """Turn values into a snapped column (n,), or raise a ConfigError that names the parameter."""

    @abstractmethod
    def decode(self, column: Array) -> list[Any]:
        """Turn a snapped column (n,) into n Python values."""

    @abstractmethod
    def quantile(self, u: Array) -> Array:
        """Map uniform numbers in [0, 1) to a snapped column: the prior that sampling draws from."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything needed to build this parameter again, as JSON types."""

    def snap(self, column: Array) -> Array:
        """Move every entry to the nearest one that the parameter really has."""
        return self._entry(self._index(column))

    def levels(self, bottom: float = -math.inf, top: float = math.inf) -> Array:
        """The snapped entries of a finite parameter from ``bottom`` to ``top``, in order; all of them by default.

        Without limits the shape is (n_values,). Nothing outside the limits is listed, so that a part of a range of
        10**12 values costs no more than its own length.
        """
        assert self.n_values is not None
        first, last = self._between(bottom, top)
        return self._entry(np.arange(first, last + 1, dtype=np.float64))

    def n_levels(self, bottom: float, top: float) -> int:
        """How many `levels` there are from ``bottom`` to ``top``, counted without listing them."""
        first, last = self._between(bottom, top)
        return max(last - first + 1, 0)

    def _between(self, bottom: float, top: float) -> tuple[int, int]:
        """The numbers of the first and last entry from ``bottom`` to ``top``; no entry where the first is higher."""
        low, high = max(bottom, 0.0), min(top, float(self._entry(np.array([self._last], dtype=np.float64))[0]))
        index = self._index(np.array([low, high]))
        nearest = self._entry(index)
        return int(index[0]) + int(nearest[0] < bottom), int(index[1]) - int(nearest[1] > top)

    def neighbor(self, column: Array, towards: Array) -> Array:
        """The next entry of the grid, up where ``towards`` is 1 and down where it is -1, or back at the ends."""
        index = self._index(column)
        moved = index + towards
        return self._entry(np.where((moved < 0) | (moved > self._last), index - towards, moved))

    @property
    def n_steps(self) -> int | None:
        """The entries are 0, 1, ..., n_steps, divided by n_steps where ordered; None for other spacings."""
        return self._last

    @property
    @abstractmethod
    def _last(self) -> int:
        """The highest number on the grid."""

    @abstractmethod
    def _entry(self, index: Array) -> Array:
        """The entries with these numbers."""

    @abstractmethod
    def _index(self, column: Array) -> Array:
        """The numbers of the nearest entries, 0 to `_last`; never -0.0, which has bits of its own."""


def set_frozen(frozen: Parameter, **values: Any) -> None:
    """Set fields of a frozen parameter in its ``__post_init__``."""
    for key, value in values.items():
        object.__setattr__(frozen, key, value)


def check_when(when: Any) -> None:
    """Refuse conditions that are not a mapping from names."""
    if not isinstance(when, Mapping) or not all(isinstance(key, str) for key in when):
        raise SpaceError(f"`when` must map names of parents to values, such as {{'kernel': ['poly']}}. Got {when!r}.")
