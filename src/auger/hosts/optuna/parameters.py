"""Parameters as the two sides see them: our kind, Optuna's distribution, and the way between their values.

Optuna stores whatever an objective made of a study: values beyond a range that was changed, fixed by hand, or of an
older space. So encoding never refuses: a number counts as the nearest one there is, anything else as not given (NaN).
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
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Array, Config

# Optuna keeps every number as a double.
_LARGEST_WHOLE = 2**53

# A grid that Optuna's arithmetic in decimals does not end where ours does is given to it as choices, up to this many.
_MAX_CHOICES = 1000


@dataclass(frozen=True)
class Column:
    """One parameter: how Optuna's values become our encoded column, and back.

    Attributes:
        kind: the parameter in our terms.
        distribution: the same in Optuna's. Choice number i is value number i of the kind, whatever it is called.
        is_scaled: whether the values of the kind are positions in the distribution, from 0 to 1, instead of its
            values.
    """

    kind: Parameter
    distribution: BaseDistribution
    is_scaled: bool = False

    def encode(self, values: Sequence[Any]) -> Array:
        """Optuna's values to a snapped column (n,); NaN for what the parameter cannot be."""
        if isinstance(self.distribution, CategoricalDistribution):
            return np.array([self._code(value) for value in values], dtype=np.float64)
        if not self.is_scaled:
            try:
                return self.kind.encode(values, "")
            except ConfigError:
                pass
        return np.array([self._nearest(value) for value in values], dtype=np.float64)

    def decode(self, column: Array) -> list[Any]:
        """A snapped column (n,) to Optuna's values, members of the distribution."""
        made = self.distribution
        if isinstance(made, CategoricalDistribution):
            return [made.choices[i] for i in np.searchsorted(self._levels, column).tolist()]
        assert isinstance(made, (FloatDistribution, IntDistribution))
        values = self.kind.decode(column)
        return [nearest(made, _at(made, value) if self.is_scaled else value) for value in values]

    @property
    def is_exact(self) -> bool:
        """Whether any number between two others is a value, and the same one on both sides.

        Encoding moves such a number by its last digits: 0.001 between 1e-4 and 0.1 comes back as 0.000999999999999771.
        """
        return isinstance(self.kind, Float) and self.kind.step is None and not self.is_scaled

    @cached_property
    def _levels(self) -> Array:
        return self.kind.levels()

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
            return float(self.kind.encode([_position(self.distribution, value)], "")[0])
        assert isinstance(self.kind, (Float, Int))
        return float(self.kind.encode([nearest(self.kind, value)], "")[0])


def nearest(range_: Float | Int | FloatDistribution | IntDistribution, value: float) -> float | int:
    """The nearest number of a range, ours or Optuna's, as an int where it holds ints."""
    low, high, step = range_.low, range_.high, range_.step
    value = min(max(value, low), high)
    if isinstance(range_, (Int, IntDistribution)):
        return range_.low + round((value - low) / range_.step) * range_.step
    if step is not None:  # in decimals, as people write them: three steps of 0.1 are 0.3
        value = min(float(Decimal(repr(low)) + round((value - low) / step) * Decimal(repr(step))), high)
    return float(value)


def _position(made: FloatDistribution | IntDistribution, value: float) -> float:
    """Where a number lies in a range, from 0 to 1. In halves: 1e308 - (-1e308) overflows."""
    low, high, value = float(made.low), float(made.high), min(max(float(value), made.low), made.high)
    if made.log:
        return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    return (value / 2 - low / 2) / (high / 2 - low / 2)


def _at(made: FloatDistribution | IntDistribution, position: float) -> float:
    """The number at a position: the reverse of `_position`."""
    low, high = float(made.low), float(made.high)
    if made.log:
        return math.exp(math.log(low) + position * (math.log(high) - math.log(low)))
    return 2 * (low / 2 + position * (high / 2 - low / 2))


def column_of(distribution: BaseDistribution) -> Column | None:
    """A column for what an objective asked for; None where there is nothing to choose, or no saying what.

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
    make: Any = Int if isinstance(distribution, IntDistribution) else Float
    low, high, step = distribution.low, distribution.high, distribution.step
    try:
        return Column(make(low, high, log=distribution.log, step=step), distribution)
    except SpaceError:  # too wide or too narrow, or too many steps, for our arithmetic
        is_finite = math.isfinite(low) and math.isfinite(high)
        return Column(Float(0.0, 1.0), distribution, is_scaled=True) if is_finite else None


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """The parameters of a space as Optuna's distributions. Conditions are dropped, and ordinals become choices.

    Example:
        >>> distributions(Space({"depth": (1, 12)}))
        {'depth': IntDistribution(high=12, log=False, low=1, step=1)}
    """
    return {name: _distribution(kind, name) for name, kind in space.parameters.items()}


def _distribution(kind: Parameter, name: str) -> BaseDistribution:
    if isinstance(kind, Int):
        if max(abs(kind.low), abs(kind.high)) > _LARGEST_WHOLE:
            raise SpaceError(f"Optuna holds integers up to 2**53 only. Parameter {name!r} is {kind!r}.")
        return IntDistribution(kind.low, kind.high, log=kind.log, step=kind.step)
    if isinstance(kind, Float):
        return _float_distribution(kind)
    return CategoricalDistribution(_plain(kind.decode(kind.levels())))


def _float_distribution(kind: Float) -> BaseDistribution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the grid was cut short, which we look at ourselves
        made = FloatDistribution(kind.low, kind.high, log=kind.log, step=kind.step)
    if made.high == kind.high:
        return made
    if kind.n_values is not None and kind.n_values <= _MAX_CHOICES:
        return CategoricalDistribution(kind.decode(kind.levels()))
    return FloatDistribution(kind.low, kind.high)


def _plain(choices: Sequence[Any]) -> list[Any]:
    """Choices that every storage can hold: what is not a string, number, boolean or None becomes a text."""
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
    """The columns of a space that was given."""
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
    return space.walk(lambda name, kind: _suggest(trial, name, columns[name]))


def _suggest(trial: Trial, name: str, column: Column) -> Any:
    asked = column.distribution
    if isinstance(asked, CategoricalDistribution):
        choice = trial.suggest_categorical(name, asked.choices)
        return column.kind.decode(column.encode([choice]))[0]
    if isinstance(asked, IntDistribution):
        return trial.suggest_int(name, asked.low, asked.high, step=asked.step, log=asked.log)
    assert isinstance(asked, FloatDistribution)
    return trial.suggest_float(name, asked.low, asked.high, step=asked.step, log=asked.log)
