"""How all figures look: colors, axes, margins. The only file that makes plotly's objects.

Figures are built as plain dictionaries and handed to plotly in one place, so that plotly is imported when the first
figure is drawn and not before. Backgrounds are transparent and every color can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from auger.plots.escaping import wrapped

if TYPE_CHECKING:
    import plotly

#: What every plot returns. A text, so that plotly is not imported for it.
Figure: TypeAlias = "plotly.graph_objects.Figure"

# Okabe and Ito's colors, told apart with any kind of color vision. Black and yellow are left out: each is lost on one
# of our grounds.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, GRAY = "#CC79A7", "#56B4E9", "#888888"

_COLORS = (BLUE, GREEN, PURPLE, SKY, ORANGE, VERMILION)
_SHAPES = ("circle", "square", "diamond", "triangle-up", "pentagon", "cross", "hexagon")

#: Of models, in turns: a color, and a shape for readers who see no colors. All 42 differ.
LOOKS = tuple((_COLORS[turn % 6], _SHAPES[turn % 7]) for turn in range(42))

#: Text and lines between the two grounds: 4.5 : 1 on white, 4.1 : 1 on #111.
INK = "#767676"
GRID = "rgba(128,128,128,0.2)"

#: Low to high, for the chance of being good: dark blue to yellow through gray, even to the eye.
SCALE = "Cividis"

#: Stripes over a bar's own color.
HATCH = {"shape": "/", "fillmode": "overlay", "fgcolor": "rgba(255,255,255,0.55)", "fgopacity": 1, "size": 6}

#: The best trial, in every figure.
STAR = {"symbol": "star", "color": VERMILION, "size": 14, "line": {"color": "white", "width": 1}}


#: Where trials are drawn one by one: pruned, breaking an outcome constraint, finished without a value.
PRUNED = {"symbol": "triangle-down-open", "color": GRAY, "size": 7, "opacity": 0.9}
INFEASIBLE = {"symbol": "x-thin-open", "color": GRAY, "size": 7, "opacity": 0.9}
NO_VALUE = {"symbol": "line-ns-open", "color": VERMILION, "size": 9, "line": {"width": 1.5}}

#: A second axis from 0 to 1, for marks at the edges of a figure.
EDGE_AXIS = {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True}


def points(name: str, x: Any, y: Any, marker: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A trace of markers; ``name`` is already escaped."""
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "marker": dict(marker), **more}


def line(name: str, x: Any, y: Any, color: str, width: float = 2, **more: Any) -> dict[str, Any]:
    """A trace of a line, which says nothing when it is pointed at."""
    look = {"color": color, "width": width, **more.pop("line", {})}
    trace = {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": look, "hoverinfo": "skip"}
    return trace | more


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """An axis with a title, already escaped, and whatever else plotly's axes take."""
    return {
        "title": {"text": title, "standoff": 8},
        "gridcolor": GRID,
        "linecolor": GRID,
        "zeroline": False,
        "automargin": True,
        "ticks": "outside",
        "tickcolor": GRID,
        "ticklen": 4,
        **more,
    }


def level(height: float, width: float = 1) -> dict[str, Any]:
    """A dotted line across a figure, at a height of its values, below all else."""
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": height, "y1": height}
    return {"type": "line", **ends, "line": {"color": INK, "width": width, "dash": "dot"}, "layer": "below"}


def label(text: str, size: int, **more: Any) -> dict[str, Any]:
    """A text, already escaped, somewhere in a figure: ``x`` is a share of its width, and ``more`` says the rest."""
    return {"text": text, "xref": "paper", "showarrow": False, "font": {"size": size}, **more}


def figure(
    traces: Sequence[Mapping[str, Any]],
    title: str,
    *,
    guide: str = "",
    notes: Sequence[str] = (),
    other_scale: Mapping[str, Any] | None = None,
    height: int = 420,
    min_width: int = 320,
    above: int = 0,
    **layout: Any,
) -> Figure:
    """A figure with our looks.

    Args:
        traces: plotly's, as dictionaries.
        title: what the figure shows, already escaped.
        guide: how to read it, below the title; a page that has its own words for that leaves it out.
        notes: sentences of ours below the guide: what is left out. Empty ones are none.
        other_scale: the parts of the layout that differ where values are drawn on a logarithmic axis and were not, or
            the other way round; None where there is no other scale.
        height: in pixels. The width is that of the page.
        min_width: in pixels, what it needs to be readable.
        above: pixels between the title and the axes, for what stands there.
        layout: axes, shapes, annotations and what else plotly's layout takes; sides of the margin replace ours.

    Returns:
        A figure whose ``layout.meta`` has its ``title``, ``notes``, ``min_width`` and ``other_scale``, for pages that
        say these in their own way, scroll and switch.
    """
    import plotly.graph_objects as go

    shown_notes = [note for note in notes if note]
    heading: dict[str, Any] = {"text": title, "x": 0, "xanchor": "left", "font": {"size": 15}}
    below = "<br>".join(wrapped(note) for note in [guide, *shown_notes] if note)
    if below:
        heading["subtitle"] = {"text": below, "font": {"size": 11}}
    n_lines = below.count("<br>") + 1 if below else 0
    settings: dict[str, Any] = {
        "template": "none",
        "title": heading | {"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 12, "l": 10}},
        "height": height,
        "autosize": True,
        "font": {"color": INK, "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 10, "r": 16, "t": 44 + 15 * n_lines + above, "b": 10} | layout.pop("margin", {}),
        "hoverlabel": {"align": "left", "namelength": -1, "font": {"size": 11}},
        "hovermode": "closest",
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "font": {"size": 11},
        },
        "meta": {"title": title, "notes": shown_notes, "min_width": min_width, "other_scale": other_scale},
    }
    return go.Figure(data=[dict(trace) for trace in traces], layout=settings | layout)
