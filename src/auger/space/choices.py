"""Choices: Categorical without order, Ordinal with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import ConfigError, SpaceError
from auger.space.parameter import Parameter, check_when, set_frozen
from auger.types import Array

# Types whose values are hashable, and equal only to what looks the same or is a number.
_PLAIN = {str, int, bool, type(None)}
_SIMPLE = {*_PLAIN, float}  # but NaN is a float

# Of more choices than this, messages list some only.
_MAX_LISTED = 50


@dataclass(frozen=True, repr=False)
class _Choice(Parameter):
    """A value out of a list; Categorical and Ordinal differ only in whether the list has an order."""

    choices: Sequence[Any]
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        owner = "an Ordinal" if self.is_ordered else "a Categorical"
        if not isinstance(self.choices, (list, tuple)):
            raise SpaceError(f"`choices` of {owner} must be a list or tuple of values. Got {self.choices!r}.")
        is_plain = set(map(type, self.choices)) <= _PLAIN  # a pass in C, where there may be a million
        choices = tuple(self.choices if is_plain else map(hashable, self.choices))
        if not choices:
            raise SpaceError(f"`choices` of {owner} must hold at least one value. Got none.")
        codes = dict(zip(choices, range(len(choices)), strict=True)) if is_plain else {}
        if len(codes) < len(choices):
            codes = _checked_codes(choices, owner)
        set_frozen(self, choices=choices, _codes=codes)
        check_when(self.when)

    def __repr__(self) -> str:
        choices = repr(self.choices) if len(self.choices) <= _MAX_LISTED else f"({_listed(self.choices)})"
        return f"{type(self).__name__}(choices={choices}, when={self.when!r})"

    @property
    def n_values(self) -> int:
        return len(self.choices)

    def encode(self, values: Sequence[Any], name: str) -> Array:
        codes: dict[Any, int] = getattr(self, "_codes")  # noqa: B009  (set past the frozen dataclass)
        try:
            index = [codes[value] for value in values]
        except (KeyError, TypeError):  # a value that is no choice, or a list where a tuple was meant
            index = [self._code(value, codes, name) for value in values]
        return self._entry(np.array(index, dtype=np.float64))

    def _code(self, value: Any, codes: dict[Any, int], name: str) -> int:
        try:
            return codes[hashable(value)]
        except (KeyError, TypeError):
            raise ConfigError(f"Parameter {name!r} must be one of {_listed(self.choices)}. Got {value!r}.") from None

    def decode(self, column: Array) -> list[Any]:
        return [self.choices[i] for i in self._index(column).astype(np.intp).tolist()]

    def quantile(self, u: Array) -> Array:
        return self._entry(np.floor(u * self.n_values))

    @property
    def _last(self) -> int:
        return self.n_values - 1

    def to_json(self) -> dict[str, Any]:
        return {"type": type(self).__name__.lower(), "choices": _json_choices(self.choices)}


class Categorical(_Choice):
    """One of several values without order.

    Args:
        choices: at least one value, all different, hashable. To be saved they must be strings, numbers,
            booleans, None, or tuples of these.
        when: conditions, ``{parent: value or list of values}``.

    Example:
        >>> Categorical(["relu", "tanh"]).encode(["tanh", "relu"], "act").tolist()
        [1.0, 0.0]
    """

    @property
    def is_ordered(self) -> bool:
        return False

    def _entry(self, index: Array) -> Array:
        return index

    def _index(self, column: Array) -> Array:
        return np.clip(np.rint(column), 0, self._last) + 0.0


class Ordinal(_Choice):
    """One of several values in an order, such as small, medium, large.

    Args:
        choices: as for Categorical, in order.
        when: conditions, ``{parent: value or list of values}``.

    Example:
        >>> Ordinal([16, 64, 512]).encode([16, 64, 512], "width").tolist()
        [0.0, 0.5, 1.0]
    """

    def _entry(self, index: Array) -> Array:
        return index / max(self._last, 1)

    def _index(self, column: Array) -> Array:
        return np.rint(np.clip(column, 0.0, 1.0) * self._last) + 0.0


def hashable(choice: Any) -> Any:
    """Lists become tuples (JSON has no tuples), NumPy scalars become Python's."""
    if type(choice) in _SIMPLE:  # nearly always, and a run may have millions of values
        return choice
    if isinstance(choice, (list, tuple)):
        return tuple(hashable(part) for part in choice)
    return choice.item() if isinstance(choice, np.generic) else choice


def _checked_codes(choices: Sequence[Any], owner: str) -> dict[Any, int]:
    """The code of each choice; a SpaceError where a choice cannot be one."""
    codes: dict[Any, int] = {}
    for code, choice in enumerate(choices):
        try:
            twin = codes.setdefault(choice, code)
        except TypeError as error:
            raise SpaceError(f"Each choice of {owner} must be hashable. Got {choice!r}.") from error
        if isinstance(choice, float) and math.isnan(choice):
            raise SpaceError(f"A choice of {owner} must not be NaN. Got {choice!r}.")
        if twin != code:
            raise SpaceError(
                f"`choices` of {owner} must all differ. Got {choices[twin]!r} and {choice!r}, which are equal."
            )
    return codes


def _listed(choices: Sequence[Any]) -> str:
    """The choices with commas between them; of very many, the first, the last and their number."""
    if len(choices) <= _MAX_LISTED:
        return ", ".join(map(repr, choices))
    first = ", ".join(map(repr, choices[:10]))
    return f"{first}, ..., {choices[-1]!r} ({len(choices):,} choices)"


def _json_choices(choices: Sequence[Any]) -> list[Any]:
    def plain(choice: Any) -> bool:
        if isinstance(choice, tuple):
            return all(plain(part) for part in choice)
        return (
            choice is None
            or isinstance(choice, (str, int, bool))
            or (isinstance(choice, float) and math.isfinite(choice))
        )

    for choice in choices:
        if not plain(choice):
            raise SpaceError(
                "To be saved, a choice must be a string, finite number, boolean, None or a tuple of these. "
                f"Got {choice!r}."
            )
    return [list(choice) if isinstance(choice, tuple) else choice for choice in choices]
