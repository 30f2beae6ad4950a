"""The classifier of a run as explanations look through it: fitted to all answers, without weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from auger.classifiers import Classifier, Score
from auger.history import History
from auger.insight.memory import remembered
from auger.insight.replay import labels_of, lasting
from auger.labels import Kind, Labels, kinds_of, share_of
from auger.recipes import Recipe
from auger.space import Space
from auger.threads import one_thread
from auger.types import Array, Index, Mask
from auger.view import View

# With fewer good trials than this there is little to learn of what they have in common: the share of good ones is
# raised until there are as many, up to a third.
_N_GOOD = 10
_MOST = 1 / 3

# At most so many trials are looked at, evenly by age, which bounds the cost.
_MAX_ROWS = 2000

_Items = TypeVar("_Items", Array, Index)


@dataclass(frozen=True, eq=False)
class Lens:
    """Answers of a run, which of them are good, and a classifier fitted to that.

    Attributes:
        space: of the run.
        X: shape (n, d), encoded rows of finished trials, by age.
        labels: theirs.
        classifier: of the recipe.
        score: fitted to them.
    """

    space: Space
    X: Array
    labels: Labels
    classifier: Classifier
    score: Score

    @property
    def z(self) -> Mask:
        """Which rows are good, shape (n,)."""
        return self.labels.z

    def p(self, X: Array) -> Array:
        """P(good) of rows (m, d), shape (m,)."""
        if not len(X):
            return np.empty(0)
        with one_thread():
            return self.score.probability(X)

    def refit(self, rows: Index) -> Score:
        """The classifier fitted to some of the rows only, both classes present."""
        with one_thread():
            return self.classifier.fit(
                self.X[rows], self.labels.take(rows), space=self.space, rng=np.random.default_rng(len(rows))
            )


@remembered
def look(view: View) -> Lens | str:
    """Look at what a run has learned; or, in words, why there is nothing to see yet."""
    history = view.history
    reason = _missing(history)
    if reason or history is None:
        return reason
    recipe = lasting(view.recipe)
    among, labels = _answers(history, recipe)
    if len(among) > _MAX_ROWS:
        kept = _kept(labels.z)
        among, labels = among[kept], labels.take(kept)
    X = np.array(history.X[among])
    with one_thread():
        score = recipe.classifier.fit(X, labels, space=history.space, rng=np.random.default_rng(0))
    return Lens(history.space, X, labels, recipe.classifier, score)


@remembered
def good_trials(view: View) -> Mask:
    """Which trials of the run's history explanations and figures call good, shape (n,); of one answer, none."""
    assert view.history is not None
    good = np.zeros(len(view.history), dtype=bool)
    if len(view.history.finished) > 1:
        among, labels = _answers(view.history, lasting(view.recipe))
        good[among] = labels.z
    return good


def _answers(history: History, recipe: Recipe) -> tuple[Index, Labels]:
    """The trials that have an answer, two at least, and which of them explanations call good."""
    n = len(history.finished)
    gamma = max(share_of(recipe.gamma, n), min(_N_GOOD / n, _MOST))
    among = history.seen_by(n)
    return among, _alike(labels_of(history, among, gamma))


def _missing(history: History | None) -> str:
    """Why there is nothing to learn from; empty where there is."""
    if history is None or not history.finished:
        return "No trial has an answer yet."
    among = history.seen_by(len(history.finished))
    kinds, y = kinds_of(history, among), history.y[among]
    if len(among) == 1:
        return "Only one trial has an answer, and there is nothing to compare it with."
    if (kinds == Kind.UNRANKED).all():
        return "No trial has a value yet."
    if (kinds == Kind.FEASIBLE).all() and (y == y[0]).all():
        return "All trials have the same value, so none is better than another."
    return ""


def _alike(labels: Labels) -> Labels:
    """The same with ties at the threshold all good, or all not: whichever changes the number of good ones less.

    For suggestions ties go to the older, and the number is exact; but an explanation cannot tell equal values apart.
    """
    feasible = labels.kinds == Kind.FEASIBLE
    good = labels.z & feasible
    if not good.any():
        return labels
    is_tied = feasible & (labels.y == labels.y[good].max())
    able = [z for z in (labels.z | is_tied, labels.z & ~is_tied) if z.any() and not z.all()]
    if not able:
        return labels
    z = min(able, key=lambda each: abs(int(each.sum()) - int(labels.z.sum())))
    return replace(labels, z=z, positive=z.astype(np.float64), negative=(~z).astype(np.float64))


def _kept(z: Mask) -> Index:
    """Positions of _MAX_ROWS of the rows, ascending, evenly by age, with the same share of good ones."""
    n_good = max(round(_MAX_ROWS * float(z.mean())), 1)
    parts = [evenly(np.flatnonzero(z), n_good), evenly(np.flatnonzero(~z), _MAX_ROWS - n_good)]
    return np.sort(np.concatenate(parts))


def evenly(rows: _Items, n: int) -> _Items:
    """Up to n of the rows, or of other items in order, evenly spread over them."""
    return rows[np.linspace(0, len(rows) - 1, min(n, len(rows))).round().astype(np.intp)]
