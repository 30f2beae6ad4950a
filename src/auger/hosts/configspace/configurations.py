"""Single configurations: our config for ConfigSpace's Configuration, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ConfigSpace import Configuration, ConfigurationSpace

from auger.errors import ConfigError
from auger.space import hashable
from auger.types import Config

#: ConfigSpace's hyperparameters with one value; the second is what 0.7 also calls it.
CONSTANTS = ("Constant", "UnParametrizedHyperparameter")

# ConfigSpace keeps 13 decimals, so a bound of ours may lie beyond its own by one of the last.
_LAST_DECIMAL = 1.01e-13


def to_configuration(config: Config, theirs: ConfigurationSpace) -> Configuration:
    """A config as a Configuration of a space, checked by ConfigSpace: conditions, forbidden clauses and all.

    ConfigSpace keeps 13 decimals of a float. A choice that was a list there, and a tuple here, is a list again.
    """
    try:
        return Configuration(theirs, values={name: _their_value(theirs, name, v) for name, v in config.items()})
    except (ValueError, KeyError) as error:  # ConfigSpace's exceptions are of these kinds
        raise ConfigError(f"ConfigSpace does not take {dict(config)!r}: {error}") from error


def from_configuration(configuration: Configuration | Mapping[str, Any]) -> Config:
    """A Configuration, or a dict of its values, as a config: in Python's own types, inactive parameters left out."""
    return {name: hashable(value) for name, value in dict(configuration).items()}


def _their_value(theirs: ConfigurationSpace, name: str, value: Any) -> Any:
    own: Any = theirs[name]
    if type(own).__name__ == "UniformFloatHyperparameter":
        near = min(max(value, own.lower), own.upper)
        return near if abs(near - value) <= _LAST_DECIMAL else value
    if type(own).__name__ in CONSTANTS:
        listed = [own.value]
    else:
        listed = getattr(own, "choices", None) or getattr(own, "sequence", None) or []
    return next((choice for choice in listed if hashable(choice) == value), value)
