"""Twelve small spaces of every kind, and a function to minimize on any of them."""

from __future__ import annotations

import math
from typing import Any

from auger import Categorical, Float, Int, Ordinal, Space
from auger.types import Config

# What an inactive parameter adds to the value.
_INACTIVE = 0.3


def spaces() -> dict[str, Space]:
    """Name -> space."""
    return {
        "one float": Space({"x": (-5.0, 5.0)}),
        "log floats": Space({"lr": Float(1e-6, 1.0, log=True), "decay": Float(1e-3, 1e3, log=True)}),
        "ints": Space({"depth": Int(1, 40), "width": Int(-100, 100)}),
        "log ints": Space({"units": Int(1, 4096, log=True), "batch": Int(8, 512, log=True)}),
        "steps": Space(
            {"rate": Float(0.0, 0.9, step=0.1), "epochs": Int(5, 95, step=10), "x": Float(-1, 1, step=0.25)}
        ),
        "categorical": Space({"a": ["p", "q", "r", "s"], "b": [True, False], "c": Categorical([1, 2.5, "auto", None])}),
        "ordinal": Space({"size": Ordinal([16, 32, 64, 128, 256]), "level": Ordinal(["s", "m", "l"]), "x": (0.0, 1.0)}),
        "mixed": mixed(),
        "conditional": conditional(),
        "constrained": constrained(),
        "finite": Space({"a": (1, 3), "b": ["x", "y"], "c": Ordinal([1, 10])}),
        "twenty": Space({f"x{i}": Float(-2.0, 2.0) for i in range(20)}),
    }


def mixed() -> Space:
    """Every kind of parameter."""
    return Space(
        {
            "x": (0.0, 1.0),
            "lr": Float(1e-5, 1e-1, log=True),
            "n": (1, 50),
            "units": Int(4, 1024, log=True),
            "kind": ["a", "b", "c"],
            "size": Ordinal([16, 64, 256]),
            "drop": Float(0.0, 0.5, step=0.1),
        }
    )


def conditional() -> Space:
    """Parameters two levels below others."""
    return Space(
        {
            "model": ["svm", "forest", "net"],
            "C": Float(1e-3, 1e3, log=True, when={"model": "svm"}),
            "kernel": Categorical(["rbf", "poly", "linear"], when={"model": "svm"}),
            "degree": Int(2, 5, when={"kernel": "poly"}),
            "trees": Int(10, 500, log=True, when={"model": "forest"}),
            "layers": Int(1, 4, when={"model": "net"}),
            "momentum": Float(0.0, 0.99, when={"model": "net", "layers": [3, 4]}),
            "shared": (0.0, 1.0),
        }
    )


def constrained() -> Space:
    """Constraints between parameters."""
    parameters = {"x": (0.0, 1.0), "y": (0.0, 1.0), "n": (1, 20), "kind": ["a", "b"]}
    return Space(parameters, constraints=["x + y <= 1", "n >= 5 or kind == 'a'"])


def position(kind: Any, value: Any) -> float:
    """Where a value stands in the range of its parameter, 0 to 1."""
    if isinstance(kind, (Categorical, Ordinal)):
        return list(kind.choices).index(value) / (len(kind.choices) - 1)
    if kind.log:
        return math.log(value / kind.low) / math.log(kind.high / kind.low)
    return float((value - kind.low) / (kind.high - kind.low))


def value_of(space: Space, config: Config) -> float:
    """The value of a configuration: a bowl with its lowest point at another place in each parameter."""
    total = 0.0
    for i, (name, kind) in enumerate(space.parameters.items()):
        target = 0.37 * (i + 1) % 1
        total += (position(kind, config[name]) - target) ** 2 if name in config else _INACTIVE
    return total
