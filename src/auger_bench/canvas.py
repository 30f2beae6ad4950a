"""What figures share: an empty figure, colors, frames, lines that several of them draw, and writing to a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from auger.types import Array
from auger_bench.methods.interface import MissingLibraryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The resolution of PNG files: a page of documentation is some 850 to 1,100 pixels wide.
DPI = 120

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


def blank(width: float, height: float) -> Figure:
    """An empty figure, its size in inches, not registered with pyplot.

    Raises:
        MissingLibraryError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # half a second, and optional
    except ImportError as error:
        raise MissingLibraryError('Figures need matplotlib. Install it with: pip install "auger[figures]"') from error
    return Figure(figsize=(width, height), layout="constrained")


def tidy(axes: Axes) -> None:
    """Give a panel the frame of all our panels: a faint grid behind, no lines at the top and on the right."""
    axes.grid(which="major", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, color="#999999", which="both")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")


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


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG, by the suffix. The same figure gives the same file: no date, no random names."""
    from matplotlib import rc_context  # half a second, and optional

    if path.suffix.lower() == ".svg":
        with rc_context({"svg.hashsalt": "auger"}):
            figure.savefig(path, metadata={"Date": None})
        return
    from PIL import Image  # comes with matplotlib

    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=DPI)
    # 256 colors are enough for lines on white, and need a third of the bytes
    few_colors = Image.open(pixels).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few_colors.save(path, format="png", optimize=True)
