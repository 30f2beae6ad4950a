"""A run once more, as its classifiers saw it: what each would have said of a trial before its answer was known.

n          answers; *place* i is that of the i-th to come
known (n,) how many answers were in when the trial at a place was proposed: its forecast may use those and no others
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

import numpy as np

from auger.classifiers import Score
from auger.history import History
from auger.labels import Kind, Labels, kinds_of, label
from auger.recipes import Recipe, Turns
from auger.threads import one_thread
from auger.types import Array, Index, Mask
from auger.view import View

# Where the classifiers of a replay draw from: nothing in a run does.
_SEED = 0


@dataclass(frozen=True, eq=False)
class Replay:
    """What was said of m trials, and what came of them.

    Attributes:
        places: shape (m,), of their answers, ascending.
        known: shape (m,), how many answers were in when they were proposed.
        used: shape (m,), how many of those the fit had learned from.
        raw: shape (m,), P(good) as the classifier itself puts it.
        is_good: shape (m,), whether they were, among the answers that the fit had learned from.
        models: whose turn it was.
    """

    places: Index
    known: Index
    used: Index
    raw: Array
    is_good: Mask
    models: tuple[str, ...]


def lasting(recipe: Recipe | Turns) -> Recipe:
    """The recipe whose gamma says what is good: where several take turns, the one that goes on alone."""
    return recipe.recipes[-1] if isinstance(recipe, Turns) else recipe


def answers_in(seen: View) -> Index:
    """For the trial at each place, how many answers were in when it was proposed, shape (n,).

    Answers that were added together are one piece of news. Where it is known when a trial began, no answer counts that
    came later; elsewhere the order of the answers is all there is.
    """
    history = seen.history
    assert history is not None
    known = np.zeros(len(history.finished), dtype=np.intp)
    for start, end in zip([0, *history.marks], history.marks, strict=False):
        known[start:end] = start
    rows = [seen.by_number.get(number) for number in seen.numbers[history.finished].tolist()]
    ends = [datetime.min if row is None or row.finished is None else row.finished for row in rows]
    ends = list(accumulate(ends, max))  # the clocks of several machines need not agree
    for i, row in enumerate(rows):
        if row is not None and row.started is not None:
            known[i] = min(int(known[i]), bisect_right(ends, row.started))
    return known


def replay(seen: View, *, max_fits: int) -> Replay:
    """What the classifier whose turn it was would have said of each trial.

    It takes ``max_fits`` fits, or fewer; but at least one for each model. Trials that were proposed before there were
    enough answers to learn from are left out.
    """
    history = seen.history
    assert history is not None
    finished = np.array(history.finished, dtype=np.intp)
    all_known = answers_in(seen)
    places = np.flatnonzero(all_known >= max(lasting(seen.recipe).n_initial, 2))
    known, rows = all_known[places], finished[places]
    turns = [seen.recipe.at(*pair) for pair in zip(seen.numbers[rows].tolist(), known.tolist(), strict=True)]
    models = np.array([turn.name for turn in turns], dtype=object)
    is_all = len(set(zip(known.tolist(), models, strict=True))) <= max_fits
    fits = checkpoints(known, max_fits if is_all else max(max_fits // len(set(models)), 1))
    used = last_of(fits, known)
    raw, is_good = np.zeros(len(places)), np.zeros(len(places), dtype=bool)
    kinds = kinds_of(history, rows)
    with one_thread():
        for n_answers in np.unique(used).tolist():
            among = history.seen_by(n_answers)
            labels = label(history, gamma=lasting(seen.recipe).gamma, among=among)
            block = np.flatnonzero(used == n_answers)
            is_good[block] = would_be_good(history.y[rows[block]], kinds[block], labels)
            for name in dict.fromkeys(models[block]):
                own = block[models[block] == name]
                raw[own] = fit(history, among, labels, turns[own[0]]).probability(history.X[rows[own]])
    return Replay(places, known, used, raw, is_good, tuple(models))


def fit(history: History, among: Index, labels: Labels, recipe: Recipe) -> Score:
    """The recipe's classifier fitted to some trials, numbered ``among``, and their labels. A warm one starts cold."""
    rng = np.random.default_rng([_SEED, len(among)])
    return recipe.classifier.fit(history.X[among], labels, space=history.space, rng=rng)


def checkpoints(known: Index, n: int) -> Index:
    """Up to ``n`` numbers of answers at which to fit, ascending: the lowest of ``known``, and then ever farther apart.

    What a fit does not know yet is then never more than about the same share of what it knows.
    """
    distinct = np.unique(known)
    if len(distinct) <= n:
        return distinct
    return np.unique(np.geomspace(distinct[0], distinct[-1], n).round().astype(np.intp))


def last_of(fits: Index, known: Index) -> Index:
    """The last of the checkpoints that is not above each number of answers, shape (m,)."""
    return fits[np.searchsorted(fits, known, side="right") - 1]


def would_be_good(y: Array, kinds: Index, labels: Labels) -> Mask:
    """Whether new answers would have been good among those that were labelled, shape (m,).

    Only what is complete and feasible can be; ties go to the older, as in `auger.labels`. Where nothing labelled is
    complete and feasible, whatever is, is good.
    """
    is_tied = bool(np.any(~labels.z & (labels.kinds == Kind.FEASIBLE) & (labels.y == labels.tau)))
    is_better = np.isnan(labels.tau) | (y < labels.tau) | ((y == labels.tau) & (not is_tied))
    return np.asarray(is_better & (kinds == Kind.FEASIBLE))
