"""What a Gaussian process believes about rows, given targets at others.

V (m, p)     viewed rows (see `kernel.view`)
Z (n, p)     viewed rows of the data, divided by lengthscales
a (n,)       K^-1 y; mean(x) = k(x)^T a
L (n, n)     K = L L^T; variance(x) = amplitude - |L^-1 k(x)|^2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.classifiers.gp.cholesky import cholesky
from auger.classifiers.gp.kernel import matern
from auger.classifiers.gp.likelihood import Hyperparameters
from auger.types import Array, Index

# The least variance, in units of the amplitude: what rounding leaves of 1 - |...|^2 at a row of the data.
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process given data.

    Attributes:
        scale: shape (p,), what viewed columns are multiplied with: 1 / lengthscale.
        rows: Z.
        weight: a; 0 for rows that have no target.
        factor: L, in its lower triangle.
        amplitude: the variance before any data.
    """

    scale: Array
    rows: Array
    weight: Array
    factor: Array
    amplitude: float

    def predict(self, V: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the function, without the noise, each of shape (m,)."""
        k, _ = self._covariance(V * self.scale)
        return k @ self.weight, self._deviation(k)[0]

    def predict_with_slopes(self, V: Array, columns: Index) -> tuple[Array, Array, Array, Array]:
        """Mean and deviation (m,), and how both change along some of the viewed columns, each (m, len(columns))."""
        scaled = V * self.scale
        k, slope = self._covariance(scaled)
        deviation, half = self._deviation(k)
        # d mean = a^T dk;  d variance = -2 (K^-1 k)^T dk, so d deviation = -(K^-1 k)^T dk / deviation
        towards = _solve(self.factor, half, is_transposed=True).T
        moves = [
            self._along(slope * weight, scaled, columns)
            for weight in (self.weight, -towards / deviation[:, np.newaxis])
        ]
        return k @ self.weight, deviation, moves[0], moves[1]

    def _covariance(self, scaled: Array) -> tuple[Array, Array]:
        """k(x) between m scaled rows and the data, and its slope, each (m, n)."""
        square = (scaled * scaled).sum(axis=1)[:, np.newaxis] + (self.rows * self.rows).sum(axis=1)
        square -= 2.0 * (scaled @ self.rows.T)
        # what cancels here is of the order of 1e-16, and correlation is flat where the distance is 0
        correlation, slope = matern(np.maximum(square, 0.0, out=square))
        return self.amplitude * correlation, self.amplitude * slope

    def _deviation(self, k: Array) -> tuple[Array, Array]:
        """The standard deviation (m,), and L^-1 k(x) as columns (n, m)."""
        half = _solve(self.factor, k.T)
        variance = self.amplitude - np.einsum("nm,nm->m", half, half)
        return np.sqrt(np.maximum(variance, _LEAST_VARIANCE * self.amplitude)), half

    def _along(self, weight: Array, scaled: Array, columns: Index) -> Array:
        """Sum over the data of weight (m, n) times dk / d(viewed column), where slope is part of the weight."""
        # dk / dv_p = -slope * (v_p - z_p) * scale_p, all in scaled units
        gap = weight.sum(axis=1)[:, np.newaxis] * scaled[:, columns] - weight @ self.rows[:, columns]
        return np.asarray(-gap * self.scale[columns])


def posterior(V: Array, y: Array, column: Index, given: Hyperparameters) -> Posterior:
    """Condition on viewed rows V (n, p) with targets y (k,), k <= n.

    Rows beyond the first k have no target yet. Whatever the process expects of them is believed: that narrows the
    deviation around them and changes no mean (the kriging believer of Ginsbourger et al. 2010).
    """
    from scipy.linalg.lapack import dpotrs  # noqa: PLC0415  (0.1 s to import)

    scale = 1.0 / given.lengthscale[column]
    Z = V * scale
    square = (Z * Z).sum(axis=1)[:, np.newaxis] + (Z * Z).sum(axis=1) - 2.0 * (Z @ Z.T)
    K = given.amplitude * matern(np.maximum(square, 0.0))[0]
    K[np.diag_indices(len(K))] = given.amplitude + given.noise
    L = cholesky(K.T)
    weight = np.zeros(len(V))
    # targets that equal the mean get no weight, so those of the first k rows are the same as without the others
    weight[: len(y)] = dpotrs(np.asfortranarray(L[: len(y), : len(y)]), y, lower=1)[0]
    return Posterior(scale, Z, weight, L, given.amplitude)


def _solve(L: Array, B: Array, *, is_transposed: bool = False) -> Array:
    """L^-1 B, or L^-T B, for B (n, m)."""
    from scipy.linalg.lapack import dtrtrs  # noqa: PLC0415  (0.1 s to import)

    return np.asarray(dtrtrs(L, B, lower=1, trans=int(is_transposed))[0])
