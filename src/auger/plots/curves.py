"""Intermediate values of trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from auger.plots.errors import PlotError
from auger.plots.escaping import plain, short_number
from auger.plots.scale import value_axis
from auger.plots.style import PURPLE, SKY, VERMILION, Figure, axis, figure, line
from auger.plots.thin import thinned
from auger.plots.trials import best_trial, objective_index
from auger.trial import State, Trial
from auger.view import View, view

#: More lines cannot be told apart.
MAX_CURVES = 100

# Steps of one line: more than there are pixels between two of them.
_MAX_STEPS = 100

# state -> color and width of its lines; those that ended early fade
_LOOKS = {
    State.PRUNED: ("rgba(136,136,136,0.45)", 1),
    State.FAILED: (PURPLE, 1),
    State.RUNNING: (SKY, 1.5),
    State.COMPLETE: ("rgba(0,114,178,0.6)", 1),
}

_Curve = tuple[Trial, list[tuple[float, float]]]


def curves(source: Any, *, objective: int | str = 0) -> Figure:
    """Draw the intermediate values of each trial; pruned trials fade, the best stands out.

    Args:
        source: whatever `auger.view` looks at.
        objective: which one, by its index or name.

    Raises:
        PlotError: no trial reported an intermediate value.

    Example:
        >>> import optuna
        >>> study = optuna.create_study()
        >>> steps = [optuna.trial.create_trial(value=2.0, intermediate_values={0: 3.0, 1: 2.0})]
        >>> study.add_trials(steps)
        >>> list(curves(study).data[0].y)
        [3.0, 2.0]
    """
    run = view(source)
    index = objective_index(run, objective)
    reported = [(trial, path) for trial in run.trials if (path := _path(run, trial, index))]
    if not reported:
        raise PlotError("No trial reported intermediate values." if run.trials else "There is no trial yet.")
    best = best_trial(run, index)
    is_best = np.array([trial is best for trial, _ in reported])
    shown, note = thinned(is_best, MAX_CURVES)
    heights = np.array([value for _, path in reported for _, value in path])
    scale, outside = value_axis(heights, run.objectives.signs[index], plain(run.objectives.names[index]))
    traces = []
    for state, (color, width) in _LOOKS.items():
        members = [reported[i] for i in shown if _group(reported[i][0]) is state and not is_best[i]]
        n = sum(_group(trial) is state for trial, _ in reported)
        if members:
            traces.append(_lines(f"{state.value}: {n:,}", members, color, width))
    if best is not None and is_best.any():
        words = f"best: {short_number(run.values_of(best)[index])} (trial {best.number})"
        traces.append(_lines(words, [reported[int(np.argmax(is_best))]], VERMILION, 3))
    notes = [note, outside]
    return figure(traces, "Intermediate values", notes=notes, xaxis=axis("step"), yaxis=scale, showlegend=True)


def _path(view: View, trial: Trial, objective: int) -> list[tuple[float, float]]:
    """Steps and finite values in the user's own sign, thinned, the last one always among them."""
    sign, column = view.objectives.signs[objective], 1 + objective
    reported = [(row[0], row[column]) for row in trial.intermediate_values if len(row) > column]
    path = [(step, sign * value) for step, value in reported if math.isfinite(value)]
    return path[:: -max(1, math.ceil(len(path) / _MAX_STEPS))][::-1]


def _group(trial: Trial) -> State:
    """The state whose looks a trial has."""
    return trial.state if trial.state in _LOOKS else State.FAILED


def _lines(name: str, members: Sequence[_Curve], color: str, width: float) -> dict[str, Any]:
    """Many lines as one trace, which is much quicker than many: a gap between any two."""
    x: list[float | None] = []
    y: list[float | None] = []
    numbers: list[int | None] = []
    for trial, path in members:
        x += [*(step for step, _ in path), None]
        y += [*(value for _, value in path), None]
        numbers += [*(trial.number for _ in path), None]
    words = {"hoverinfo": None, "hovertemplate": "trial %{customdata}, step %{x}: %{y:.4g}<extra></extra>"}
    # a single report would be a line of no length
    mode = "lines" if all(len(path) > 1 for _, path in members) else "lines+markers"
    return line(name, x[:-1], y[:-1], color, width, customdata=numbers[:-1], mode=mode, marker={"size": 4}, **words)
