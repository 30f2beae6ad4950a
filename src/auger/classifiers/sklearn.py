"""Any scikit-learn estimator, or any object with the same methods, as a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.classifiers.interface import Classifier, Score, seed_from
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space, Views
from auger.types import Array


@dataclass(frozen=True)
class SklearnClassifier(Classifier):
    """A scikit-learn classifier or Pipeline, cloned for every fit; it sees the one-hot view of the rows.

    The score is the probability of good, or, of an estimator that has no ``predict_proba``, the decision function
    as it is: its maximizer is all that a suggestion needs. Wrap it in `Calibrated` for probabilities.

    Every ``random_state`` in ``get_params``, nested ones included, is set from the generator of the fit, even
    if the user set it. A splitter such as ``KFold`` in a ``cv`` parameter keeps its own.

    Args:
        estimator: has ``fit``, ``get_params`` and either ``predict_proba`` or ``decision_function``.

    Example:
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> classifier = SklearnClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
    """

    estimator: Any

    def __post_init__(self) -> None:
        estimator = self.estimator
        if isinstance(estimator, type):
            name = estimator.__name__
            raise ClassifierError(f"`estimator` must be an instance, not a class. Got {name}. Write {name}().")
        if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
            raise ClassifierError(f"`estimator` must have the methods fit and get_params. Got {estimator!r}.")
        if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
            raise ClassifierError(
                f"`estimator` must be a classifier with predict_proba or decision_function. Got {estimator!r}."
            )

    @property
    def libraries(self) -> tuple[str, ...]:
        return "scipy.special", "sklearn.pipeline", "sklearn.utils.validation"

    def check(self, *, is_weighted: bool) -> None:
        if is_weighted:
            self._weight_name()

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        from sklearn.base import clone  # 1 s to import

        model = clone(self.estimator)
        names = sorted(name for name in model.get_params() if f"__{name}".endswith("__random_state"))
        model.set_params(**{name: seed_from(rng) for name in names})
        index, target, weight = labels.rows()
        weights = {self._weight_name(): weight} if labels.is_weighted else {}
        views = space.views(X)
        model.fit(views.one_hot(X)[index], target, **weights)
        if hasattr(model, "predict_proba"):
            return _ProbabilityScore(model, list(model.classes_).index(True), views)
        return _DecisionScore(model, views)

    def _weight_name(self) -> str:
        name = _weight_name(self.estimator)
        if name is None:
            raise ClassifierError(
                f"Weighted labels need an estimator whose fit takes sample_weight, which {self.estimator!r} does not. "
                f'Use weights="none", or another estimator.'
            )
        return name


@dataclass(frozen=True)
class _ProbabilityScore(Score):
    model: Any
    column: int
    views: Views

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.model.predict_proba(self.views.one_hot(X))[:, self.column], dtype=np.float64)


@dataclass(frozen=True)
class _DecisionScore(Score):
    model: Any
    views: Views

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.model.decision_function(self.views.one_hot(X)), dtype=np.float64)

    def probability(self, X: Array) -> Array:
        """The plain logistic curve of the decision value, shape (m,)."""
        from scipy.special import expit  # 0.1 s to import

        return np.asarray(expit(self(X)))


def _weight_name(estimator: Any) -> str | None:
    """What ``fit`` calls the sample weights, such as ``svc__sample_weight`` for a Pipeline; None if it takes none."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = _weight_name(last)
        return inner and f"{step}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None
