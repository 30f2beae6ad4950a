"""P(good) along one parameter, or over two, averaged over what the others were in the trials: partial dependence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import ConfigError, nearest
from auger.insight.lens import Lens, evenly, look
from auger.space import Float, Int, Parameter
from auger.types import Array, Index
from auger.view import View, view

# So many values of a parameter are looked at, and of two together; all of them where there are fewer.
_N_VALUES = 41
_N_VALUES_OF_TWO = 21
# So many trials say what the other parameters may be, half of them good ones.
_N_ROWS = 100


@dataclass(frozen=True, eq=False)
class Slice:
    """P(good) along one parameter.

    Attributes:
        name: of the parameter.
        values: m of its values, as the user has them, in order.
        p: shape (m,), the mean of P(good) over what the other parameters were in trials; NaN where constraints forbid
            the value in all of them.
        low: shape (m,): between it and `high` lies P(good) in four of five of those trials.
        is_ordered: whether the values have an order: numbers, and choices with one.
        is_log: whether it is searched on a logarithmic scale.
        note: what is missing, in words.
    """

    name: str
    values: list[Any] = field(default_factory=list)
    p: Array = field(default_factory=lambda: np.empty(0))
    low: Array = field(default_factory=lambda: np.empty(0))
    high: Array = field(default_factory=lambda: np.empty(0))
    is_ordered: bool = True
    is_log: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class Surface:
    """P(good) over two parameters.

    Attributes:
        first: the name of the one, `second` that of the other.
        first_values: m1 of its values, as the user has them, in order; `second_values` are m2 of the other's.
        p: shape (m1, m2), the mean of P(good) over what the other parameters were in trials; NaN where the two values
            do not go together.
        note: what is missing, in words.
    """

    first: str
    second: str
    first_values: list[Any] = field(default_factory=list)
    second_values: list[Any] = field(default_factory=list)
    p: Array = field(default_factory=lambda: np.empty((0, 0)))
    note: str = ""


def one_slice(source: Any, name: str) -> Slice:
    """P(good) along one parameter, as the classifier sees it by now.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: (config["depth"] - 3) ** 2, {"depth": (1, 9)}, n_trials=9, seed=0)
        >>> along = one_slice(result, "depth")
        >>> {depth: p for depth, p in zip(along.values, along.p.tolist()) if p > 0}
        {2: 1.0, 3: 1.0, 4: 1.0}
    """
    run = view(source)
    lens, parameters = _looked_at(run, [name])
    is_log = any(isinstance(parameter, (Float, Int)) and parameter.log for parameter in parameters)
    if isinstance(lens, str):
        return Slice(name, is_ordered=all(parameter.is_ordered for parameter in parameters), is_log=is_log, note=lens)
    grid = entries(parameters[0], _N_VALUES)
    p = scan(lens, [lens.space.names.index(name)], grid[:, np.newaxis])
    low, high = (_ignoring_nan(np.nanquantile, p, share) for share in (0.1, 0.9))
    mean = _ignoring_nan(np.nanmean, p)
    note = "" if p.shape[1] else f"No trial had {name!r} active."
    return Slice(name, parameters[0].decode(grid), mean, low, high, parameters[0].is_ordered, is_log, note)


def two_slice(source: Any, first: str, second: str) -> Surface:
    """P(good) over two parameters, as the classifier sees it by now."""
    lens, parameters = _looked_at(view(source), [first, second])
    if isinstance(lens, str):
        return Surface(first, second, note=lens)
    if first == second:
        raise ConfigError(f"The two parameters of a surface must differ. Got {first!r} twice.")
    grids = [entries(parameter, _N_VALUES_OF_TWO) for parameter in parameters]
    pairs = np.stack([axis.ravel() for axis in np.meshgrid(*grids, indexing="ij")], axis=1)
    p = scan(lens, [lens.space.names.index(name) for name in (first, second)], pairs)
    mean = _ignoring_nan(np.nanmean, p).reshape([len(grid) for grid in grids])
    note = "" if p.shape[1] else f"No trial had {first!r} and {second!r} both active."
    return Surface(first, second, parameters[0].decode(grids[0]), parameters[1].decode(grids[1]), mean, note)


def _looked_at(view: View, names: list[str]) -> tuple[Lens | str, list[Parameter]]:
    """What the classifier sees, or why it sees nothing; and the parameters of those names, where any are known."""
    lens = look(view)
    if view.history is None:
        return lens, []
    parameters = view.history.space.parameters
    for name in names:
        if name not in parameters:
            raise ConfigError(f"A slice must be of a parameter of the run. Got {name!r}. {nearest(name, parameters)}")
    return lens, [parameters[name] for name in names]


def entries(parameter: Parameter, n: int) -> Array:
    """Up to n entries of a parameter's column to look at, in order; of choices without an order, all."""
    if parameter.n_values is not None and (parameter.n_values <= n or not parameter.is_ordered):
        return parameter.levels()
    return np.unique(parameter.snap(np.linspace(0.0, 1.0, n)))


def scan(lens: Lens, columns: list[int], settings: Array) -> Array:
    """P(good) of trials in which some columns are set to each of the settings (m, len(columns)), shape (m, r).

    The trials are up to a hundred in which these columns were active. NaN where the settings do not go together, or
    constraints forbid it.
    """
    rows = background(lens, columns)
    latent = lens.space.open(lens.X[rows], np.random.default_rng(0))
    X = np.tile(latent, (len(settings), 1))
    X[:, columns] = np.repeat(settings, len(rows), axis=0)
    X = lens.space.close(X)
    able = np.flatnonzero(~np.isnan(X[:, columns]).any(axis=1))
    able = able[lens.space.allowed(X[able])]
    p = np.full(len(X), np.nan)
    p[able] = lens.p(X[able])
    return p.reshape(len(settings), len(rows))


def background(lens: Lens, columns: list[int]) -> Index:
    """Positions of up to _N_ROWS trials in which the columns are active, ascending, half of them good if there are."""
    is_on = ~np.isnan(lens.X[:, columns]).any(axis=1)
    good, rest = np.flatnonzero(is_on & lens.z), np.flatnonzero(is_on & ~lens.z)
    n_good = min(len(good), max(_N_ROWS // 2, _N_ROWS - len(rest)))
    return np.sort(np.concatenate([evenly(good, n_good), evenly(rest, _N_ROWS - n_good)]))


def _ignoring_nan(statistic: Any, p: Array, *arguments: float) -> Array:
    """A statistic of each row of p, shape (m, r) -> (m,), without the NaN; NaN for a row without anything else."""
    has_number = ~np.isnan(p).all(axis=1)
    result = np.full(len(p), np.nan)
    if has_number.any():
        result[has_number] = statistic(p[has_number], *arguments, axis=1)
    return result
