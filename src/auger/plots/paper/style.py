"""How the figures look: the colors and frames of the benchmark's (`auger.bench.figures`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auger.bench.figures import blank, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FAINT", "GOOD", "INK", "NEXT", "REST", "TRUTH", "blank", "panel", "title"]

# The paper's red, blue, green and gray, as Okabe and Ito mix them: told apart with any kind of color vision.
GOOD = "#D55E00"
REST = "#0072B2"
NEXT = "#009E73"
TRUTH = "#8C8C8C"
INK = "#222222"
FAINT = "#BBBBBB"


def panel(axes: Axes, *, x: str = "", y: str = "") -> Axes:
    """Give a panel its frame and the names of its axes."""
    tidy(axes)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    return axes


def title(axes: Axes, text: str) -> None:
    """What a panel shows, above it."""
    axes.set_title(text, fontsize=10)
