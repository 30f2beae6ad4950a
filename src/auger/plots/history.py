"""What each trial brought, in the order of their numbers, and the best so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import Row, View, view
from auger.plots.rows import hover, last_step, minimized, nothing_complete, objective_of, value_of
from auger.plots.scale import value_axis
from auger.plots.style import BLUE, GRAY, GREEN, INK, LOOKS, ORANGE, PURPLE, SKY, VERMILION, axis, figure
from auger.plots.texts import number, plain
from auger.plots.thin import incumbents, thinned

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# kind of trial -> color and shape; models beside these take their turns in `LOOKS`
_KINDS = {
    "initial": (SKY, "circle-open"),
    "auto, Gaussian process": (BLUE, "circle"),
    "auto, trees": (GREEN, "square"),
    "random": (ORANGE, "diamond"),
    "given": (PURPLE, "triangle-up"),
    "complete": (BLUE, "circle"),
    "infeasible": (GRAY, "x-thin-open"),
    "pruned": (GRAY, "triangle-down-open"),
}


def history(source: Any, *, objective: int | str = 0) -> Figure:
    """Draw the value of each trial against its number, with the best so far.

    Trials are told apart by who proposed them. Those that break an outcome constraint are crosses, pruned ones stand at
    their last value on the way, and those without a value are ticks on the worse edge.

    Args:
        source: whatever `auger.insight.view` looks at.
        objective: which one, by its place or name.

    Raises:
        PlotError: no trial has a finite value.

    Example:
        >>> from auger import minimize
        >>> figure = history(minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0))
        >>> [trace.name for trace in figure.data][:2]
        ['initial', 'auto, Gaussian process']
    """
    seen = view(source)
    place = objective_of(seen, objective)
    sign = seen.signs[place]
    y = minimized(seen.rows, sign, place)
    heights = np.array([_height(row, place) for row in seen.rows], dtype=np.float64)
    drawn = heights[~np.isnan(heights)]
    if not len(drawn):
        raise nothing_complete(seen)
    better = incumbents(y)
    places, note = thinned(better)
    scale, outside = value_axis(drawn, sign, plain(seen.objectives[place]))
    traces = _points(seen, places, heights) + _without_value(seen, places, heights)
    layout: dict[str, Any] = {}
    if better.any():
        numbers = [row.number for row in seen.rows]
        traces += _best_so_far(numbers, sign * y, better)
        layout["shapes"], layout["annotations"] = _baseline(seen, sign * y, scale)
    return figure(
        traces,
        f"Values of {plain(seen.name)}",
        notes=[note, outside],
        xaxis=axis("trial"),
        yaxis=scale,
        yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
        **layout,
    )


def _height(row: Row, objective: int) -> float:
    return last_step(row) if row.state == "pruned" and not objective else value_of(row, objective)


def _kind(row: Row) -> str:
    if row.state == "pruned":
        return "pruned"
    if not row.is_feasible:
        return "infeasible"
    return row.model or row.origin or "complete"


def _points(seen: View, places: Any, heights: Any) -> list[dict[str, Any]]:
    groups: dict[str, list[int]] = {}
    for place in places:
        if not math.isnan(heights[place]):
            groups.setdefault(_kind(seen.rows[place]), []).append(int(place))
    looks = iter([look for look in LOOKS if look not in _KINDS.values()] * 10)
    made = []
    for kind in sorted(groups, key=_order):
        color, symbol = _KINDS.get(kind) or next(looks)
        made.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": plain(kind),
                "x": [seen.rows[place].number for place in groups[kind]],
                "y": [float(heights[place]) for place in groups[kind]],
                "hovertext": [hover(seen, seen.rows[place]) for place in groups[kind]],
                "hoverinfo": "text",
                "marker": {"color": color, "symbol": symbol, "size": 7, "opacity": 0.85},
            }
        )
    return made


def _order(kind: str) -> tuple[int, str]:
    """Of the legend: the start, the models, then what went otherwise."""
    known = ["initial", "given", "complete", "", "random", "pruned", "infeasible"]
    return (known.index(kind) if kind in known else 3, kind)


def _without_value(seen: View, places: Any, heights: Any) -> list[dict[str, Any]]:
    """Failed trials, and values that are no finite numbers, as ticks on the edge where the worse values are."""
    bare = [
        seen.rows[place]
        for place in places
        if math.isnan(heights[place]) and seen.rows[place].state not in ("running", "waiting")
    ]
    if not bare:
        return []
    edge = 1.0 if seen.signs[0] > 0 else 0.0
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "no value",
            "x": [row.number for row in bare],
            "y": [edge] * len(bare),
            "yaxis": "y2",
            "hovertext": [hover(seen, row) for row in bare],
            "hoverinfo": "text",
            "marker": {"symbol": "line-ns-open", "color": VERMILION, "size": 9, "line": {"width": 1.5}},
        }
    ]


def _best_so_far(numbers: Sequence[int], values: Any, better: Any) -> list[dict[str, Any]]:
    steps = np.flatnonzero(better)
    last = int(steps[-1])
    x = [numbers[step] for step in steps]
    y = [float(values[step]) for step in steps]
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": "best so far",
        "x": [*x, numbers[-1]],
        "y": [*y, y[-1]],
        "line": {"shape": "hv", "color": VERMILION, "width": 2},
        "hoverinfo": "skip",
    }
    star = {
        "type": "scatter",
        "mode": "markers",
        "name": f"best: {number(y[-1])} (trial {numbers[last]})",
        "x": [numbers[last]],
        "y": [y[-1]],
        "hoverinfo": "skip",
        "marker": {"symbol": "star", "color": VERMILION, "size": 14, "line": {"color": "white", "width": 1}},
    }
    return [line, star]


def _baseline(seen: View, values: Any, scale: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A line at what the best is compared with: what was given at the start, or whatever came first."""
    usable = [place for place in range(len(seen.rows)) if not math.isnan(values[place])]
    if len(usable) < 2:
        return [], []
    given = [place for place in usable if seen.rows[place].origin == "given"]
    first = given[0] if given else usable[0]
    height = float(values[first])
    what = "first given" if given else "first trial"
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": height,
        "y1": height,
        "line": {"color": INK, "width": 1, "dash": "dot"},
        "layer": "below",
    }
    words = {
        "text": f"{what}: {number(height)}",
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "y": math.log10(height) if scale.get("type") == "log" else height,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 10},
    }
    return [line], [words]
