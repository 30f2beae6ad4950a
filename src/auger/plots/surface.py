"""How likely each pair of values of two parameters is to be good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auger.insight.view import view
from auger.plots.columns import check_name, known_history, parameter_axis
from auger.plots.errors import PlotError
from auger.plots.style import SCALE, figure
from auger.plots.texts import plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def surface(source: Any, first: str, second: str) -> Figure:
    """Draw the chance of being good over two parameters, with the trials.

    Args:
        source: whatever `auger.insight.view` looks at.
        first: the parameter along the horizontal axis.
        second: the one along the vertical axis.

    Raises:
        PlotError: there is no such parameter, or too few trials to tell.
    """
    from auger import insight  # noqa: PLC0415

    seen = view(source)
    made = known_history(seen)
    for name in (first, second):
        check_name(made, name)
    found = insight.two_slice(seen, first, second)
    if not found.p.size:
        raise PlotError(found.note or "There are too few trials to tell.")
    kinds = [made.space.parameters[name] for name in (first, second)]
    x = list(range(len(found.first_values))) if not hasattr(kinds[0], "low") else list(found.first_values)
    y = list(range(len(found.second_values))) if not hasattr(kinds[1], "low") else list(found.second_values)
    traces = [{"type": "heatmap", "x": x, "y": y, "z": found.p.T.tolist(), "colorscale": SCALE, "zmin": 0}]
    return figure(
        traces,
        f"Chance of being good by {plain(first)} and {plain(second)}",
        notes=[found.note],
        xaxis=parameter_axis(kinds[0], plain(first)),
        yaxis=parameter_axis(kinds[1], plain(second)),
    )
