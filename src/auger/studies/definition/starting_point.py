"""The settings that `auger try` runs a program with: those in use today, as far as the study says which they are."""

from __future__ import annotations

from enum import Enum

import numpy as np

from auger.space import Float, Space
from auger.studies.definition.definition import Definition
from auger.types import Config


class StartingPoint(str, Enum):
    """Where the settings come from."""

    DEFAULTS = "defaults"
    INITIAL = "initial"
    MIDDLE = "middle"
    RANDOM = "random"


def starting_point(definition: Definition) -> tuple[Config, StartingPoint]:
    """The settings in use today: [defaults]; else the first of `initial`; else the middle of every range.

    The middle is the middle of the logarithms where `log` is set, and the first of the choices of a categorical. Where
    the constraints forbid it, a configuration is drawn at random, always the same one.
    """
    if definition.defaults is not None:
        return definition.defaults, StartingPoint.DEFAULTS
    if definition.initial:
        return definition.initial[0], StartingPoint.INITIAL
    space = definition.space
    X = space.snap(np.where(space.is_ordered, np.nan, 0.0)[np.newaxis])  # NaN becomes the middle
    if space.allowed(X)[0]:
        return _readable(space.decode(X)[0], space), StartingPoint.MIDDLE
    return space.decode(space.sample(1, np.random.default_rng(0)))[0], StartingPoint.RANDOM


def _readable(config: Config, space: Space) -> Config:
    """The settings with six digits per number, where it may have any: the middle of the logarithms has many."""
    rounded = {
        name: min(max(float(f"{config[name]:.6g}"), parameter.low), parameter.high)
        for name, parameter in space.parameters.items()
        if isinstance(parameter, Float) and parameter.step is None and name in config
    }
    return {**config, **rounded}
