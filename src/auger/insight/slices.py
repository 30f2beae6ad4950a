"""P(good) along one parameter, or over two, averaged over what the others were in the trials: partial dependence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import ConfigError, nearest
from auger.insight.lens import Lens, evenly, lens
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
        >>> found = one_slice(result, "depth")
        >>> {depth: p for depth, p in zip(found.values, found.p.tolist()) if p > 0}
        {2: 1.0, 3: 1.0, 4: 1.0}
    """
    seen = view(source)
    found, kinds = _looked_at(seen, [name])
    is_log = any(isinstance(kind, (Float, Int)) and kind.log for kind in kinds)
    if isinstance(found, str):
        return Slice(name, is_ordered=all(kind.is_ordered for kind in kinds), is_log=is_log, note=found)
    grid = entries(kinds[0], _N_VALUES)
    p = scan(found, [found.space.names.index(name)], grid[:, np.newaxis])
    low, high = (_ignoring_nan(np.nanquantile, p, share) for share in (0.1, 0.9))
    mean = _ignoring_nan(np.nanmean, p)
    note = "" if p.shape[1] else f"No trial had {name!r} active."
    return Slice(name, kinds[0].decode(grid), mean, low, high, kinds[0].is_ordered, is_log, note)


def two_slice(source: Any, first: str, second: str) -> Surface:
    """P(good) over two parameters, as the classifier sees it by now."""
    found, kinds = _looked_at(view(source), [first, second])
    if isinstance(found, str):
        return Surface(first, second, note=found)
    if first == second:
        raise ConfigError(f"The two parameters of a surface must differ. Got {first!r} twice.")
    grids = [entries(kind, _N_VALUES_OF_TWO) for kind in kinds]
    pairs = np.stack([each.ravel() for each in np.meshgrid(*grids, indexing="ij")], axis=1)
    p = scan(found, [found.space.names.index(name) for name in (first, second)], pairs)
    mean = _ignoring_nan(np.nanmean, p).reshape([len(grid) for grid in grids])
    note = "" if p.shape[1] else f"No trial had {first!r} and {second!r} both active."
    return Surface(first, second, kinds[0].decode(grids[0]), kinds[1].decode(grids[1]), mean, note)


def _looked_at(seen: View, names: list[str]) -> tuple[Lens | str, list[Parameter]]:
    """What the classifier sees, or why it sees nothing; and the parameters of those names, where any are known."""
    found = lens(seen)
    if seen.history is None:
        return found, []
    parameters = seen.history.space.parameters
    for name in names:
        if name not in parameters:
            raise ConfigError(f"A slice must be of a parameter of the run. Got {name!r}. {nearest(name, parameters)}")
    return found, [parameters[name] for name in names]


def entries(kind: Parameter, n: int) -> Array:
    """Up to n entries of a parameter's column to look at, in order; of choices without an order, all."""
    if kind.n_values is not None and (kind.n_values <= n or not kind.is_ordered):
        return kind.levels()
    return np.unique(kind.snap(np.linspace(0.0, 1.0, n)))


def scan(found: Lens, columns: list[int], settings: Array) -> Array:
    """P(good) of trials in which some columns are set to each of the settings (m, len(columns)), shape (m, r).

    The trials are up to a hundred in which these columns were active. NaN where the settings do not go together, or
    constraints forbid it.
    """
    rows = background(found, columns)
    latent = found.space.open(found.X[rows], np.random.default_rng(0))
    X = np.tile(latent, (len(settings), 1))
    X[:, columns] = np.repeat(settings, len(rows), axis=0)
    X = found.space.close(X)
    able = np.flatnonzero(~np.isnan(X[:, columns]).any(axis=1))
    able = able[found.space.allowed(X[able])]
    p = np.full(len(X), np.nan)
    p[able] = found.p(X[able])
    return p.reshape(len(settings), len(rows))


def background(found: Lens, columns: list[int]) -> Index:
    """Positions of up to _N_ROWS trials in which the columns are active, ascending, half of them good if there are."""
    is_on = ~np.isnan(found.X[:, columns]).any(axis=1)
    good, rest = np.flatnonzero(is_on & found.z), np.flatnonzero(is_on & ~found.z)
    n_good = min(len(good), max(_N_ROWS // 2, _N_ROWS - len(rest)))
    return np.sort(np.concatenate([evenly(good, n_good), evenly(rest, _N_ROWS - n_good)]))


def _ignoring_nan(what: Any, p: Array, *arguments: float) -> Array:
    """A statistic of each row of p, shape (m, r) -> (m,), without the NaN; NaN for a row without anything else."""
    known = ~np.isnan(p).all(axis=1)
    result = np.full(len(p), np.nan)
    if known.any():
        result[known] = what(p[known], *arguments, axis=1)
    return result
