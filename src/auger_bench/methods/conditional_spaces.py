"""Spaces for libraries that have fewer features: which configs of theirs are members, and which spaces are refused."""

from __future__ import annotations

from auger.errors import SpaceError
from auger.space import Space
from auger.types import Config


def member(space: Space, values: Config) -> Config:
    """The member of the space for a library's values: without inactive parameters, numbers rounded to the space."""
    return space.decode(space.encode([space.walk(lambda name, _: values[name])]))[0]


def refuse_constraints(space: Space, name: str) -> None:
    """Raise a SpaceError for a space with constraints; `name` is a method that does not support them."""
    if space.constraints:
        raise SpaceError(f"The space of method {name!r} must have no constraints. Got {len(space.constraints)}.")
