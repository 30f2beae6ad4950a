"""Whether what the classifier called likely was likely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auger.plots.errors import PlotError
from auger.plots.style import BLUE, INK, axis, figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def reliability(source: Any) -> Figure:
    """Draw how often trials were good against how often they were forecast to be.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: no forecast could be judged yet.
    """
    from auger import insight  # noqa: PLC0415

    card = insight.report_card(source)
    bins = card.reliability() if card.n else []
    if not bins:
        raise PlotError(card.note or "No forecast can be judged yet.")
    traces = [
        {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "name": "as forecast", "line": {"color": INK}},
        {
            "type": "scatter",
            "mode": "markers+lines",
            "x": [each.p for each in bins],
            "y": [each.share for each in bins],
            "name": "what happened",
            "marker": {"color": BLUE},
        },
    ]
    return figure(
        traces,
        "Forecast and what happened",
        notes=[card.note],
        xaxis=axis("forecast P(good)", range=[0, 1], tickformat=".0%"),
        yaxis=axis("share that was good", range=[0, 1], tickformat=".0%"),
    )
