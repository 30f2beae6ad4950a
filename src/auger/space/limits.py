"""Limits of a suggestion: entries that encoded columns must have, or keep between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auger.errors import ConfigError, nearest
from auger.space.conditions import Conditions
from auger.space.parameter import Parameter
from auger.types import Array

#: The first and the last entry that each column may have, each of shape (d,), NaN for no limit. See `Space.within`.
Limits = tuple[Array, Array]


def limits_of(names: Sequence[str], entries: Mapping[str, tuple[float, float]]) -> Limits | None:
    """Limits by the name of the parameter, as arrays; None where there is no limit at all.

    Example:
        >>> limits_of(["a", "b"], {"b": (0.25, 0.5)})
        (array([ nan, 0.25]), array([nan, 0.5]))
    """
    bottom, top = np.full((2, len(names)), np.nan)
    for j, name in enumerate(names):
        if name in entries:
            bottom[j], top[j] = entries[name]
    return None if np.isnan(bottom).all() else (bottom, top)


def limits_of_fixed(
    fixed: Mapping[str, Any],
    parameters: Mapping[str, Parameter],
    conditions: Sequence[Conditions],
    order: Sequence[int],
) -> Limits | None:
    """The limits of configs that have the fixed values; see `Space.limits`.

    Args:
        fixed: names of parameters and their values.
        parameters: of the space.
        conditions: of each parameter.
        order: the columns, parents first.
    """
    names = list(parameters)
    if not isinstance(fixed, Mapping):
        raise ConfigError(f"Fixed values must map names of parameters to values. Got {fixed!r}.")
    for name in fixed:
        if name not in parameters:
            raise ConfigError(f"Unknown parameter {name!r} in {dict(fixed)!r}. {nearest(name, names)}")
    allowed = {names.index(name): parameters[name].encode([value], name) for name, value in fixed.items()}
    # A parameter with a value is active, and so are its parents: children first, so that each limit reaches the top.
    for j in reversed(order):
        for parent, entries in conditions[j] if j in allowed else ():
            both = np.intersect1d(allowed.get(parent, entries), entries)
            if not len(both):
                when = dict(parameters[names[j]].when)
                raise ConfigError(
                    f"Parameter {names[j]!r} is active only when {when!r}; leave it out. Got {dict(fixed)!r}."
                )
            allowed[parent] = both
    entries_by_name = {}
    for j, entries in allowed.items():
        parameter = parameters[names[j]]
        if (parameter.neighbor(entries[:-1], np.ones(len(entries) - 1)) != entries[1:]).any():
            values = ", ".join(map(repr, parameter.decode(entries)))
            raise ConfigError(f"Fix {names[j]!r}, too, to one of {values}: only then {dict(fixed)!r} is complete.")
        entries_by_name[names[j]] = float(entries[0]), float(entries[-1])
    return limits_of(names, entries_by_name)
