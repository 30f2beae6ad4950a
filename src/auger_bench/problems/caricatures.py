"""Caricatures of tuning tasks, unlike those of `mixed_spaces`, so that one set can confirm what was tuned on the other.

Each optimum is known: the finite part can be enumerated, and for each member of it the best Floats have a closed form
(the tests do both).
"""

from __future__ import annotations

import math

import numpy as np

from auger.space import Categorical, Float, Int, Ordinal, Parameter, Space
from auger.types import Array, Config, Index
from auger_bench.problems.families import ackley
from auger_bench.problems.interface import Problem

# -- compiler -------------------------------------------------------------------------------------------

# A flag -> what it alone adds to the run time, in percent: mostly little, and some good flags add to it.
_FLAGS = {
    "align": 0.6,
    "alias": 0.9,
    "cse": -1.2,
    "fast-math": -1.5,
    "frame": 0.8,
    "fuse": 1.1,
    "inline": 0.7,
    "lto": -0.9,
    "peel": 0.5,
    "prefetch": 1.4,
    "profile": 1.0,
    "schedule": -0.7,
    "split": 0.4,
    "vectorize": 1.6,
}
# Two flags -> what they add in addition when both are on.
_PAIRS = {
    ("vectorize", "alias"): -5.0,
    ("vectorize", "fast-math"): -2.5,
    ("vectorize", "split"): -1.8,
    ("prefetch", "fuse"): -3.6,
    ("prefetch", "cse"): 1.7,
    ("inline", "lto"): -2.9,
    ("inline", "profile"): -2.4,
    ("peel", "fuse"): 2.2,
    ("schedule", "frame"): -2.0,
    ("schedule", "cse"): 2.6,
    ("align", "peel"): -1.3,
}
_COMPILER_SPACE = Space(
    {
        **{flag: Categorical((False, True)) for flag in _FLAGS},
        "level": Int(0, 3),
        "unroll": Ordinal((1, 2, 4, 8)),
        "limit": Int(0, 4),
        "tile": Ordinal((8, 16, 32, 64)),
    }
)


def compiler() -> Problem:
    """Flags of a compiler: 14 switches and 4 levels, 5,242,880 members, run time in percent.

    Hard because few of the many effects matter and the large effects are those of pairs: of the eleven flags that are
    on in the best configuration, eight add time when switched on alone, and the best loop settings depend on the flags.
    """
    names = list(_COMPILER_SPACE.parameters)

    def value(config: Config) -> float:
        codes = [config[name] for name in names[:-4]] + [
            config["level"],
            int(math.log2(config["unroll"])),
            config["limit"],
            int(math.log2(config["tile"])) - 3,
        ]
        return float(run_time(np.array([codes], dtype=np.intp))[0])

    off = {"align", "cse", "peel"}
    minimizer = {**{flag: flag not in off for flag in _FLAGS}, "level": 3, "unroll": 8, "limit": 3, "tile": 16}
    return Problem("compiler", _COMPILER_SPACE, value, value(minimizer), minimizer)


def run_time(codes: Index) -> Array:
    """The run time of `compiler` for rows of codes (n, 18): 0 or 1 for a flag, else the index of the value."""
    flag = dict(zip(_FLAGS, codes.T, strict=False))
    level, unroll, limit, tile = codes.T[len(_FLAGS) :]
    time = np.full(len(codes), 100.0)
    for name, effect in _FLAGS.items():
        time += effect * flag[name]
    for (first, second), effect in _PAIRS.items():
        time += effect * flag[first] * flag[second]
    # the best unrolling depends on vectors and peeling, the best limit on inlining, the best tile on prefetching
    time += 0.8 * (unroll - 1 - 2 * flag["vectorize"] + flag["peel"]) ** 2
    time += 0.5 * (limit - 1 - 2 * flag["inline"]) ** 2
    time += 0.6 * (tile - 2 + flag["prefetch"]) ** 2 + 0.4 * unroll * (tile == 3)
    return np.asarray(time + np.array([9.0, 3.0, 0.0, 0.7])[level] - 1.5 * (level == 3) * flag["profile"])


# -- pipeline -------------------------------------------------------------------------------------------


def pipeline() -> Problem:
    """A preprocessing step and a model, each with its own settings: 12 parameters, conditions two levels deep.

    Hard because one branch tells little about the others, while the best settings of a model depend on the step before
    it. It is no trap: the branches are about equally wide, and the best branch is also the best on average.
    """
    # the lowest error of each pair
    least = {
        "none": {"linear": 0.21, "rbf": 0.16, "poly": 0.19, "forest": 0.12},
        "pca": {"linear": 0.19, "rbf": 0.08, "poly": 0.14, "forest": 0.15},
        "select": {"linear": 0.17, "rbf": 0.13, "poly": 0.18, "forest": 0.10},
    }
    space = Space(
        {
            "step": Categorical(("none", "pca", "select")),
            "components": Int(2, 20, when={"step": "pca"}),
            "whiten": Categorical((False, True), when={"step": "pca"}),
            "share": Float(0.05, 1.0, when={"step": "select"}),
            "model": Categorical(("linear", "svm", "forest")),
            "penalty": Float(1e-4, 1e2, log=True, when={"model": ["linear", "svm"]}),
            "kernel": Categorical(("rbf", "poly"), when={"model": "svm"}),
            "gamma": Float(1e-4, 1e1, log=True, when={"kernel": "rbf"}),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "trees": Int(10, 200, log=True, when={"model": "forest"}),
            "features": Float(0.1, 1.0, when={"model": "forest"}),
            "depth": Int(1, 12, when={"model": "forest"}),
        }
    )

    def value(config: Config) -> float:
        step, model = config["step"], config["kernel"] if config["model"] == "svm" else config["model"]
        excess, change = _step_cost(config)
        return float(least[step][model] + excess + _model_cost(config, change))

    minimizer = {
        "step": "pca",
        "components": 9,
        "whiten": True,
        "model": "svm",
        "penalty": 10**0.7,
        "kernel": "rbf",
        "gamma": 10**-1.7,
    }
    return Problem("pipeline", space, value, 0.08, minimizer)


def _step_cost(config: Config) -> tuple[float, float]:
    """The cost of the settings of the step, and how far they move the best settings of the model."""
    if config["step"] == "pca":
        away = config["components"] - 9
        return 0.0008 * away**2 + (0.0 if config["whiten"] else 0.02), 0.05 * away
    if config["step"] == "select":
        away = config["share"] - 0.4
        return 0.35 * away**2, away
    return 0.0, 0.0


def _model_cost(config: Config, change: float) -> float:
    if config["model"] == "forest":
        trees, depth = math.log10(config["trees"] / 200), config["depth"] - 7
        return float(
            0.06 * trees**2 + 0.004 * depth**2 + 0.4 * (config["features"] - 0.45 - 0.02 * depth - 0.2 * change) ** 2
        )
    strength = math.log10(config["penalty"])
    if config["model"] == "linear":
        return 0.02 * (strength + 1 - change) ** 2
    if config["kernel"] == "poly":
        return float(0.02 * (strength - 0.2 + 0.5 * (config["degree"] - 3)) ** 2 + 0.03 * (config["degree"] - 3) ** 2)
    gamma = math.log10(config["gamma"]) + 1.7 + change
    return 0.012 * (gamma + 0.6 * (strength - 0.7)) ** 2 + 0.008 * (strength - 0.7) ** 2


# -- network --------------------------------------------------------------------------------------------


def network() -> Problem:
    """Training a network: 10 parameters, of which `epsilon` and `workers` have no effect.

    Hard because the error is flat far from the optimum (all networks that do not train are equally bad), the best rate
    depends on the optimizer and, without normalization, on the depth, and two columns are noise to a model.
    """
    space = Space(
        {
            "rate": Float(1e-5, 1.0, log=True),
            "decay": Float(1e-7, 1e-1, log=True),
            "clip": Float(1e-2, 1e2, log=True),
            "epsilon": Float(1e-10, 1e-4, log=True),
            "layers": Int(1, 6),
            "width": Int(8, 64, log=True),
            "workers": Int(1, 8),
            "optimizer": Categorical(("adam", "rmsprop", "sgd")),
            "activation": Categorical(("elu", "gelu", "relu", "tanh")),
            "norm": Categorical((False, True)),
        }
    )
    best_rate = {"adam": -2.8, "rmsprop": -3.1, "sgd": -1.1}
    rate_matters = {"adam": 0.35, "rmsprop": 0.5, "sgd": 0.7}
    handicap = {"adam": 0.03, "rmsprop": 0.06, "sgd": 0.0}
    # without and with normalization
    activation_cost = {"elu": (0.02, 0.08), "gelu": (0.10, 0.03), "relu": (0.14, 0.0), "tanh": (0.05, 0.16)}

    def value(config: Config) -> float:
        optimizer, norm, layers = config["optimizer"], config["norm"], config["layers"]
        size = math.log2(config["width"])
        rate = math.log10(config["rate"]) - best_rate[optimizer] + (0.0 if norm else 0.15 * (layers - 1))
        decay = math.log10(config["decay"]) + 4 - 0.5 * (size - 5)
        clip = math.log10(config["clip"]) - 0.4 + 0.5 * rate  # a high rate needs strong clipping
        badness = (
            rate_matters[optimizer] * rate**2
            + 0.08 * decay**2
            + (0.02 if norm else 0.12) * clip**2
            + 0.015 * (layers * size - 20) ** 2 / 4
            + 0.03 * (layers - 4) ** 2
            + handicap[optimizer]
            + activation_cost[config["activation"]][norm]
            + (0.0 if norm else 0.05)
        )
        return float(0.06 + 0.84 * badness / (1 + badness))

    minimizer = {
        "rate": 10**-1.1,
        "decay": 1e-4,
        "clip": 10**0.4,
        "epsilon": 1e-8,
        "layers": 4,
        "width": 32,
        "workers": 4,
        "optimizer": "sgd",
        "activation": "relu",
        "norm": True,
    }
    return Problem("network", space, value, 0.06, minimizer)


# -- ackley-mixed ---------------------------------------------------------------------------------------


def ackley_mixed() -> Problem:
    """Ackley's function of 5 Floats, 3 Ints and 2 choices of numbers in no order; the optimum is away from the middle.

    Hard because of the ripples of Ackley's function. Whole numbers are all at the bottom of a ripple, so that it is a
    plain funnel along them; a model must learn the value of each choice separately.
    """
    coordinates = (
        {"p": 3.0, "q": -1.0, "r": 0.0, "s": -4.0, "t": 8.0},
        {"p": -2.0, "q": 5.0, "r": 11.0, "s": 1.0, "t": 0.0},
    )
    floats, ints, choices = ([f"{letter}{i}" for i in range(n)] for letter, n in (("x", 5), ("n", 3), ("c", 2)))
    parameters: dict[str, Parameter] = dict.fromkeys(floats, Float(-12.0, 28.0))
    parameters |= dict.fromkeys(ints, Int(-3, 9))
    parameters |= {name: Categorical(tuple(numbers)) for name, numbers in zip(choices, coordinates, strict=True)}

    def value(config: Config) -> float:
        x = [config[name] for name in floats + ints]
        x += [numbers[config[name]] for name, numbers in zip(choices, coordinates, strict=True)]
        return ackley(np.array(x, dtype=np.float64))

    minimizer = {**dict.fromkeys(floats, 0.0), **dict.fromkeys(ints, 0), "c0": "r", "c1": "t"}
    return Problem("ackley-mixed", Space(parameters), value, 0.0, minimizer)


#: The problems of this file by name.
CARICATURES = {make.__name__.replace("_", "-"): make for make in (compiler, pipeline, network, ackley_mixed)}
