"""Conditions: which parameters are active, given the values of their parents.

The conditions of one parameter are a list of (column of the parent, entries of that column that make it active).
All must hold, and the parents must be active themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from auger.errors import ConfigError, SpaceError, nearest
from auger.space.parameter import Parameter
from auger.types import Array, Mask

Conditions = list[tuple[int, Array]]


def read_conditions(name: str, parameters: Mapping[str, Parameter]) -> Conditions:
    """The conditions in the ``when`` of one parameter."""
    names, conditions = list(parameters), []
    for parent_name, wanted in parameters[name].when.items():
        if parent_name not in parameters:
            hint = nearest(parent_name, [other for other in names if other != name])
            raise SpaceError(f"Parameter {name!r} depends on {parent_name!r}, which is not a parameter. {hint}")
        parent = parameters[parent_name]
        if parent.n_values is None:
            raise SpaceError(
                f"Parameter {name!r} depends on {parent_name!r}, which must be an Int, Categorical or Ordinal "
                f"(a continuous Float never hits a value). Got {parent!r}."
            )
        values = list(wanted) if isinstance(wanted, (list, tuple, set, frozenset, range)) else [wanted]
        if not values:
            raise SpaceError(
                f"The condition of parameter {name!r} on {parent_name!r} must list at least one value. Got none."
            )
        try:
            conditions.append((names.index(parent_name), np.unique(parent.encode(values, parent_name))))
        except ConfigError as error:
            raise SpaceError(f"The condition of parameter {name!r} can never hold: {error}") from error
    return conditions


def parents_first(conditions: Sequence[Conditions], names: Sequence[str]) -> list[int]:
    """The columns in an order in which each comes after its parents."""
    order: list[int] = []
    waiting = list(range(len(names)))
    while waiting:
        ready = [j for j in waiting if all(parent in order for parent, _ in conditions[j])]
        if not ready:
            circle = ", ".join(repr(names[j]) for j in waiting)
            raise SpaceError(f"Conditions must not form a circle. These parameters depend on each other: {circle}.")
        order += ready
        waiting = [j for j in waiting if j not in ready]
    return order


def hold(X: Array, conditions: Conditions) -> Mask:
    """Where all conditions hold, shape (n,). An inactive parent is NaN in X (n, d), and NaN is no value."""
    is_active = np.ones(len(X), dtype=bool)
    for parent, entries in conditions:
        is_active &= np.isin(X[:, parent], entries)
    return is_active
