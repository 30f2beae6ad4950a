"""Boosted trees that follow the answers: each fit adds a few trees to the previous one.

Each tree corrects those before it, so an old one cannot be taken away. The trees grow in number, the first ones know
only the answers of their time, and every so often all are grown anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.boosting import Boosting, BoostingScore
from auger.classifiers.interface import Classifier, Score
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array


@dataclass(frozen=True)
class OnlineBoosting(Classifier):
    """Boosted trees on top of those of the previous fit, until there are twice as many as `boosting` has.

    Args:
        boosting: the settings of each tree, and how many there are after a new start.
        n_more_rounds: how many each fit adds.

    Example:
        >>> OnlineBoosting(n_more_rounds=5).boosting.n_rounds
        100
    """

    boosting: Boosting = Boosting()
    n_more_rounds: int = 10

    is_warm = True

    def __post_init__(self) -> None:
        if not isinstance(self.boosting, Boosting):
            raise ClassifierError(f"`boosting` of an OnlineBoosting must be a Boosting. Got {self.boosting!r}.")
        check_settings(self, ClassifierError, n_more_rounds=1)

    @property
    def libraries(self) -> tuple[str, ...]:
        return self.boosting.libraries

    def check(self, *, is_weighted: bool) -> None:
        self.boosting.check(is_weighted=is_weighted)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        views, boosting = space.views(X), self.boosting
        if isinstance(previous, BoostingScore) and previous.can_go_on(boosting, views):
            n_before: int = previous.model.num_boosted_rounds()
            if n_before + self.n_more_rounds <= 2 * boosting.n_rounds:
                return boosting.boosted(X, labels, views, rng, self.n_more_rounds, start=previous)
        return boosting.boosted(X, labels, views, rng, boosting.n_rounds)
