"""CPU time per suggestion, through `Optimizer` and through `AugerSampler`, on a space of ten parameters."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna

from auger import Categorical, Float, Int, Optimizer, Ordinal, Space
from auger.hosts.optuna import AugerSampler, suggest_config
from auger.types import Config

RECIPES = ("auto", "bore-rf", "tpe")
SIZES = (50, 200, 1000)

# Pairs of suggestions per measurement, as `auto` takes turns; more of the quick ones.
_N_PAIRS = {"auto": 15, "bore-rf": 5, "tpe": 40}


def ten() -> Space:
    """Ten parameters of every kind."""
    floats = {f"float{i}": Float(0.0, 1.0) for i in range(3)}
    logs = {f"log{i}": Float(1e-5, 1.0, log=True) for i in range(2)}
    ints = {"int0": Int(1, 100), "int1": Int(1, 1000, log=True)}
    choices = {"choice0": Categorical(("a", "b", "c")), "choice1": Categorical(("p", "q"))}
    return Space({**floats, **logs, **ints, **choices, "order": Ordinal((16, 32, 64, 128, 256))})


def value(config: Config) -> float:
    """Something to learn: five of the ten parameters matter."""
    off = (config["float0"] - 0.3) ** 2 + (math.log10(config["log0"]) + 2) ** 2 / 25 + (config["int0"] / 100 - 0.6) ** 2
    return float(off + (config["choice0"] != "b") * 0.1 + abs(math.log2(config["order"]) - 6) * 0.05)


def milliseconds(recipe: str, n: int, door: str) -> float:
    """The median CPU time of one ask and tell after n answers."""
    once = (_optimizer if door == "Optimizer" else _sampler)(recipe, n)
    once()  # imports and caches
    pairs = []
    for _ in range(_N_PAIRS[recipe]):
        start = time.process_time()
        once()
        once()
        pairs.append((time.process_time() - start) / 2)
    return 1e3 * statistics.median(pairs)


def _configs(n: int) -> list[Config]:
    space = ten()
    return space.decode(space.sample(n, np.random.default_rng(1)))


def _optimizer(recipe: str, n: int) -> Callable[[], None]:
    optimizer, configs = Optimizer(ten(), recipe, seed=0), _configs(n)
    optimizer.add(configs, [value(config) for config in configs])

    def once() -> None:
        trial = optimizer.ask()
        optimizer.tell(trial, value(trial.config))

    return once


def _sampler(recipe: str, n: int) -> Callable[[], None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = ten()
    study: Any = optuna.create_study(sampler=AugerSampler(recipe, space=space, seed=0))
    ranges = _distributions(space)
    study.add_trials(
        [optuna.trial.create_trial(params=config, distributions=ranges, value=value(config)) for config in _configs(n)]
    )

    def once() -> None:
        trial = study.ask()
        study.tell(trial, value(suggest_config(trial, space)))

    return once


def _distributions(space: Space) -> dict[str, Any]:
    """What `suggest_config` asks for, as a trial shows it."""
    trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0)).ask()
    suggest_config(trial, space)
    return dict(trial.distributions)
