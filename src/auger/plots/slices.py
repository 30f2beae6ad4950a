"""Small panels, one a parameter: the values of the trials against the parameter's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.plots.columns import Column, check_name, column, known_history, short
from auger.plots.errors import PlotError
from auger.plots.good import good_trials
from auger.plots.ranked import most_important
from auger.plots.rows import minimized, nothing_complete
from auger.plots.scale import value_axis
from auger.plots.style import BLUE, GRAY, STAR, figure, points
from auger.plots.texts import plain
from auger.plots.thin import incumbents, thinned
from auger.types import Array, Index
from auger.view import View, view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: The most panels.
MAX_PANELS = 12

# Points of one panel and of all together: a trial is drawn once a panel.
_MAX_PANEL, _MAX_MARKS = 1000, 6000

_REST = {"color": GRAY, "symbol": "circle-open", "size": 5, "opacity": 0.8}
_GOOD = {"color": BLUE, "symbol": "circle", "size": 6, "opacity": 0.9}

# Pixels of the height: a panel, by the number of rows; what is between two, ticks and a heading; what is around all.
_PANELS, _PANEL, _BETWEEN, _AROUND = {1: 250, 2: 170}, 125, 64, 140


def slices(source: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw the value of every trial against each parameter, a panel a parameter, the most important first.

    Good trials (the best gamma-fraction, as the classifier is taught) stand out, the best is a star. Choices are spread
    a little sideways so that trials do not hide each other. With several objectives the first is drawn.

    Args:
        source: whatever `auger.view` looks at.
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
    rows = [seen.by_number[int(each)] for each in seen.numbers]
    sign = seen.signs[0]
    y = minimized(rows, sign)
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(seen)
    chosen, left_out = most_important(seen, MAX_PANELS) if names is None else (_checked(seen, names), "")
    places, note = thinned(incumbents(y[usable]), min(_MAX_PANEL, max(200, _MAX_MARKS // len(chosen))))
    good, shown = good_trials(seen, made), usable[places]
    best = "best" if len(seen.objectives) == 1 else f"best {plain(seen.objectives[0])}"
    groups = {"the rest": shown[~good[shown]], "good": shown[good[shown]], best: usable[[np.argmin(y[usable])]]}
    scale, outside = value_axis(sign * y[usable], sign, plain(seen.objectives[0], 16))
    grid = Panels(len(chosen))
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    for place, name in enumerate(chosen):
        each = column(made, name)
        traces += _panel(grid.names(place), each, sign * y, groups, seen.numbers)
        layout |= grid.axes(place, each, scale)
    return figure(
        traces,
        "Values by parameter",
        notes=[left_out, note, outside],
        height=grid.height,
        above=22,
        annotations=[grid.heading(place, name) for place, name in enumerate(chosen)],
        **layout,
    )


def _checked(seen: View, names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not len(names):
        raise PlotError(f"`names` must be a list of one parameter or more. Got {names!r}.")
    for name in names:
        check_name(known_history(seen), name)
    return list(names)


def _panel(
    axes: dict[str, str], each: Column, values: Array, groups: dict[str, Index], numbers: Index
) -> list[dict[str, Any]]:
    at = each.spread
    words = "trial %{customdata}: %{y:.4g}<extra></extra>"
    if not each.choices:
        words = f"trial %{{customdata}}: %{{y:.4g}}<br>{short(each.name)} = %{{x:.4g}}<extra></extra>"
    made = []
    for (name, members), look in zip(groups.items(), (_REST, _GOOD, STAR | {"size": 12}), strict=True):
        here = members[~np.isnan(at[members])]
        more = {"customdata": numbers[here], "hovertemplate": words, "legendgroup": name}
        made.append(points(name, at[here], values[here], look, showlegend=axes["xaxis"] == "x", **more, **axes))
    return made


class Panels:
    """Where ``n`` panels stand: two in a row, as three cannot be read on a telephone."""

    def __init__(self, n: int) -> None:
        self.n_columns = min(n, 2)
        self.n_rows = math.ceil(n / self.n_columns)
        self.panel = _PANELS.get(self.n_rows, _PANEL)
        self.inner = (self.panel + _BETWEEN) * self.n_rows - _BETWEEN
        self.height = self.inner + _AROUND

    def names(self, place: int) -> dict[str, str]:
        """What plotly calls the axes of a panel."""
        return {"xaxis": f"x{place + 1 if place else ''}", "yaxis": f"y{place + 1 if place else ''}"}

    def _domain(self, place: int) -> tuple[list[float], list[float]]:
        """Shares of the width and of the height."""
        row, beside = divmod(place, self.n_columns)
        width = 0.47 if self.n_columns > 1 else 1.0
        left, top = beside * (1 - width), 1 - row * (self.panel + _BETWEEN) / self.inner
        return [left, left + width], [max(top - self.panel / self.inner, 0.0), top]

    def axes(self, place: int, each: Column, scale: dict[str, Any]) -> dict[str, Any]:
        """The axes of a panel; the values' are shared by all."""
        across, up = self._domain(place)
        names = self.names(place)
        is_left = place % self.n_columns == 0
        x = each.axis(longest=10) | {"domain": across, "anchor": names["yaxis"]}
        y = scale | {"domain": up, "anchor": names["xaxis"], "showticklabels": is_left, "nticks": 5}
        if place:
            y["matches"] = "y"
        if not is_left:
            y["title"] = {"text": ""}
        return {f"xaxis{names['xaxis'][1:]}": x, f"yaxis{names['yaxis'][1:]}": y}

    def heading(self, place: int, name: str) -> dict[str, Any]:
        """The name of the parameter above its panel."""
        across, up = self._domain(place)
        corner = {"x": across[0], "xref": "paper", "xanchor": "left", "y": up[1], "yref": "paper", "yanchor": "bottom"}
        return {"text": short(name), "showarrow": False, "font": {"size": 13}, **corner}
