"""How likely an improvement is, and how good such forecasts were so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auger.plots.errors import PlotError
from auger.plots.style import BLUE, axis, figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def forecast(source: Any) -> Figure:
    """Draw the chance that the next trials improve, beside what became of earlier forecasts.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: too few trials to forecast anything.
    """
    from auger import insight  # noqa: PLC0415

    found = insight.forecast(source)
    if not found.past and not found.p == found.p:
        raise PlotError(found.note or "There are too few trials to forecast anything.")
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [p for p, _ in found.past],
            "y": [float(improved) for _, improved in found.past],
            "marker": {"color": BLUE},
        }
    ]
    return figure(
        traces,
        f"Chance of improving within {found.k} trials: {found.p:.0%}",
        notes=[found.note],
        xaxis=axis("forecast", range=[0, 1], tickformat=".0%"),
        yaxis=axis("improved"),
    )
