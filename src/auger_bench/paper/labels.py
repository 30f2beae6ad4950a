"""Appendix F: how labels change as answers come in. Rows are iterations, columns are answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auger.history import History
from auger.labels import label
from auger.space import Float, Space
from auger.types import Array, Mask
from auger_bench.canvas import GOOD, INK, REST, blank, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

N_ANSWERS = 24
GAMMA = 1 / 4
_SEED = 0
_FIRST = 2  # one answer has no label: there is nothing to compare it with
_PALE = "#B3D5E8"  # for the rest, which is most of the area


def targets() -> History:
    """Answers of the function f(x) = 0 with noise N(0, 1)."""
    rng = np.random.default_rng(_SEED)
    history = History(Space({"x": Float(0.0, 1.0)}))
    for x, y in zip(rng.random(N_ANSWERS), rng.normal(size=N_ANSWERS), strict=True):
        history.finish(history.start({"x": x}).number, value=y)
    return history


def evolution(history: History) -> tuple[Array, Array, Array]:
    """The values, their empirical distribution and the labels in each iteration.

    Returns:
        (y, phi, z), each (m, n): row i has the first i + 2 answers, and NaN for later ones.
    """
    sizes = range(_FIRST, len(history) + 1)
    y, phi, z = np.full((3, len(sizes), len(history)), np.nan)
    for row, n in enumerate(sizes):
        so_far = history.y[:n]
        y[row, :n] = so_far
        phi[row, :n] = (so_far[:, None] >= so_far).mean(axis=1)
        z[row, :n] = label(history, gamma=GAMMA, among=np.arange(n)).z
    return y, phi, z


def flips(z: Array) -> Mask:
    """Which labels differ from those of the row above, shape (m, n); a new answer has no label above."""
    before = np.vstack([np.full(z.shape[1], np.nan), z[:-1]])
    return np.asarray((z != before) & ~np.isnan(before))


def figure() -> Figure:
    """Three triangles: values, distribution and labels."""
    figure = blank(9.6, 3.9)  # raises if there is no matplotlib
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap  # optional
    from matplotlib.patches import Patch, Rectangle

    y, phi, z = evolution(targets())
    (left, middle, right), (left_bar, middle_bar, below) = figure.subplots(2, 3, height_ratios=[24, 1])
    shades = LinearSegmentedColormap.from_list("good to rest", [GOOD, "#F7F7F7", REST])
    largest = float(np.nanmax(np.abs(y)))
    for axes, bar_axes, values, limits, text in (
        (left, left_bar, y, (-largest, largest), "values $y_n$"),
        (middle, middle_bar, phi, (0.0, 1.0), r"empirical distribution $\Phi(y_n)$"),
    ):
        cells = _triangle(axes, values, shades, limits)
        bar = figure.colorbar(cells, cax=bar_axes, orientation="horizontal")
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, color="#999999")
        title(axes, text)
    _triangle(right, z, ListedColormap([_PALE, GOOD]), (0.0, 1.0))
    for row, column in np.argwhere(flips(z)):
        frame = Rectangle((column + 0.5, row + _FIRST - 0.5), 1, 1, facecolor="none", edgecolor=INK, linewidth=1.6)
        right.add_patch(frame)
    title(right, "labels $z_n$")
    legend = [
        Patch(color=GOOD, label="good"),
        Patch(color=_PALE, label="rest"),
        Patch(facecolor="none", edgecolor=INK, linewidth=1.6, label="flipped"),
    ]
    below.set_axis_off()
    below.legend(handles=legend, loc="center", ncols=3, frameon=False, fontsize=9)
    left.set_ylabel("answers so far", fontsize=9)
    return figure


def _triangle(axes: Axes, values: Array, shades: Colormap, limits: tuple[float, float]) -> QuadMesh:
    """Cells of values (m, n), row i at i + 2 answers, the first on top."""
    m, n = values.shape
    columns, rows = np.arange(n + 1) + 0.5, np.arange(m + 1) + _FIRST - 0.5
    cells = axes.pcolormesh(
        columns, rows, values, cmap=shades, vmin=limits[0], vmax=limits[1], edgecolor="white", linewidth=0.4
    )
    axes.set(xlim=(0.5, n + 0.5), ylim=(rows[-1], rows[0]), aspect="equal")
    axes.set_xlabel("answer $n$", fontsize=9)
    axes.tick_params(labelsize=8, color="#999999")
    for spine in axes.spines.values():
        spine.set_visible(False)
    return cells
