"""Every trial as a line through all its parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import view
from auger.parameters import Categorical, Float, Int, Ordinal
from auger.plots.columns import Column, column, known_history, short
from auger.plots.rows import minimized, nothing_complete
from auger.plots.style import INK, SCALE, figure
from auger.plots.texts import number, one_line, plain
from auger.plots.thin import incumbents, thinned
from auger.types import Array

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: More lines cannot be told apart, and browsers get slow.
MAX_LINES = 1000

# Where a parameter that a trial does not have stands: below its axis, whose own values are in [0, 1].
_BELOW = -0.12
_ABSENT = "–"


def parallel(source: Any) -> Figure:
    """Draw every trial as a line through its parameters to its value, colored by its rank.

    Drag along an axis to keep only the trials that pass there.

    Args:
        source: whatever `auger.insight.view` looks at.

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
    sign = seen.signs[0]
    y = minimized(rows, sign)
    usable = np.flatnonzero(~np.isnan(y))
    if not len(usable):
        raise nothing_complete(seen)
    places, note = thinned(incumbents(y[usable]), MAX_LINES)
    shown = usable[places]
    share = 100 * (_ranks(y[usable])[places] / max(len(usable) - 1, 1))
    # the worst first: the best lines are drawn on top
    order = np.argsort(-share, kind="stable")
    dimensions = [_dimension(column(made, name), shown[order]) for name in made.space.names]
    values = sign * y[shown][order]
    dimensions.append(_value(values, plain(seen.objectives[0], 28)))
    trace = {
        "type": "parcoords",
        "dimensions": dimensions,
        "labelangle": -25 if len(dimensions) > 5 else 0,
        "line": {
            "color": share[order].tolist(),
            "colorscale": SCALE,
            "reversescale": True,
            "cmin": 0,
            "cmax": 100,
            "colorbar": {"title": {"text": "rank"}, "tickvals": [0, 50, 100], "ticktext": ["best", "half", "worst"]},
        },
        "labelfont": {"color": INK},
        "tickfont": {"color": INK, "size": 10},
        "rangefont": {"color": INK, "size": 10},
    }
    return figure(
        [trace],
        "Trials through their parameters",
        notes=[note],
        height=460,
        margin={"l": 60, "r": 40, "t": 120, "b": 30},
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
        "label": short(each.name),
        "values": at.tolist(),
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
        return np.asarray(np.log(at / kind.low) / math.log(kind.high / kind.low))
    return np.asarray((at - kind.low) / (kind.high - kind.low))


def _ticks(each: Column) -> tuple[list[float], list[str]]:
    kind = each.kind
    if isinstance(kind, (Categorical, Ordinal)):
        places = np.arange(0, len(kind.choices), math.ceil(len(kind.choices) / 20))
        return _position(each, places).tolist(), [one_line(each.choices[place], 14) for place in places]
    assert isinstance(kind, (Float, Int))
    at = _log_ticks(kind.low, kind.high) if kind.log else np.linspace(kind.low, kind.high, 5)
    if isinstance(kind, Int):
        at = np.unique(np.rint(at))
    return _position(each, at).tolist(), [number(float(tick)) for tick in at]


def _log_ticks(low: float, high: float) -> Array:
    """The ends and the powers of ten between them, at most some six of these."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    powers = [10.0**power for power in range(first, last + 1, max(1, math.ceil((last - first) / 6)))]
    if len(powers) < 3:
        return np.geomspace(low, high, 4)
    return np.array(powers)


def _value(values: Array, label: str) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    if low > 0 and high > 100 * low:
        powers = _log_ticks(low, high)
        return {
            "label": label,
            "values": np.log10(values).tolist(),
            "tickvals": np.log10(powers).tolist(),
            "ticktext": [number(float(power)) for power in powers],
        }
    return {"label": label, "values": values.tolist()}
