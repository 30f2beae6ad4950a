"""The covariance of a random sum of effects, pair by pair as its formula says, as a kernel of scikit-learn's."""

import numpy as np
from sklearn.gaussian_process.kernels import Kernel


class SumsOfEffects(Kernel):
    """(1 + mean_j k_j + 3 b(v) b(w) / d) / (3 + 6 s) over the d parameters j, of which a share s are positions.

    k_j is 4 * 12 v w + c(v) c(w) for a position, with c(v) = (12 v^2 - 1) / sqrt(0.8), and 2 for the same value of a
    choice; b is the sum of all c.
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
        total, bowls = 0.0, np.zeros(2)
        for j, (a, b) in enumerate(zip(v, w, strict=True)):
            if self.positions is None or j in self.positions:
                curves = (12 * np.array([a, b]) ** 2 - 1) / np.sqrt(0.8)
                total += 48 * a * b + curves.prod()
                bowls += curves
            else:
                total += 2.0 * (a > 0 and b > 0)
        n_positions = len(v) if self.positions is None else len(self.positions)
        whole = 3 + 6 * n_positions / self.n_parameters
        return (1 + total / self.n_parameters + 3 * bowls.prod() / self.n_parameters) / whole
