"""An estimator whose scores are known in advance."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20.0) % 5


class Bowl(RegressorMixin, BaseEstimator):
    """Scores -(x - 0.3)^2 - |n - 3| - penalty, less what its test rows are worth; fails above ``fails_above``."""

    def __init__(self, x=0.5, n=3, penalty=0.0, fails_above=np.inf, options=None):
        self.x = x
        self.n = n
        self.penalty = penalty
        self.fails_above = fails_above
        self.options = options

    def fit(self, X, y=None, sample_weight=None):
        if self.x > self.fails_above:
            raise RuntimeError(f"x = {self.x} does not work")
        self.is_fitted_ = True
        self.weight_ = 0.0 if sample_weight is None else float(np.sum(sample_weight))
        return self

    def predict(self, X):
        check_is_fitted(self)
        return np.zeros(len(X))

    def score(self, X, y=None, sample_weight=None):
        check_is_fitted(self)
        return -((self.x - 0.3) ** 2) - abs(self.n - 3) - self.penalty - float(np.mean(X)) / 1000
