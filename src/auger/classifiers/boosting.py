"""BORE-XGB: XGBoost with the paper's settings (appendix J.2). Needs the ``xgboost`` extra."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from auger.checks import check_settings, is_number
from auger.classifiers.interface import Classifier, Score, seed_from
from auger.classifiers.losses import LOSSES, check_loss, sigmoid
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array

_MISSING = 'Boosting needs XGBoost, which is not installed. Install it with: pip install "auger[xgboost]"'


@dataclass(frozen=True)
class Boosting(Classifier):
    """Gradient-boosted trees; the defaults are the paper's.

    Args:
        n_rounds: number of trees.
        learning_rate: eta, the share of each tree that is added.
        min_child_weight: smallest sum of Hessians in a leaf.
        max_depth: depth of a tree.
        loss: "log", the paper's, or another of `auger.classifiers.losses`: "exponential", "kliep" or "lsif".
    """

    n_rounds: int = 100
    learning_rate: float = 0.3
    min_child_weight: float = 1.0
    max_depth: int = 6
    loss: str = "log"

    def __post_init__(self) -> None:
        check_settings(self, ClassifierError, n_rounds=1, max_depth=1)
        if not is_number(self.min_child_weight) or not 0 <= self.min_child_weight < math.inf:
            raise ClassifierError(
                f"`min_child_weight` of a Boosting must be a number of at least 0. Got {self.min_child_weight!r}."
            )
        if not is_number(self.learning_rate) or not 0 < self.learning_rate <= 1:
            raise ClassifierError(f"`learning_rate` of a Boosting must be in (0, 1]. Got {self.learning_rate!r}.")
        check_loss(self.loss, "a Boosting")

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("xgboost",)

    def check(self, *, is_weighted: bool) -> None:
        if find_spec("xgboost") is None:
            raise ClassifierError(_MISSING)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        return self.boosted(X, labels, space.views(X), rng, self.n_rounds)

    def boosted(
        self,
        X: Array,
        labels: Labels,
        views: Views,
        rng: np.random.Generator,
        n_rounds: int,
        start: BoostingScore | None = None,
    ) -> BoostingScore:
        """So many trees, on top of those of an earlier score where there is one."""
        xgboost = _import_xgboost()
        index, target, weight = labels.rows()
        rows = views.one_hot(X, inactive=np.nan)[index]  # XGBoost learns where missing values go
        data = xgboost.DMatrix(rows, target.astype(np.float64), weight=weight, nthread=1)
        settings: dict[str, Any] = {
            "eta": self.learning_rate,
            "min_child_weight": self.min_child_weight,
            "max_depth": self.max_depth,
            "nthread": 1,
            "seed": seed_from(rng),
            "verbosity": 0,
        }
        earlier = None if start is None else start.model  # XGBoost goes on with a copy
        if self.loss == "log":
            settings["objective"] = "binary:logistic"
            model = xgboost.train(settings, data, num_boost_round=n_rounds, xgb_model=earlier)
            return BoostingScore(model, views, self)
        settings["base_score"] = 0.0
        model = xgboost.train(settings, data, num_boost_round=n_rounds, obj=self._objective, xgb_model=earlier)
        return _OddsScore(model, views, self)

    def _objective(self, s: Array, data: Any) -> tuple[Array, Array]:
        """What XGBoost asks of a loss of one's own: slope and curvature at the log-odds of each example."""
        loss, weight, s = LOSSES[self.loss], data.get_weight(), s.astype(np.float64)
        return loss.slope(s, data.get_label()) * weight, loss.curvature(s) * weight


@dataclass(frozen=True)
class BoostingScore(Score):
    """The probabilities of boosted trees.

    Attributes:
        model: XGBoost's.
        boosting: the settings of its trees.
    """

    model: Any
    views: Views
    boosting: Boosting

    def can_go_on(self, boosting: Boosting, views: Views) -> bool:
        """Whether trees of these settings can be added, for rows of these views."""
        return boosting == self.boosting and views.has_columns_of(self.views)

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.model.inplace_predict(self.views.one_hot(X, inactive=np.nan)), dtype=np.float64)


@dataclass(frozen=True)
class _OddsScore(BoostingScore):
    """The same from trees whose sum is the log-odds."""

    def __call__(self, X: Array) -> Array:
        s = self.model.inplace_predict(self.views.one_hot(X, inactive=np.nan), predict_type="margin")
        return sigmoid(np.asarray(s, dtype=np.float64))


def _import_xgboost() -> Any:
    try:
        import xgboost  # 1 s to import, and optional
    except ImportError as error:
        raise ClassifierError(_MISSING) from error
    return xgboost
