"""The Pareto front: trials that can be bettered in one objective only by losing in another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from auger import insight, pareto, text
from auger.errors import ObjectiveError
from auger.insight.front import TradeOff, pair_of
from auger.plots.errors import PlotError
from auger.plots.escaping import escaped, one_line, plain
from auger.plots.scale import value_axis
from auger.plots.style import (
    BLUE,
    GRAY,
    GREEN,
    INK,
    ORANGE,
    STAR,
    VERMILION,
    Figure,
    figure,
    label,
    line,
    points,
)
from auger.plots.thin import thinned
from auger.plots.trials import hovers, nothing_complete
from auger.trial import State
from auger.types import Array, Index
from auger.view import View, view

_INFEASIBLE = {"color": GRAY, "symbol": "x-thin-open", "size": 6, "opacity": 0.45}
_BEATEN = {"color": GRAY, "symbol": "circle-open", "size": 5, "opacity": 0.6}
_ELSEWHERE = {"color": GREEN, "symbol": "square", "size": 7}
_FRONT = {"color": BLUE, "symbol": "diamond", "size": 9}

# Of the third objective, from worst to best: told apart on white and on black, and with any kind of color vision.
_COLORS = [[0.0, ORANGE], [0.5, "#A3A3A3"], [1.0, BLUE]]

# Pixels above the axes: for the word where it is better; and for a scale of colors.
_WORD, _SCALE = 16, 50

# Points of trials that are not on the front: of two kinds.
_MAX_FAINT = 1200

# Steps along the front that the figure words.
_STEPS = 3

# The signs of what is minimized, across and up -> where it is better.
_BETTER = {(1.0, 1.0): "↙", (1.0, -1.0): "↖", (-1.0, 1.0): "↘", (-1.0, -1.0): "↗"}


def front(source: Any, objectives: Sequence[int | str] = (0, 1)) -> Figure:
    """Draw two objectives against each other, with the trials that no other beats in both, and what a step costs.

    Of more than two objectives, those that no other beats in all of them are shown as well; with three, their color is
    the third objective. The star is the trial to use where all objectives count alike. Trials that break an outcome
    constraint are faint crosses.

    Args:
        source: whatever `auger.view` looks at.
        objectives: the horizontal and the vertical one, by index or name.

    Raises:
        PlotError: there is one objective only, or no trial has all values.

    Example:
        >>> import optuna
        >>> study = optuna.create_study(directions=["minimize", "maximize"])
        >>> study.add_trials([optuna.trial.create_trial(values=values) for values in ([1, 1], [2, 2], [2, 1])])
        >>> [trace.name for trace in front(study).data if trace.name]
        ['beaten: 1', 'front: 2', 'compromise: trial 0']
    """
    run = view(source)
    across, up = _pair(run, objectives)
    usable = np.flatnonzero(~np.isnan(run.losses).any(axis=1))
    if not len(usable):
        raise nothing_complete(run)
    losses = run.losses[usable]
    on_front = pareto.front(losses[:, [across, up]])
    elsewhere = pareto.front(losses) & ~on_front  # none with two objectives
    kept, note = thinned(on_front | elsewhere, _MAX_FAINT + int(np.count_nonzero(on_front | elsewhere)))
    shown = np.zeros(len(usable), dtype=bool)
    shown[kept] = True
    signs = run.objectives.signs
    x, y = signs[across] * losses[:, across], signs[up] * losses[:, up]
    infeasible = _infeasible(run, across, up)
    steps = insight.trade_offs(run, (across, up))
    third = ({0, 1, 2} - {across, up}).pop() if len(run.objectives) == 3 else None

    def marks(name: str, members: Index, look: Mapping[str, Any], texts: Sequence[str]) -> list[dict[str, Any]]:
        words = {"hovertext": texts, "hoverinfo": "text"}
        if third is None:
            return [points(name, x[members], y[members], look, **words)]
        # in the legend, marks of a scale would be black
        color = {"color": signs[third] * losses[members, third], "coloraxis": "coloraxis"}
        colored = points(name, x[members], y[members], {**look, **color}, showlegend=False, legendgroup=name, **words)
        listed = points(name, [None], [None], {**look, "color": INK}, legendgroup=name)
        return [listed, colored]

    faint = np.flatnonzero(~on_front & ~elsewhere & shown)
    traces = [_faint("infeasible", infeasible, _INFEASIBLE, run)] if len(infeasible[0]) else []
    traces.append(_faint("beaten", (usable[faint], x[faint], y[faint]), _BEATEN, run))
    if elsewhere.any():
        members = np.flatnonzero(elsewhere)
        texts = hovers(run, [run.trials[i] for i in usable[members]])
        traces += marks(f"unbeaten in all: {len(members):,}", members, _ELSEWHERE, texts)
    # along the front, from the best of the first objective on: a stair through what has been reached
    members = np.flatnonzero(on_front)[np.lexsort((losses[on_front, up], losses[on_front, across]))]
    texts = _with_steps(run, hovers(run, [run.trials[i] for i in usable[members]]), usable[members], steps, across, up)
    traces.append(line("", x[members], y[members], VERMILION, 1.5, line={"shape": "hv"}, showlegend=False))
    traces += marks(f"front: {len(members):,}", members, _FRONT, texts)
    traces += _compromise(run, across, up)
    drawn = [np.concatenate([feasible, more]) for feasible, more in zip((x, y), infeasible[1:], strict=True)]
    x_scale, right = value_axis(drawn[0], signs[across], _title(run, across), ("right of", "left of"))
    y_scale, above = value_axis(drawn[1], signs[up], _title(run, up))
    corner = _BETTER[signs[across], signs[up]]
    side: dict[str, Any] = {"x": 0, "xanchor": "left"} if signs[across] > 0 else {"x": 1, "xanchor": "right"}
    few = insight.trade_offs(run, (across, up), most=_STEPS)
    more: dict[str, Any] = {} if third is None else {"coloraxis": _colors(run, third, signs[across] < 0)}
    return figure(
        traces,
        f"Front of {plain(run.name, 28)}",
        notes=[*_sentences(run, few, across, up), note, right, above],
        xaxis=x_scale,
        yaxis=y_scale,
        annotations=[
            label(f"better {corner}", 11, yref="paper", y=1, yanchor="bottom", **side),
            *_numbers(run, few, (across, up), (x_scale, y_scale)),
        ],
        above=_WORD if third is None else _SCALE,
        showlegend=True,
        **more,
    )


def _pair(view: View, objectives: Any) -> tuple[int, int]:
    if len(view.objectives) < 2:
        raise PlotError("A front needs two objectives. This run has one; `history` draws it.")
    try:
        return pair_of(view, objectives)
    except ObjectiveError as error:
        raise PlotError(str(error)) from None


def _title(view: View, objective: int) -> str:
    return f"{plain(view.objectives.names[objective])} ({view.objectives.directions[objective].value})"


def _infeasible(view: View, across: int, up: int) -> tuple[Index, Array, Array]:
    """Positions and values of trials that break a constraint, of many some."""
    rows = [
        (i, *view.values_of(trial))
        for i, trial in enumerate(view.trials)
        if trial.state is State.COMPLETE and not trial.is_feasible and np.isfinite(trial.values).all()
    ]
    table = np.array(rows[:: max(1, -(-len(rows) // (_MAX_FAINT // 2)))]).reshape(-1, 1 + len(view.objectives))
    return table[:, 0].astype(np.intp), table[:, 1 + across], table[:, 1 + up]


def _faint(name: str, members: tuple[Index, Array, Array], look: Mapping[str, Any], view: View) -> dict[str, Any]:
    """Trials that say their number and little else."""
    positions, x, y = members
    n = sum(_is_infeasible(trial) for trial in view.trials) if name == "infeasible" else None
    words = f"trial %{{customdata}}: %{{x:.4g}}, %{{y:.4g}}<br>{name}<extra></extra>"
    numbers = [view.trials[i].number for i in positions.tolist()]
    counted = f"{name}: {len(numbers) if n is None else n:,}"
    return points(counted, x, y, look, customdata=numbers, hovertemplate=words)


def _with_steps(
    view: View, texts: Sequence[str], positions: Index, steps: Sequence[TradeOff], across: int, up: int
) -> list[str]:
    """Hovers of trials on the front, with what the step to the next costs and buys."""
    after = {step.first: step for step in steps}
    shown = []
    for words, position in zip(texts, positions.tolist(), strict=True):
        step = after.get(view.trials[position].number)
        if step is None:
            shown.append(words)
        else:
            shown.append(f"{words}<br>to trial {step.second}: {escaped(_traded(view, step, across, up))}")
    return shown


def _traded(view: View, step: TradeOff, across: int, up: int) -> str:
    names, directions = view.objectives.names, view.objectives.directions
    return text.traded(
        step.loss, step.gain, one_line(names[across]), one_line(names[up]), (directions[across], directions[up])
    )


def _sentences(view: View, steps: Sequence[TradeOff], across: int, up: int) -> list[str]:
    """What a unit costs along the front, from one of the numbered trials to the next."""
    return [f"From trial {step.first} to {step.second}, {_traded(view, step, across, up)}." for step in steps]


def _numbers(
    view: View, steps: Sequence[TradeOff], objectives: tuple[int, int], scales: tuple[Mapping[str, Any], ...]
) -> list[dict[str, Any]]:
    """The numbers of the trials that the sentences name, on the side where no trial is."""
    signs = [view.objectives.signs[objective] for objective in objectives]
    look = {
        "xref": "x",
        "yref": "y",
        "xanchor": "right" if signs[0] > 0 else "left",
        "yanchor": "top" if signs[1] > 0 else "bottom",
        "xshift": -4 * signs[0],
        "yshift": -3 * signs[1],
    }
    labels = []
    for number in dict.fromkeys(number for step in steps for number in (step.first, step.second)):
        values = view.values_of(view.by_number[number])
        x, y = (
            math.log10(values[objective]) if scale.get("type") == "log" else values[objective]
            for objective, scale in zip(objectives, scales, strict=True)
        )
        labels.append(label(str(number), 10, x=x, y=y) | look)
    return labels


def _compromise(view: View, across: int, up: int) -> list[dict[str, Any]]:
    chosen = insight.front(view).compromise
    if chosen is None:
        return []
    values = view.values_of(view.by_number[chosen])
    return [points(f"compromise: trial {chosen}", [values[across]], [values[up]], STAR, hoverinfo="skip")]


def _is_infeasible(trial: Any) -> bool:
    return trial.state is State.COMPLETE and not trial.is_feasible and bool(np.isfinite(trial.values).all())


def _colors(view: View, objective: int, is_left: bool) -> dict[str, Any]:
    """The scale of the third objective, above the axes, on the left or on the right."""
    return {
        "colorscale": _COLORS,
        "reversescale": view.objectives.signs[objective] > 0,
        "colorbar": {
            "title": {"text": _title(view, objective), "side": "top"},
            "orientation": "h",
            "x": 0 if is_left else 1,
            "xanchor": "left" if is_left else "right",
            "y": 1,
            "yanchor": "bottom",
            "len": 0.65,
            "thickness": 8,
            "outlinewidth": 0,
            "nticks": 4,
            "tickangle": 0,
            "ypad": 2,
        },
    }
