"""Our own test functions, with known optima, on mixed, conditional and categorical spaces."""

from __future__ import annotations

import math

import numpy as np

from auger.space import Categorical, Float, Int, Ordinal, Space
from auger.types import Config
from auger_bench.problems.interface import Problem


def mixed() -> Problem:
    """A caricature of tuning a small network: parameters of every type, with interactions."""
    penalty = {"relu": 0.0, "tanh": 0.15, "elu": 0.05, "swish": 0.1}
    space = Space(
        {
            "rate": Float(1e-5, 1e-1, log=True),
            "momentum": Float(0.0, 0.99),
            "layers": Int(1, 8),
            "width": Ordinal((16, 32, 64, 128, 256, 512)),
            "activation": Categorical(tuple(penalty)),
            "drop": Float(0.0, 0.6, step=0.1),
        }
    )

    def value(config: Config) -> float:
        # the best rate falls with depth, the best momentum with the rate, and dropout suits wide layers
        rate = math.log10(config["rate"]) + 2.2 + 0.15 * (config["layers"] - 3)
        momentum = config["momentum"] - 0.83 - 0.05 * rate
        width = math.log2(config["width"]) - 7
        drop = config["drop"] - 0.1 - 0.1 * max(width, 0)
        return float(
            0.4 * rate**2
            + 2.0 * momentum**2
            + 0.03 * (config["layers"] - 3) ** 2
            + 0.05 * width**2
            + 1.5 * drop**2
            + penalty[config["activation"]] * (1 + 0.5 * abs(width))
        )

    minimizer = {
        "rate": 10**-2.2,
        "momentum": 0.83,
        "layers": 3,
        "width": 128,
        "activation": "relu",
        "drop": 0.1,
    }
    return Problem("mixed", space, value, 0.0, minimizer)


def conditional() -> Problem:
    """Choosing a model and its settings: which parameters exist depends on choices, two levels deep."""
    return _model_choice("conditional", penalty=0.03, scale=0.06)


def trap() -> Problem:
    """`conditional` with so narrow a basin of the best family that another family looks better almost everywhere.

    One in fifty random configurations beats the optimum of the second-best family. A search that trusts its first good
    results stays there; random search does well.
    """
    return _model_choice("trap", penalty=0.08, scale=0.25)


def _model_choice(name: str, *, penalty: float, scale: float) -> Problem:
    space = Space(
        {
            "model": Categorical(("linear", "svm", "boosting")),
            "penalty": Float(1e-4, 1e2, log=True, when={"model": ["linear", "svm"]}),
            "kernel": Categorical(("rbf", "poly"), when={"model": "svm"}),
            "scale": Float(1e-4, 1e1, log=True, when={"kernel": "rbf"}),
            "degree": Int(2, 6, when={"kernel": "poly"}),
            "rate": Float(1e-3, 1.0, log=True, when={"model": "boosting"}),
            "trees": Int(10, 1000, log=True, when={"model": "boosting"}),
            "depth": Int(1, 12, when={"model": "boosting"}),
        }
    )

    def value(config: Config) -> float:
        if config["model"] == "boosting":  # a narrow valley: more trees want a lower rate
            rate, trees = math.log10(config["rate"]), math.log10(config["trees"])
            valley = 0.6 * (rate + trees - 1.3) ** 2 + 0.1 * (rate + 0.9) ** 2
            return float(0.15 + valley + 0.01 * (config["depth"] - 4) ** 2)
        strength = math.log10(config["penalty"])
        if config["model"] == "linear":
            return 0.35 + 0.05 * (strength + 1) ** 2
        if config["kernel"] == "poly":
            return float(0.25 + 0.04 * (strength - 0.5) ** 2 + 0.06 * (config["degree"] - 3) ** 2)
        return penalty * (strength - 1.2) ** 2 + scale * (math.log10(config["scale"]) + 1.6) ** 2

    minimizer = {"model": "svm", "penalty": 10**1.2, "kernel": "rbf", "scale": 10**-1.6}
    return Problem(name, space, value, 0.0, minimizer)


def categorical() -> Problem:
    """Eight choices of five that interact with their neighbors: 390,625 configurations."""
    n, k = 8, 5
    rng = np.random.default_rng(20210718)
    single = rng.uniform(0.1, 1.0, size=(n, k))
    pair = rng.uniform(0.0, 1.0, size=(n, k, k))
    best = rng.integers(k, size=n)
    following = np.roll(np.arange(n), -1)
    single[np.arange(n), best] = 0.0
    pair[np.arange(n), best, best[following]] = 0.0
    names = "vwxyz"

    def value(config: Config) -> float:
        code = np.array([names.index(config[f"c{i}"]) for i in range(n)])
        return float((single[np.arange(n), code] + pair[np.arange(n), code, code[following]]).sum())

    space = Space({f"c{i}": Categorical(tuple(names)) for i in range(n)})
    return Problem("categorical", space, value, 0.0, {f"c{i}": names[b] for i, b in enumerate(best)})


#: The problems of this file by name.
MIXED_SPACES = {make.__name__: make for make in (mixed, conditional, categorical, trap)}
