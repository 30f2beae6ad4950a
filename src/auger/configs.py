"""Configs as users hand them in: whole floats where an Int is meant, one-element arrays, and rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auger.checks import is_number, unwrapped
from auger.errors import ConfigError
from auger.space import Int, Parameter, Space, hashable
from auger.types import Config

# Types of most values, which need no look.
_PLAIN = {int, str, bool, type(None)}


def tidied(config: Any, space: Space) -> Config:
    """A copy of a config, or of a part of one, with values in the types of its parameters.

    A float that is a whole number becomes an int where the parameter is an Int, and an array with one element its
    element. Nothing else is changed or checked: `Space.encode` and `Space.limits` do that.

    Example:
        >>> tidied({"depth": 3.0}, Space({"depth": (1, 12)}))
        {'depth': 3}
    """
    if not isinstance(config, Mapping):
        raise ConfigError(f"A config must map names of parameters to values. Got {config!r}.")
    return {name: _tidied(value, space.parameters.get(name)) for name, value in config.items()}


def _tidied(value: Any, parameter: Parameter | None) -> Any:
    if type(value) in _PLAIN:
        return value
    value = hashable(unwrapped(value))
    if isinstance(parameter, Int) and is_number(value) and value == value // 1:
        return int(value)
    return value
