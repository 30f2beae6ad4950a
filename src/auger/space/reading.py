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


def as_parameter(value: Any, name: str) -> Parameter:
    """Read the shorthand of a plain dict: ``(1, 12)`` is an Int, ``(0.0, 1.0)`` a Float, a list a Categorical."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, list):
        with _naming(name):
            return Categorical(tuple(value))
    if isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value)):
        with _naming(name):
            return Int(*value) if all(map(is_whole, value)) else Float(*value)
    raise SpaceError(
        f"Parameter {name!r} must be a Float, Int, Categorical or Ordinal, a (low, high) pair of numbers, "
        f"or a list of choices. Got {value!r}."
    )


def parameter_from_json(data: Any, name: str) -> Parameter:
    """Undo ``to_json``."""
    types: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
    type_name = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(type_name, str) or type_name not in types:
        raise SpaceError(f"The `type` of parameter {name!r} must be one of {', '.join(types)}. Got {data!r}.")
    settings = {key: value for key, value in data.items() if key != "type"}
    with _naming(name):
        try:
            parameter: Parameter = types[type_name](**settings)
        except TypeError as error:
            raise SpaceError(f"the settings {settings!r} do not fit the type {type_name!r}.") from error
    return parameter


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Begin the message of a SpaceError with the name of the parameter."""
    try:
        yield
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}: {error}") from error
