"""The classifier of a run as explanations look through it: fitted once, to all answers, without weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers import Classifier, Score
from auger.history import History
from auger.insight.replay import lasting
from auger.insight.view import View
from auger.labels import Kind, Labels, label, share_of
from auger.space import Space
from auger.threads import one_thread
from auger.types import Array, Mask

# With fewer good trials than this there is little to learn of what they have in common: the share of good ones is
# raised until there are as many, up to a third.
_N_GOOD = 10
_MOST = 1 / 3


@dataclass(frozen=True, eq=False)
class Lens:
    """All answers of a run, which of them are good, and a classifier fitted to that.

    Attributes:
        space: of the run.
        X: shape (n, d), encoded rows of the finished trials, by age.
        labels: theirs.
        classifier: of the recipe.
        score: fitted to all of them.
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
        with one_thread():
            return self.score.probability(X) if len(X) else np.empty(0)


def lens(seen: View) -> Lens | str:
    """Look at what a run has learned; or, in words, why nothing can be seen yet."""
    reason = _missing(seen.history)
    if reason or seen.history is None:
        return reason
    history, recipe = seen.history, lasting(seen.recipe)
    among = history.seen_by(len(history.finished))
    share = share_of(recipe.gamma, len(among))
    labels = label(history, gamma=max(share, min(_N_GOOD / len(among), _MOST)), among=among)
    X = np.array(history.X[among])
    with one_thread():
        score = recipe.classifier.fit(X, labels, space=history.space, rng=np.random.default_rng(0))
    return Lens(history.space, X, labels, recipe.classifier, score)


def _missing(history: History | None) -> str:
    """Why there is nothing to learn from; empty where there is."""
    if history is None or not len(history.finished):
        return "No trial has an answer yet."
    if len(history.finished) < 2:
        return "One trial has an answer; two at least are needed to compare."
    among = history.seen_by(len(history.finished))
    labels = label(history, gamma=0.5, among=among)
    kinds = labels.kinds
    if (kinds == kinds[0]).all() and kinds[0] == Kind.UNRANKED:
        return "No trial has a value: all failed."
    if (kinds == Kind.FEASIBLE).all() and (labels.y == labels.y[0]).all():
        return "All trials have the same value: none is better than another."
    return ""
