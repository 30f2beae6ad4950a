"""Why a trial was tried: who proposed it, what the model expected, and what was known around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from auger.errors import AugerError, TrialError
from auger.history import History
from auger.insight.replay import answers_in, fit, lasting
from auger.labels import label, share_of
from auger.recipes import Recipe
from auger.threads import one_thread
from auger.types import Array, Index, Mask
from auger.view import Row, View, view

_N_NEAREST = 3


@dataclass(frozen=True)
class Why:
    """Where a trial came from, and what was known before it.

    Attributes:
        number: of the trial.
        model: the one that proposed it; empty where none did.
        score: what the model gave it, on a scale of its own; None where none did.
        reason: as it was recorded when the trial was proposed.
        p: P(good) as the model whose turn it was would have put it, from the answers that were in; None where these
            were too few.
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
        'Trial 0 was part of the start: Sobol point 0: 0 of 10 answers in, no fit yet.'
    """
    seen = view(source)
    row = seen.by_number.get(number)
    if row is None:
        known = f"{seen.rows[0].number} to {seen.rows[-1].number}" if seen.rows else "of which there is none yet"
        raise TrialError(f"The trial must be one of the run's, {known}. Got {number!r}.")
    found = re.search(r": score (\S+) from", row.reason) if row.model else None
    score = float(found[1]) if found else None
    p, good_share, nearest = _before(seen, row)
    return Why(number, row.model, score, row.reason, p, nearest, _text(row, p, good_share, nearest))


def _before(seen: View, row: Row) -> tuple[float | None, float, list[tuple[int, float, float | None]]]:
    """P(good), the share that is good, and the nearest trials, from what was known when a trial was proposed."""
    history = seen.history
    if history is None:
        return None, 0.0, []
    x, n_answers = _encoded(seen, history, row), _n_answers(seen, history, row)
    among = history.seen_by(n_answers)
    if x is None or not n_answers:
        return None, 0.0, []
    gamma = share_of(lasting(seen.recipe).gamma, n_answers)
    recipe = seen.recipe.at(row.number, n_answers)
    p = _probability(history, among, recipe, gamma, x) if n_answers >= max(recipe.n_initial, 2) else None
    gaps = distances(history.X[among], x, history.space.is_ordered)
    order = np.argsort(gaps, kind="stable")[:_N_NEAREST]
    numbers = seen.numbers[among[order]].tolist()
    pairs = zip(numbers, gaps[order].tolist(), strict=True)
    return p, gamma, [(each, gap, _value(seen, each)) for each, gap in pairs]


def _encoded(seen: View, history: History, row: Row) -> Array | None:
    """The trial's row (d,); None where its configuration is not one of the space."""
    at = np.flatnonzero(seen.numbers == row.number)
    if len(at):
        return np.array(history.X[at[0]])
    try:
        return np.array(history.space.encode([row.config])[0])
    except AugerError:
        return None


def _n_answers(seen: View, history: History, row: Row) -> int:
    """How many answers were in when the trial was proposed."""
    places = np.flatnonzero(seen.numbers[np.array(history.finished, dtype=np.intp)] == row.number)
    if len(places):
        return int(answers_in(seen)[places[0]])
    if row.started is None:
        return len(history.finished)
    rows = [seen.by_number.get(number) for number in seen.numbers[history.finished].tolist()]
    ends = [each.finished for each in rows if each is not None and each.finished is not None]
    return bisect_right(list(accumulate(ends, max)), row.started)


def _probability(history: History, among: Index, recipe: Recipe, gamma: float, x: Array) -> float:
    labels = label(history, gamma=gamma, among=among)
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


def _value(seen: View, number: int) -> float | None:
    row = seen.by_number.get(number)
    return row.values[0] if row is not None and len(row.values) == 1 else None


def _text(row: Row, p: float | None, good_share: float, nearest: list[tuple[int, float, float | None]]) -> str:
    came = {
        "initial": "was part of the start",
        "model": "was proposed by a model",
        "random": "was drawn at random",
        "given": "was handed in",
    }.get(row.origin, "came from somebody else")
    parts = [f"Trial {row.number} {came}{': ' if row.reason else ''}{row.reason}."]
    if p is not None:
        parts.append(f"Before its answer, P(good), to be among the best {good_share:.0%}, was put at {p:.2f}.")
    if nearest:
        named = [
            f"trial {number} (distance {gap:.2g}, {'no value' if value is None else f'value {value:.6g}'})"
            for number, gap, value in nearest
        ]
        parts.append(f"Nearest of what was known: {', '.join(named)}.")
    return " ".join(parts)
