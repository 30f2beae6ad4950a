"""A parameter of auger and a distribution of Optuna as one column: how their values translate.

A study may store values that its parameters cannot have: beyond a range that was changed, fixed by hand, or of an older
space. So encoding never refuses: a number counts as the nearest possible one, anything else as missing (NaN).
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from optuna import Trial
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError
from auger.hosts.optuna.ranges import same
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Array, Config

# Optuna keeps every number as a double.
_LARGEST_WHOLE = 2**53

# Optuna computes grids in decimals. Where its last value is not ours, it gets the values as choices, up to this many.
_MAX_CHOICES = 1000


@dataclass(frozen=True)
class Column:
    """One parameter: how Optuna's values become our encoded column, and back.

    Attributes:
        parameter: auger's.
        distribution: Optuna's. Choice number i is value number i of the parameter, whatever it is called.
        is_scaled: whether the values of the parameter are positions in the distribution, from 0 to 1, instead of its
            values.
    """

    parameter: Parameter
    distribution: BaseDistribution
    is_scaled: bool = False

    def encode(self, values: Sequence[Any]) -> Array:
        """Optuna's values to a snapped column (n,); NaN for what the parameter cannot be."""
        if isinstance(self.distribution, CategoricalDistribution):
            return np.array([self._code(value) for value in values], dtype=np.float64)
        if not self.is_scaled:
            try:
                return self.parameter.encode(values, "")
            except ConfigError:
                pass
        return np.array([self._nearest(value) for value in values], dtype=np.float64)

    def decode(self, column: Array) -> list[Any]:
        """A snapped column (n,) to Optuna's values, members of the distribution."""
        distribution = self.distribution
        if isinstance(distribution, CategoricalDistribution):
            return [distribution.choices[i] for i in np.searchsorted(self._levels, column).tolist()]
        assert isinstance(distribution, (FloatDistribution, IntDistribution))
        values = self.parameter.decode(column)
        return [nearest(distribution, _at(distribution, value) if self.is_scaled else value) for value in values]

    @property
    def is_exact(self) -> bool:
        """Whether any number in the range is a value of both the parameter and the distribution.

        Encoding moves such a number by its last digits: 0.001 between 1e-4 and 0.1 comes back as 0.000999999999999771.
        """
        return isinstance(self.parameter, Float) and self.parameter.step is None and not self.is_scaled

    def is_asked_by(self, distribution: BaseDistribution) -> bool:
        """Whether a distribution has the values of this column: the same up to rounding, or the order of choices."""
        own = self.distribution
        if same(own, distribution):
            return True
        if isinstance(own, CategoricalDistribution) and isinstance(distribution, CategoricalDistribution):
            return len(own.choices) == len(distribution.choices) and all(
                any(_is_same_choice(choice, other) for other in own.choices) for choice in distribution.choices
            )
        if not isinstance(own, (FloatDistribution, IntDistribution)) or type(own) is not type(distribution):
            return False
        return own.log == distribution.log and all(
            math.isclose(a, b, rel_tol=1e-9)
            for a, b in (
                (own.low, distribution.low),
                (own.high, distribution.high),
                (own.step or 0, distribution.step or 0),
            )
        )

    @cached_property
    def _levels(self) -> Array:
        return self.parameter.levels()

    def _code(self, value: Any) -> float:
        try:
            return float(self._levels[int(self.distribution.to_internal_repr(value))])
        except (ValueError, TypeError):
            return math.nan

    def _nearest(self, value: Any) -> float:
        if not is_number(value) or math.isnan(value):
            return math.nan
        if self.is_scaled:
            assert isinstance(self.distribution, (FloatDistribution, IntDistribution))
            return float(self.parameter.encode([_position(self.distribution, value)], "")[0])
        assert isinstance(self.parameter, (Float, Int))
        return float(self.parameter.encode([nearest(self.parameter, value)], "")[0])


def _is_same_choice(a: Any, b: Any) -> bool:
    """Whether two choices are one: 1, 1.0 and True are three, and NaN is itself."""
    return type(a) is type(b) and (a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b)))


def nearest(range_: Float | Int | FloatDistribution | IntDistribution, value: float) -> float | int:
    """The nearest number of a range, ours or Optuna's, as an int where it holds ints."""
    low, high, step = range_.low, range_.high, range_.step
    value = min(max(value, low), high)
    if isinstance(range_, (Int, IntDistribution)):
        return range_.low + round((value - low) / range_.step) * range_.step
    if step is not None:  # in decimals, as people write them: three steps of 0.1 are 0.3
        value = min(float(Decimal(repr(low)) + round((value - low) / step) * Decimal(repr(step))), high)
    return float(value)


def _position(range_: FloatDistribution | IntDistribution, value: float) -> float:
    """Where a number lies in a range, from 0 to 1. In halves: 1e308 - (-1e308) overflows."""
    low, high, value = float(range_.low), float(range_.high), min(max(float(value), range_.low), range_.high)
    if range_.log:
        return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    return (value / 2 - low / 2) / (high / 2 - low / 2)


def _at(range_: FloatDistribution | IntDistribution, position: float) -> float:
    """The number at a position: the reverse of `_position`."""
    low, high = float(range_.low), float(range_.high)
    if range_.log:
        return math.exp(math.log(low) + position * (math.log(high) - math.log(low)))
    return 2 * (low / 2 + position * (high / 2 - low / 2))


def column_of(distribution: BaseDistribution) -> Column | None:
    """The column of a distribution; None for a single value, and for what auger cannot search.

    Example:
        >>> column_of(CategoricalDistribution(["adam", "sgd"])).encode(["sgd", "adam", "lion"]).tolist()
        [1.0, 0.0, nan]
    """
    if distribution.single():
        return None
    if isinstance(distribution, CategoricalDistribution):
        return Column(Categorical(tuple(range(len(distribution.choices)))), distribution)
    if not isinstance(distribution, (FloatDistribution, IntDistribution)):
        return None
    parameter_type: Any = Int if isinstance(distribution, IntDistribution) else Float
    low, high, step = distribution.low, distribution.high, distribution.step
    try:
        return Column(parameter_type(low, high, log=distribution.log, step=step), distribution)
    except SpaceError:  # too wide or too narrow, or too many steps, for our arithmetic
        is_finite = math.isfinite(low) and math.isfinite(high)
        return Column(Float(0.0, 1.0), distribution, is_scaled=True) if is_finite else None


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """The parameters of a space as Optuna's distributions. Conditions are dropped, and ordinals become choices.

    Example:
        >>> distributions(Space({"depth": (1, 12)}))
        {'depth': IntDistribution(high=12, log=False, low=1, step=1)}
    """
    return {name: _distribution(parameter, name) for name, parameter in space.parameters.items()}


def _distribution(parameter: Parameter, name: str) -> BaseDistribution:
    if isinstance(parameter, Int):
        if max(abs(parameter.low), abs(parameter.high)) > _LARGEST_WHOLE:
            raise SpaceError(f"Optuna holds whole numbers up to 2**53 only. Got parameter {name!r}, {parameter!r}.")
        return IntDistribution(parameter.low, parameter.high, log=parameter.log, step=parameter.step)
    if isinstance(parameter, Float):
        return _float_distribution(parameter)
    return CategoricalDistribution(_plain(parameter.decode(parameter.levels())))


def _float_distribution(parameter: Float) -> BaseDistribution:
    low, high, step = parameter.low, parameter.high, parameter.step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna warns that it cut the grid short, which is checked here
        distribution = FloatDistribution(low, high, log=parameter.log, step=step)
    if distribution.high == high:
        return distribution
    if parameter.n_values is not None and parameter.n_values <= _MAX_CHOICES:
        return CategoricalDistribution(parameter.decode(parameter.levels()))
    return FloatDistribution(low, high)


def _plain(choices: Sequence[Any]) -> list[Any]:
    """Choices that every storage can hold: anything but a string, number, boolean or None becomes text."""
    plain: list[Any] = []
    for choice in choices:
        if choice is None or isinstance(choice, (bool, int, float, str)):
            plain.append(choice)
            continue
        text = json.dumps(choice, default=repr)
        while text in choices or text in plain:  # another choice reads the same
            text += " "
        plain.append(text)
    return plain


def columns_of(space: Space) -> dict[str, Column]:
    """One column per parameter of a space."""
    return {name: Column(space.parameters[name], distribution) for name, distribution in distributions(space).items()}


def suggest_config(trial: Trial, space: Space) -> Config:
    """Ask a trial for the active parameters of a space, parents first, whatever the sampler.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> space = Space({"kernel": ["rbf", "poly"], "degree": Int(2, 5, when={"kernel": "poly"})})
        >>> trial = optuna.create_study().ask()
        >>> suggest_config(trial, space) == trial.params
        True
    """
    columns = columns_of(space)
    return space.walk(lambda name, parameter: _suggest(trial, name, columns[name]))


def _suggest(trial: Trial, name: str, column: Column) -> Any:
    distribution = column.distribution
    if isinstance(distribution, CategoricalDistribution):
        choice = trial.suggest_categorical(name, distribution.choices)
        return column.parameter.decode(column.encode([choice]))[0]
    if isinstance(distribution, IntDistribution):
        return trial.suggest_int(
            name, distribution.low, distribution.high, step=distribution.step, log=distribution.log
        )
    assert isinstance(distribution, FloatDistribution)
    return trial.suggest_float(name, distribution.low, distribution.high, step=distribution.step, log=distribution.log)
