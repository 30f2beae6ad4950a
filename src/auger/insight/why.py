"""Why a trial was tried: who proposed it, what the model expected, and what was known around it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Any

import numpy as np

from auger import text
from auger.errors import AugerError, TrialError
from auger.history import History
from auger.insight.replay import answers_in, fit, labels_of, lasting, recipe_of
from auger.labels import share_of
from auger.recipes import Recipe
from auger.threads import one_thread
from auger.trial import Trial
from auger.types import Array, Index, Mask
from auger.view import View, view

_N_NEAREST = 3


@dataclass(frozen=True)
class Why:
    """Where a trial came from, and what was known before it.

    Attributes:
        number: of the trial.
        model: the one that proposed it; empty where none did.
        score: what the model gave it, on a scale of its own; None where none did.
        reason: model and score, or why no model was asked, in words.
        p: P(good) by the model whose turn it was, from the answers that were in; None where these were too few.
        nearest: (number, distance, value) of the trials known then that were most like it, nearest first. The distance
            is the mean over parameters of how far apart they are, 1 for opposite ends and for different choices; the
            value is None where there is no single one.
        text: all of it in words.
    """

    number: int
    model: str = ""
    score: float | None = None
    reason: str = ""
    p: float | None = None
    nearest: list[tuple[int, float, float | None]] = field(default_factory=list)
    text: str = ""


def why(source: Any, number: int) -> Why:
    """Why the trial of that number was tried.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda c: c["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=12, seed=0)
        >>> why(result, 11).model
        'auto, trees'
        >>> why(result, 0).text
        'Trial 0 was part of the initial design: Sobol point 0: 0 of 5 answers in, no fit yet.'
    """
    run = view(source)
    trial = run.by_number.get(number)
    if trial is None:
        numbers = f"{run.trials[0].number} to {run.trials[-1].number}" if run.trials else "none yet"
        raise TrialError(f"`number` must be that of a trial of this run ({numbers}). Got {number!r}.")
    p, good_share, nearest = _before(run, trial)
    words = text.explanation(
        number, trial.provenance, p=p, good_share=good_share, nearest=nearest, has_values=len(run.objectives) == 1
    )
    return Why(number, trial.model, trial.score, trial.reason, p, nearest, words)


def _before(view: View, trial: Trial) -> tuple[float | None, float, list[tuple[int, float, float | None]]]:
    """P(good), the share that is good, and the nearest trials, from what was known when a trial was proposed."""
    history = view.history
    if history is None:
        return None, 0.0, []
    x, n_answers = _encoded(view, history, trial), _n_answers(view, history, trial)
    among = history.seen_by(n_answers)
    if x is None or not n_answers:
        return None, 0.0, []
    gamma = share_of(lasting(view.recipe).gamma, n_answers)
    recipe = recipe_of(view.recipe, trial, n_answers)
    p = _probability(history, among, recipe, gamma, x) if n_answers >= max(recipe.n_initial, 2) else None
    gaps = distances(history.X[among], x, history.space.is_ordered)
    order = np.argsort(gaps, kind="stable")[:_N_NEAREST]
    numbers = view.numbers[among[order]].tolist()
    return p, gamma, [(n, gap, _value(view, n)) for n, gap in zip(numbers, gaps[order].tolist(), strict=True)]


def _encoded(view: View, history: History, trial: Trial) -> Array | None:
    """The trial's row (d,); None where its configuration is not one of the space."""
    at = np.flatnonzero(view.numbers == trial.number)
    if len(at):
        return np.array(history.X[at[0]])
    try:
        return np.array(history.space.encode([trial.config])[0])
    except AugerError:
        return None


def _n_answers(view: View, history: History, trial: Trial) -> int:
    """How many answers were in when the trial was proposed."""
    positions = np.flatnonzero(view.numbers[np.array(history.finished, dtype=np.intp)] == trial.number)
    if len(positions):
        return int(answers_in(view)[positions[0]])
    if trial.started is None:
        return len(history.finished)
    answered = [view.by_number.get(number) for number in view.numbers[history.finished].tolist()]
    ends = [other.finished or datetime.min for other in answered if other is not None]
    return bisect_right(list(accumulate(ends, max)), trial.started)


def _probability(history: History, among: Index, recipe: Recipe, gamma: float, x: Array) -> float:
    labels = labels_of(history, among, gamma)
    with one_thread():
        return float(fit(history, among, labels, recipe).probability(x[np.newaxis])[0])


def distances(X: Array, x: Array, is_ordered: Mask) -> Array:
    """How far rows (n, d) are from another (d,), 0 to 1, shape (n,): the mean over parameters active in either.

    Positions differ by their distance, choices by 1, and a parameter that is active in one only differs by 1.
    """
    gap = np.where(is_ordered, np.abs(X - x), (x != X).astype(np.float64))
    off, other_off = np.isnan(X), np.isnan(x)
    gap[off != other_off] = 1.0
    counts = ~(off & other_off)
    gap[~counts] = 0.0
    return np.asarray(gap.sum(axis=1) / np.maximum(counts.sum(axis=1), 1))


def _value(view: View, number: int) -> float | None:
    """The value of a complete trial as the user knows it; None with several objectives."""
    values = view.values_of(view.by_number[number])
    return values[0] if len(values) == 1 else None
