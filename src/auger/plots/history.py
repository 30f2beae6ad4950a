"""What each trial brought, in the order of their numbers, and the best so far."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.plots.rows import hovers, last_step, minimized, nothing_complete, objective_of, value_of
from auger.plots.scale import value_axis
from auger.plots.style import (
    BLUE,
    GRAY,
    GREEN,
    INK,
    LOOKS,
    ORANGE,
    PURPLE,
    SKY,
    STAR,
    VERMILION,
    axis,
    figure,
    line,
    points,
)
from auger.plots.texts import number, plain
from auger.plots.thin import incumbents, thinned
from auger.types import Array, Index
from auger.view import Row, View, view

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

_PRUNED = {"color": GRAY, "symbol": "triangle-down-open", "size": 7, "opacity": 0.9}
_NO_VALUE = {"symbol": "line-ns-open", "color": VERMILION, "size": 9, "line": {"width": 1.5}}
_ENDED = {"complete", "failed", "died", "stopped"}

# Whoever proposed fewer trials than so many others is one of "others".
_MAX_KINDS = 8


def history(source: Any, *, objective: int | str = 0) -> Figure:
    """Draw the value of each trial against its number, with the best so far.

    Trials are told apart by who proposed them. Those that break an outcome constraint are crosses. Pruned ones stand at
    their last value on the way where that is among the others', otherwise on the worse edge, like the ticks of those
    without a value.

    Args:
        source: whatever `auger.view` looks at.
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
    heights = _heights(seen, place)
    drawn = heights[~np.isnan(heights)]
    if not len(drawn):
        raise nothing_complete(seen)
    better = incumbents(y)
    places, note = thinned(better)
    scale, outside = value_axis(drawn, sign, plain(seen.objectives[place]))
    traces = _points(seen, places, heights) + _on_the_edge(seen, places, heights, sign)
    layout: dict[str, Any] = {}
    if better.any():
        traces += _best_so_far(seen.rows, sign * y, places[better[places]])
        layout["shapes"], layout["annotations"] = _baseline(seen, sign * y, scale)
    return figure(
        traces,
        f"Values of {plain(seen.name, 28)}",
        notes=[note, outside],
        xaxis=axis("trial"),
        yaxis=scale,
        yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
        **layout,
    )


def _heights(seen: View, objective: int) -> Array:
    """Where each trial stands, shape (n,); NaN for those on the edge."""
    heights = np.array([value_of(row, objective) for row in seen.rows], dtype=np.float64)
    if objective:  # values on the way are of the first one
        return heights
    pruned = np.array([last_step(row) if row.state == "pruned" else math.nan for row in seen.rows], dtype=np.float64)
    if np.isnan(heights).all():
        return pruned
    # of fewer steps, these can be far from all others and would flatten them
    inside = (pruned >= np.nanmin(heights)) & (pruned <= np.nanmax(heights))
    return np.where(inside, pruned, heights)


def _kind(row: Row) -> str:
    if row.state == "pruned":
        return "pruned"
    if not row.is_feasible:
        return "infeasible"
    return row.model or row.origin or "complete"


def _points(seen: View, places: Index, heights: Array) -> list[dict[str, Any]]:
    shown = [int(place) for place in places if not math.isnan(heights[place])]
    kinds = Counter(_kind(seen.rows[place]) for place in shown)
    named = {*_KINDS, *(kind for kind, _ in kinds.most_common(_MAX_KINDS))}
    groups: dict[str, list[int]] = {}
    for place in shown:
        kind = _kind(seen.rows[place])
        groups.setdefault(kind if kind in named else "others", []).append(place)
    looks = cycle(look for look in LOOKS if look not in _KINDS.values())
    made = []
    for kind in sorted(groups, key=_order):
        color, symbol = _KINDS.get(kind) or next(looks)
        rows = [seen.rows[place] for place in groups[kind]]
        look = {"color": color, "symbol": symbol, "size": 7, "opacity": 0.9}
        x, y = [row.number for row in rows], heights[groups[kind]]
        more = {"hovertext": hovers(seen, rows), "hoverinfo": "text", "legendgroup": plain(kind)}
        made.append(points(plain(kind), x, y, look, **more))
    return made


def _order(kind: str) -> tuple[int, str]:
    """Of the legend: the start, the models, then what went otherwise."""
    known = ["initial", "given", "complete", "", "random", "pruned", "infeasible"]
    return (known.index(kind) if kind in known else 3, kind)


def _on_the_edge(seen: View, places: Index, heights: Array, sign: float) -> list[dict[str, Any]]:
    """Trials that stand nowhere, where the worse values are, on an axis of its own: failed, pruned, not finite."""
    bare = [seen.rows[place] for place in places if math.isnan(heights[place])]
    inside = {seen.rows[place].state for place in places if not math.isnan(heights[place])}  # in the legend already
    made = []
    for name, states, look in (("pruned", {"pruned"}, _PRUNED), ("no value", _ENDED, _NO_VALUE)):
        rows = [row for row in bare if row.state in states]
        if rows:
            edge = [0.98 if sign > 0 else 0.02] * len(rows)  # a marker's half inside
            words = {"hovertext": hovers(seen, rows), "hoverinfo": "text"}
            entry = {"legendgroup": name, "showlegend": name not in inside}
            made.append(points(name, [row.number for row in rows], edge, look, yaxis="y2", **words, **entry))
    return made


def _best_so_far(rows: Sequence[Row], values: Array, steps: Index) -> list[dict[str, Any]]:
    """A stair from incumbent to incumbent, on to the last trial, and a star."""
    x, y = [rows[step].number for step in steps], values[steps].tolist()
    words = f"best: {number(y[-1])} (trial {x[-1]})"
    return [
        line("best so far", [*x, rows[-1].number], [*y, y[-1]], VERMILION, line={"shape": "hv"}),
        points(words, [x[-1]], [y[-1]], STAR, hoverinfo="skip"),
    ]


def _baseline(seen: View, values: Array, scale: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A line at what the best is compared with: what was given at the start, or whatever came first."""
    usable = [place for place in range(len(seen.rows)) if not math.isnan(values[place])]
    if len(usable) < 2:
        return [], []
    given = [place for place in usable if seen.rows[place].origin == "given"]
    first = given[0] if given else usable[0]
    height = float(values[first])
    what = "first given" if given else "first trial"
    rule = {
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
    return [rule], [words]
