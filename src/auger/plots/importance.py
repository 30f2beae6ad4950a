"""Which parameters matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auger.plots.errors import PlotError
from auger.plots.style import BLUE, ORANGE, axis, figure
from auger.plots.texts import plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: The most bars.
MAX_BARS = 20


def importance(source: Any) -> Figure:
    """Draw how much each parameter matters to what is good, the most important first.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: too few trials to tell.
    """
    from auger import insight  # noqa: PLC0415

    found = insight.importance(source)
    if not len(found.names):
        raise PlotError(found.note or "No parameter is known yet.")
    order = np.argsort(-np.nan_to_num(found.permutation), kind="stable")[:MAX_BARS][::-1]
    names = [plain(found.names[place], 24) for place in order]
    places = list(range(len(order)))
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": "permutation",
            "y": places,
            "x": [float(found.permutation[place]) for place in order],
            "error_x": {"array": [float(found.error[place]) for place in order], "color": ORANGE, "thickness": 1.5},
            "marker": {"color": BLUE},
            "hoverinfo": "x",
        }
    ]
    left_out = f"{MAX_BARS} of {len(found.names)} parameters shown." if len(found.names) > MAX_BARS else ""
    return figure(
        traces,
        "Which parameters matter",
        notes=[found.note, left_out],
        height=120 + 34 * len(order),
        xaxis=axis("importance"),
        yaxis=axis(tickvals=places, ticktext=names, showgrid=False),
        barmode="group",
    )
