"""What drives each objective: a bar per parameter and objective."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import BLUE, GREEN, HATCH, INK, ORANGE, PURPLE, SKY, Figure, axis, figure
from auger.view import view

#: The most parameters.
MAX_PARAMETERS = 12

# Of objectives, with stripes from the second turn on.
_COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY)

# A weaker rank correlation has no arrow.
_TREND = 0.15


def drivers(source: Any) -> Figure:
    """Draw how much each parameter matters to each objective, and which way it works.

    A bar is a share of the importance for being among the best trials of one objective. An arrow says that the value of
    the objective rises (↑) or falls (↓) as the parameter rises.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: too few trials to tell.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0), "y": (0.0, 1.0)}, n_trials=30, seed=0)
        >>> drivers(result).layout.yaxis.ticktext[-1]
        'x'
    """
    run = view(source)
    effects = insight.drivers(run)
    if not effects.share.any():
        raise PlotError(effects.note or "No parameter stands out for any objective.")
    names = effects.names[:MAX_PARAMETERS]
    n, k = len(names), len(effects.objectives)
    places = np.arange(n)[::-1]  # plotly counts from the bottom
    traces = []
    for j in reversed(range(k)):  # plotly draws the first at the bottom
        name = plain(effects.objectives[j], 24)
        marker: dict[str, Any] = {"color": _COLORS[j % len(_COLORS)]}
        if j >= len(_COLORS):
            marker["pattern"] = HATCH
        share, error = effects.share[:n, j], effects.error[:n, j]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "x": share,
                "y": places,
                "marker": marker,
                "error_x": {"type": "data", "array": error, "arrayminus": np.minimum(error, share), "color": INK}
                | {"thickness": 1, "width": 2},
                "customdata": [_arrow(trend, share[i]) for i, trend in enumerate(effects.trend[:n, j].tolist())],
                "hovertemplate": f"{name}: %{{x:.1%}} %{{customdata}}<extra></extra>",
            }
        )
    arrows = [
        {
            "text": _arrow(effects.trend[i, j], effects.share[i, j]),
            "x": float(effects.share[i, j] + effects.error[i, j]),
            "y": float(places[i] + 0.35 - 0.7 * (j + 0.5) / k),
            "xref": "x",
            "yref": "y",
            "xanchor": "left",
            "showarrow": False,
            "font": {"size": 12},
        }
        for i in range(n)
        for j in range(k)
        if _arrow(effects.trend[i, j], effects.share[i, j])
    ]
    left_out = f"{n} of {len(effects.names):,} parameters shown, the most important." if n < len(effects.names) else ""
    highest = float((effects.share + effects.error)[:n].max())
    return figure(
        traces,
        "What drives each objective",
        notes=[effects.note, left_out],
        height=130 + (14 + 14 * k) * n,
        xaxis=axis("share of the importance", tickformat=".1~%", range=[0, min(1.12 * highest, 1.1)], nticks=8),
        yaxis=axis(tickvals=places[::-1].tolist(), ticktext=[plain(name, 24) for name in names[::-1]], showgrid=False)
        | {"range": [-0.6, n - 0.4]},
        annotations=arrows,
        barmode="group",
        bargap=0.3,
        legend_traceorder="reversed",
        showlegend=True,
    )


def _arrow(trend: float, share: float) -> str:
    """Which way a parameter works that matters; empty where it cannot be told."""
    if not share > 0.02 or not abs(trend) > _TREND:
        return ""
    return "↑" if trend > 0 else "↓"
