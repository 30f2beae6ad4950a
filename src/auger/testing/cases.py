"""The spaces and labelled histories that the kits try things on."""

from __future__ import annotations

import numpy as np

from auger.history import History
from auger.labels import Labels, label
from auger.space import Categorical, Float, Int, Ordinal, Space
from auger.types import Array, Config


def numeric_space() -> Space:
    """Two ordinary numbers."""
    return Space({"a": Float(0.0, 1.0), "b": Float(1e-4, 1.0, log=True)})


def mixed_space() -> Space:
    """Every type of parameter, nested conditions, a constraint and a parameter with a single value."""
    return Space(
        {
            "model": Categorical(("linear", "tree", "net")),
            "depth": Int(1, 9, when={"model": "tree"}),
            "layers": Int(1, 3, when={"model": "net"}),
            "width": Ordinal((16, 64, 256), when={"layers": [2, 3]}),
            "rate": Float(1e-4, 1.0, log=True),
            "drop": Float(0.0, 0.5, step=0.1),
            "constant": Categorical(("only",)),
        },
        constraints=["rate + drop <= 1.2"],
    )


def choice_space() -> Space:
    """Choices only: 3 ** 4 configurations."""
    return Space({name: ["x", "y", "z"] for name in "abcd"})


def tiny_space() -> Space:
    """Six configurations."""
    return Space({"a": ["x", "y"], "b": Int(1, 3)})


def spaces() -> list[Space]:
    """A space of numbers, a mixed one and one of choices."""
    return [numeric_space(), mixed_space(), choice_space()]


def target(X: Array, space: Space) -> Array:
    """A value for each row that is lowest near one corner: positions at 0.3, first choices."""
    wanted = np.where(space.is_ordered, 0.3, 0.0)
    off = np.where(space.is_ordered, np.abs(X - wanted), wanted != X)
    return np.asarray(np.nansum(np.where(np.isnan(X), np.nan, off), axis=1))


def history_of(space: Space, X: Array, y: Array) -> History:
    """Finished trials at the rows X (n, d) with the values y (n,)."""
    history = History(space)
    for row, value in zip(X, y, strict=True):
        config: Config = space.decode(row[np.newaxis])[0]
        history.finish(history.start(config, row=row).number, value=float(value))
    return history


def labelled(space: Space, n: int, *, seed: int, weights: str = "none") -> tuple[History, Labels]:
    """n random rows labelled by `target`."""
    X = space.sample(n, np.random.default_rng(seed))
    history = history_of(space, X, target(X, space))
    return history, label(history, gamma=1 / 3, weights=weights)
