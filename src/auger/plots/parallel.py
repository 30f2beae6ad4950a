"""Every trial as a line through all its parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger.plots.escaping import one_line, plain, short_number
from auger.plots.parameter_axes import ParameterAxis, known_history, most_important_axes, parameter_axis
from auger.plots.scale import round_ratios, round_ticks
from auger.plots.style import INK, ORANGE, VERMILION, Figure, figure
from auger.plots.thin import incumbents, thinned
from auger.plots.trials import learned_losses, nothing_complete
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.types import Array, Index
from auger.view import view

#: More lines cannot be told apart, and browsers get slow.
MAX_LINES = 1000

#: More axes cannot be read.
MAX_AXES = 12

# The best stand out on white and on black; the others are as gray as either allows.
_BEST_LAST = [[0.0, "#7F8487"], [0.65, "#8FA3AD"], [0.9, ORANGE], [1.0, VERMILION]]

# Where a parameter that a trial does not have stands: below its axis, whose own values are in [0, 1].
_BELOW = -0.12
_ABSENT = "\N{EN DASH}"


def parallel(source: Any) -> Figure:
    """Draw every trial as a line through its parameters to its value, colored by its rank.

    With several objectives each has an axis, and the rank is that among the fronts.

    Drag along an axis to keep only the trials that pass there.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: no trial has a finite value.

    Example:
        >>> from auger import minimize
        >>> figure = parallel(minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0))
        >>> [dimension.label for dimension in figure.data[0].dimensions]
        ['x', 'value']
    """
    run = view(source)
    history, objectives, losses = known_history(run), run.objectives, learned_losses(run)
    ranked_by = losses[:, 0] if len(objectives) == 1 else history.y
    y = np.where(np.isnan(losses).any(axis=1), np.nan, ranked_by)
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(run)
    kept, note = thinned(incumbents(y[usable]), MAX_LINES)
    shown = usable[kept]
    share = 100 * (1 - _ranks(y[usable])[kept] / max(len(usable) - 1, 1))
    # the best come last: lines are drawn in this order, those with the highest color on top
    order = np.argsort(share, kind="stable")
    names, left_out = history.space.names, ""
    if len(names) > MAX_AXES:
        names, left_out = most_important_axes(run, MAX_AXES)
    dimensions = [_dimension(parameter_axis(history, name), shown[order]) for name in names]
    values = np.array(objectives.signs) * losses[shown][order]
    dimensions += [_value(column, plain(name, 18)) for column, name in zip(values.T, objectives.names, strict=True)]
    trace = {
        "type": "parcoords",
        "dimensions": dimensions,
        "labelangle": -20,
        "line": {
            "color": share[order],
            "colorscale": _BEST_LAST,
            "cmin": 0,
            "cmax": 100,
            "colorbar": {
                "orientation": "h",
                "y": 0,
                "yref": "container",
                "yanchor": "bottom",
                "thickness": 10,
                "tickvals": [0, 50, 100],
                "ticktext": ["worst", "half", "best"],
                "outlinewidth": 0,
            },
        },
        "labelfont": {"color": INK, "size": 12},
        "tickfont": {"color": INK, "size": 10, "shadow": "none"},
        "rangefont": {"color": "rgba(0,0,0,0)", "size": 1},  # the ends, which the ticks say
    }
    return figure(
        [trace],
        "Trials through their parameters",
        notes=[left_out, note],
        height=460,
        min_width=80 + 75 * len(dimensions),
        above=65,
        margin={"l": 90, "r": 50, "b": 60},
    )


def _ranks(y: Array) -> Array:
    """0 for the lowest; equal values share the first of their ranks."""
    return np.searchsorted(np.sort(y), y).astype(np.float64)


def _dimension(axis: ParameterAxis, shown: Index) -> dict[str, Any]:
    """A parameter as an axis from 0 to 1, with ticks in the user's own values.

    Ticks of this kind of plot are not read as markup, so that they are not escaped; its labels are.
    """
    positions, texts = _ticks(axis)
    at = _position(axis.parameter, axis.at[shown])
    absent = np.isnan(at)
    low = 0.0
    if absent.any():
        at = np.where(absent, _BELOW, at)
        positions, texts, low = [_BELOW, *positions], [_ABSENT, *texts], _BELOW
    return {
        "label": plain(axis.name, 18),
        "values": at,
        "range": [low, 1.0],
        "tickvals": positions,
        "ticktext": texts,
    }


def _position(parameter: Parameter, at: Array) -> Array:
    """Where values stand on an axis from 0 to 1."""
    if isinstance(parameter, (Categorical, Ordinal)):
        return at / max(len(parameter.choices) - 1, 1)
    assert isinstance(parameter, (Float, Int))
    if parameter.log:
        start, end = math.log(parameter.low), math.log(parameter.high)
        return np.asarray((np.log(at) - start) / (end - start))
    # halves: the difference of two finite numbers need not be one
    return np.asarray((at / 2 - parameter.low / 2) / (parameter.high / 2 - parameter.low / 2))


def _ticks(axis: ParameterAxis) -> tuple[list[float], list[str]]:
    parameter = axis.parameter
    if isinstance(parameter, (Categorical, Ordinal)):
        indices = range(0, len(parameter.choices), math.ceil(len(parameter.choices) / 20))
        at = _position(parameter, np.array(indices, dtype=np.float64))
        return at.tolist(), [one_line(axis.choices[i], 14) for i in indices]
    assert isinstance(parameter, (Float, Int))
    at = (
        np.array(round_ratios(parameter.low, parameter.high))
        if parameter.log
        else round_ticks(parameter.low, parameter.high)
    )
    if isinstance(parameter, Int):
        at = np.unique(np.rint(at))
    return _position(parameter, at).tolist(), [short_number(float(tick)) for tick in at]


def _value(values: Array, label: str) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    is_log = low > 0 and high > 100 * low
    ticks = np.array(round_ratios(low, high)) if is_log else round_ticks(low, high)
    scale = np.log10 if is_log else np.asarray
    labels = {"tickvals": scale(ticks), "ticktext": [short_number(float(tick)) for tick in ticks]}
    ends = {"range": scale([low, high])} if low < high else {}
    return {"label": label, "values": scale(values), **labels, **ends}
