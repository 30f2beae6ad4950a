"""Translates single configurations: our config to ConfigSpace's Configuration, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ConfigSpace import Configuration, ConfigurationSpace

from auger.errors import ConfigError
from auger.space import hashable
from auger.types import Config

#: ConfigSpace's classes of hyperparameters with one value; the second is an older name in 0.7.
CONSTANTS = ("Constant", "UnParametrizedHyperparameter")

# ConfigSpace keeps 13 decimals, so a bound of ours may lie outside of its own by one unit of the last.
_LAST_DECIMAL = 1.01e-13


def to_configuration(config: Config, theirs: ConfigurationSpace) -> Configuration:
    """A config as a Configuration of the space ``theirs``; ConfigSpace checks its conditions and forbidden clauses.

    ConfigSpace keeps 13 decimals of a float. A choice that is a list in ConfigSpace and a tuple here is a list again.
    """
    if not isinstance(config, Mapping):
        raise ConfigError(f"`config` must be a config, such as `trial.config`. Got a {type(config).__name__}.")
    try:
        return Configuration(theirs, values={name: _their_value(theirs, name, v) for name, v in config.items()})
    except (ValueError, KeyError) as error:  # ConfigSpace's exceptions inherit from these
        raise ConfigError(f"ConfigSpace does not accept the config {dict(config)!r}: {error}") from error


def from_configuration(configuration: Configuration | Mapping[str, Any]) -> Config:
    """A Configuration, or a dict of its values, as a config: in Python's own types, without inactive parameters."""
    return {name: hashable(value) for name, value in dict(configuration).items()}


def _their_value(theirs: ConfigurationSpace, name: str, value: Any) -> Any:
    hyperparameter: Any = theirs[name]
    if type(hyperparameter).__name__ == "UniformFloatHyperparameter":
        clipped = min(max(value, hyperparameter.lower), hyperparameter.upper)
        return clipped if abs(clipped - value) <= _LAST_DECIMAL else value
    if type(hyperparameter).__name__ in CONSTANTS:
        choices = [hyperparameter.value]
    else:
        choices = getattr(hyperparameter, "choices", None) or getattr(hyperparameter, "sequence", None) or []
    return next((choice for choice in choices if hashable(choice) == value), value)
