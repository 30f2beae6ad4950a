"""How likely each value of one parameter is to be good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auger.insight.view import view
from auger.plots.columns import check_name, known_history, parameter_axis
from auger.plots.errors import PlotError
from auger.plots.style import BLUE, axis, figure
from auger.plots.texts import plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def slice_of_good(source: Any, name: str) -> Figure:
    """Draw the chance of being good along one parameter, the others as they were tried.

    Args:
        source: whatever `auger.insight.view` looks at.
        name: of the parameter.

    Raises:
        PlotError: there is no such parameter, or too few trials to tell.
    """
    from auger import insight  # noqa: PLC0415

    seen = view(source)
    made = known_history(seen)
    check_name(made, name)
    found = insight.one_slice(seen, name)
    if not len(found.p):
        raise PlotError(found.note or "There are too few trials to tell.")
    kind = made.space.parameters[name]
    x = list(range(len(found.values))) if not hasattr(kind, "low") else list(found.values)
    traces = [{"type": "scatter", "mode": "lines+markers", "x": x, "y": found.p.tolist(), "line": {"color": BLUE}}]
    return figure(
        traces,
        f"Chance of being good by {plain(name)}",
        notes=[found.note],
        xaxis=parameter_axis(kind, plain(name)),
        yaxis=axis("P(good)", range=[0, 1], tickformat=".0%"),
    )
