"""Several fits of the same classifier, and what is made of their scores: the mean, an upper quantile, or one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Classifier, Score, check_is_classifier
from auger.classifiers.members import ACQUISITIONS, check_name
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array, Index

# The share of a normal distribution below one standard deviation above its mean: the upper bound of networks, too.
_UPPER = 0.8413


@dataclass(frozen=True)
class Ensemble(Classifier):
    """Another classifier, fitted several times; the score is the mean of theirs, unless ``acquisition`` says otherwise.

    Each fit has a generator of its own, so that fit k is the same whatever their number. Where the generator makes no
    difference to the classifier (`Classifier.is_random`), all would be the same: then each learns from as many rows as
    there are, drawn from them with replacement, class by class (bagging; Breiman, 1996). A classifier that is warm
    starts cold here; `MLP` has ``n_networks`` for that.

    Args:
        classifier: any classifier.
        n_fits: at least 2.
        acquisition: "mean" of the scores; "upper": their quantile 0.84, which between a few fits is interpolated, and
            where they disagree is above the mean; "thompson": one fit, drawn anew each time.

    Example:
        >>> from auger.classifiers import Boosting
        >>> Ensemble(Boosting(max_depth=3), n_fits=5).n_fits
        5
    """

    classifier: Classifier
    n_fits: int = 5
    acquisition: str = "mean"

    def __post_init__(self) -> None:
        check_is_classifier(self.classifier, "`classifier` of an Ensemble", ClassifierError)
        check_settings(self, ClassifierError, n_fits=2)
        check_name(self.acquisition, ACQUISITIONS, "`acquisition` of an Ensemble")

    @property
    def libraries(self) -> tuple[str, ...]:
        return self.classifier.libraries

    def check(self, *, is_weighted: bool) -> None:
        self.classifier.check(is_weighted=is_weighted)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        rngs = rng.spawn(self.n_fits)
        if self.acquisition == "thompson":
            rngs = [rngs[int(rng.integers(self.n_fits))]]  # the others would not be asked
        scores = []
        for own in rngs:
            rows = np.arange(len(X)) if self.classifier.is_random else _drawn(labels, own)
            scores.append(self.classifier.fit(X[rows], labels.take(rows), space=space, rng=own))
        return _UpperScore(tuple(scores), _notes(scores)) if self.acquisition == "upper" else mean_of(scores)


def mean_of(scores: Sequence[Score]) -> Score:
    """The mean of several scores, with the notes of all."""
    return _MeanScore(tuple(scores), _notes(scores))


def _notes(scores: Sequence[Score]) -> str:
    return "; ".join(dict.fromkeys(score.note for score in scores if score.note))


@dataclass(frozen=True)
class _MeanScore(Score):
    scores: tuple[Score, ...]
    note: str = ""

    def __call__(self, X: Array) -> Array:
        return np.asarray(np.mean([score(X) for score in self.scores], axis=0))

    def probability(self, X: Array) -> Array:
        return np.asarray(np.mean([score.probability(X) for score in self.scores], axis=0))


@dataclass(frozen=True)
class _UpperScore(Score):
    scores: tuple[Score, ...]
    note: str = ""

    def __call__(self, X: Array) -> Array:
        return np.asarray(np.quantile([score(X) for score in self.scores], _UPPER, axis=0))

    def probability(self, X: Array) -> Array:
        """The mean: an upper quantile is no estimate of it."""
        return mean_of(self.scores).probability(X)


def _drawn(labels: Labels, rng: np.random.Generator) -> Index:
    """Rows drawn with replacement, as many of each class as it has, in the order of their age."""
    good, rest = np.flatnonzero(labels.z), np.flatnonzero(~labels.z)
    return np.sort(np.concatenate([rng.choice(good, len(good)), rng.choice(rest, len(rest))]))
