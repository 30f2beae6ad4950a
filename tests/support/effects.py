"""The covariance of a random sum of effects, pair by pair as its formula says, as a kernel of scikit-learn's."""

import numpy as np
from sklearn.gaussian_process.kernels import Kernel


class SumsOfEffects(Kernel):
    """(1 + 2 mean_j k_j) / 3 over the parameters j.

    k_j is (12 v w + (12 v^2 - 1) (12 w^2 - 1) / 0.8) / 2 for a position, and 1 for the same value of a choice.
    """

    def __init__(self, n_parameters, positions=None):
        self.n_parameters = n_parameters
        self.positions = positions

    def __call__(self, X, Y=None, eval_gradient=False):
        K = np.array([[self._pair(v, w) for w in (X if Y is None else Y)] for v in X])
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X):
        return np.array([self._pair(v, v) for v in X])

    def is_stationary(self):
        return False

    def _pair(self, v, w):
        total = 0.0
        for j, (a, b) in enumerate(zip(v, w, strict=True)):
            if self.positions is None or j in self.positions:
                total += (12 * a * b + (12 * a**2 - 1) * (12 * b**2 - 1) / 0.8) / 2
            else:
                total += float(a > 0 and b > 0)
        return (1 + 2 * total / self.n_parameters) / 3
