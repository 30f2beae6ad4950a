"""One parameter each: what values it takes and how they become numbers.

Every parameter turns a list of its values into one float64 column and back. Two kinds of column exist:

ordered     numbers in [0, 1]. Float and Int by position between ``low`` and ``high`` (in log space when
            ``log``), Ordinal by index, i / (k - 1).
categorical codes 0, 1, ..., k - 1 without order.

A column is *snapped* when it holds only positions that decode to values of the parameter. Also a continuous
Float has a grid: positions are rounded to at most 13 decimals, so that encode(decode(x)) == x to the last
bit and a run resumed from stored configurations sees exactly the numbers the uninterrupted run saw.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import ConfigError, SpaceError
from auger.types import Array

# More values than this and neighbouring integers could share a float64 position (log spacing is the
# tight case: 2**-40 between neighbours at the top of a range whose logarithm spans at most 28).
MAX_INT_VALUES = 2**40

# Why 13? A position survives decode and encode with an error of a few 1e-16 times the conditioning of the
# range; 13 decimals leave two spare digits for ordinary ranges. Narrow ranges get fewer (see `_decimals`).
MAX_DECIMALS = 13


class Parameter(ABC):
    """What Float, Int, Categorical and Ordinal have in common.

    Attributes:
        when: conditions, parent name -> values of the parent for which this parameter is active. All must
            hold. Empty: always active.
    """

    when: Mapping[str, Any]

    @property
    @abstractmethod
    def is_ordered(self) -> bool:
        """Whether the column holds positions in [0, 1] (True) or codes (False)."""

    @property
    @abstractmethod
    def n_values(self) -> int | None:
        """How many values there are; None when continuous."""

    @abstractmethod
    def encode(self, values: Sequence[Any], name: str) -> Array:
        """Turn values into a snapped column (n,), or raise a ConfigError that speaks of ``name``."""

    @abstractmethod
    def decode(self, column: Array) -> list[Any]:
        """Turn a snapped column (n,) into n Python values."""

    @abstractmethod
    def snap(self, column: Array) -> Array:
        """Move every entry to the nearest one that the parameter really has."""

    @abstractmethod
    def quantile(self, u: Array) -> Array:
        """Map uniform numbers in [0, 1) to a snapped column: the prior that sampling draws from."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything needed to make this parameter again, as JSON types."""

    def levels(self) -> Array:
        """All snapped entries of a finite parameter, in order, shape (n_values,)."""
        n = self.n_values
        assert n is not None
        if not self.is_ordered:
            return np.arange(n, dtype=np.float64)
        return self.encode(self.decode_index(np.arange(n)), "level")

    @abstractmethod
    def decode_index(self, index: np.ndarray) -> list[Any]:
        """The values numbered ``index`` of a finite parameter."""


@dataclass(frozen=True)
class Float(Parameter):
    """A real number between ``low`` and ``high``, both included.

    Args:
        low, high: the bounds, finite, ``low < high``.
        log: spread evenly in the logarithm; needs ``low > 0``.
        step: only ``low, low + step, ..., high``; ``high`` must be one of them. Not together with ``log``.
        when: conditions, ``{parent: value or list of values}``.

    Example:
        >>> Float(1e-4, 1.0, log=True).encode([1e-4, 1e-2, 1.0], "lr").tolist()
        [0.0, 0.5, 1.0]
    """

    low: float
    high: float
    log: bool = field(default=False, kw_only=True)
    step: float | None = field(default=None, kw_only=True)
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        _check_bounds("Float", self.low, self.high, self.log)
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"`high - low` of a Float must be finite. Got low={self.low!r}, high={self.high!r}.")
        if self.step is not None:
            _check_step("Float", self.low, self.high, self.step, self.log)
        elif _decimals(self) < 3:
            raise SpaceError(
                f"A Float's range must be wide enough for double precision. Got low={self.low!r}, high={self.high!r}."
            )
        _check_when(self.when)

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def n_values(self) -> int | None:
        return None if self.step is None else round((self.high - self.low) / self.step) + 1

    def encode(self, values: Sequence[Any], name: str) -> Array:
        column = _numbers(values, name, (int, float, np.integer, np.floating), "a finite number")
        _check_inside(column, values, name, self)
        if self.step is not None:
            index = np.rint((column - self.low) / self.step)
            off = np.abs(index * self.step + self.low - column) > 1e-9 * self.step + 1e-12 * np.abs(column)
            if off.any():
                bad = values[int(np.argmax(off))]
                raise ConfigError(
                    f"Parameter {name!r} must be {self.low!r} plus a multiple of the step {self.step!r}. Got {bad!r}."
                )
        return self.snap(self._position(column))

    def decode(self, column: Array) -> list[Any]:
        if self.step is not None:
            assert self.n_values is not None
            return self.decode_index(np.rint(column * (self.n_values - 1)))
        if self.log:
            values = np.exp(math.log(self.low) + column * (math.log(self.high) - math.log(self.low)))
        else:
            values = self.low + column * (self.high - self.low)
        # rounding must not leave the range, and the ends are met exactly
        values = np.where(column >= 1.0, self.high, np.where(column <= 0.0, self.low, values))
        out: list[Any] = np.clip(values, self.low, self.high).tolist()
        return out

    def decode_index(self, index: np.ndarray) -> list[Any]:
        assert self.step is not None and self.n_values is not None
        # 0.1 * 3 = 0.30000000000000004: twelve digits of the step bring back the number people wrote
        digits = 12 - math.floor(math.log10(self.step))
        values = self.low + index * self.step
        out = np.where(index >= self.n_values - 1, self.high, values).tolist()
        return [round(value, digits) for value in out]

    def snap(self, column: Array) -> Array:
        column = np.clip(column, 0.0, 1.0)
        if self.n_values is not None:
            return np.rint(column * (self.n_values - 1)) / (self.n_values - 1)
        return np.round(column, _decimals(self)) + 0.0  # + 0.0 turns -0.0 into 0.0

    def quantile(self, u: Array) -> Array:
        if self.n_values is not None:
            return np.floor(u * self.n_values) / (self.n_values - 1)
        return self.snap(u)

    def _position(self, values: Array) -> Array:
        if self.log:
            return (np.log(values) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (values - self.low) / (self.high - self.low)

    def to_json(self) -> dict[str, Any]:
        return {"type": "float", "low": self.low, "high": self.high, "log": self.log, "step": self.step}


@dataclass(frozen=True)
class Int(Parameter):
    """A whole number between ``low`` and ``high``, both included.

    Args:
        low, high: the bounds, ``low < high``.
        log: spread evenly in the logarithm; needs ``low >= 1``.
        step: only ``low, low + step, ..., high``; ``high`` must be one of them. Not together with ``log``.
        when: conditions, ``{parent: value or list of values}``.

    Example:
        >>> Int(1, 5).encode([1, 2, 5], "depth").tolist()
        [0.0, 0.25, 1.0]
    """

    low: int
    high: int
    log: bool = field(default=False, kw_only=True)
    step: int = field(default=1, kw_only=True)
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        for label, value in (("low", self.low), ("high", self.high), ("step", self.step)):
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
                raise SpaceError(f"`{label}` of an Int must be a whole number. Got {value!r}.")
        _check_bounds("Int", self.low, self.high, self.log)
        _check_step("Int", self.low, self.high, self.step, self.log and self.step != 1)
        if max(abs(self.low), abs(self.high)) >= 2**63:
            raise SpaceError(f"The bounds of an Int must fit in 64 bits. Got low={self.low!r}, high={self.high!r}.")
        if self.n_values > MAX_INT_VALUES or (self.log and self.high > MAX_INT_VALUES):
            raise SpaceError(
                f"An Int can have at most 2**40 values (and with log, a `high` of at most 2**40). "
                f"Got low={self.low!r}, high={self.high!r}; use a Float and round it yourself."
            )
        _check_when(self.when)

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def n_values(self) -> int:
        return (int(self.high) - int(self.low)) // int(self.step) + 1

    def encode(self, values: Sequence[Any], name: str) -> Array:
        wanted = "a whole number"
        # checked as Python integers first: float64 would merge neighbours above 2**53
        numbers = _numbers(values, name, (int, np.integer), wanted)
        _check_inside(numbers, values, name, self)
        index = (np.asarray(values, dtype=np.int64) - self.low).astype(np.float64) / self.step
        if (index != np.rint(index)).any():
            bad = values[int(np.argmax(index != np.rint(index)))]
            raise ConfigError(
                f"Parameter {name!r} must be {self.low!r} plus a multiple of the step {self.step!r}. Got {bad!r}."
            )
        return self._position(index)

    def decode(self, column: Array) -> list[Any]:
        return self.decode_index(self._index(column))

    def decode_index(self, index: np.ndarray) -> list[Any]:
        out: list[Any] = (np.int64(self.low) + np.int64(self.step) * index.astype(np.int64)).tolist()
        return out

    def snap(self, column: Array) -> Array:
        return self._position(self._index(np.clip(column, 0.0, 1.0)))

    def quantile(self, u: Array) -> Array:
        if not self.log:
            return self._position(np.floor(u * self.n_values))
        # every integer owns the half unit on either side of it, the ends included
        edge, width = math.log(self.low - 0.5), math.log(self.high + 0.5) - math.log(self.low - 0.5)
        index = np.rint(np.exp(edge + u * width)) - self.low
        return self._position(np.clip(index, 0, self.n_values - 1))

    def _position(self, index: Array) -> Array:
        if self.log:
            span = math.log(self.high) - math.log(self.low)
            return np.asarray((np.log(self.low + index) - math.log(self.low)) / span)
        return index / (self.n_values - 1)

    def _index(self, column: Array) -> Array:
        if self.log:
            span = math.log(self.high) - math.log(self.low)
            index = np.rint(np.exp(math.log(self.low) + column * span)) - self.low
        else:
            index = np.rint(column * (self.n_values - 1))
        return np.clip(index, 0, self.n_values - 1)

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "int",
            "low": int(self.low),
            "high": int(self.high),
            "log": self.log,
            "step": int(self.step),
        }


class _Choice(Parameter):
    """A value out of a list; Categorical and Ordinal differ only in whether the list has an order."""

    choices: tuple[Any, ...]

    def _prepare(self, kind: str) -> None:
        given: Any = self.choices
        if not isinstance(given, (list, tuple)):
            raise SpaceError(f"`choices` of a {kind} must be a list or tuple of values. Got {given!r}.")
        choices = tuple(_hashable(choice) for choice in given)
        object.__setattr__(self, "choices", choices)
        if not choices:
            raise SpaceError(f"`choices` of a {kind} must hold at least one value. Got none.")
        codes: dict[Any, int] = {}
        for code, choice in enumerate(choices):
            try:
                twin = codes.setdefault(choice, code)
            except TypeError as error:
                raise SpaceError(f"Each choice of a {kind} must be hashable. Got {choice!r}.") from error
            if isinstance(choice, float) and math.isnan(choice):
                raise SpaceError(f"A choice of a {kind} must not be NaN. Got {choice!r}.")
            if twin != code:
                raise SpaceError(
                    f"`choices` of a {kind} must all differ. Got {choices[twin]!r} and {choice!r}, which are equal."
                )
        object.__setattr__(self, "_codes", codes)
        _check_when(self.when)

    @property
    def n_values(self) -> int:
        return len(self.choices)

    def encode(self, values: Sequence[Any], name: str) -> Array:
        codes: dict[Any, int] = getattr(self, "_codes")  # noqa: B009  (set past the frozen dataclass)
        try:
            index = [codes[value] for value in values]
        except (KeyError, TypeError):  # a value that is no choice, or a list where a tuple was meant
            index = [self._code(value, codes, name) for value in values]
        return self._position(np.array(index, dtype=np.float64))

    def _code(self, value: Any, codes: dict[Any, int], name: str) -> int:
        try:
            return codes[_hashable(value)]
        except (KeyError, TypeError):
            listed = ", ".join(map(repr, self.choices))
            raise ConfigError(f"Parameter {name!r} must be one of {listed}. Got {value!r}.") from None

    def decode(self, column: Array) -> list[Any]:
        return self.decode_index(self._index(column))

    def decode_index(self, index: np.ndarray) -> list[Any]:
        return [self.choices[i] for i in index.astype(np.intp).tolist()]

    def snap(self, column: Array) -> Array:
        return self._position(np.clip(self._index(column), 0, self.n_values - 1))

    def quantile(self, u: Array) -> Array:
        return self._position(np.floor(u * self.n_values))

    @abstractmethod
    def _position(self, index: Array) -> Array: ...

    @abstractmethod
    def _index(self, column: Array) -> Array: ...


@dataclass(frozen=True)
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

    choices: tuple[Any, ...]
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        self._prepare("Categorical")

    @property
    def is_ordered(self) -> bool:
        return False

    def _position(self, index: Array) -> Array:
        return index

    def _index(self, column: Array) -> Array:
        return np.rint(column)

    def to_json(self) -> dict[str, Any]:
        return {"type": "categorical", "choices": _json_choices(self.choices)}


@dataclass(frozen=True)
class Ordinal(_Choice):
    """One of several values in the given order, such as small, medium, large.

    Args:
        choices: as for Categorical, in order.
        when: conditions, ``{parent: value or list of values}``.

    Example:
        >>> Ordinal([16, 64, 512]).encode([16, 64, 512], "width").tolist()
        [0.0, 0.5, 1.0]
    """

    choices: tuple[Any, ...]
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        self._prepare("Ordinal")

    @property
    def is_ordered(self) -> bool:
        return True

    def _position(self, index: Array) -> Array:
        return index / max(self.n_values - 1, 1)

    def _index(self, column: Array) -> Array:
        return np.rint(column * max(self.n_values - 1, 1))

    def to_json(self) -> dict[str, Any]:
        return {"type": "ordinal", "choices": _json_choices(self.choices)}


def parameter(value: Any, name: str) -> Parameter:
    """Read the shorthand of a plain dict: ``(1, 12)`` is an Int, ``(0.0, 1.0)`` a Float, a list a Categorical."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, list):
        return Categorical(tuple(value))
    is_number = isinstance(value, tuple) and all(
        isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool) for v in value
    )
    if is_number and len(value) == 2:
        whole = all(isinstance(v, (int, np.integer)) for v in value)
        return Int(*value) if whole else Float(*map(float, value))
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a (low, high) pair of numbers, "
        f"or a list of choices. Got {value!r}."
    )


def parameter_from_json(data: Any, name: str) -> Parameter:
    """Undo ``to_json``."""
    kinds: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
    if not isinstance(data, Mapping) or data.get("type") not in kinds:
        raise SpaceError(f"Parameter {name!r} must have a type out of {', '.join(kinds)}. Got {data!r}.")
    settings = {key: value for key, value in data.items() if key != "type"}
    try:
        made: Parameter = kinds[data["type"]](**settings)
    except TypeError as error:
        raise SpaceError(f"Parameter {name!r} has settings that its type does not take: {settings!r}.") from error
    return made


def _numbers(values: Sequence[Any], name: str, types: tuple[type, ...], wanted: str) -> Array:
    # one pass over the types instead of a check a value: 10,000 values cost 0.2 ms
    strange = [kind for kind in set(map(type, values)) if kind is bool or not issubclass(kind, types)]
    if strange:
        bad = next(value for value in values if type(value) in strange)
        raise ConfigError(f"Parameter {name!r} must be {wanted}. Got {bad!r} ({type(bad).__name__}).")
    column = np.array(values, dtype=np.float64)
    if not np.isfinite(column).all():
        bad = values[int(np.argmin(np.isfinite(column)))]
        raise ConfigError(f"Parameter {name!r} must be {wanted}. Got {bad!r}.")
    return column


def _check_inside(column: Array, values: Sequence[Any], name: str, kind: Float | Int) -> None:
    outside = (column < kind.low) | (column > kind.high)
    if outside.any():
        bad = values[int(np.argmax(outside))]
        raise ConfigError(f"Parameter {name!r} must be between {kind.low!r} and {kind.high!r}. Got {bad!r}.")


def _check_bounds(kind: str, low: Any, high: Any, log: Any) -> None:
    for label, value in (("low", low), ("high", high)):
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise SpaceError(f"`{label}` of a {kind} must be a finite number. Got {value!r}.")
    if not low < high:
        raise SpaceError(
            f"`low` of a {kind} must be below `high`. Got low={low!r}, high={high!r}; "
            f"for a constant use Categorical([{low!r}])."
        )
    if not isinstance(log, bool):
        raise SpaceError(f"`log` of a {kind} must be True or False. Got {log!r}.")
    if log and low <= 0:
        raise SpaceError(f"`low` of a {kind} with log=True must be above 0. Got low={low!r}.")


def _check_step(kind: str, low: Any, high: Any, step: Any, log: bool) -> None:
    if not isinstance(step, (int, float, np.integer, np.floating)) or isinstance(step, bool) or not 0 < step < math.inf:
        raise SpaceError(f"`step` of a {kind} must be a positive number. Got {step!r}.")
    if log:
        raise SpaceError(f"A {kind} takes either log=True or a step. Got both; use Ordinal to list the values.")
    n_steps = (high - low) / step
    whole = round(n_steps)
    if whole < 1 or abs(n_steps - whole) > 1e-9 * max(whole, 1) or whole > MAX_INT_VALUES:
        reach = low + max(math.floor(n_steps), 1) * step
        raise SpaceError(
            f"`high` of a {kind} must be `low` plus a whole number of steps. "
            f"Got low={low!r}, high={high!r}, step={step!r}; the nearest below is {reach!r}."
        )


def _check_when(when: Any) -> None:
    if not isinstance(when, Mapping) or not all(isinstance(key, str) for key in when):
        raise SpaceError(f"`when` must map names of parents to values, such as {{'kernel': ['poly']}}. Got {when!r}.")


def _decimals(kind: Float) -> int:
    """Decimals of a position that survive decode and encode, given the range's conditioning."""
    if kind.log:
        conditioning = 1.0 + (1.0 + abs(math.log(kind.low))) / (math.log(kind.high) - math.log(kind.low))
    else:
        conditioning = 1.0 + max(abs(kind.low), abs(kind.high)) / (kind.high - kind.low)
    return min(MAX_DECIMALS, math.floor(-math.log10(8 * np.finfo(np.float64).eps * conditioning)) - 1)


def _hashable(choice: Any) -> Any:
    """Lists become tuples (JSON has no tuples), NumPy scalars become Python's."""
    if isinstance(choice, (list, tuple)):
        return tuple(_hashable(part) for part in choice)
    return choice.item() if isinstance(choice, np.generic) else choice


def _json_choices(choices: tuple[Any, ...]) -> list[Any]:
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
                f"To be saved, a choice must be a string, finite number, boolean, None or a tuple of these. Got {choice!r}."
            )
    return [list(choice) if isinstance(choice, tuple) else choice for choice in choices]
