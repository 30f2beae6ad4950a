"""How much better than the base rate the classifier forecast, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auger.plots.errors import PlotError
from auger.plots.style import LOOKS, axis, figure
from auger.plots.texts import plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def skill(source: Any) -> Figure:
    """Draw the skill of each model's forecasts over time: 1 is perfect, 0 no better than the base rate.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: no forecast could be judged yet.
    """
    from auger import insight  # noqa: PLC0415

    card = insight.report_card(source)
    if not card.n:
        raise PlotError(card.note or "No forecast can be judged yet.")
    traces = []
    for (name, part), (color, symbol) in zip(card.by_model().items(), LOOKS, strict=False):
        points = part.over_time()
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(name),
                "x": [point.number for point in points],
                "y": [point.skill for point in points],
                "line": {"color": color},
                "marker": {"symbol": symbol},
            }
        )
    return figure(traces, "Skill of the forecasts", notes=[card.note], xaxis=axis("trial"), yaxis=axis("skill"))
