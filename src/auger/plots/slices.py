"""Small panels, one a parameter: the values of the trials against the parameter's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import View, view
from auger.plots.columns import Column, check_name, column, known_history, short
from auger.plots.errors import PlotError
from auger.plots.good import good_trials
from auger.plots.rows import hover, minimized, nothing_complete
from auger.plots.scale import value_axis
from auger.plots.style import BLUE, GRAY, VERMILION, figure
from auger.plots.texts import plain
from auger.plots.thin import incumbents, thinned
from auger.types import Array, Index, Mask

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: The most panels.
MAX_PANELS = 12

# Points of all panels together: each trial is drawn once a panel.
_MAX_MARKS = 8000


def slices(source: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw the value of every trial against each parameter, a panel a parameter.

    Good trials (the best gamma-fraction, as the classifier is taught) stand out, the best is a star. Choices are spread a
    little sideways so that trials do not hide each other.

    Args:
        source: whatever `auger.insight.view` looks at.
        names: which parameters, in this order; by default all, and of more than 12 the most important.

    Raises:
        PlotError: no trial has a finite value, or there is no such parameter.

    Example:
        >>> from auger import minimize
        >>> figure = slices(minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0))
        >>> figure.layout.annotations[0].text
        'x'
    """
    seen = view(source)
    made = known_history(seen)
    chosen, left_out = _choose(seen, names)
    rows = [seen.by_number[int(each)] for each in seen.numbers]
    sign = seen.signs[0]
    y = minimized(rows, sign)
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(seen)
    good = good_trials(seen, made)
    places, note = thinned(incumbents(y[usable]), max(200, _MAX_MARKS // len(chosen)))
    shown = usable[places]
    scale, outside = value_axis(sign * y[usable], sign, plain(seen.objectives[0]))
    texts = np.array([hover(seen, rows[place]) for place in shown])
    best = int(usable[np.argmin(y[usable])])
    traces: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    for panel, name in enumerate(chosen):
        each = column(made, name)
        traces += _panel(panel, each, sign * y, shown, good, texts, best)
        layout |= _axes(panel, len(chosen), each, scale)
        annotations.append(_heading(panel, len(chosen), name))
    n_rows = math.ceil(len(chosen) / _n_columns(len(chosen)))
    return figure(
        traces,
        "Values by parameter",
        notes=[left_out, note, outside],
        height=110 + 190 * n_rows,
        annotations=annotations,
        **layout,
    )


def _choose(seen: View, names: Sequence[str] | None) -> tuple[list[str], str]:
    made = known_history(seen)
    if names is not None:
        for name in names:
            check_name(made, name)
        if not len(names):
            raise PlotError("`names` must hold at least one parameter. Got none.")
        return list(names), ""
    n = len(made.space)
    return made.space.names[:MAX_PANELS], f"{MAX_PANELS} of {n} parameters." if n > MAX_PANELS else ""


def _panel(
    panel: int, each: Column, values: Array, shown: Index, good: Mask, texts: Any, best: int
) -> list[dict[str, Any]]:
    at = each.at.copy()
    if each.choices:
        at += _spread(len(at))
    made = []
    for is_good, name, look in ((False, "the rest", _REST), (True, "good", _GOOD)):
        here = (good[shown] == is_good) & ~np.isnan(at[shown])
        made.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": at[shown][here].tolist(),
                "y": values[shown][here].tolist(),
                "hovertext": texts[here].tolist(),
                "marker": look,
            }
        )
    star = [] if math.isnan(at[best]) else [best]
    made.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "best",
            "x": at[star].tolist(),
            "y": values[star].tolist(),
            "hoverinfo": "skip",
            "marker": {"symbol": "star", "color": VERMILION, "size": 13, "line": {"color": "white", "width": 1}},
        }
    )
    suffix = _suffix(panel)
    common = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "showlegend": not panel}
    return [{"hoverinfo": "text", "legendgroup": trace["name"]} | trace | common for trace in made]


_REST = {"color": GRAY, "symbol": "circle-open", "size": 5, "opacity": 0.8}
_GOOD = {"color": BLUE, "symbol": "circle", "size": 6, "opacity": 0.9}


def _spread(n: int) -> Array:
    """A little to the left or right, the same in every figure of the same run: a sequence without clusters."""
    return np.asarray(0.5 * ((np.arange(n) * 0.6180339887498949) % 1.0) - 0.25)


def _n_columns(n: int) -> int:
    """Two: three cannot be read on a telephone."""
    return min(n, 2)


def _domain(panel: int, n: int) -> tuple[list[float], list[float]]:
    """Where a panel stands on the page, in shares of its width and height."""
    n_columns = _n_columns(n)
    n_rows = math.ceil(n / n_columns)
    row, place = divmod(panel, n_columns)
    gap = 0.06 if n_columns > 1 else 0.0
    width = (1 - gap * (n_columns - 1)) / n_columns
    height = 1 / n_rows
    left, top = place * (width + gap), 1 - row * height
    room = 0.34 if n_rows > 1 else 0.1  # for the heading above and the ticks below
    return [left, left + width], [top - height * (1 - room / 2) if n_rows > 1 else 0, top - height * room / 2]


def _axes(panel: int, n: int, each: Column, scale: dict[str, Any]) -> dict[str, Any]:
    across, up = _domain(panel, n)
    suffix = _suffix(panel)
    is_left = panel % _n_columns(n) == 0
    x = each.axis() | {"domain": across, "anchor": f"y{suffix}"}
    y = scale | {"domain": up, "anchor": f"x{suffix}", "showticklabels": is_left, "nticks": 5}
    if panel:
        y["matches"] = "y"
    if not is_left:
        y["title"] = {"text": ""}
    return {f"xaxis{suffix}": x, f"yaxis{suffix}": y}


def _heading(panel: int, n: int, name: str) -> dict[str, Any]:
    across, up = _domain(panel, n)
    return {
        "text": short(name),
        "xref": "paper",
        "yref": "paper",
        "x": across[0],
        "y": up[1],
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 13},
    }


def _suffix(panel: int) -> str:
    return str(panel + 1) if panel else ""
