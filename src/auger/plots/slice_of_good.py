"""How likely each value of one parameter is to be good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auger import insight
from auger.insight.slices import Slice
from auger.plots.columns import Column, check_name, column, known_history, places_of
from auger.plots.errors import PlotError
from auger.plots.good import good_trials
from auger.plots.style import BLUE, GRAY, VERMILION, axis, figure, line, points
from auger.plots.texts import plain
from auger.plots.thin import incumbents, thinned
from auger.types import Mask
from auger.view import view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Ticks on the edges of the figure.
_MAX_TICKS = 600


def slice_of_good(source: Any, name: str) -> Figure:
    """Draw the chance of being good along one parameter, on average over the others as they were tried.

    The band holds four trials in five. Ticks at the top are the good trials, ticks at the bottom the rest.

    Args:
        source: whatever `auger.view` looks at.
        name: of the parameter.

    Raises:
        PlotError: there is no such parameter, or too few trials to tell.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=30, seed=0)
        >>> slice_of_good(result, "x").layout.xaxis.title.text
        'x'
    """
    seen = view(source)
    made = known_history(seen)
    check_name(made, name)
    found = insight.one_slice(seen, name)
    if not len(found.p):
        raise PlotError(found.note or "There are too few trials to tell.")
    each = column(made, name)
    traces = _bars(found, each) if each.choices else _curve(found)
    top = float(np.nanmax([found.high.max(), found.p.max()]))
    return figure(
        traces + _tried(each, good_trials(seen, made), incumbents(made.y)),
        f"P(good) by {plain(name, 28)}",
        notes=[found.note],
        height=320,
        xaxis=each.axis(plain(name)),
        yaxis=axis("P(good)", range=[0, 1.12 * top or 1.0], tickformat=".0%"),
        yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
    )


def _curve(found: Slice) -> list[dict[str, Any]]:
    edge = {"showlegend": False, "line": {"shape": "linear"}}
    band = {"fill": "tonexty", "fillcolor": "rgba(0,114,178,0.2)", "line": {"width": 0}}
    words = "%{x:.4g}: %{y:.0%}<extra></extra>"
    return [
        line("low", found.values, found.low, BLUE, 0, **edge),
        line("four in five", found.values, found.high, BLUE, 0, **band),
        line("on average", found.values, found.p, BLUE, 2, hoverinfo=None, hovertemplate=words),
    ]


def _bars(found: Slice, each: Column) -> list[dict[str, Any]]:
    spread = {"type": "data", "array": found.high - found.p, "arrayminus": found.p - found.low, "color": GRAY}
    return [
        {
            "type": "bar",
            "name": "on average",
            "x": places_of(each.kind, found.values),
            "y": found.p,
            "error_y": spread,
            "width": 0.5,
            "marker": {"color": BLUE},
            "hovertemplate": "%{y:.0%}<extra></extra>",
        }
    ]


def _tried(each: Column, good: Mask, keep: Mask) -> list[dict[str, Any]]:
    places, _ = thinned(keep, _MAX_TICKS)
    made = []
    for is_good, name, color, edge in ((True, "good trials", VERMILION, 1.0), (False, "the rest", GRAY, 0.0)):
        here = places[(good[places] == is_good) & ~np.isnan(each.at[places])]
        look = {"symbol": "line-ns-open", "color": color, "size": 8, "line": {"width": 1}}
        at = each.spread[here]
        made.append(points(name, at, np.full(len(at), edge), look, yaxis="y2", hoverinfo="skip", cliponaxis=False))
    return made
