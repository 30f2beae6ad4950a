"""A run once more, as its classifiers saw it: what each would have said of a trial before its answer was known.

n          finished trials; *place* i is that of the i-th answer to come
known (n,) how many answers were in when the trial at a place was proposed: its forecast may use those and no other
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers import Score
from auger.history import History
from auger.insight.view import View
from auger.labels import Kind, Labels, label
from auger.recipes import Recipe, Turns
from auger.threads import one_thread
from auger.types import Array, Index, Mask


@dataclass(frozen=True, eq=False)
class Replay:
    """What was said of m trials, and what came of them.

    Attributes:
        places: shape (m,), of their answers, ascending.
        known: shape (m,), how many answers the forecast was made from, or could have been.
        raw: shape (m,), the classifier's own P(good).
        is_good: shape (m,), whether they were.
        models: whose turn it was.
        blocks: shape (m,), the same number for forecasts of one fit.
    """

    places: Index
    known: Index
    raw: Array
    is_good: Mask
    models: tuple[str, ...]
    blocks: Index


def one_gamma(recipe: Recipe | Turns) -> Recipe:
    """The recipe whose gamma says what is good: the one that goes on alone, where several take turns.

    One question for all models, or their scores could not be compared; and a Gaussian process has no gamma of its own.
    """
    return recipe.recipes[-1] if isinstance(recipe, Turns) else recipe


def known_answers(seen: View) -> Index:
    """For the trial at each place, how many answers were in when it was proposed, shape (n,).

    Answers that came together count as one. Where it is known when trials began, an answer that came later is not
    known to them.
    """
    history = seen.history
    assert history is not None
    n = len(history.finished)
    known = np.zeros(n, dtype=np.intp)
    for start, end in zip([0, *history.marks], history.marks, strict=False):
        known[start:end] = start
    rows = [seen.by_number[number] for number in seen.numbers[history.finished].tolist()]
    if all(row.started is not None and row.finished is not None for row in rows):
        ends = np.array([row.finished for row in rows], dtype="datetime64[us]")
        starts = np.array([row.started for row in rows], dtype="datetime64[us]")
        known = np.minimum(known, np.searchsorted(np.maximum.accumulate(ends), starts, side="right"))
    return known


def replay(seen: View, *, max_fits: int) -> Replay:
    """Forecast every trial from what was known before it, in at most ``max_fits`` fits."""
    history = seen.history
    assert history is not None
    known = known_answers(seen)
    gamma = one_gamma(seen.recipe).gamma
    n_least = max(one_gamma(seen.recipe).n_initial, 2)
    places = np.flatnonzero(known >= n_least)
    raw, is_good = np.zeros(len(places)), np.zeros(len(places), dtype=bool)
    numbers = seen.numbers[history.finished]
    turns = [seen.recipe.at(int(numbers[i]), int(known[i])) for i in places.tolist()]
    n_models = len({turn.name for turn in turns})
    fits = checkpoints(known[places], max(max_fits // max(n_models, 1), 1))
    blocks = np.searchsorted(fits, known[places], side="right") - 1
    finished = np.array(history.finished, dtype=np.intp)
    kinds = label_kinds(history, finished)
    with one_thread():
        for block in np.unique(blocks).tolist():
            among = history.seen_by(int(fits[block]))
            labels = label(history, gamma=gamma, among=among)
            members = np.flatnonzero(blocks == block)
            is_good[members] = good(history.y[finished[places[members]]], kinds[places[members]], labels)
            for name in dict.fromkeys(turns[i].name for i in members.tolist()):
                own = np.array([i for i in members.tolist() if turns[i].name == name])
                score = fit(history, among, labels, turns[int(own[0])])
                raw[own] = score(history.X[finished[places[own]]])
    return Replay(places, known[places], raw, is_good, tuple(turn.name for turn in turns), blocks)


def fit(history: History, among: Index, labels: Labels, recipe: Recipe) -> Score:
    """The recipe's classifier, fitted to the labels of some trials; a warm one starts cold."""
    rng = np.random.default_rng([len(among)])
    return recipe.classifier.fit(history.X[among], labels, space=history.space, rng=rng)


def checkpoints(known: Index, n: int) -> Index:
    """Up to ``n`` numbers of answers at which to fit, ascending: the first of ``known``, then ever farther apart."""
    if not len(known):
        return np.empty(0, dtype=np.intp)
    distinct = np.unique(known)
    if len(distinct) <= n:
        return distinct
    return np.unique(np.geomspace(distinct[0], distinct[-1], n).round().astype(np.intp))


def label_kinds(history: History, rows: Index) -> Index:
    """The kind of trial that each row is, shape (len(rows),)."""
    if len(rows) < 2:
        return np.full(len(rows), Kind.UNRANKED)
    return label(history, gamma=0.5, among=rows).kinds


def good(y: Array, kinds: Index, labels: Labels) -> Mask:
    """Whether new answers would have been good among those that are labelled, shape (m,): ties are broken by age.

    Only what is complete and feasible can be. Where nothing that is labelled is, anything that is is good.
    """
    is_tied = bool(np.any(~labels.z & (labels.kinds == Kind.FEASIBLE) & (labels.y == labels.tau)))
    below = np.isnan(labels.tau) | (y < labels.tau) | ((y == labels.tau) & (not is_tied))
    return np.asarray(below & (kinds == Kind.FEASIBLE))
