"""A caricature of training a network for 50 epochs: the leader of the first epochs is not the winner.

u           the share of the epochs that have passed, in (0, 1]
value(u) =  final + (start - final) * left(u) + noise * (1 - u)

`left` falls from 1 at u = 0 to 0 at u = 1. It falls faster for higher learning rates and momenta, also for those beyond
the best ones. A cosine schedule has the best final value and falls late; a constant one falls at once. So curves cross.
The noise of a configuration at an epoch is always the same, and zero at the last epoch, so that the optimum is known.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable

import numpy as np

from auger.errors import AugerError
from auger.space import Categorical, Float, Int, Space
from auger.types import Config
from auger_bench.problems.interface import Problem

_EPOCHS = 50
_START = 2.3
_NOISE = 0.04

# A schedule -> what it adds to the final value, how fast the curve falls, and how late.
_SCHEDULES = {"constant": (0.08, 1.3, 1.0), "step": (0.03, 1.0, 1.1), "cosine": (0.0, 0.8, 1.2)}

_SPACE = Space(
    {
        "rate": Float(1e-4, 1.0, log=True),
        "momentum": Float(0.0, 0.99),
        "decay": Float(1e-6, 1e-1, log=True),
        "layers": Int(1, 6),
        "schedule": Categorical(tuple(_SCHEDULES)),
    }
)


def curves() -> Problem:
    """Five parameters, 50 epochs; each of the first 49 is a fidelity, and continuing costs the added epochs."""
    minimizer = {"rate": 10**-1.9, "momentum": 0.85, "decay": 1e-4, "layers": 3, "schedule": "cosine"}
    return Problem(
        "curves",
        _SPACE,
        _final_value,
        optimum=0.05,
        minimizer=minimizer,
        fidelities=tuple(range(1, _EPOCHS)),
        cheaper=_value_after,
        budget=_EPOCHS,
    )


def _final_value(config: Config) -> float:
    # deeper networks want a lower rate, and less momentum goes with a higher one
    rate = math.log10(config["rate"]) + 1.9 + 0.15 * (config["layers"] - 3)
    momentum = config["momentum"] - 0.85 + 0.06 * rate
    decay = math.log10(config["decay"]) + 4
    added, _, _ = _SCHEDULES[config["schedule"]]
    return float(
        0.05
        + 0.15 * rate**2
        + 0.8 * momentum**2
        + 0.015 * decay**2
        + 0.02 * (config["layers"] - 3) ** 2
        + added * (1 + 0.3 * abs(rate))
    )


def _value_after(config: Config, epochs: int) -> float:
    if epochs not in range(1, _EPOCHS):
        raise AugerError(f"`fidelity` must be a whole number from 1 to {_EPOCHS - 1}. Got {epochs!r}.")
    u, final = epochs / _EPOCHS, _final_value(config)
    _, fast, late = _SCHEDULES[config["schedule"]]
    speed = fast * math.exp(2.3 + 0.3 * (math.log10(config["rate"]) + 1.9) + 0.6 * (config["momentum"] - 0.5))
    left = (math.exp(-speed * u**late) - math.exp(-speed)) / (1 - math.exp(-speed))
    noise = np.random.default_rng([zlib.crc32(_SPACE.encode([config]).tobytes()), epochs]).normal()
    return float(final + (_START - final) * left + _NOISE * (1 - u) * noise)


#: The problems of this file by name.
CURVES: dict[str, Callable[[], Problem]] = {"curves": curves}
