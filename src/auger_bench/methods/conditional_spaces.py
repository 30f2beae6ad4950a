"""Conditional spaces for libraries without conditions: which parameters of their configs are active."""

from __future__ import annotations

from auger.errors import SpaceError
from auger.space import Space
from auger.types import Config


def parents_first(space: Space) -> list[str]:
    """The names of the parameters, each after its parents."""
    order: list[str] = []
    while len(order) < len(space):
        order += [
            name for name in space.names if name not in order and set(space.parameters[name].when).issubset(order)
        ]
    return order


def is_active(space: Space, name: str, config: Config) -> bool:
    """Whether a parameter is active; `config` holds the active parameters among its parents."""
    return all(parent in config and config[parent] in values for parent, values in space.conditions(name).items())


def member(space: Space, values: Config) -> Config:
    """The member of the space for a library's values: without inactive parameters, numbers rounded to the space."""
    config: Config = {}
    for name in parents_first(space):
        if name in values and is_active(space, name, config):
            config[name] = values[name]
    return space.decode(space.encode([config]))[0]


def refuse_constraints(space: Space, name: str) -> None:
    """Raise a SpaceError for a space with constraints; `name` is a method that does not support them."""
    if space.constraints:
        raise SpaceError(f"The space of method {name!r} must have no constraints. Got {len(space.constraints)}.")
