"""How likely an improvement is, and how good such forecasts were so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.style import GRAY, GREEN, INK, STAR, axis, figure, line, points
from auger.plots.texts import percent

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Earlier forecasts that are drawn; the latest ones.
_MAX_PAST = 200


def forecast(source: Any, *, k: int = 20) -> Figure:
    """Draw the chance that one of the next ``k`` trials improves on the best, after the same forecast at earlier times.

    Each earlier forecast shows whether it came true, so that everyone can see what the last one is worth.

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
    found = insight.forecast(source, k=k)
    if math.isnan(found.p):
        raise PlotError(found.note or "There are too few trials to forecast anything.")
    past = found.past[-_MAX_PAST:]
    places = list(range(-len(past), 0))
    traces = [line("", [*places, 0], [*(p for p, _ in past), found.p], GRAY, 1, showlegend=False)]
    for wanted, name, color, symbol in ((True, "improved", GREEN, "circle"), (False, "did not", INK, "x-thin-open")):
        members = [(place, p) for place, (p, improved) in zip(places, past, strict=True) if improved == wanted]
        words = {"hovertemplate": f"%{{y:.0%}}: {name}<extra></extra>"}
        x, y = [place for place, _ in members], [p for _, p in members]
        traces.append(points(f"{name}: {len(members):,}", x, y, {"color": color, "symbol": symbol, "size": 9}, **words))
    traces.append(points("now", [0], [found.p], STAR, hovertemplate="%{y:.0%}<extra></extra>"))
    return figure(
        traces,
        f"One of the next {found.k:,} trials improves: {percent(found.p)}",
        notes=[_record(past), found.note],
        height=320,
        xaxis=axis("earlier forecasts, the latest on the right", showticklabels=False, ticks="", showgrid=False),
        yaxis=axis("chance to improve", range=[-0.05, 1.05], tickformat=".0%"),
        showlegend=True,
    )


def _record(past: Sequence[tuple[float, bool]]) -> str:
    if not past:
        return "No earlier forecast can be judged yet."
    mean = sum(p for p, _ in past) / len(past)
    share = sum(improved for _, improved in past) / len(past)
    which = f"{len(past):,} earlier forecasts" if len(past) > 1 else "The one earlier forecast"
    return f"{which} said {percent(mean)} on average; {percent(share)} came true."
