"""How likely each pair of values of two parameters is to be good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auger import insight
from auger.plots.columns import Column, check_name, column, known_history, places_of
from auger.plots.errors import PlotError
from auger.plots.good import good_trials
from auger.plots.style import SCALE, VERMILION, figure, points
from auger.plots.texts import plain
from auger.plots.thin import incumbents, thinned
from auger.types import Index, Mask
from auger.view import view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Trials drawn on top: more would hide what is below.
_MAX_TRIALS = 200


def surface(source: Any, first: str, second: str) -> Figure:
    """Draw the chance of being good over two parameters, on average over the others, with the trials on top.

    Where the two do not go together, nothing is drawn.

    Args:
        source: whatever `auger.view` looks at.
        first: the parameter along the horizontal axis.
        second: the one along the vertical axis.

    Raises:
        PlotError: there is no such parameter, or too few trials to tell.

    Example:
        >>> from auger import minimize
        >>> space = {"x": (-1.0, 1.0), "kind": ["a", "b"]}
        >>> result = minimize(lambda config: config["x"] ** 2, space, n_trials=30, seed=0)
        >>> surface(result, "x", "kind").layout.yaxis.ticktext
        ('a', 'b')
    """
    seen = view(source)
    made = known_history(seen)
    for name in (first, second):
        check_name(made, name)
    if first == second:
        raise PlotError(f"A surface needs two different parameters. Got {first!r} twice.")
    found = insight.two_slice(seen, first, second)
    if not found.p.size:
        raise PlotError(found.note or "There are too few trials to tell.")
    if np.isnan(found.p).all():
        raise PlotError(f"{first!r} and {second!r} are never active together.")
    across, up = column(made, first), column(made, second)
    ground = {
        "type": "heatmap",
        "x": places_of(across.kind, found.first_values),
        "y": places_of(up.kind, found.second_values),
        "z": found.p.T,
        "colorscale": SCALE,
        "zmin": 0,
        "zsmooth": False if across.choices or up.choices else "best",
        "hovertemplate": "P(good) %{z:.0%}<extra></extra>",
        "colorbar": {
            "title": {"text": "P(good)", "side": "top"},
            "tickformat": ".0%",
            "thickness": 10,
            "outlinewidth": 0,
        },
    }
    good = good_trials(seen, made)
    together = np.flatnonzero(~np.isnan(across.at) & ~np.isnan(up.at))
    kept, note = thinned(incumbents(made.y)[together], _MAX_TRIALS)
    return figure(
        [ground, *_trials(across, up, good, together[kept], seen.numbers)],
        f"P(good) by {plain(first, 14)} and {plain(second, 14)}",
        notes=[found.note, note],
        xaxis=across.axis(plain(first)) | {"showgrid": False},
        yaxis=up.axis(plain(second)) | {"showgrid": False},
    )


def _trials(across: Column, up: Column, good: Mask, places: Index, numbers: Index) -> list[dict[str, Any]]:
    made = []
    for is_good, name, look in ((False, "the rest", _REST), (True, "good trials", _GOOD)):
        here = places[good[places] == is_good]
        words = {"customdata": numbers[here], "hovertemplate": "trial %{customdata}<extra></extra>"}
        made.append(points(name, across.spread[here], up.spread[here], look, **words))
    return made


_REST = {"symbol": "circle-open", "size": 4, "color": "#BBBBBB"}
_GOOD = {"symbol": "circle", "size": 8, "color": VERMILION, "line": {"color": "white", "width": 1}}
