"""What all figures share: an empty figure, the frame of a panel, and how a figure is written to a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from auger_bench.methods.interface import MissingLibraryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The resolution of PNG files: a page of documentation is some 850 to 1,100 pixels wide.
DPI = 120


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
