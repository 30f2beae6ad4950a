"""Small panels, one per parameter: the values of the trials against those of the parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.insight.lens import good_trials
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.parameter_axes import ParameterAxis, check_name, known_history, most_important_axes, parameter_axis
from auger.plots.scale import value_axis
from auger.plots.style import BLUE, EDGE_AXIS, GRAY, INFEASIBLE, NO_VALUE, PRUNED, STAR, Figure, figure, label, points
from auger.plots.thin import incumbents, thinned
from auger.plots.trials import (
    best_trial,
    heights,
    learned_indices,
    learned_losses,
    nothing_complete,
    objective_index,
    star_note,
)
from auger.trial import State
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


def slices(source: Any, names: Sequence[str] | None = None, *, objective: int | str = 0) -> Figure:
    """Draw the value of every trial against each parameter, one panel per parameter, the most important first.

    Good trials (the best gamma-fraction, as the classifier is taught) stand out, the best is a star. A pruned trial
    stands at its last intermediate value where that lies among the values of the others, and on the worse edge
    otherwise, like the ticks of trials without a value. Choices are spread a little sideways so that trials do not hide
    each other. With several objectives the first is drawn.

    Args:
        source: whatever `auger.view` looks at.
        names: which parameters, in this order; by default all, and of more than 12 the most important.
        objective: which one, by its index or name.

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
    index = objective_index(run, objective)
    sign, y = objectives.signs[index], learned_losses(run)[:, index]
    if np.isnan(y).all():
        raise nothing_complete(run)
    if names is None:
        chosen, left_out = most_important_axes(run, MAX_PANELS, index if len(objectives) > 1 else None)
    else:
        chosen, left_out = _checked(run, names), ""
    finished = np.array(sorted(history.finished), dtype=np.intp)
    kept, note = thinned(incumbents(y[finished]), min(_MAX_PANEL, max(200, _MAX_MARKS // len(chosen))))
    at = heights(run, index)[learned_indices(run)]
    groups = _groups(run, index, finished[kept], at)
    scale, outside = value_axis(at[~np.isnan(at)], sign, plain(objectives.names[index], 16))
    grid = Panels(len(chosen), edge=0.97 if sign > 0 else 0.03)
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    for i, name in enumerate(chosen):
        across = parameter_axis(history, name)
        traces += _panel(grid, i, across, at, groups, run.numbers)
        layout |= grid.axes(i, across, scale)
    return figure(
        _listed_once(traces),
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


@dataclass(frozen=True, eq=False)
class _Group:
    """Trials that look alike.

    Attributes:
        name: in the legend.
        look: of their marks.
        members: where they stand in the history.
    """

    name: str
    look: Mapping[str, Any]
    members: Index


def _groups(view: View, objective: int, shown: Index, at: Array) -> list[_Group]:
    """The trials to draw in groups, in the order of drawing; each is in one of them, and the best in one more."""
    history, best = known_history(view), best_trial(view, objective)
    assert best is not None  # a value is finite
    is_pruned, is_bare = history.has_state(State.PRUNED)[shown], np.isnan(at[shown])
    is_usable, is_good = ~np.isnan(learned_losses(view)[shown, 0]), good_trials(view)[shown]
    star = "best" if len(view.objectives) == 1 else f"best {plain(view.objectives.names[objective])}"
    groups = [
        _Group("the rest", _REST, shown[is_usable & ~is_good]),
        _Group("pruned", PRUNED | {"size": 5}, shown[is_pruned]),
        _Group("infeasible", INFEASIBLE | {"size": 5}, shown[~is_usable & ~is_pruned & ~is_bare]),
        _Group("no value", NO_VALUE | {"size": 7}, shown[~is_usable & ~is_pruned & is_bare]),
        _Group("good", _GOOD, shown[is_usable & is_good]),
        _Group(star, STAR | {"size": 12}, np.flatnonzero(view.numbers == best.number)),
    ]
    return [group for group in groups if len(group.members)]


def _panel(
    grid: Panels, i: int, across: ParameterAxis, at: Array, groups: Sequence[_Group], numbers: Index
) -> list[dict[str, Any]]:
    """The marks of one panel: each group at the heights of its trials, and on the edge where they have none."""
    x = across.spread
    setting = "" if across.choices else f"<br>{plain(across.name, _MAX_NAME)} = %{{x:.4g}}"
    traces = []
    for group in groups:
        here = group.members[~np.isnan(x[group.members])]
        high, bare = here[~np.isnan(at[here])], here[np.isnan(at[here])]
        edge = np.full(len(bare), grid.edge)
        for members, y, value, axes in (
            (high, at[high], "%{y:.4g}", grid.names(i)),
            (bare, edge, group.name, grid.edge_names(i)),
        ):
            if len(members):
                words = f"trial %{{customdata}}: {value}{setting}<extra></extra>"
                more = {"customdata": numbers[members], "hovertemplate": words, "legendgroup": group.name}
                traces.append(points(group.name, x[members], y, group.look, **more, **axes))
    return traces


def _listed_once(traces: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same traces, of which the first of each group is in the legend."""
    first = {trace["name"]: i for i, trace in reversed(list(enumerate(traces)))}
    return [trace | {"showlegend": first[trace["name"]] == i} for i, trace in enumerate(traces)]


class Panels:
    """Where ``n`` panels stand: two in a row, as three cannot be read on a telephone.

    Attributes:
        edge: the share of a panel's height at which trials without a height are drawn, on an axis of its own.
    """

    def __init__(self, n: int, edge: float) -> None:
        self.edge = edge
        self.n = n
        self.n_columns = min(n, 2)
        self.n_rows = math.ceil(n / self.n_columns)
        self.panel = _PANELS.get(self.n_rows, _PANEL)
        self.inner = (self.panel + _BETWEEN) * self.n_rows - _BETWEEN
        self.height = self.inner + _AROUND

    def names(self, i: int) -> dict[str, str]:
        """What plotly calls the axes of a panel."""
        return {"xaxis": f"x{i + 1 if i else ''}", "yaxis": f"y{i + 1 if i else ''}"}

    def edge_names(self, i: int) -> dict[str, str]:
        """The axes of a panel for trials on its edge."""
        return {"xaxis": self.names(i)["xaxis"], "yaxis": f"y{self.n + i + 1}"}

    def _domain(self, i: int) -> tuple[list[float], list[float]]:
        """Shares of the width and of the height."""
        row, beside = divmod(i, self.n_columns)
        width = 0.47 if self.n_columns > 1 else 1.0
        left, top = beside * (1 - width), 1 - row * (self.panel + _BETWEEN) / self.inner
        return [left, left + width], [max(top - self.panel / self.inner, 0.0), top]

    def axes(self, i: int, across: ParameterAxis, scale: dict[str, Any]) -> dict[str, Any]:
        """The axes of a panel: the parameter's, the values', which all share, and one for the edge."""
        width, height = self._domain(i)
        names = self.names(i)
        is_left = i % self.n_columns == 0
        x = across.axis(longest=10) | {"domain": width, "anchor": names["yaxis"]}
        y = scale | {"domain": height, "anchor": names["xaxis"], "showticklabels": is_left, "nticks": 5}
        if i:
            y["matches"] = "y"
        if not is_left:
            y["title"] = {"text": ""}
        edge = EDGE_AXIS | {"overlaying": names["yaxis"], "anchor": names["xaxis"]}
        return {
            f"xaxis{names['xaxis'][1:]}": x,
            f"yaxis{names['yaxis'][1:]}": y,
            f"yaxis{self.edge_names(i)['yaxis'][1:]}": edge,
        }

    def heading(self, i: int, name: str) -> dict[str, Any]:
        """The name of the parameter above its panel."""
        width, height = self._domain(i)
        corner = {"x": width[0], "xanchor": "left", "y": height[1], "yref": "paper", "yanchor": "bottom"}
        return label(plain(name, _MAX_NAME), 13, **corner)
