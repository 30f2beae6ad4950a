"""What trials reported on the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.plots.errors import PlotError
from auger.plots.scale import value_axis
from auger.plots.style import PURPLE, SKY, VERMILION, axis, figure, line
from auger.plots.texts import number, plain
from auger.plots.thin import thinned
from auger.view import Row, view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: More lines cannot be told apart.
MAX_CURVES = 100

# Steps of one line: more than there are pixels between two of them.
_MAX_STEPS = 100

# state -> color and width of its lines; those that ended early fade
_LOOKS = {
    "pruned": ("rgba(136,136,136,0.45)", 1),
    "failed": (PURPLE, 1),
    "running": (SKY, 1.5),
    "complete": ("rgba(0,114,178,0.6)", 1),
}


def curves(source: Any) -> Figure:
    """Draw the values that each trial reported on the way; pruned ones fade, the best stands out.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: no trial reported anything on the way.

    Example:
        >>> import optuna
        >>> study = optuna.create_study()
        >>> steps = [optuna.trial.create_trial(value=2.0, intermediate_values={0: 3.0, 1: 2.0})]
        >>> study.add_trials(steps)
        >>> list(curves(study).data[0].y)
        [3.0, 2.0]
    """
    seen = view(source)
    told = [(row, path) for row in seen.rows if (path := _path(row))]
    if not told:
        raise PlotError("No trial reported values on the way." if seen.rows else "There is no trial yet.")
    is_best = np.array([row is seen.best for row, _ in told])
    places, note = thinned(is_best, MAX_CURVES)
    heights = np.array([value for _, path in told for _, value in path])
    scale, outside = value_axis(heights, seen.signs[0], plain(seen.objectives[0]))
    traces = []
    for state, (color, width) in _LOOKS.items():
        members = [told[place] for place in places if _group(told[place][0]) == state and not is_best[place]]
        n = sum(_group(row) == state for row, _ in told)
        if members:
            traces.append(_lines(f"{state}: {n:,}", members, color, width))
    if is_best.any():
        best = told[int(np.argmax(is_best))]
        traces.append(_lines(f"best: {number(best[0].values[0])} (trial {best[0].number})", [best], VERMILION, 3))
    return figure(traces, "Values on the way", notes=[note, outside], xaxis=axis("step"), yaxis=scale, showlegend=True)


def _path(row: Row) -> list[tuple[float, float]]:
    """Steps and finite values, thinned, the last one always among them."""
    path = [(step, float(value)) for step, value in row.steps.items() if math.isfinite(value)]
    return path[:: -max(1, math.ceil(len(path) / _MAX_STEPS))][::-1]


def _group(row: Row) -> str:
    """Whose looks a trial has."""
    return row.state if row.state in _LOOKS else "failed"


def _lines(
    name: str, members: Sequence[tuple[Row, list[tuple[float, float]]]], color: str, width: float
) -> dict[str, Any]:
    """Many lines as one trace, which is much quicker than many: a gap between any two."""
    x: list[float | None] = []
    y: list[float | None] = []
    whose: list[int | None] = []
    for row, path in members:
        x += [*(step for step, _ in path), None]
        y += [*(value for _, value in path), None]
        whose += [*(row.number for _ in path), None]
    words = {"hoverinfo": None, "hovertemplate": "trial %{customdata}, step %{x}: %{y:.4g}<extra></extra>"}
    # a single report would be a line of no length
    mode = "lines" if all(len(path) > 1 for _, path in members) else "lines+markers"
    return line(name, x[:-1], y[:-1], color, width, customdata=whose[:-1], mode=mode, marker={"size": 4}, **words)
