"""Conditions on one parameter that a rule can be made of, in the user's own terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from auger.insight.lens import evenly
from auger.space import Float, Int, Parameter, Space
from auger.types import Array, Mask

# So many bounds of an ordered parameter are considered from below, and as many from above.
_N_BOUNDS = 15
# Of a parameter with more choices than this, those of good trials only.
_N_CHOICES = 30


@dataclass(frozen=True, eq=False)
class Condition:
    """Something that can be said of one parameter.

    Attributes:
        name: of the parameter.
        relation: "least" and "most" for bounds of ordered parameters, "is" and "not" for choices.
        value: the bound, or the choice, as the user has it.
        holds: shape (n,), for which rows; never where the parameter is inactive.
    """

    name: str
    relation: str
    value: Any
    holds: Mask


def conditions(space: Space, X: Array, z: Mask) -> list[Condition]:
    """Conditions that some of the rows (n, d) satisfy and others do not; bounds are values of good rows, and of all."""
    candidates: list[Condition] = []
    for j, (name, parameter) in enumerate(space.parameters.items()):
        column = X[:, j]
        candidates += (
            _bounds(name, parameter, column, z) if parameter.is_ordered else _choices(name, parameter, column, z)
        )
    return [condition for condition in candidates if condition.holds.any() and not condition.holds.all()]


def _bounds(name: str, parameter: Parameter, column: Array, z: Mask) -> Iterable[Condition]:
    entries: set[float] = set()
    for rows in (column[z], column):
        entries |= set(evenly(np.unique(rows[~np.isnan(rows)]), _N_BOUNDS).tolist())
    for entry in sorted(entries):
        for side in ("least", "most"):
            value, bound = _rounded(name, parameter, entry, is_up=side == "most")
            yield Condition(name, side, value, column >= bound if side == "least" else column <= bound)


def _rounded(name: str, parameter: Parameter, entry: float, *, is_up: bool) -> tuple[Any, float]:
    """A bound for an entry and beyond: of continuous numbers one with few digits, rounded outwards; and its entry."""
    value = parameter.decode(np.array([entry]))[0]
    if not isinstance(parameter, Float) or parameter.n_values is not None:
        return value, entry
    for digits in (3, 6, 9):
        near = Decimal(f"{value:.{digits - 1}e}")
        unit = Decimal(1).scaleb(near.adjusted() + 1 - digits)
        for tried in (float(near), float(near + unit if is_up else near - unit)):
            if parameter.low <= tried <= parameter.high and (tried >= value if is_up else tried <= value):
                return tried, float(parameter.encode([tried], name)[0])
    return value, entry


def _choices(name: str, parameter: Parameter, column: Array, z: Mask) -> Iterable[Condition]:
    codes = np.unique(column[~np.isnan(column)])
    if len(codes) > _N_CHOICES:
        codes = np.unique(column[z & ~np.isnan(column)])
    for code, value in zip(codes, parameter.decode(codes), strict=True):
        yield Condition(name, "is", value, column == code)
        if len(codes) > 2:
            yield Condition(name, "not", value, (column != code) & ~np.isnan(column))


def rule_text(space: Space, together: Sequence[Condition]) -> str:
    """Conditions that hold together, in words, parameter by parameter in the order of the space."""
    parts = []
    for name, parameter in space.parameters.items():
        own = [each for each in together if each.name == name]
        if parameter.is_ordered:
            least = [each.value for each in own if each.relation == "least"]
            most = [each.value for each in own if each.relation == "most"]
            parts += _range(name, parameter, least[-1:], most[-1:])
        parts += [f"{name} = {each.value}" for each in own if each.relation == "is"]
        parts += [f"{name} is not {each.value}" for each in own if each.relation == "not"]
    return " and ".join(parts)


def _range(name: str, parameter: Parameter, least: list[Any], most: list[Any]) -> list[str]:
    low, high = [_shown(value) for value in least], [_shown(value) for value in most]
    if low and high and low == high:
        return [f"{name} = {low[0]}"]
    if not isinstance(parameter, (Float, Int)):  # choices with an order
        ends = [*(f"from {value}" for value in low), *(f"up to {value}" for value in high)]
        return [f"{name} {' '.join(ends)}"] if ends else []
    if low and high:
        return [f"{low[0]} <= {name} <= {high[0]}"]
    return [f"{name} >= {value}" for value in low] + [f"{name} <= {value}" for value in high]


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
