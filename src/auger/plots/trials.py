"""The trials of a run as figures show them: their losses, the best, who proposed them, and hover texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from auger.errors import ObjectiveError
from auger.insight.memory import best_settings
from auger.plots.errors import PlotError
from auger.plots.escaping import MAX_HOVER, config, lines, plain, short_number
from auger.plots.style import LOOKS
from auger.provenance import Origin
from auger.recipes import Turns
from auger.trial import State, Trial
from auger.types import Array, Index
from auger.view import View, index_of

# A figure of more trials than this says less of each, or the texts would be most of a page's size.
_FEW = 500
_SHORT_HOVER = 64


def objective_index(view: View, objective: Any) -> int:
    """The index of an objective that was passed as index or name."""
    try:
        return index_of(view, objective)
    except ObjectiveError as error:
        raise PlotError(str(error)) from None


def learned_losses(view: View) -> Array:
    """`View.losses` of the trials that can be learned from, in the order of the history, shape (n, k)."""
    return view.losses[learned_indices(view)]


def learned_indices(view: View) -> Index:
    """Where the trials that can be learned from stand among all, in the order of the history, shape (n,)."""
    return np.searchsorted([trial.number for trial in view.trials], view.numbers)


def heights(view: View, objective: int = 0) -> Array:
    """Where each trial stands in a figure of values, in the user's own sign, shape (n,); NaN for trials on the edge.

    A pruned trial stands at its last intermediate value where that lies among the values of the complete ones: after
    fewer steps it can be far from all others, and would flatten them.
    """
    complete = _finite(
        [trial.values[objective] if trial.state is State.COMPLETE else math.nan for trial in view.trials]
    )
    pruned = _finite(
        [last_value(trial, objective) if trial.state is State.PRUNED else math.nan for trial in view.trials]
    )
    low, high = (-math.inf, math.inf) if np.isnan(complete).all() else (np.nanmin(complete), np.nanmax(complete))
    return view.objectives.signs[objective] * np.where((pruned >= low) & (pruned <= high), pruned, complete)


def _finite(values: list[float]) -> Array:
    numbers = np.array(values, dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def last_value(trial: Trial, objective: int = 0) -> float:
    """The last intermediate value of a trial, minimized; NaN where it has none of that objective."""
    last = trial.intermediate_values[-1] if trial.intermediate_values else ()
    return last[1 + objective] if len(last) > 1 + objective else math.nan


def best_trial(view: View, objective: int = 0) -> Trial | None:
    """The trial with the star: the one whose settings to use or, with several objectives, the best in one of them."""
    if len(view.objectives) == 1:
        best = best_settings(view)
        return None if best is None else view.by_number[best.number]
    losses = view.losses[:, objective]
    return None if np.isnan(losses).all() else view.trials[int(np.nanargmin(losses))]


def star_note(view: View) -> str:
    """Why the star is not at the best value; empty where it is."""
    best = best_trial(view)
    if best is None or view.best is None or best.number == view.best.number:
        return ""
    return "Values are noisy: the star is the trial with the best expected value."


def proposer(trial: Trial) -> str:
    """The model that proposed a trial, or the origin; empty for a trial of another program."""
    return trial.model or ("" if trial.origin is Origin.OTHER else trial.origin.value)


def model_looks(view: View) -> dict[str, tuple[str, str]]:
    """Color and shape of each model: those of the recipe in their order, then others as they appear."""
    recipes = view.recipe.recipes if isinstance(view.recipe, Turns) else (view.recipe,)
    names = [recipe.name for recipe in recipes] + [trial.model for trial in view.trials if trial.model]
    return {name: LOOKS[i % len(LOOKS)] for i, name in enumerate(dict.fromkeys(names))}


def hovers(view: View, trials: Sequence[Trial]) -> list[str]:
    """What is said of each trial when it is pointed at, escaped; less of each where there are many."""
    limit = MAX_HOVER if len(view.trials) <= _FEW else _SHORT_HOVER
    return [_hover(view, trial, limit) for trial in trials]


def _hover(view: View, trial: Trial, limit: int) -> str:
    values = zip(view.objectives.names, view.values_of(trial), strict=False)
    reason = trial.reason or proposer(trial)
    parts = [
        f"<b>trial {trial.number}</b>{'' if trial.state is State.COMPLETE else f', {trial.state.value}'}",
        *(f"{plain(name)}: {short_number(value)}" for name, value in values),
        "" if trial.is_feasible else "breaks an outcome constraint",
        config(trial.config.items(), limit),
        f"<i>{lines(reason, limit)}</i>" if reason else "",
        lines(trial.error or "", limit),
    ]
    return "<br>".join(filter(None, parts))


def nothing_complete(view: View) -> PlotError:
    """Why there is nothing to draw, in words."""
    n = len(view.trials)
    if not n:
        return PlotError("There is no trial yet.")
    if not any(trial.is_finished for trial in view.trials):
        return PlotError("No trial is complete yet.")
    if view.complete:
        return PlotError(f"No value can be drawn: none of {n:,} trials has a finite one.")
    states = sorted({trial.state.value for trial in view.trials})
    return PlotError(f"No trial is complete: {n:,} so far, {' or '.join(states)}.")
