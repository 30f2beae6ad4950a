"""How often trials satisfied the outcome constraints, as the run went on."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import INK, LOOKS, Figure, axis, figure, line
from auger.types import Array, Index
from auger.view import view

#: The most constraints that have a line of their own: those that fewest trials satisfy.
MAX_CONSTRAINTS = 6

# Points of a line: more than there are pixels between two of them.
_MAX_POINTS = 400


def feasibility(source: Any) -> Figure:
    """Draw the share of the latest trials that satisfies each outcome constraint, and all of them.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: no trial has an outcome constraint.

    Example:
        >>> from auger import Optimizer
        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        >>> for trial, limits in zip(optimizer.ask(2), ([2.0, -1.0], [-1.0, -1.0])):
        ...     _ = optimizer.tell(trial, 1.0, constraints=limits)
        >>> [trace.name for trace in feasibility(optimizer).data]
        ['constraint 0', 'constraint 1', 'all']
    """
    run = view(source)
    counts = insight.feasibility(run)
    if not counts.limits:
        raise PlotError("No trial has an outcome constraint." if run.trials else "There is no trial yet.")
    n = len(counts.numbers)
    shown = np.unique(np.linspace(0, n - 1, min(n, _MAX_POINTS)).round().astype(np.intp))
    shares = [limit.n_satisfied / max(limit.n_trials, 1) for limit in counts.limits]
    strictest = sorted(np.argsort(shares, kind="stable")[:MAX_CONSTRAINTS].tolist())
    left_out = len(counts.limits) - len(strictest)
    traces = [
        _line(
            plain(counts.limits[j].name), counts.numbers[shown], counts.shares[shown, j], LOOKS[i][0], 1.5, dash=i > 2
        )
        for i, j in enumerate(strictest)
        if len(counts.limits) > 1
    ]
    traces.append(_line("all", counts.numbers[shown], counts.share[shown], INK, 2.5))
    return figure(
        traces,
        f"Constraints of {plain(run.name, 28)}",
        notes=[
            f"Shares are those of the last {counts.window} trials.",
            f"{left_out} constraints that more trials satisfy are left out." if left_out > 0 else "",
        ],
        height=320,
        xaxis=axis("trial"),
        yaxis=axis("trials that satisfy it", tickformat=".0%", range=[-0.03, 1.03]),
        showlegend=True,
    )


def _line(name: str, numbers: Index, share: Array, color: str, width: float, *, dash: bool = False) -> dict[str, Any]:
    words = f"{name}, up to trial %{{x}}: %{{y:.0%}}<extra></extra>"
    mode = "lines" if len(numbers) > 1 else "markers"
    look = {"dash": "dash"} if dash else {}
    return line(name, numbers, share, color, width, line=look, mode=mode, hoverinfo=None, hovertemplate=words)
