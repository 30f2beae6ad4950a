"""How likely each pair of values of two parameters is to be good."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.insight.lens import good_trials
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.parameter_axes import ParameterAxis, check_name, known_history, parameter_axis, positions_of
from auger.plots.style import SCALE, VERMILION, Figure, figure, points
from auger.plots.thin import incumbents, thinned
from auger.types import Index, Mask
from auger.view import view

# Trials drawn on top: more would hide what is below.
_MAX_TRIALS = 200


def surface(source: Any, first: str, second: str) -> Figure:
    """Draw the chance of being good over two parameters, on average over the others, with the trials on top.

    Pairs of values that are not possible together stay blank.

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
    run = view(source)
    history = known_history(run)
    for name in (first, second):
        check_name(history, name)
    if first == second:
        raise PlotError(f"A surface needs two different parameters. Got {first!r} twice.")
    over = insight.two_slice(run, first, second)
    if not over.p.size:
        raise PlotError(over.note or "There are too few trials to tell.")
    if np.isnan(over.p).all():
        raise PlotError(f"{first!r} and {second!r} are never active together.")
    across, up = parameter_axis(history, first), parameter_axis(history, second)
    ground = {
        "type": "heatmap",
        "x": positions_of(across.parameter, over.first_values),
        "y": positions_of(up.parameter, over.second_values),
        "z": over.p.T,
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
    good = good_trials(run)
    together = np.flatnonzero(~np.isnan(across.at) & ~np.isnan(up.at))
    kept, note = thinned(incumbents(history.y)[together], _MAX_TRIALS)
    return figure(
        [ground, *_trials(across, up, good, together[kept], run.numbers)],
        f"P(good) by {plain(first, 14)} and {plain(second, 14)}",
        notes=[over.note, note],
        xaxis=across.axis(plain(first)) | {"showgrid": False},
        yaxis=up.axis(plain(second)) | {"showgrid": False},
    )


def _trials(across: ParameterAxis, up: ParameterAxis, good: Mask, shown: Index, numbers: Index) -> list[dict[str, Any]]:
    traces = []
    for is_good, name, look in ((False, "the rest", _REST), (True, "good trials", _GOOD)):
        here = shown[good[shown] == is_good]
        words = {"customdata": numbers[here], "hovertemplate": "trial %{customdata}<extra></extra>"}
        traces.append(points(name, across.spread[here], up.spread[here], look, **words))
    return traces


_REST = {"symbol": "circle-open", "size": 4, "color": "#BBBBBB"}
_GOOD = {"symbol": "circle", "size": 8, "color": VERMILION, "line": {"color": "white", "width": 1}}
