"""The look of the paper's figures: colors, frames, and lines that several of them draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from auger.types import Array
from auger_bench.canvas import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The paper's red, blue, green and gray in the shades of Okabe and Ito, told apart with any kind of color vision.
GOOD = "#D55E00"
REST = "#0072B2"
NEXT = "#009E73"
TRUTH = "#8C8C8C"
INK = "#222222"

#: An observation.
CROSS: dict[str, Any] = {"marker": "x", "linestyle": "", "markersize": 6, "markeredgewidth": 2}
#: A threshold or a limit.
DASHED: dict[str, Any] = {"color": INK, "linewidth": 1, "dashes": (4, 2)}


def panel(axes: Axes, *, x: str = "", y: str = "") -> Axes:
    """Give a panel its frame and the names of its axes."""
    tidy(axes)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    return axes


def title(axes: Axes, text: str) -> None:
    """Write a title above a panel."""
    axes.set_title(text, fontsize=10)


def legend(axes: Axes, position: Literal["upper left", "upper center", "upper right", "center right"]) -> None:
    """Draw a legend inside a panel."""
    axes.legend(loc=position, frameon=False, fontsize=9)


def draw_density(axes: Axes, x: Array, height: Array, color: str, name: str) -> None:
    """Draw a density (m,) along x (m,), with the area below it."""
    axes.plot(x, height, color=color, linewidth=1.8, label=name)
    axes.fill_between(x, height, color=color, alpha=0.12, linewidth=0)


def draw_level(axes: Axes, level: float, name: str) -> None:
    """Draw a threshold or a limit across a panel, with its name at the right end."""
    axes.axhline(level, **DASHED)
    axes.annotate(
        name,
        (1, level),
        xycoords=("axes fraction", "data"),
        xytext=(3, -3),
        textcoords="offset points",
        fontsize=10,
        color=INK,
    )
