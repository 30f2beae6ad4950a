"""The Pareto front: trials that can be bettered in one objective only by losing in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from auger import pareto
from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import BLUE, GRAY, GREEN, VERMILION, Figure, axis, figure, label, line, points
from auger.plots.thin import thinned
from auger.plots.trials import hovers, nothing_complete, objective_index
from auger.view import View, view

_BEATEN = {"color": GRAY, "symbol": "circle-open", "size": 6}
_ELSEWHERE = {"color": GREEN, "symbol": "square", "size": 7}
_FRONT = {"color": BLUE, "symbol": "diamond", "size": 9}

# The signs of what is minimized, across and up -> where it is better.
_BETTER = {(1.0, 1.0): "↙", (1.0, -1.0): "↖", (-1.0, 1.0): "↘", (-1.0, -1.0): "↗"}


def front(source: Any, objectives: Sequence[int | str] = (0, 1)) -> Figure:
    """Draw two objectives against each other, with the trials that no other beats in both.

    Of more than two objectives, those that no other beats in all of them are shown as well.

    Args:
        source: whatever `auger.view` looks at.
        objectives: the horizontal and the vertical one, by index or name.

    Raises:
        PlotError: there is one objective only, or no trial has all values.

    Example:
        >>> import optuna
        >>> study = optuna.create_study(directions=["minimize", "maximize"])
        >>> study.add_trials([optuna.trial.create_trial(values=values) for values in ([1, 1], [2, 2], [2, 1])])
        >>> front(study).data[-1].name
        'front: 2'
    """
    run = view(source)
    across, up = _pair(run, objectives)
    usable = np.flatnonzero(~np.isnan(run.losses).any(axis=1))
    if not len(usable):
        raise nothing_complete(run)
    losses = run.losses[usable]
    on_front = pareto.front(losses[:, [across, up]])
    elsewhere = pareto.front(losses) & ~on_front  # none with two objectives
    kept, note = thinned(on_front | elsewhere)
    shown = np.zeros(len(usable), dtype=bool)
    shown[kept] = True
    groups = [("beaten", ~on_front & ~elsewhere & shown, _BEATEN), ("front", on_front & shown, _FRONT)]
    if elsewhere.any():
        groups.insert(1, ("unbeaten in all objectives", elsewhere & shown, _ELSEWHERE))
    traces = []
    signs = run.objectives.signs
    x, y = signs[across] * losses[:, across], signs[up] * losses[:, up]
    for name, members, look in groups:
        # along the front, from the best of the first objective on: a stair through what has been reached
        order = np.flatnonzero(members)[np.argsort(losses[members, across], kind="stable")]
        texts = hovers(run, [run.trials[i] for i in usable[order]])
        if name == "front":
            traces.append(line("", x[order], y[order], VERMILION, 1.5, line={"shape": "hv"}, showlegend=False))
        traces.append(points(f"{name}: {len(order):,}", x[order], y[order], look, hovertext=texts, hoverinfo="text"))
    corner = _BETTER[signs[across], signs[up]]
    side: dict[str, Any] = {"x": 0, "xanchor": "left"} if signs[across] > 0 else {"x": 1, "xanchor": "right"}
    edge: dict[str, Any] = {"y": 0, "yanchor": "bottom"} if signs[up] > 0 else {"y": 1, "yanchor": "top"}
    return figure(
        traces,
        f"Front of {plain(run.name, 28)}",
        notes=[note],
        xaxis=axis(_title(run, across)),
        yaxis=axis(_title(run, up)),
        annotations=[label(f"better {corner}", 11, yref="paper", **side, **edge)],
        showlegend=True,
    )


def _pair(view: View, objectives: Any) -> tuple[int, int]:
    if len(view.objectives) < 2:
        raise PlotError("A front needs two objectives. This run has one; `history` draws it.")
    if isinstance(objectives, str) or not isinstance(objectives, Sequence) or len(objectives) != 2:
        raise PlotError(f"`objectives` must be two of this run's. Got {objectives!r}.")
    across, up = (objective_index(view, objective) for objective in objectives)
    if across == up:
        raise PlotError(f"`objectives` must be two different ones. Got {objectives!r}.")
    return across, up


def _title(view: View, objective: int) -> str:
    return f"{plain(view.objectives.names[objective])} ({view.objectives.directions[objective].value})"
