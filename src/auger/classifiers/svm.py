"""BORE-SVM: scikit-learn's support vector machine with probabilities by Platt scaling."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings, is_number
from auger.classifiers.calibrated import Calibrated, CalibratedScore, Logistic, too_few
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.sklearn import SklearnClassifier
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array

_KERNELS = ("rbf", "linear", "poly", "sigmoid")


@dataclass(frozen=True)
class SVM(Classifier):
    """A support vector machine; the defaults are scikit-learn's. The paper names this variant but no settings.

    The row with the largest decision value has the best score. The decision value becomes a probability through
    `Calibrated`, the way of ``SVC(probability=True)``, which scikit-learn 1.9 deprecates. With fewer than ``n_folds``
    rows in a class it goes through the plain logistic curve instead: the order of rows is the same, and the note says
    that the probability is none.

    Args:
        C: how much an example on the wrong side costs.
        kernel: "rbf", "linear", "poly" or "sigmoid".
        n_folds: folds of the Platt scaling.
    """

    C: float = 1.0
    kernel: str = "rbf"
    n_folds: int = 5

    def __post_init__(self) -> None:
        if not is_number(self.C) or not 0.0 < self.C < math.inf:
            raise ClassifierError(f"`C` of SVM must be a positive number. Got {self.C!r}.")
        if self.kernel not in _KERNELS:
            raise ClassifierError(f"`kernel` of SVM must be one of {', '.join(_KERNELS)}. Got {self.kernel!r}.")
        check_settings(self, ClassifierError, n_folds=2)

    @property
    def libraries(self) -> tuple[str, ...]:
        return "scipy.optimize", "scipy.special", "sklearn.svm"

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        from sklearn.svm import SVC  # 1 s to import

        machine = SklearnClassifier(SVC(C=self.C, kernel=self.kernel))
        reason = too_few(labels, self.n_folds)
        if reason:
            margin = machine.fit(X, labels, space=space, rng=rng)
            return CalibratedScore(margin, Logistic(1.0, 0.0), f"no Platt scaling: {reason}")
        return Calibrated(machine, n_folds=self.n_folds).fit(X, labels, space=space, rng=rng)
