"""Rows at random: drawn under constraints, and mutated."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from auger.space.grid import Grid
from auger.types import Array, Mask

# Constraints that few rows satisfy: sampling draws at least this often. If by then fewer than one row in twenty passed,
# it spreads out from those that did. With none after ten times as many draws it gives up.
_ENOUGH_DRAWS = 20_000
_RARE = 0.05

#: Rows drawn at a time where the size must not depend on the number asked for, so that member k never does.
BLOCK = 256


def draw_allowed(
    n: int, n_columns: int, draw: Callable[[int], Array], allowed: Callable[[Array], Mask]
) -> tuple[Array, int]:
    """Draw rows until n are allowed, or until too few of them are.

    Args:
        n: how many rows are wanted.
        n_columns: of each row.
        draw: returns at least so many rows.
        allowed: tells which rows satisfy the constraints.

    Returns:
        All rows drawn that are allowed, and how many were drawn.
    """
    rows, n_drawn = np.empty((0, n_columns)), 0
    # whether to continue may depend on the rows so far, never on n: member k is the same for every n
    while len(rows) < n and not _is_hopeless(len(rows), n_drawn):
        # as many as are missing, and more when few satisfy the constraints
        missing, share = n - len(rows), max(len(rows), 1) / max(n_drawn, 1)
        X = draw(min(math.ceil(missing / share), max(missing, _ENOUGH_DRAWS)))
        rows = np.concatenate([rows, X[allowed(X)]])
        n_drawn += len(X)
    return rows, n_drawn


def _is_hopeless(n_allowed: int, n_drawn: int) -> bool:
    """Whether to stop drawing: too few rows are allowed."""
    return n_drawn >= _ENOUGH_DRAWS * (1 if n_allowed else 10) and n_allowed < _RARE * n_drawn


def spread(
    rows: Array, n: int, mutate: Callable[[Array], Array], allowed: Callable[[Array], Mask], rng: np.random.Generator
) -> Array:
    """Grow a few allowed rows to n by mutation: a random walk where uniform draws are almost never allowed."""
    n_tried = 0
    while len(rows) < n and (n_tried < _ENOUGH_DRAWS or len(rows) > 0.01 * n_tried):
        X = mutate(rows[rng.integers(len(rows), size=BLOCK)])
        rows = np.concatenate([rows, X[allowed(X)]])
        n_tried += BLOCK
    return np.resize(rows, (n, rows.shape[1]))


def mutate_latent(
    latent: Array, movable: Mask, is_ordered: Mask, grid: Grid, rng: np.random.Generator, scale: tuple[float, float]
) -> Array:
    """One neighbor of each latent row (n, d), see `Space.mutate`; only ``movable`` entries (n, d) change."""
    n, d = latent.shape
    # each row moves each parameter that can move with a chance of its own, and at least one of them
    moves = rng.random((n, d)) < rng.uniform(1.0 / d, 1.0, size=(n, 1))
    forced = np.argmax(np.where(movable, rng.random((n, d)), -1.0), axis=1)
    moves[np.arange(n), forced] = True
    moves &= movable
    width = np.exp(rng.uniform(math.log(scale[0]), math.log(scale[1]), size=(n, 1)))
    steps = rng.normal(size=(n, d)) * width
    moved = grid.snap(reflect(latent + steps))
    stays = moved == latent
    if stays.any():
        moved = np.where(stays, grid.neighbor(latent, np.where(steps >= 0, 1.0, -1.0)), moved)
    u = rng.random((n, d))
    if not is_ordered.all():
        moved = np.where(is_ordered, moved, grid.other_choice(latent, u))
    return np.where(moves, moved, latent)


def reflect(position: Array) -> Array:
    """Fold positions back into [0, 1] like light between mirrors, so that edges do not attract."""
    return np.asarray(1.0 - np.abs(1.0 - np.mod(position, 2.0)))
