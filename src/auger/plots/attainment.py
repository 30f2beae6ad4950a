"""How much the front has attained, as the run went on."""

from __future__ import annotations

from typing import Any

from auger import insight, text
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import BLUE, VERMILION, Figure, axis, figure, line, points
from auger.view import view


def attainment(source: Any) -> Figure:
    """Draw the volume that the front dominates after each trial, as a share of that between the best and the worst.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: there is one objective only, or no trial has all values.

    Example:
        >>> from auger import minimize_several
        >>> def objective(config):
        ...     return {"error": config["x"] ** 2, "cost": 1 - config["x"]}
        >>> directions = {"error": "minimize", "cost": "minimize"}
        >>> result = minimize_several(objective, {"x": (0.0, 1.0)}, directions=directions, n_trials=9, seed=0)
        >>> attainment(result).data[0].y[0] < attainment(result).data[0].y[-1]
        True
    """
    run = view(source)
    reached = insight.attainment(run)
    if not len(reached.share):
        raise PlotError(reached.note)
    numbers, share = reached.numbers.tolist(), reached.share.tolist()
    words = "trial %{x}: %{y:.1%}<extra></extra>"
    look = {"color": BLUE, "symbol": "circle", "size": 5}
    names = run.objectives.names
    corners = text.volume(dict(zip(names, reached.best, strict=True)), dict(zip(names, reached.reference, strict=True)))
    return figure(
        [
            line("", [*numbers, run.trials[-1].number], [*share, share[-1]], VERMILION, line={"shape": "hv"}),
            points("trials that moved the front", numbers, share, look, hovertemplate=words),
        ],
        f"Volume attained by {plain(run.name, 28)}",
        notes=[corners],
        height=320,
        xaxis=axis("trial"),
        yaxis=axis("share of the volume", tickformat=".0%", rangemode="tozero"),
        showlegend=False,
    )
