"""What cannot be had without giving up something else: the Pareto front of two objectives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import view
from auger.plots.errors import PlotError
from auger.plots.rows import hover, minimized, nothing_complete, objective_of
from auger.plots.style import BLUE, GRAY, VERMILION, axis, figure
from auger.plots.texts import plain
from auger.plots.thin import thinned
from auger.types import Array, Mask

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def front(source: Any, objectives: Sequence[int | str] = (0, 1)) -> Figure:
    """Draw two objectives against each other, with the trials that no other beats in both.

    Args:
        source: whatever `auger.insight.view` looks at.
        objectives: the horizontal and the vertical one, by place or name.

    Raises:
        PlotError: there is one objective only, or no trial has both values.
    """
    seen = view(source)
    if len(seen.objectives) < 2:
        raise PlotError("A front needs two objectives. This run has one; `history` draws it.")
    if isinstance(objectives, str) or len(objectives) != 2:
        raise PlotError(f"`objectives` must be two of this run's. Got {objectives!r}.")
    first, second = (objective_of(seen, each) for each in objectives)
    if first == second:
        raise PlotError(f"`objectives` must be two different ones. Got {objectives!r} twice.")
    pair = np.stack([minimized(seen.rows, seen.signs[each], each) for each in (first, second)], axis=1)
    usable = np.flatnonzero(~np.isnan(pair).any(axis=1))
    if not len(usable):
        raise nothing_complete(seen)
    best = unbeaten(pair[usable])
    places, note = thinned(best)
    signs = np.array([seen.signs[first], seen.signs[second]])
    shown = signs * pair[usable][places]
    on_front = best[places]
    texts = np.array([hover(seen, seen.rows[place]) for place in usable[places]])
    order = np.argsort(shown[on_front, 0], kind="stable")
    line = shown[on_front][order]
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "beaten",
            "x": shown[~on_front, 0].tolist(),
            "y": shown[~on_front, 1].tolist(),
            "hovertext": texts[~on_front].tolist(),
            "hoverinfo": "text",
            "marker": {"color": GRAY, "symbol": "circle-open", "size": 6},
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"front ({len(line)})",
            "x": line[:, 0].tolist(),
            "y": line[:, 1].tolist(),
            "hovertext": texts[on_front][order].tolist(),
            "hoverinfo": "text",
            "line": {"shape": "hv", "color": VERMILION, "width": 1.5},
            "marker": {"color": BLUE, "symbol": "diamond", "size": 9},
        },
    ]
    names = [f"{plain(seen.objectives[each])} ({seen.directions[each]})" for each in (first, second)]
    return figure(traces, "Front", notes=[note], xaxis=axis(names[0]), yaxis=axis(names[1]))


def unbeaten(pair: Array) -> Mask:
    """Which of the points (n, 2), both to be minimized, no other beats: at least as good in both, better in one.

    Example:
        >>> unbeaten(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])).tolist()
        [True, True, False, True]
    """
    order = np.lexsort((pair[:, 1], pair[:, 0]))
    x, y = pair[order, 0], pair[order, 1]
    lowest = np.minimum.accumulate(y)
    before = np.concatenate([[np.inf], lowest[:-1]])
    is_new = np.concatenate([[True], x[1:] != x[:-1]])
    group = np.cumsum(is_new) - 1
    firsts = np.flatnonzero(is_new)
    # beaten by a point further left that is as low, or by one as far left that is lower
    keep = (y < before[firsts][group]) & (y == y[firsts][group])
    made = np.zeros(len(pair), dtype=bool)
    made[order] = keep
    return made
