"""Who ran what when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auger.insight.view import view
from auger.plots.errors import PlotError
from auger.plots.rows import hover
from auger.plots.style import BLUE, GRAY, ORANGE, PURPLE, SKY, VERMILION, axis, figure
from auger.plots.texts import plain
from auger.plots.thin import thinned

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_COLORS = {"complete": BLUE, "failed": VERMILION, "pruned": GRAY, "running": SKY, "died": ORANGE, "stopped": PURPLE}


def timeline(source: Any) -> Figure:
    """Draw the trials as bars in time, a row a worker.

    Args:
        source: whatever `auger.insight.view` looks at.

    Raises:
        PlotError: nobody knows when the trials ran, as for an Optimizer's own.
    """
    seen = view(source)
    known = [row for row in seen.rows if row.started is not None]
    if not known:
        raise PlotError("Nobody knows when these trials ran." if seen.rows else "There is no trial yet.")
    places, note = thinned(np.zeros(len(known), dtype=bool))
    known = [known[place] for place in places]
    workers = sorted({row.worker for row in known})
    begin = min(row.started for row in known if row.started)
    traces = []
    for state in sorted({row.state for row in known}):
        rows = [row for row in known if row.state == state]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": plain(state),
                "y": [workers.index(row.worker) for row in rows],
                "base": [(row.started - begin).total_seconds() for row in rows if row.started],
                "x": [row.seconds or 0.0 for row in rows],
                "hovertext": [hover(seen, row) for row in rows],
                "hoverinfo": "text",
                "marker": {"color": _COLORS.get(state, GRAY)},
            }
        )
    return figure(
        traces,
        "Trials in time",
        notes=[note],
        xaxis=axis("seconds"),
        yaxis=axis(tickvals=list(range(len(workers))), ticktext=[plain(worker) for worker in workers]),
        barmode="overlay",
    )
