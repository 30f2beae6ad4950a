"""What trials reported on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import view
from auger.plots.errors import PlotError
from auger.plots.rows import hover
from auger.plots.style import BLUE, GRAY, axis, figure
from auger.plots.texts import plain
from auger.plots.thin import thinned

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: More lines cannot be told apart.
MAX_CURVES = 200


def curves(source: Any) -> Figure:
    """Draw the values on the way of each trial against the step; pruned ones fade.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: no trial reported anything on the way.
    """
    seen = view(source)
    known = [row for row in seen.rows if row.steps]
    if not known:
        raise PlotError("No trial reported values on the way." if seen.rows else "There is no trial yet.")
    places, note = thinned(np.zeros(len(known), dtype=bool), MAX_CURVES)
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": list(known[place].steps),
            "y": list(known[place].steps.values()),
            "hovertext": hover(seen, known[place]),
            "hoverinfo": "text",
            "line": {"color": GRAY if known[place].state == "pruned" else BLUE, "width": 1},
            "showlegend": False,
        }
        for place in places
    ]
    return figure(traces, "Values on the way", notes=[note], xaxis=axis("step"), yaxis=axis(plain(seen.objectives[0])))
