"""How much better than the base rate the classifier forecast, over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import LOOKS, Figure, axis, figure, level, line
from auger.plots.trials import model_looks
from auger.view import view

# A point is over this many forecasts, or over a twentieth of those of a long run, whose shape is what is looked for.
_WINDOW = 50

# The most points of a line.
_MAX_POINTS = 200

# Worse than this is left outside at first: a few wrong forecasts that were certain would flatten all others.
_WORST = -2.0


def skill(source: Any) -> Figure:
    """Draw the skill of each model's latest forecasts over time: 1 is perfect, 0 no better than the base rate.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: too few forecasts can be judged yet.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=40, seed=0)
        >>> [trace.name for trace in skill(result).data]
        ['auto, trees', 'auto, Gaussian process']
    """
    run = view(source)
    card = insight.report_card(run)
    cards = card.by_model()
    window = _WINDOW * max(1, round(card.n / 20 / _WINDOW))
    paths = {name: path for name, own in cards.items() if (path := _path(own, window))}
    if not paths and (whole := _path(card, window)):
        paths = {"all models": whole}
    if not paths:
        raise PlotError(card.note or f"Too few forecasts to judge: {card.n}, and it takes ten.")
    looks = model_looks(run)
    traces = []
    for name, path in paths.items():
        color, symbol = looks.get(name, LOOKS[0])
        step = -(-len(path) // _MAX_POINTS)  # rounded up
        x, y = np.array(path[::-step][::-1]).T  # the last one always
        words = "trial %{x}: %{y:.2f}<extra></extra>"
        look = {"symbol": symbol, "size": 5 if len(x) <= 60 else 1}
        more = {"mode": "lines+markers", "marker": look, "hoverinfo": None, "hovertemplate": words}
        traces.append(line(plain(name), x, y, color, 2, **more))
    lowest = min(y for path in paths.values() for _, y in path)
    outside = "Some of it is far below: double-click to see it." if lowest < _WORST else ""
    return figure(
        traces,
        "Skill of the forecasts over time",
        guide="Above 0: better than the base rate. 1 is perfect.",
        notes=[f"A point is the skill of the latest {window:,} forecasts of a model, or fewer.", outside, card.note],
        xaxis=axis("trial"),
        yaxis=axis("skill", range=[min(-0.25, max(lowest, _WORST)) - 0.05, 1.02]),
        shapes=[level(0, 1.5)],
        showlegend=True,
    )


def _path(card: insight.ReportCard, window: int) -> list[tuple[int, float]]:
    return [(point.number, point.skill) for point in card.over_time(window) if np.isfinite(point.skill)]
