"""Small panels, one per parameter: the values of the trials against those of the parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from auger.insight.lens import good_trials
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.parameter_axes import ParameterAxis, check_name, known_history, most_important_axes, parameter_axis
from auger.plots.scale import value_axis
from auger.plots.style import BLUE, GRAY, STAR, Figure, figure, label, points
from auger.plots.thin import incumbents, thinned
from auger.plots.trials import best_trial, learned_losses, nothing_complete, star_note
from auger.types import Array, Index
from auger.view import View, view

#: The most panels.
MAX_PANELS = 12

# Points of one panel and of all together: a trial is drawn once per panel.
_MAX_PANEL, _MAX_MARKS = 1000, 6000

# Letters of a name above its panel.
_MAX_NAME = 24

_REST = {"color": GRAY, "symbol": "circle-open", "size": 5, "opacity": 0.8}
_GOOD = {"color": BLUE, "symbol": "circle", "size": 6, "opacity": 0.9}

# Pixels of the height: a panel, by the number of rows; what is between two, ticks and a heading; what is around all.
_PANELS, _PANEL, _BETWEEN, _AROUND = {1: 250, 2: 170}, 125, 64, 140


def slices(source: Any, names: Sequence[str] | None = None) -> Figure:
    """Draw the value of every trial against each parameter, one panel per parameter, the most important first.

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
    run = view(source)
    history, objectives = known_history(run), run.objectives
    sign, y = objectives.signs[0], learned_losses(run)[:, 0]
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(run)
    chosen, left_out = most_important_axes(run, MAX_PANELS) if names is None else (_checked(run, names), "")
    kept, note = thinned(incumbents(y[usable]), min(_MAX_PANEL, max(200, _MAX_MARKS // len(chosen))))
    good, shown, best = good_trials(run), usable[kept], best_trial(run)
    star = "best" if len(objectives) == 1 else f"best {plain(objectives.names[0])}"
    assert best is not None  # a value is finite
    of_best = usable[run.numbers[usable] == best.number]
    groups = {"the rest": shown[~good[shown]], "good": shown[good[shown]], star: of_best}
    scale, outside = value_axis(sign * y[usable], sign, plain(objectives.names[0], 16))
    grid = Panels(len(chosen))
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    for i, name in enumerate(chosen):
        across = parameter_axis(history, name)
        traces += _panel(grid.names(i), across, sign * y, groups, run.numbers)
        layout |= grid.axes(i, across, scale)
    return figure(
        traces,
        "Values by parameter",
        notes=[left_out, note, outside, star_note(run)],
        height=grid.height,
        above=22,
        annotations=[grid.heading(i, name) for i, name in enumerate(chosen)],
        **layout,
    )


def _checked(view: View, names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not len(names):
        raise PlotError(f"`names` must be a list of one parameter or more. Got {names!r}.")
    for name in names:
        check_name(known_history(view), name)
    return list(names)


def _panel(
    axes: dict[str, str], across: ParameterAxis, values: Array, groups: dict[str, Index], numbers: Index
) -> list[dict[str, Any]]:
    at = across.spread
    words = "trial %{customdata}: %{y:.4g}<extra></extra>"
    if not across.choices:
        words = f"trial %{{customdata}}: %{{y:.4g}}<br>{plain(across.name, _MAX_NAME)} = %{{x:.4g}}<extra></extra>"
    traces = []
    for (name, members), look in zip(groups.items(), (_REST, _GOOD, STAR | {"size": 12}), strict=True):
        here = members[~np.isnan(at[members])]
        more = {"customdata": numbers[here], "hovertemplate": words, "legendgroup": name}
        traces.append(points(name, at[here], values[here], look, showlegend=axes["xaxis"] == "x", **more, **axes))
    return traces


class Panels:
    """Where ``n`` panels stand: two in a row, as three cannot be read on a telephone."""

    def __init__(self, n: int) -> None:
        self.n_columns = min(n, 2)
        self.n_rows = math.ceil(n / self.n_columns)
        self.panel = _PANELS.get(self.n_rows, _PANEL)
        self.inner = (self.panel + _BETWEEN) * self.n_rows - _BETWEEN
        self.height = self.inner + _AROUND

    def names(self, i: int) -> dict[str, str]:
        """What plotly calls the axes of a panel."""
        return {"xaxis": f"x{i + 1 if i else ''}", "yaxis": f"y{i + 1 if i else ''}"}

    def _domain(self, i: int) -> tuple[list[float], list[float]]:
        """Shares of the width and of the height."""
        row, beside = divmod(i, self.n_columns)
        width = 0.47 if self.n_columns > 1 else 1.0
        left, top = beside * (1 - width), 1 - row * (self.panel + _BETWEEN) / self.inner
        return [left, left + width], [max(top - self.panel / self.inner, 0.0), top]

    def axes(self, i: int, across: ParameterAxis, scale: dict[str, Any]) -> dict[str, Any]:
        """The axes of a panel; the values' are shared by all."""
        width, height = self._domain(i)
        names = self.names(i)
        is_left = i % self.n_columns == 0
        x = across.axis(longest=10) | {"domain": width, "anchor": names["yaxis"]}
        y = scale | {"domain": height, "anchor": names["xaxis"], "showticklabels": is_left, "nticks": 5}
        if i:
            y["matches"] = "y"
        if not is_left:
            y["title"] = {"text": ""}
        return {f"xaxis{names['xaxis'][1:]}": x, f"yaxis{names['yaxis'][1:]}": y}

    def heading(self, i: int, name: str) -> dict[str, Any]:
        """The name of the parameter above its panel."""
        width, height = self._domain(i)
        corner = {"x": width[0], "xanchor": "left", "y": height[1], "yref": "paper", "yanchor": "bottom"}
        return label(plain(name, _MAX_NAME), 13, **corner)
