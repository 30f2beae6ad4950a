"""P(good) along one parameter, or over two, averaged over what the others were in the trials: partial dependence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import ConfigError, nearest
from auger.insight.lens import Lens, lens
from auger.insight.view import View, view
from auger.parameters import Parameter
from auger.space import Space
from auger.types import Array

# So many values of a parameter are looked at; all of them, where there are fewer.
_N_VALUES = 33
# So many trials say what the other parameters may be.
_N_ROWS = 200


def _none() -> Array:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Slice:
    """P(good) along one parameter.

    Attributes:
        name: of the parameter.
        values: m of its values, as the user has them, in order.
        p: shape (m,), mean P(good) over the other parameters of the trials.
        low, high: shape (m,): four in five of the trials lie between them.
        is_ordered: whether the values have an order: numbers, and choices with one.
        is_log: whether it is searched on a logarithmic scale.
        note: what is missing, in words.
    """

    name: str
    values: list[Any] = field(default_factory=list)
    p: Array = field(default_factory=_none)
    low: Array = field(default_factory=_none)
    high: Array = field(default_factory=_none)
    is_ordered: bool = True
    is_log: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class Surface:
    """P(good) over two parameters.

    Attributes:
        first, second: their names.
        first_values, second_values: m1 and m2 of their values, as the user has them, in order.
        p: shape (m1, m2), mean P(good) over the other parameters of the trials; NaN where the two do not go together.
        note: what is missing, in words.
    """

    first: str
    second: str
    first_values: list[Any] = field(default_factory=list)
    second_values: list[Any] = field(default_factory=list)
    p: Array = field(default_factory=lambda: np.empty((0, 0)))
    note: str = ""


def one_slice(source: Any, name: str) -> Slice:
    """P(good) along one parameter."""
    seen = view(source)
    kind = parameter_of(seen, name)
    if kind is None:
        return Slice(name, note="No trial has an answer yet.")
    is_log = bool(getattr(kind, "log", False))
    found = lens(seen)
    if isinstance(found, str):
        return Slice(name, is_ordered=kind.is_ordered, is_log=is_log, note=found)
    column = found.space.names.index(name)
    entries = grid_of(kind)
    p = scan(found, [column], [np.array([entry]) for entry in entries])
    low, high = np.quantile(p, [0.1, 0.9], axis=1)
    return Slice(name, kind.decode(entries), p.mean(axis=1), low, high, kind.is_ordered, is_log)


def two_slice(source: Any, first: str, second: str) -> Surface:
    """P(good) over two parameters."""
    seen = view(source)
    kinds = [parameter_of(seen, name) for name in (first, second)]
    found = lens(seen)
    if kinds[0] is None or kinds[1] is None or isinstance(found, str):
        return Surface(first, second, note=found if isinstance(found, str) else "No trial has an answer yet.")
    columns = [found.space.names.index(name) for name in (first, second)]
    grids = [grid_of(kind, 17) for kind in kinds if kind is not None]
    pairs = [np.array([a, b]) for a in grids[0] for b in grids[1]]
    p = scan(found, columns, pairs).mean(axis=1).reshape(len(grids[0]), len(grids[1]))
    return Surface(first, second, kinds[0].decode(grids[0]), kinds[1].decode(grids[1]), p)


def parameter_of(seen: View, name: str) -> Parameter | None:
    """The parameter of that name; None as long as no parameter is known."""
    if seen.history is None:
        return None
    parameters = seen.history.space.parameters
    if name not in parameters:
        raise ConfigError(f"A slice must be of a parameter of the run. Got {name!r}. {nearest(name, parameters)}")
    return parameters[name]


def grid_of(kind: Parameter, n: int = _N_VALUES) -> Array:
    """Entries of a column to look at, in order."""
    if not kind.is_ordered or (kind.n_values is not None and kind.n_values <= n):
        return kind.levels()
    return np.unique(kind.snap(np.linspace(0.0, 1.0, n)))


def scan(found: Lens, columns: list[int], settings: list[Array]) -> Array:
    """P(good) of the trials with some columns set to each of the settings, shape (len(settings), rows)."""
    rows = found.X[:_N_ROWS]
    parts = []
    for setting in settings:
        X = _open(found.space, rows)
        X[:, columns] = setting
        parts.append(found.space.close(X))
    return found.p(np.concatenate(parts)).reshape(len(settings), len(rows))


def _open(space: Space, X: Array) -> Array:
    return space.open(X, np.random.default_rng(0))
