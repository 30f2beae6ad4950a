"""Distributions of SciPy as parameters.

uniform(a, b - a)    Float(a, b)
loguniform(a, b)     Float(a, b, log=True)
randint(a, b)        Int(a, b - 1)
other continuous     a Float that holds the share u of the distribution below the value, which is ppf(u)

The last keeps what the distribution says about where to look: an equal share of it is an equal part of the column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats.distributions import rv_frozen

from auger.errors import SpaceError
from auger.space import Categorical, Float, Int, Parameter

# What is left out at either end of a distribution that goes through its ppf: 0.1 % of it. Many reach to infinity, and
# a search that follows its model would go there.
_TAIL = 0.001


class Quantile:
    """From a share of a distribution to the value below which it lies. Equal to one of the same distribution."""

    def __init__(self, frozen: Any) -> None:
        self._frozen = frozen
        self._marks = tuple(frozen.ppf([0.1, 0.25, 0.5, 0.75, 0.9]).tolist())

    def __call__(self, share: float) -> float:
        return float(self._frozen.ppf(share))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantile) and self._marks == other._marks

    def __hash__(self) -> int:
        return hash(self._marks)


@dataclass(frozen=True)
class Entry:
    """One parameter of a search.

    Attributes:
        parameter: as the optimizer knows it.
        decode: how a value of it becomes the estimator's; None where it is the same.
    """

    parameter: Parameter
    decode: Callable[[Any], Any] | None = None


def is_distribution(value: object) -> bool:
    """Whether it is one of SciPy's, frozen or not, old or new, or can at least be drawn from."""
    return hasattr(value, "rvs") or _is_new(value)


def _is_new(value: object) -> bool:
    """Whether it is of the kind that SciPy 1.15 brought: scipy.stats.Normal, scipy.stats.Uniform ..."""
    return hasattr(value, "icdf") and hasattr(value, "support")


def from_distribution(value: Any, name: str) -> Entry:
    """A distribution of SciPy as a parameter, or a SpaceError that says what to use instead."""
    frozen = _frozen(value, name)
    with np.errstate(invalid="ignore"):
        low, high = frozen.support()
    if np.ndim(low) or np.ndim(high):
        raise SpaceError(f"Parameter {name!r} must be a distribution of one number. Got one of {np.shape(low)}.")
    kind = frozen.dist.name
    if not low <= high:  # NaN where SciPy's arguments are out of bounds, which it does not say itself
        raise SpaceError(f"Parameter {name!r} must be a distribution that exists. Got {_told(frozen)}.")
    try:
        if kind == "uniform":
            return Entry(Float(float(low), float(high)))
        if kind in ("loguniform", "reciprocal") and _location(frozen) == 0:
            return Entry(Float(float(low), float(high), log=True))
        if kind == "randint":
            return Entry(Int(int(low), int(high)) if low < high else Categorical((int(low),)))
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}, {_told(frozen)}: {error}") from error
    if isinstance(frozen.dist, stats.rv_discrete):
        raise SpaceError(
            f"Parameter {name!r} must be an Int, with log=True where small numbers are likelier, an Ordinal, or "
            f"scipy.stats.randint: of other discrete distributions only the values could be kept, not how likely "
            f"they are. Got {_told(frozen)}."
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
                f"Got scipy.stats.{value.name} without."
            ) from error
    if _is_new(value):  # a copy of Normal(mu=3, sigma=2) is a standard normal in SciPy 1.17, and a search is copied
        raise SpaceError(
            f"Parameter {name!r} must be one of SciPy's frozen distributions, such as scipy.stats.norm(3, 2) or "
            f"loguniform(0.1, 10). Got {value!r}, of a new kind that does not survive being copied."
        )
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a list of choices, or a frozen distribution "
        f"of scipy.stats. Got {value!r}, which can be drawn from but tells nothing else about its values."
    )


def _location(frozen: Any) -> float:
    """The shift of a loguniform, which has two arguments before it."""
    return float(frozen.kwds.get("loc", frozen.args[2] if len(frozen.args) > 2 else 0))


def _told(frozen: Any) -> str:
    given = [*map(repr, frozen.args), *(f"{key}={value!r}" for key, value in frozen.kwds.items())]
    return f"scipy.stats.{frozen.dist.name}({', '.join(given)})"
