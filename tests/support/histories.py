"""Histories with values of your choice."""

import numpy as np

from auger.history import History
from auger.space import Space
from auger.trial import State, Trial


def history_of(space, configs, values, states=None):
    """A complete trial for each config, except for those whose number has another state."""
    states = states or {}
    return History(
        space,
        [
            Trial(i, config, states.get(i, State.COMPLETE), None if states.get(i) is State.FAILED else value)
            for i, (config, value) in enumerate(zip(configs, values, strict=True))
        ],
    )


def sampled(space, value, n, seed=0):
    """n trials at random, with values that are a function of the config."""
    space = space if isinstance(space, Space) else Space(space)
    configs = space.decode(space.sample(n, np.random.default_rng(seed)))
    return history_of(space, configs, [float(value(config)) for config in configs])
