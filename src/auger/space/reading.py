"""Parameters from the shorthand of a plain dict, and from JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from auger.checks import is_number, is_whole
from auger.errors import SpaceError
from auger.space.choices import Categorical, Ordinal
from auger.space.numbers import Float, Int
from auger.space.parameter import Parameter


def parameter(value: Any, name: str) -> Parameter:
    """Read the shorthand of a plain dict: ``(1, 12)`` is an Int, ``(0.0, 1.0)`` a Float, a list a Categorical."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, list):
        with _speaking_of(name):
            return Categorical(tuple(value))
    is_pair = isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value))
    if is_pair:
        whole = all(map(is_whole, value))
        with _speaking_of(name):
            return Int(*value) if whole else Float(*value)
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a (low, high) pair of numbers, "
        f"or a list of choices. Got {value!r}."
    )


def parameter_from_json(data: Any, name: str) -> Parameter:
    """Undo ``to_json``."""
    kinds: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
    type_ = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(type_, str) or type_ not in kinds:
        raise SpaceError(f"Parameter {name!r} must have a type out of {', '.join(kinds)}. Got {data!r}.")
    settings = {key: value for key, value in data.items() if key != "type"}
    with _speaking_of(name):
        try:
            made: Parameter = kinds[type_](**settings)
        except TypeError as error:
            raise SpaceError(f"the type {type_!r} does not take the settings {settings!r}.") from error
    return made


@contextmanager
def _speaking_of(name: str) -> Iterator[None]:
    """Put the user's name for the parameter in front of what is wrong with it."""
    try:
        yield
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}: {error}") from error
