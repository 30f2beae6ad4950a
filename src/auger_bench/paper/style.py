"""How the figures look: the colors and frames of the benchmark's (`auger_bench.regret_plot`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from auger.types import Array
from auger_bench.regret_plot import blank, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "CROSS",
    "DASHED",
    "GOOD",
    "INK",
    "NEXT",
    "REST",
    "TRUTH",
    "blank",
    "draw_density",
    "draw_level",
    "legend",
    "panel",
    "title",
]

# The paper's red, blue, green and gray, as Okabe and Ito mix them: told apart with any kind of color vision.
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
    """What a panel shows, above it."""
    axes.set_title(text, fontsize=10)


def legend(axes: Axes, place: Literal["upper left", "upper center", "upper right", "center right"]) -> None:
    """The names of what a panel shows, inside it."""
    axes.legend(loc=place, frameon=False, fontsize=9)


def draw_density(axes: Axes, x: Array, height: Array, color: str, name: str) -> None:
    """A density (m,) along x (m,), with the area below it."""
    axes.plot(x, height, color=color, linewidth=1.8, label=name)
    axes.fill_between(x, height, color=color, alpha=0.12, linewidth=0)


def draw_level(axes: Axes, level: float, name: str) -> None:
    """A threshold or a limit across a panel, with its name at the right end."""
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
