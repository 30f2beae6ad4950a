"""Every trial as a line through all its parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.plots.columns import Column, column, known_history
from auger.plots.ranked import most_important
from auger.plots.rows import minimized, nothing_complete
from auger.plots.scale import log_places, round_ticks
from auger.plots.style import INK, ORANGE, VERMILION, figure
from auger.plots.texts import number, one_line, plain
from auger.plots.thin import incumbents, thinned
from auger.space import Categorical, Float, Int, Ordinal
from auger.types import Array
from auger.view import view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

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
    seen = view(source)
    made = known_history(seen)
    rows = [seen.by_number[int(each)] for each in seen.numbers]
    objectives = np.stack([minimized(rows, sign, place) for place, sign in enumerate(seen.signs)], axis=1)
    y = np.where(np.isnan(objectives).any(axis=1), np.nan, objectives[:, 0] if len(seen.signs) == 1 else made.y)
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(seen)
    places, note = thinned(incumbents(y[usable]), MAX_LINES)
    shown = usable[places]
    share = 100 * (1 - _ranks(y[usable])[places] / max(len(usable) - 1, 1))
    # the best come last: lines are drawn in this order, those with the highest color on top
    order = np.argsort(share, kind="stable")
    names, left_out = most_important(seen, MAX_AXES) if len(made.space) > MAX_AXES else (made.space.names, "")
    dimensions = [_dimension(column(made, name), shown[order]) for name in names]
    values = np.array(seen.signs) * objectives[shown][order]
    dimensions += [_value(each, plain(name, 18)) for each, name in zip(values.T, seen.objectives, strict=True)]
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
    """0 for the lowest; those that are equal share the first of their places."""
    return np.searchsorted(np.sort(y), y).astype(np.float64)


def _dimension(each: Column, shown: Any) -> dict[str, Any]:
    """A parameter as an axis from 0 to 1, with ticks in the user's own values.

    Ticks of this kind of plot are not read as markup, so that they are not escaped; its labels are.
    """
    positions, texts = _ticks(each)
    at = _position(each, each.at[shown])
    absent = np.isnan(at)
    low = 0.0
    if absent.any():
        at = np.where(absent, _BELOW, at)
        positions, texts, low = [_BELOW, *positions], [_ABSENT, *texts], _BELOW
    return {
        "label": plain(each.name, 18),
        "values": at,
        "range": [low, 1.0],
        "tickvals": positions,
        "ticktext": texts,
    }


def _position(each: Column, at: Array) -> Array:
    """Where values stand on an axis from 0 to 1."""
    kind = each.kind
    if isinstance(kind, (Categorical, Ordinal)):
        return at / max(len(kind.choices) - 1, 1)
    assert isinstance(kind, (Float, Int))
    if kind.log:
        start, end = math.log(kind.low), math.log(kind.high)
        return np.asarray((np.log(at) - start) / (end - start))
    # halves: the difference of two finite numbers need not be one
    return np.asarray((at / 2 - kind.low / 2) / (kind.high / 2 - kind.low / 2))


def _ticks(each: Column) -> tuple[list[float], list[str]]:
    kind = each.kind
    if isinstance(kind, (Categorical, Ordinal)):
        places = range(0, len(kind.choices), math.ceil(len(kind.choices) / 20))
        at = _position(each, np.array(places, dtype=np.float64))
        return at.tolist(), [one_line(each.choices[place], 14) for place in places]
    assert isinstance(kind, (Float, Int))
    at = np.array(log_places(kind.low, kind.high)) if kind.log else round_ticks(kind.low, kind.high)
    if isinstance(kind, Int):
        at = np.unique(np.rint(at))
    return _position(each, at).tolist(), [number(float(tick)) for tick in at]


def _value(values: Array, label: str) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    is_log = low > 0 and high > 100 * low
    ticks = np.array(log_places(low, high)) if is_log else round_ticks(low, high)
    places = np.log10 if is_log else np.asarray
    made = {"tickvals": places(ticks), "ticktext": [number(float(tick)) for tick in ticks]}
    ends = {"range": places([low, high])} if low < high else {}
    return {"label": label, "values": places(values), **made, **ends}
