"""How likely an improvement is, and how good such forecasts were so far."""

from __future__ import annotations

import math
from typing import Any

from auger import insight, text
from auger.plots.errors import PlotError
from auger.plots.style import GRAY, GREEN, INK, STAR, Figure, axis, figure, line, points


def forecast(source: Any, *, k: int = 20) -> Figure:
    """Draw the chance that one of the next ``k`` trials improves on the best, after the same forecast at earlier times.

    Each earlier forecast shows whether it came true: the reader sees what the last one is worth.

    Args:
        source: whatever `auger.view` looks at.
        k: how many trials ahead.

    Raises:
        PlotError: too few trials to forecast anything.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=40, recipe="tpe", seed=0)
        >>> forecast(result).data[-1].name
        'now'
    """
    ahead = insight.forecast(source, k=k)
    if math.isnan(ahead.p):
        raise PlotError(ahead.note or "There are too few trials to forecast anything.")
    times = list(range(-len(ahead.past), 0))
    traces = [line("", [*times, 0], [*(p for p, _ in ahead.past), ahead.p], GRAY, 1, showlegend=False)]
    for wanted, name, color, symbol in ((True, "improved", GREEN, "circle"), (False, "did not", INK, "x-thin-open")):
        members = [(time, p) for time, (p, improved) in zip(times, ahead.past, strict=True) if improved == wanted]
        words = {"hovertemplate": f"%{{y:.0%}}: {name}<extra></extra>"}
        x, y = [time for time, _ in members], [p for _, p in members]
        traces.append(points(f"{name}: {len(members):,}", x, y, {"color": color, "symbol": symbol, "size": 9}, **words))
    traces.append(points("now", [0], [ahead.p], STAR, hovertemplate="%{y:.0%}<extra></extra>"))
    return figure(
        traces,
        text.forecast(ahead.k, ahead.p),
        notes=[ahead.record, ahead.note],
        height=320,
        xaxis=axis("earlier forecasts, the latest on the right", showticklabels=False, ticks="", showgrid=False),
        yaxis=axis("chance to improve", range=[-0.05, 1.05], tickformat=".0%"),
        showlegend=True,
    )
