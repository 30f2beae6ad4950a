"""Which parameters matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import BLUE, HATCH, INK, ORANGE, Figure, axis, figure
from auger.plots.trials import objective_index
from auger.types import Array
from auger.view import view

#: The most parameters.
MAX_BARS = 20


def importance(source: Any, *, objective: int | str | None = None) -> Figure:
    """Draw how much each parameter matters to being good, the most important first.

    Two answers side by side, each as a share of its total: what our classifier loses when a parameter's values are
    shuffled, and how much that varies, and Optuna's PED-ANOVA where it applies.

    Args:
        source: whatever `auger.view` looks at.
        objective: by index or name: what matters to this one; None for being good in all of them.

    Raises:
        PlotError: too few trials to tell, or there is no such objective.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0), "y": (0.0, 1.0)}, n_trials=30, seed=0)
        >>> importance(result).layout.yaxis.ticktext[-1]
        'x'
    """
    run = view(source)
    index = None if objective is None else objective_index(run, objective)
    ranking = insight.importance(run, objective=index)
    if not len(ranking.names) or (ranking.note and not np.any(ranking.permutation)):
        raise PlotError(ranking.note or "No parameter is known yet.")
    order = np.argsort(-np.nan_to_num(ranking.permutation), kind="stable")[:MAX_BARS]
    # plotly counts from the bottom
    order = order[::-1]
    shares, errors = (numbers[order] for numbers in _shares(ranking))
    whiskers = {"type": "data", "array": errors, "arrayminus": np.minimum(errors, shares), "color": INK}
    traces = [_bars("permutation", BLUE, shares) | {"error_x": whiskers | {"thickness": 1.5, "width": 3}}]
    highest = float(np.max(shares + errors))
    if ranking.ped_anova is not None:
        others = np.array([ranking.ped_anova.get(ranking.names[i], 0.0) for i in order])
        traces.insert(0, _bars("PED-ANOVA", ORANGE, others, pattern=HATCH))
        highest = max(highest, float(others.max()))
    is_noise = not np.any(ranking.permutation > 2 * ranking.error)
    noise = "By permutation, no parameter stands out of the noise." if is_noise else ""
    left_out = f"{MAX_BARS} of {len(ranking.names):,} parameters shown." if len(ranking.names) > MAX_BARS else ""
    return figure(
        traces,
        "Which parameters matter" + ("" if index is None else f" to {plain(run.objectives.names[index], 24)}"),
        notes=[noise, ranking.note, left_out],
        height=130 + (36 if ranking.ped_anova is not None else 26) * len(order),
        # as far as the longest bar, and to 100 % at most: whiskers of noise can be much longer than any bar
        xaxis=axis(
            "share of the importance", tickformat=".1~%", range=[0, min(1.05 * highest, 1.02) or 1.02], nticks=8
        ),
        yaxis=axis(
            tickvals=list(range(len(order))), ticktext=[plain(ranking.names[i], 24) for i in order], showgrid=False
        ),
        barmode="group",
        bargap=0.3,
        legend_traceorder="reversed",
    )


def _shares(ranking: insight.Importance) -> tuple[Array, Array]:
    """Each parameter's share of the importance by permutation, and its error, shapes (d,).

    A drop below 0 is chance, and no importance. Where there is none at all, no share is known: all are 0.
    """
    drops = np.maximum(np.nan_to_num(ranking.permutation), 0.0)
    total = float(drops.sum())
    return (drops / total, ranking.error / total) if total else (drops, np.zeros(len(drops)))


def _bars(name: str, color: str, x: Array, **marker: Any) -> dict[str, Any]:
    y = list(range(len(x)))
    look = {"color": color, **marker}
    words = f"{name}: %{{x:.1%}}<extra></extra>"
    return {"type": "bar", "orientation": "h", "name": name, "x": x, "y": y, "marker": look, "hovertemplate": words}
