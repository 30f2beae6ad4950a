"""Numbers: Float and Int, on a linear or logarithmic scale, continuous or in steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from auger.checks import is_number, is_whole
from auger.errors import ConfigError, SpaceError
from auger.space.parameter import Parameter, check_when, set_frozen
from auger.types import Array, Mask

# With more values than this, neighbouring integers could share a float64 position (log spacing is the
# tight case: 2**-40 between neighbours at the top of a range whose logarithm spans at most 28).
MAX_VALUES = 2**40

# Why 13? A position survives decode and encode with an error of a few 1e-16 times the conditioning of the
# range; 13 decimals leave two spare digits for ordinary ranges. Narrow ranges get fewer (see `_decimals`).
MAX_DECIMALS = 13


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
        set_frozen(self, low=float(self.low), high=float(self.high))
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"`high - low` of a Float must be finite. Got low={self.low!r}, high={self.high!r}.")
        if self.step is not None:
            _check_step("a Float", self.step, self.log)
            set_frozen(self, step=float(self.step))
            self._check_grid(self.step)
        elif _decimals(self) < 3:
            raise SpaceError(
                f"A Float's range must be wide enough for double precision. Got low={self.low!r}, high={self.high!r}."
            )
        check_when(self.when)

    def _check_grid(self, step: float) -> None:
        got = f"Got low={self.low!r}, high={self.high!r}, step={step!r}"
        n_steps = (self.high - self.low) / step
        if n_steps >= MAX_VALUES or step < 64 * self._ulp:
            raise SpaceError(
                "The `step` of a Float must leave at most 2**40 values that double precision can tell apart. "
                f"{got}. Leave it out for a continuous range."
            )
        if abs(self.low + max(round(n_steps), 1) * step - self.high) > self._slack:
            reach = f"{self.low + max(math.floor(n_steps), 1) * step:.12g}"
            raise SpaceError(
                f"`high` of a Float must be `low` plus a whole number of steps. {got}. Use high={reach}, for example."
            )

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
        out: list[Any] = np.minimum(np.maximum(values, self.low), self.high).tolist()
        return out

    def _multiples(self, index: Array, step: float) -> list[Any]:
        # People write decimals: three steps of 0.1 are 0.3, not 0.1 * 3 = 0.30000000000000004. So add up the decimals
        # as whole numbers of a common unit; dividing two integers rounds once, at the end.
        first, distance = Fraction(repr(self.low)), Fraction(repr(step))
        unit = math.lcm(first.denominator, distance.denominator)
        start, stride = int(first * unit), int(distance * unit)
        last = self._last
        return [self.high if i == last else (start + i * stride) / unit for i in index.astype(np.int64).tolist()]

    def quantile(self, u: Array) -> Array:
        return self.snap(u) if self.n_values is None else self._entry(np.floor(u * self.n_values))

    def _position(self, values: Array) -> Array:
        if self.log:
            return np.asarray((np.log(values) - math.log(self.low)) / (math.log(self.high) - math.log(self.low)))
        return (values - self.low) / (self.high - self.low)

    @cached_property
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
        """How far from a grid value a number may be and still count as it: the rounding of a user's arithmetic."""
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
        set_frozen(self, low=int(self.low), high=int(self.high), step=int(self.step))
        got = f"Got low={self.low!r}, high={self.high!r}"
        if self.low < -(2**63) or self.high >= 2**63 or self.high - self.low >= 2**63:
            raise SpaceError(f"The bounds of an Int, and their difference, must fit in 64 bits. {got}.")
        _check_bounds("an Int", self.low, self.high, self.log)
        _check_step("an Int", self.step, self.log and self.step != 1)
        if (self.high - self.low) % self.step:
            reach = self.low + max((self.high - self.low) // self.step, 1) * self.step
            raise SpaceError(
                "`high` of an Int must be `low` plus a whole number of steps. "
                f"{got}, step={self.step!r}. Use high={reach}, for example."
            )
        if self.n_values > MAX_VALUES or (self.log and self.high > MAX_VALUES):
            raise SpaceError(
                "An Int can have at most 2**40 values (and with log, a `high` of at most 2**40). "
                f"{got}. Use a Float and round it yourself."
            )
        check_when(self.when)

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
        return {"type": "int", "low": self.low, "high": self.high, "log": self.log, "step": self.step}


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
    # one pass over the types instead of one check per value: 10,000 values cost 0.2 ms
    strange = [cls for cls in set(map(type, values)) if cls is bool or not issubclass(cls, types)]
    if strange:
        bad = next(value for value in values if type(value) in strange)
        raise ConfigError(f"Parameter {name!r} must be {wanted}. Got {bad!r} ({type(bad).__name__}).")


def _check_inside(column: np.ndarray, values: Sequence[Any], name: str, parameter: Float | Int) -> None:
    outside = (column < parameter.low) | (column > parameter.high)
    if outside.any():
        bad = values[int(np.argmax(outside))]
        raise ConfigError(f"Parameter {name!r} must be between {parameter.low!r} and {parameter.high!r}. Got {bad!r}.")


def _check_on_grid(on: Mask, values: Sequence[Any], name: str, parameter: Float | Int) -> None:
    if not on.all():
        bad = values[int(np.argmin(on))]
        raise ConfigError(
            f"Parameter {name!r} must be {parameter.low!r} plus a multiple of the step {parameter.step!r}. Got {bad!r}."
        )


def _is_finite(value: Any) -> bool:
    """Whether this is a real number that double precision can hold."""
    if not is_number(value):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _check_bounds(owner: str, low: Any, high: Any, log: Any) -> None:
    for label, value in (("low", low), ("high", high)):
        if not _is_finite(value):
            raise SpaceError(f"`{label}` of {owner} must be a finite number. Got {value!r}.")
    if not low < high:
        raise SpaceError(
            f"`low` of {owner} must be below `high`. Got low={low!r}, high={high!r}. "
            f"For a constant use Categorical([{low!r}])."
        )
    if not isinstance(log, bool):
        raise SpaceError(f"`log` of {owner} must be True or False. Got {log!r}.")
    if log and low <= 0:
        raise SpaceError(f"`low` of {owner} with log=True must be above 0. Got low={low!r}.")


def _check_step(owner: str, step: Any, log: bool) -> None:
    if not _is_finite(step) or not step > 0:
        raise SpaceError(f"`step` of {owner} must be a positive number. Got {step!r}.")
    if log:
        raise SpaceError(f"`log` and `step` of {owner} cannot be combined. Use Ordinal to list the values.")


def _decimals(parameter: Float) -> int:
    """Decimals of a position that survive decode and encode, which depends on how finely doubles divide the range."""
    eps, smallest = float(np.finfo(np.float64).eps), 5e-324
    if parameter.log:
        width = math.log(parameter.high) - math.log(parameter.low)
        rounding = max(eps, smallest / parameter.low) + eps * abs(math.log(parameter.low))
    else:
        width = parameter.high - parameter.low
        rounding = max(eps * max(abs(parameter.low), abs(parameter.high)), smallest)
    if width == 0.0:  # two neighbours with the same logarithm
        return 0
    return min(MAX_DECIMALS, math.floor(-math.log10(8 * (eps + rounding / width))) - 1)
