"""Which parameters matter together: how far P(good) over two is from the sum of what each does by itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from auger.checks import check_whole
from auger.errors import AugerError
from auger.insight.lens import Lens, evenly, look
from auger.insight.slices import background, entries, scan
from auger.types import Array
from auger.view import view

# Pairs of so many parameters are looked at: those along which P(good) varies most.
_N_PARAMETERS = 8
_N_VALUES = 7


@dataclass(frozen=True)
class Interaction:
    """Two parameters that matter together.

    Attributes:
        first: the name of the one, `second` that of the other.
        strength: the standard deviation of what P(good) does over both, beyond the sum of what it does along each.
            0 where they do not interact.
    """

    first: str
    second: str
    strength: float


def interactions(source: Any, *, n: int = 5) -> list[Interaction]:
    """The ``n`` pairs of parameters that interact most, strongest first; none before there is anything to see."""
    check_whole(n, 1, "`n`, the number of interactions,", AugerError)
    lens = look(view(source))
    if isinstance(lens, str):
        return []
    grids = [_grid(lens, j) for j in range(len(lens.space))]
    spread = [float(np.nan_to_num(np.ptp(_mean(lens, [j], grid[:, np.newaxis])))) for j, grid in enumerate(grids)]
    columns = sorted(np.argsort(spread)[::-1][:_N_PARAMETERS].tolist())
    pairs = [_interaction(lens, a, b, grids) for a, b in combinations(columns, 2)]
    return sorted((pair for pair in pairs if pair.strength > 0), key=lambda pair: -pair.strength)[:n]


def _grid(lens: Lens, column: int) -> Array:
    grid = entries(lens.space.parameters[lens.space.names[column]], _N_VALUES)
    return grid[evenly(np.arange(len(grid)), _N_VALUES)]  # of many choices, some


def _interaction(lens: Lens, a: int, b: int, grids: list[Array]) -> Interaction:
    pairs = np.stack([axis.ravel() for axis in np.meshgrid(grids[a], grids[b], indexing="ij")], axis=1)
    p = _mean(lens, [a, b], pairs).reshape(len(grids[a]), len(grids[b]))
    p = p[~np.isnan(p).all(axis=1)][:, ~np.isnan(p).all(axis=0)]  # values with which the other is inactive
    # where only some pairs of their values are possible, there is no sum to compare with
    if np.isnan(p).any() or not p.size:
        return Interaction(lens.space.names[a], lens.space.names[b], 0.0)
    beyond = p - p.mean(axis=0) - p.mean(axis=1, keepdims=True) + p.mean()
    return Interaction(lens.space.names[a], lens.space.names[b], float(np.sqrt((beyond**2).mean())))


def _mean(lens: Lens, columns: list[int], settings: Array) -> Array:
    """The mean P(good) for each of the settings, shape (m,); NaN for one that is not possible in every trial."""
    if not len(background(lens, columns)):
        return np.full(len(settings), np.nan)
    return np.asarray(scan(lens, columns, settings).mean(axis=1))
