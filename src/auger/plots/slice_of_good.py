"""How likely each value of one parameter is to be good."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.insight.lens import good_trials
from auger.insight.slices import Slice
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.parameter_axes import ParameterAxis, check_name, known_history, parameter_axis, positions_of
from auger.plots.style import BLUE, EDGE_AXIS, GRAY, VERMILION, Figure, axis, figure, line, points
from auger.plots.thin import incumbents, thinned
from auger.types import Mask
from auger.view import view

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
    run = view(source)
    history = known_history(run)
    check_name(history, name)
    along = insight.one_slice(run, name)
    if not len(along.p):
        raise PlotError(along.note or "There are too few trials to tell.")
    across = parameter_axis(history, name)
    traces = _bars(along, across) if across.choices else _curve(along)
    top = float(np.nanmax([along.high.max(), along.p.max()]))
    return figure(
        traces + _tried(across, good_trials(run), incumbents(history.y)),
        f"P(good) by {plain(name, 28)}",
        notes=[along.note],
        height=320,
        xaxis=across.axis(plain(name)),
        yaxis=axis("P(good)", range=[0, 1.12 * top or 1.0], tickformat=".0%"),
        yaxis2=EDGE_AXIS,
    )


def _curve(along: Slice) -> list[dict[str, Any]]:
    edge = {"showlegend": False, "line": {"shape": "linear"}}
    band = {"fill": "tonexty", "fillcolor": "rgba(0,114,178,0.2)", "line": {"width": 0}}
    words = "%{x:.4g}: %{y:.0%}<extra></extra>"
    return [
        line("low", along.values, along.low, BLUE, 0, **edge),
        line("four in five", along.values, along.high, BLUE, 0, **band),
        line("on average", along.values, along.p, BLUE, 2, hoverinfo=None, hovertemplate=words),
    ]


def _bars(along: Slice, across: ParameterAxis) -> list[dict[str, Any]]:
    spread = {"type": "data", "array": along.high - along.p, "arrayminus": along.p - along.low, "color": GRAY}
    return [
        {
            "type": "bar",
            "name": "on average",
            "x": positions_of(across.parameter, along.values),
            "y": along.p,
            "error_y": spread,
            "width": 0.5,
            "marker": {"color": BLUE},
            "hovertemplate": "%{y:.0%}<extra></extra>",
        }
    ]


def _tried(across: ParameterAxis, good: Mask, keep: Mask) -> list[dict[str, Any]]:
    kept, _ = thinned(keep, _MAX_TICKS)
    traces = []
    for is_good, name, color, edge in ((True, "good trials", VERMILION, 1.0), (False, "the rest", GRAY, 0.0)):
        here = kept[(good[kept] == is_good) & ~np.isnan(across.at[kept])]
        look = {"symbol": "line-ns-open", "color": color, "size": 8, "line": {"width": 1}}
        at = across.spread[here]
        traces.append(points(name, at, np.full(len(at), edge), look, yaxis="y2", hoverinfo="skip", cliponaxis=False))
    return traces
