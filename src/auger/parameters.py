"""One parameter each: what values it takes and how they become numbers.

Every parameter turns a list of its values into one float64 column and back. Two kinds of column exist:

ordered     numbers in [0, 1]. Float and Int by position between ``low`` and ``high`` (in log space when
            ``log``), Ordinal by index, i / (k - 1).
categorical codes 0, 1, ..., k - 1 without order.

A column is *snapped* when it holds only entries that decode to values of the parameter. Every parameter has
a grid of them, numbered 0, 1, ...; the grid of a continuous Float has at most 13 decimals, so that
encode(decode(x)) == x to the last bit and a run resumed from stored configurations sees exactly the numbers
the uninterrupted run saw.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from auger.checks import is_number, is_whole
from auger.errors import ConfigError, SpaceError
from auger.types import Array, Mask

# More values than this and neighbouring integers could share a float64 position (log spacing is the
# tight case: 2**-40 between neighbours at the top of a range whose logarithm spans at most 28).
MAX_VALUES = 2**40

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
    def quantile(self, u: Array) -> Array:
        """Map uniform numbers in [0, 1) to a snapped column: the prior that sampling draws from."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything needed to make this parameter again, as JSON types."""

    def snap(self, column: Array) -> Array:
        """Move every entry to the nearest one that the parameter really has."""
        return self._entry(self._index(column))

    def levels(self) -> Array:
        """All snapped entries of a finite parameter, in order, shape (n_values,)."""
        assert self.n_values is not None
        return self._entry(np.arange(self.n_values, dtype=np.float64))

    def neighbor(self, column: Array, towards: Array) -> Array:
        """The next entry of the grid, up where ``towards`` is 1 and down where it is -1, turned back at the ends."""
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
        _check_bounds("a Float", self.low, self.high, self.log)
        _set(self, low=float(self.low), high=float(self.high))
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"`high - low` of a Float must be finite. Got low={self.low!r}, high={self.high!r}.")
        if self.step is not None:
            _check_step("a Float", self.step, self.log)
            _set(self, step=float(self.step))
            self._check_grid(self.step)
        elif _decimals(self) < 3:
            raise SpaceError(
                f"A Float's range must be wide enough for double precision. Got low={self.low!r}, high={self.high!r}."
            )
        _check_when(self.when)

    def _check_grid(self, step: float) -> None:
        given = f"Got low={self.low!r}, high={self.high!r}, step={step!r}"
        n_steps = (self.high - self.low) / step
        if n_steps >= MAX_VALUES or step < 64 * self._ulp:
            raise SpaceError(
                f"The `step` of a Float must leave at most 2**40 values, each far from the next in double precision. "
                f"{given}; leave it out for a continuous range."
            )
        if abs(self.low + max(round(n_steps), 1) * step - self.high) > self._slack:
            reach = f"{self.low + max(math.floor(n_steps), 1) * step:.12g}"
            raise SpaceError(
                f"`high` of a Float must be `low` plus a whole number of steps. {given}; high={reach} would do."
            )

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def n_values(self) -> int | None:
        return None if self.step is None else round((self.high - self.low) / self.step) + 1

    def encode(self, values: Sequence[Any], name: str) -> Array:
        column = _numbers(values, name)
        _check_inside(column, values, name, self)
        if self.step is None:
            return self.snap(self._position(column))
        index = np.rint((column - self.low) / self.step)
        _check_on_grid(np.abs(self.low + index * self.step - column) <= self._slack, values, name, self)
        return self._entry(index)

    def decode(self, column: Array) -> list[Any]:
        if self.step is not None:
            return self._multiples(self._index(column), self.step)
        if self.log:
            with np.errstate(over="ignore"):  # next to the largest float, where rounding up means infinity
                values = np.exp(math.log(self.low) + column * (math.log(self.high) - math.log(self.low)))
        else:
            values = self.low + column * (self.high - self.low)
        # rounding must not leave the range, and the ends are met exactly
        values = np.where(column >= 1.0, self.high, np.where(column <= 0.0, self.low, values))
        out: list[Any] = np.clip(values, self.low, self.high).tolist()
        return out

    def _multiples(self, index: Array, step: float) -> list[Any]:
        # People write decimals: three steps of 0.1 are 0.3, not 0.1 * 3 = 0.30000000000000004. So add up the decimals
        # as whole numbers of a common unit; dividing two integers rounds once, at the end.
        first, each = Fraction(repr(self.low)), Fraction(repr(step))
        unit = math.lcm(first.denominator, each.denominator)
        start, stride = int(first * unit), int(each * unit)
        last = self._last
        return [self.high if i == last else (start + i * stride) / unit for i in index.astype(np.int64).tolist()]

    def quantile(self, u: Array) -> Array:
        return self.snap(u) if self.n_values is None else self._entry(np.floor(u * self.n_values))

    def _position(self, values: Array) -> Array:
        if self.log:
            return np.asarray((np.log(values) - math.log(self.low)) / (math.log(self.high) - math.log(self.low)))
        return (values - self.low) / (self.high - self.low)

    @property
    def _last(self) -> int:
        return 10 ** _decimals(self) if self.n_values is None else self.n_values - 1

    def _entry(self, index: Array) -> Array:
        return index / self._last

    def _index(self, column: Array) -> Array:
        return np.rint(np.clip(column, 0.0, 1.0) * self._last) + 0.0

    @property
    def _ulp(self) -> float:
        """The distance between neighbouring doubles at the far end of the range."""
        return float(np.spacing(max(abs(self.low), abs(self.high))))

    @property
    def _slack(self) -> float:
        """How far from the grid of steps a number may be and still mean it: the rounding of a user's arithmetic."""
        assert self.step is not None
        return 1e-9 * self.step + 8 * self._ulp

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
            if not is_whole(value):
                raise SpaceError(f"`{label}` of an Int must be a whole number. Got {value!r}.")
        _set(self, low=int(self.low), high=int(self.high), step=int(self.step))
        given = f"Got low={self.low!r}, high={self.high!r}"
        if self.low < -(2**63) or self.high >= 2**63 or self.high - self.low >= 2**63:
            raise SpaceError(f"The bounds of an Int, and their difference, must fit in 64 bits. {given}.")
        _check_bounds("an Int", self.low, self.high, self.log)
        _check_step("an Int", self.step, self.log and self.step != 1)
        if (self.high - self.low) % self.step:
            reach = self.low + max((self.high - self.low) // self.step, 1) * self.step
            raise SpaceError(
                f"`high` of an Int must be `low` plus a whole number of steps. "
                f"{given}, step={self.step!r}; high={reach} would do."
            )
        if self.n_values > MAX_VALUES or (self.log and self.high > MAX_VALUES):
            raise SpaceError(
                f"An Int can have at most 2**40 values (and with log, a `high` of at most 2**40). "
                f"{given}; use a Float and round it yourself."
            )
        _check_when(self.when)

    @property
    def is_ordered(self) -> bool:
        return True

    @property
    def n_values(self) -> int:
        return (self.high - self.low) // self.step + 1

    def encode(self, values: Sequence[Any], name: str) -> Array:
        numbers = _whole_numbers(values, name)
        _check_inside(numbers, values, name, self)
        index, remainder = np.divmod(numbers - self.low, self.step)
        _check_on_grid(remainder == 0, values, name, self)
        return self._entry(index.astype(np.float64))

    def decode(self, column: Array) -> list[Any]:
        out: list[Any] = (self.low + self.step * self._index(column).astype(np.int64)).tolist()
        return out

    def quantile(self, u: Array) -> Array:
        if not self.log:
            return self._entry(np.floor(u * self.n_values))
        # every integer owns the half unit on either side of it, the ends included
        edge, width = math.log(self.low - 0.5), math.log(self.high + 0.5) - math.log(self.low - 0.5)
        index = np.rint(np.exp(edge + u * width)) - self.low
        return self._entry(np.clip(index, 0, self._last))

    @property
    def n_steps(self) -> int | None:
        return None if self.log else self._last

    @property
    def _last(self) -> int:
        return self.n_values - 1

    @cached_property
    def _logs(self) -> tuple[float, float]:
        start, end = np.log([self.low, self.high]).tolist()  # NumPy's, like those of the entries: the last is 1 exactly
        return start, end

    def _entry(self, index: Array) -> Array:
        if self.log:
            start, end = self._logs
            return np.asarray((np.log(self.low + index) - start) / (end - start))
        return index / self._last

    def _index(self, column: Array) -> Array:
        column = np.minimum(np.maximum(column, 0.0), 1.0)
        if self.log:
            start, end = self._logs
            index = np.rint(np.exp(start + column * (end - start))) - self.low
        else:
            index = np.rint(column * self._last)
        return np.asarray(np.minimum(np.maximum(index, 0.0), self._last) + 0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "int",
            "low": self.low,
            "high": self.high,
            "log": self.log,
            "step": self.step,
        }


class _Choice(Parameter):
    """A value out of a list; Categorical and Ordinal differ only in whether the list has an order."""

    choices: Sequence[Any]

    def _prepare(self, kind: str) -> None:
        given: Any = self.choices
        if not isinstance(given, (list, tuple)):
            raise SpaceError(f"`choices` of {kind} must be a list or tuple of values. Got {given!r}.")
        choices = tuple(hashable(choice) for choice in given)
        if not choices:
            raise SpaceError(f"`choices` of {kind} must hold at least one value. Got none.")
        codes: dict[Any, int] = {}
        for code, choice in enumerate(choices):
            try:
                twin = codes.setdefault(choice, code)
            except TypeError as error:
                raise SpaceError(f"Each choice of {kind} must be hashable. Got {choice!r}.") from error
            if isinstance(choice, float) and math.isnan(choice):
                raise SpaceError(f"A choice of {kind} must not be NaN. Got {choice!r}.")
            if twin != code:
                raise SpaceError(
                    f"`choices` of {kind} must all differ. Got {choices[twin]!r} and {choice!r}, which are equal."
                )
        _set(self, choices=choices, _codes=codes)
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
        return self._entry(np.array(index, dtype=np.float64))

    def _code(self, value: Any, codes: dict[Any, int], name: str) -> int:
        try:
            return codes[hashable(value)]
        except (KeyError, TypeError):
            listed = ", ".join(map(repr, self.choices))
            raise ConfigError(f"Parameter {name!r} must be one of {listed}. Got {value!r}.") from None

    def decode(self, column: Array) -> list[Any]:
        return [self.choices[i] for i in self._index(column).astype(np.intp).tolist()]

    def quantile(self, u: Array) -> Array:
        return self._entry(np.floor(u * self.n_values))

    @property
    def _last(self) -> int:
        return self.n_values - 1


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

    choices: Sequence[Any]
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        self._prepare("a Categorical")

    @property
    def is_ordered(self) -> bool:
        return False

    def _entry(self, index: Array) -> Array:
        return index

    def _index(self, column: Array) -> Array:
        return np.clip(np.rint(column), 0, self._last) + 0.0

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

    choices: Sequence[Any]
    when: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        self._prepare("an Ordinal")

    @property
    def is_ordered(self) -> bool:
        return True

    def _entry(self, index: Array) -> Array:
        return index / max(self._last, 1)

    def _index(self, column: Array) -> Array:
        return np.rint(np.clip(column, 0.0, 1.0) * self._last) + 0.0

    def to_json(self) -> dict[str, Any]:
        return {"type": "ordinal", "choices": _json_choices(self.choices)}


def parameter(value: Any, name: str) -> Parameter:
    """Read the shorthand of a plain dict: ``(1, 12)`` is an Int, ``(0.0, 1.0)`` a Float, a list a Categorical."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, list):
        with _speaking_of(name):
            return Categorical(tuple(value))
    is_pair = isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value))
    if is_pair:
        whole = all(map(is_whole, value))
        with _speaking_of(name):
            return Int(*value) if whole else Float(*value)
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a (low, high) pair of numbers, "
        f"or a list of choices. Got {value!r}."
    )


def parameter_from_json(data: Any, name: str) -> Parameter:
    """Undo ``to_json``."""
    kinds: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
    type_ = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(type_, str) or type_ not in kinds:
        raise SpaceError(f"Parameter {name!r} must have a type out of {', '.join(kinds)}. Got {data!r}.")
    settings = {key: value for key, value in data.items() if key != "type"}
    with _speaking_of(name):
        try:
            made: Parameter = kinds[type_](**settings)
        except TypeError as error:
            raise SpaceError(f"the type {type_!r} does not take the settings {settings!r}.") from error
    return made


@contextmanager
def _speaking_of(name: str) -> Iterator[None]:
    """Put the user's name for the parameter in front of what is wrong with it."""
    try:
        yield
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}: {error}") from error


def _set(frozen: Parameter, **values: Any) -> None:
    for key, value in values.items():
        object.__setattr__(frozen, key, value)


def _numbers(values: Sequence[Any], name: str) -> Array:
    _check_types(values, name, (int, float, np.integer, np.floating), "a finite number")
    try:
        column = np.array(values, dtype=np.float64)
    except OverflowError:  # a Python integer beyond 1e308
        column = np.array([value if _is_finite(value) else np.inf for value in values], dtype=np.float64)
    if not np.isfinite(column).all():
        bad = values[int(np.argmin(np.isfinite(column)))]
        raise ConfigError(f"Parameter {name!r} must be a finite number. Got {bad!r}.")
    return column


def _whole_numbers(values: Sequence[Any], name: str) -> npt.NDArray[np.int64]:
    _check_types(values, name, (int, np.integer), "a whole number")
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        bad = next(value for value in values if not -(2**63) <= value < 2**63)
        raise ConfigError(f"Parameter {name!r} must fit in 64 bits. Got {bad!r}.") from None


def _check_types(values: Sequence[Any], name: str, types: tuple[type, ...], wanted: str) -> None:
    # one pass over the types instead of a check a value: 10,000 values cost 0.2 ms
    strange = [kind for kind in set(map(type, values)) if kind is bool or not issubclass(kind, types)]
    if strange:
        bad = next(value for value in values if type(value) in strange)
        raise ConfigError(f"Parameter {name!r} must be {wanted}. Got {bad!r} ({type(bad).__name__}).")


def _check_inside(column: np.ndarray, values: Sequence[Any], name: str, kind: Float | Int) -> None:
    outside = (column < kind.low) | (column > kind.high)
    if outside.any():
        bad = values[int(np.argmax(outside))]
        raise ConfigError(f"Parameter {name!r} must be between {kind.low!r} and {kind.high!r}. Got {bad!r}.")


def _check_on_grid(on: Mask, values: Sequence[Any], name: str, kind: Float | Int) -> None:
    if not on.all():
        bad = values[int(np.argmin(on))]
        raise ConfigError(
            f"Parameter {name!r} must be {kind.low!r} plus a multiple of the step {kind.step!r}. Got {bad!r}."
        )


def _is_finite(value: Any) -> bool:
    """Whether this is a real number that double precision can hold."""
    if not is_number(value):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _check_bounds(kind: str, low: Any, high: Any, log: Any) -> None:
    for label, value in (("low", low), ("high", high)):
        if not _is_finite(value):
            raise SpaceError(f"`{label}` of {kind} must be a finite number. Got {value!r}.")
    if not low < high:
        raise SpaceError(
            f"`low` of {kind} must be below `high`. Got low={low!r}, high={high!r}; "
            f"for a constant use Categorical([{low!r}])."
        )
    if not isinstance(log, bool):
        raise SpaceError(f"`log` of {kind} must be True or False. Got {log!r}.")
    if log and low <= 0:
        raise SpaceError(f"`low` of {kind} with log=True must be above 0. Got low={low!r}.")


def _check_step(kind: str, step: Any, log: bool) -> None:
    if not _is_finite(step) or not step > 0:
        raise SpaceError(f"`step` of {kind} must be a positive number. Got {step!r}.")
    if log:
        raise SpaceError(f"`log` and `step` of {kind} exclude each other. Got both; use Ordinal to list the values.")


def _check_when(when: Any) -> None:
    if not isinstance(when, Mapping) or not all(isinstance(key, str) for key in when):
        raise SpaceError(f"`when` must map names of parents to values, such as {{'kernel': ['poly']}}. Got {when!r}.")


def _decimals(kind: Float) -> int:
    """Decimals of a position that survive decode and encode, given how finely doubles divide the range."""
    eps, smallest = float(np.finfo(np.float64).eps), 5e-324
    if kind.log:
        width = math.log(kind.high) - math.log(kind.low)
        rounding = max(eps, smallest / kind.low) + eps * abs(math.log(kind.low))
    else:
        width = kind.high - kind.low
        rounding = max(eps * max(abs(kind.low), abs(kind.high)), smallest)
    if width == 0.0:  # two neighbours with the same logarithm
        return 0
    return min(MAX_DECIMALS, math.floor(-math.log10(8 * (eps + rounding / width))) - 1)


def hashable(choice: Any) -> Any:
    """Lists become tuples (JSON has no tuples), NumPy scalars become Python's."""
    if isinstance(choice, (list, tuple)):
        return tuple(hashable(part) for part in choice)
    return choice.item() if isinstance(choice, np.generic) else choice


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
