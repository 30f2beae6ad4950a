"""Distributions of SciPy as parameters.

uniform(a, b - a)    Float(a, b)
loguniform(a, b)     Float(a, b, log=True)
randint(a, b)        Int(a, b - 1)
other continuous     a Float u, the probability of values below ppf(u), which is what the estimator gets

With the last, equally likely ranges of values are equally wide ranges of u.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats.distributions import rv_frozen

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError
from auger.space import Categorical, Float, Int, Parameter

# The probability that is left out at either end of a distribution that goes through its ppf. Many distributions reach
# to infinity, and a search that follows its model would go there.
_TAIL = 0.001


class Quantile:
    """The function ppf of a distribution. Two are equal if their quantiles are."""

    def __init__(self, frozen: Any) -> None:
        self._frozen = frozen
        self._quantiles = tuple(frozen.ppf([0.1, 0.25, 0.5, 0.75, 0.9]).tolist())

    def __call__(self, probability: float) -> float:
        return float(self._frozen.ppf(probability))

    def probability(self, value: Any, name: str) -> float:
        """The probability of values below ``value``; a ConfigError where the search leaves ``value`` out."""
        low, high = self(_TAIL), self(1 - _TAIL)
        if not is_number(value) or not low <= value <= high:
            raise ConfigError(f"Parameter {name!r} must be a number from {low:.6g} to {high:.6g}. Got {value!r}.")
        return float(np.clip(self._frozen.cdf(value), _TAIL, 1 - _TAIL))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantile) and self._quantiles == other._quantiles

    def __hash__(self) -> int:
        return hash(self._quantiles)


@dataclass(frozen=True)
class Entry:
    """One parameter of a search.

    Attributes:
        parameter: the parameter that the optimizer searches.
        decode: turns a value of it into the estimator's value; None where they are the same.
    """

    parameter: Parameter
    decode: Quantile | None = None


def is_distribution(value: object) -> bool:
    """Whether it is a distribution of SciPy, frozen or not, old or new, or has `rvs` like one."""
    return hasattr(value, "rvs") or _is_new(value)


def _is_new(value: object) -> bool:
    """Whether it is of a class that came with SciPy 1.15: scipy.stats.Normal, scipy.stats.Uniform ..."""
    return hasattr(value, "icdf") and hasattr(value, "support")


def from_distribution(value: Any, name: str) -> Entry:
    """Turn a distribution of SciPy into a parameter, or raise a SpaceError that says what to use instead."""
    frozen = _frozen(value, name)
    with np.errstate(invalid="ignore"):
        low, high = frozen.support()
    if np.ndim(low) or np.ndim(high):
        raise SpaceError(f"Parameter {name!r} must be a distribution of one number. Got one of shape {np.shape(low)}.")
    family = frozen.dist.name
    if not low <= high:  # SciPy returns NaN for arguments that are out of bounds
        raise SpaceError(
            f"Parameter {name!r} must be a distribution with valid, finite arguments. Got {_text(frozen)}."
        )
    try:
        if family == "uniform":
            return Entry(Float(float(low), float(high)))
        if family in ("loguniform", "reciprocal") and _location(frozen) == 0:
            return Entry(Float(float(low), float(high), log=True))
        if family == "randint":
            return Entry(Int(int(low), int(high)) if low < high else Categorical((int(low),)))
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}, {_text(frozen)}: {error}") from error
    if isinstance(frozen.dist, stats.rv_discrete):
        raise SpaceError(
            f"Parameter {name!r} must be an Int, with log=True where small numbers are more likely, an Ordinal, or "
            f"scipy.stats.randint. For other discrete distributions the search would ignore how likely each value is. "
            f"Got {_text(frozen)}."
        )
    return Entry(Float(_TAIL, 1 - _TAIL), Quantile(frozen))


def _frozen(value: Any, name: str) -> Any:
    if isinstance(value, rv_frozen):
        return value
    if isinstance(value, stats.rv_continuous | stats.rv_discrete):
        try:
            return value()  # such as scipy.stats.norm itself, or a histogram
        except TypeError as error:
            raise SpaceError(
                f"Parameter {name!r} must be a distribution with its arguments, such as expon(scale=10). "
                f"Got scipy.stats.{value.name} without arguments."
            ) from error
    if _is_new(value):  # a copy of Normal(mu=3, sigma=2) is a standard normal in SciPy 1.17, and a search is copied
        raise SpaceError(
            f"Parameter {name!r} must be one of SciPy's frozen distributions, such as scipy.stats.norm(3, 2) or "
            f"loguniform(0.1, 10). Got {value!r}, which loses its arguments when scikit-learn copies the search."
        )
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a list of choices, or a frozen distribution "
        f"of scipy.stats. Got {value!r}, which has `rvs` but no quantiles."
    )


def _location(frozen: Any) -> float:
    """The argument ``loc`` of a loguniform, its third."""
    return float(frozen.kwds.get("loc", frozen.args[2] if len(frozen.args) > 2 else 0))


def _text(frozen: Any) -> str:
    arguments = [*map(repr, frozen.args), *(f"{key}={value!r}" for key, value in frozen.kwds.items())]
    return f"scipy.stats.{frozen.dist.name}({', '.join(arguments)})"
