"""A run once more, as its classifiers saw it: what each would have said of a trial before its answer was known.

n              answers; *position* i is that of the i-th to come
n_known (n,)   how many answers were in when the trial at a position was proposed: its forecast may use those, no others
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

import numpy as np

from auger.classifiers import Score
from auger.curves import final_values
from auger.history import History
from auger.labels import Gamma, Kind, Labels, kinds_of, label
from auger.recipes import Recipe, Turns
from auger.threads import one_thread
from auger.trial import Trial
from auger.types import Array, Index, Mask
from auger.view import View

# The seed of the classifiers of a replay; a run draws from others.
_SEED = 0


@dataclass(frozen=True, eq=False)
class Replay:
    """What was said of m trials, and what came of them.

    Attributes:
        positions: shape (m,), of their answers, ascending.
        n_known: shape (m,), how many answers were in when they were proposed.
        n_used: shape (m,), how many of those the fit had learned from.
        raw: shape (m,), P(good) by the classifier itself.
        is_good: shape (m,), whether they were good among the answers that the fit had learned from.
        models: the recipes whose models proposed them.
        n_fits: how many fits of a classifier said it.
    """

    positions: Index
    n_known: Index
    n_used: Index
    raw: Array
    is_good: Mask
    models: tuple[str, ...]
    n_fits: int


def lasting(recipe: Recipe | Turns) -> Recipe:
    """The recipe whose gamma says what is good: where several take turns, the last one."""
    return recipe.recipes[-1] if isinstance(recipe, Turns) else recipe


def recipe_of(recipe: Recipe | Turns, trial: Trial, n_answers: int) -> Recipe:
    """The recipe whose model proposed a trial; where the trial names none of them, the one whose turn it was."""
    recipes = recipe.recipes if isinstance(recipe, Turns) else (recipe,)
    own = [one for one in recipes if one.name == trial.model]
    return own[0] if own else recipe.at(trial.number, n_answers)


def labels_of(history: History, among: Index, gamma: Gamma) -> Labels:
    """Labels of the trials numbered ``among``, without weights, as suggestions learn them."""
    if len(history.objectives) > 1:  # later trials change the ranks
        part = history.restricted_to(among)
        return label(part, gamma=gamma, final_values=final_values(part))
    return label(history, gamma=gamma, among=among, final_values=final_values(history, among))


def answers_in(view: View) -> Index:
    """For the trial at each position, how many answers were in when it was proposed, shape (n,).

    Answers that were added together are one piece of news. Where it is known when a trial began, no answer counts that
    came later; elsewhere the order of the answers is all there is.
    """
    history = view.history
    assert history is not None
    n_known = np.zeros(len(history.finished), dtype=np.intp)
    for start, end in zip([0, *history.marks], history.marks, strict=False):
        n_known[start:end] = start
    trials = [view.by_number[number] for number in view.numbers[history.finished].tolist()]
    # the clocks of several machines need not agree
    ends = list(accumulate((trial.finished or datetime.min for trial in trials), max))
    for i, trial in enumerate(trials):
        if trial.started is not None:
            n_known[i] = min(int(n_known[i]), bisect_right(ends, trial.started))
    return n_known


def replay(view: View, *, max_fits: int) -> Replay:
    """What the classifier that proposed each trial would have said of it.

    It takes ``max_fits`` fits, or fewer; but at least one for each model. Trials that were proposed before there were
    enough answers to learn from are left out.
    """
    history = view.history
    assert history is not None
    finished = np.array(history.finished, dtype=np.intp)
    n_known_of_all = answers_in(view)
    positions = np.flatnonzero(n_known_of_all >= max(lasting(view.recipe).n_initial, 2))
    n_known, rows = n_known_of_all[positions], finished[positions]
    trials = [view.by_number[number] for number in view.numbers[rows].tolist()]
    turns = [recipe_of(view.recipe, *pair) for pair in zip(trials, n_known.tolist(), strict=True)]
    models = np.array([turn.name for turn in turns], dtype=object)
    is_all = len(set(zip(n_known.tolist(), models, strict=True))) <= max_fits
    fits = checkpoints(n_known, max_fits if is_all else max(max_fits // len(set(models)), 1))
    n_used = last_of(fits, n_known)
    raw, is_good = np.zeros(len(positions)), np.zeros(len(positions), dtype=bool)
    kinds, n_fits = kinds_of(history, rows), 0
    with one_thread():
        for n_answers in np.unique(n_used).tolist():
            among = history.seen_by(n_answers)
            labels = labels_of(history, among, lasting(view.recipe).gamma)
            block = np.flatnonzero(n_used == n_answers)
            is_good[block] = would_be_good(history.y[rows[block]], kinds[block], labels)
            for name in dict.fromkeys(models[block]):
                own = block[models[block] == name]
                raw[own] = fit(history, among, labels, turns[own[0]]).probability(history.X[rows[own]])
                n_fits += 1
    return Replay(positions, n_known, n_used, raw, is_good, tuple(models), n_fits)


def fit(history: History, among: Index, labels: Labels, recipe: Recipe) -> Score:
    """The recipe's classifier fitted to some trials, numbered ``among``, and their labels. A warm one starts cold."""
    rng = np.random.default_rng([_SEED, len(among)])
    return recipe.classifier.fit(history.X[among], labels, space=history.space, rng=rng)


def checkpoints(n_known: Index, n: int) -> Index:
    """Up to ``n`` numbers of answers at which to fit, ascending: the lowest of ``n_known``, then ever farther apart.

    What a fit does not know yet is then never more than about the same share of what it knows.
    """
    distinct = np.unique(n_known)
    if len(distinct) <= n:
        return distinct
    return np.unique(np.geomspace(distinct[0], distinct[-1], n).round().astype(np.intp))


def last_of(fits: Index, n_known: Index) -> Index:
    """The last of the checkpoints that is not above each number of answers, shape (m,)."""
    return fits[np.searchsorted(fits, n_known, side="right") - 1]


def would_be_good(y: Array, kinds: Index, labels: Labels) -> Mask:
    """Whether new answers would have been good among those that were labelled, shape (m,).

    Only what is complete and feasible can be; ties go to the older, as in `auger.labels`. While nothing labelled is
    complete and feasible, everything that is, is good.
    """
    is_tied = bool(np.any(~labels.z & (labels.kinds == Kind.FEASIBLE) & (labels.y == labels.tau)))
    is_better = np.isnan(labels.tau) | (y < labels.tau) | ((y == labels.tau) & (not is_tied))
    return np.asarray(is_better & (kinds == Kind.FEASIBLE))
