"""What each trial brought, in the order of their numbers, and the best so far."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from auger.insight.memory import best_settings
from auger.plots.escaping import plain, short_number
from auger.plots.scale import other_axis, value_axis
from auger.plots.style import (
    BLUE,
    EDGE_AXIS,
    GRAY,
    NO_VALUE,
    ORANGE,
    PRUNED,
    PURPLE,
    SKY,
    STAR,
    VERMILION,
    Figure,
    axis,
    figure,
    label,
    level,
    line,
    points,
)
from auger.plots.thin import incumbents, thinned
from auger.plots.trials import (
    best_trial,
    heights,
    hovers,
    model_looks,
    nothing_complete,
    objective_index,
    proposer,
    star_note,
)
from auger.trial import State, Trial
from auger.types import Array, Index
from auger.view import View, view

# group of trials -> color and shape, in the order of the legend; models stand between the two
_BEFORE_MODELS = {
    "initial": (SKY, "circle-open"),
    "given": (PURPLE, "triangle-up"),
    "complete": (BLUE, "circle"),
}
_AFTER_MODELS = {
    "others": (ORANGE, "hexagon"),
    "random": (ORANGE, "diamond"),
    "pruned": (GRAY, "triangle-down-open"),
    "infeasible": (GRAY, "x-thin-open"),
}

# Models that proposed fewer trials than so many others are drawn together as "others".
_MAX_MODELS = 8


def history(source: Any, *, objective: int | str = 0) -> Figure:
    """Draw the value of each trial against its number, with the best so far.

    Colors and shapes tell who proposed a trial. A trial that breaks an outcome constraint is a cross. A pruned trial
    stands at its last intermediate value where that lies among the values of the others, and on the worse edge
    otherwise, like the ticks of trials without a value.

    Args:
        source: whatever `auger.view` looks at.
        objective: which one, by its index or name.

    Raises:
        PlotError: no trial has a finite value.

    Example:
        >>> from auger import minimize
        >>> figure = history(minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0))
        >>> [trace.name for trace in figure.data][:2]
        ['initial', 'auto, Gaussian process']
    """
    run = view(source)
    index = objective_index(run, objective)
    sign = run.objectives.signs[index]
    losses, at = run.losses[:, index], heights(run, index)
    drawn = at[~np.isnan(at)]
    if not len(drawn):
        raise nothing_complete(run)
    is_incumbent = incumbents(losses)
    shown, note = thinned(is_incumbent)
    title = plain(run.objectives.names[index])
    scale, outside = value_axis(drawn, sign, title)
    other = other_axis(drawn, sign, title)
    if outside and other is not None:
        outside = f"On the linear scale, {outside}"
    traces = _points(run, shown, at) + _on_the_edge(run, shown, at, sign)
    if is_incumbent.any():
        traces += _best_so_far(run, index, shown[is_incumbent[shown]])
    return figure(
        traces,
        f"Values of {plain(run.name, 28)}",
        notes=[note, outside, star_note(run)],
        other_scale=None if other is None else _on_scale(run, index, other),
        xaxis=axis("trial"),
        yaxis2=EDGE_AXIS,
        **_on_scale(run, index, scale),
    )


def _on_scale(view: View, objective: int, scale: dict[str, Any]) -> dict[str, Any]:
    """The parts of the layout that depend on the scale of the values: the axis, and a line at the baseline.

    There is no line with a single value.
    """
    best = best_settings(view)
    baseline = view.baseline if best is None or best.baseline is None else best.baseline  # with what to expect of it
    if baseline is None or np.count_nonzero(~np.isnan(view.losses)) < 2:
        return {"yaxis": scale}
    several = len(view.objectives) > 1
    height = view.values_of(view.by_number[baseline.number])[objective] if several else baseline.value
    words = f"{plain(baseline.name.removeprefix('the '))}: {short_number(height)}"
    y = math.log10(height) if scale.get("type") == "log" else height
    words_at = label(words, 10, x=1, xanchor="right", y=y, yanchor="bottom")
    return {"yaxis": scale, "shapes": [level(height)], "annotations": [words_at]}


def _group(trial: Trial) -> str:
    if trial.state is State.PRUNED:
        return "pruned"
    return (proposer(trial) or "complete") if trial.is_feasible else "infeasible"


def _points(view: View, shown: Index, at: Array) -> list[dict[str, Any]]:
    indices = shown[~np.isnan(at[shown])].tolist()
    groups: dict[str, list[int]] = {}
    for i in indices:
        groups.setdefault(_group(view.trials[i]), []).append(i)
    models = Counter({name: len(groups[name]) for name in model_looks(view) if name in groups})
    for name in models.keys() - dict(models.most_common(_MAX_MODELS)).keys():
        groups["others"] = sorted(groups.get("others", []) + groups.pop(name))
    traces = []
    for name, (color, symbol) in (_BEFORE_MODELS | model_looks(view) | _AFTER_MODELS).items():
        members = groups.get(name, [])
        if members:
            trials = [view.trials[i] for i in members]
            look = {"color": color, "symbol": symbol, "size": 7, "opacity": 0.9}
            more = {"hovertext": hovers(view, trials), "hoverinfo": "text", "legendgroup": plain(name)}
            traces.append(points(plain(name), [trial.number for trial in trials], at[members], look, **more))
    return traces


def _on_the_edge(view: View, shown: Index, at: Array, sign: float) -> list[dict[str, Any]]:
    """Finished trials without a height, where the worse values are, on an axis of its own: failed, pruned, infinite."""
    is_bare = np.isnan(at)
    bare = [view.trials[i] for i in shown[is_bare[shown]] if view.trials[i].is_finished]
    has_pruned = any(view.trials[i].state is State.PRUNED for i in shown[~is_bare[shown]])  # in the legend already
    traces = []
    for name, is_pruned, look in (("pruned", True, PRUNED), ("no value", False, NO_VALUE)):
        trials = [trial for trial in bare if (trial.state is State.PRUNED) == is_pruned]
        if trials:
            edge = [0.98 if sign > 0 else 0.02] * len(trials)  # a marker's half inside
            words = {"hovertext": hovers(view, trials), "hoverinfo": "text"}
            entry = {"legendgroup": name, "showlegend": not (is_pruned and has_pruned)}
            numbers = [trial.number for trial in trials]
            traces.append(points(name, numbers, edge, look, yaxis="y2", **words, **entry))
    return traces


def _best_so_far(view: View, objective: int, steps: Index) -> list[dict[str, Any]]:
    """A stair from incumbent to incumbent, on to the last trial; and a star."""
    x = [view.trials[step].number for step in steps]
    y = (view.objectives.signs[objective] * view.losses[steps, objective]).tolist()
    traces = [line("best so far", [*x, view.trials[-1].number], [*y, y[-1]], VERMILION, line={"shape": "hv"})]
    best = best_trial(view, objective)
    if best is not None and math.isfinite(value := view.values_of(best)[objective]):
        words = f"best: {short_number(value)} (trial {best.number})"
        traces.append(points(words, [best.number], [value], STAR, hoverinfo="skip"))
    return traces
