"""What a Gaussian process predicts for rows, from targets at other rows.

V (m, p)     viewed rows (see `auger.space.Space.euclidean`)
Z (n, p)     viewed rows of the data, divided by lengthscales
a (n,)       K^-1 y; mean(x) = k(x)^T a
L (n, n)     K = L L^T; variance(x) = k(x, x) - |L^-1 k(x)|^2, with k(x, x) = amplitude + trend(x, x)
             + effects * |f(x)|^2
f            features of sums of effects (see `auger.gaussian_process.kernel.effects`)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.gaussian_process.cholesky import cholesky
from auger.gaussian_process.kernel import effects, matern, own_trend, trend
from auger.gaussian_process.likelihood import Hyperparameters
from auger.types import Array, Index

# The least variance, in units of the amplitude: what rounding leaves of 1 - |...|^2 at a row of the data.
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process that has learned from data.

    Attributes:
        data: shape (n, p), viewed rows of the data.
        scale: shape (p,), 1 / lengthscale of each viewed column.
        rows: Z.
        norms: shape (n,), squared lengths of the rows of Z.
        weight: a; 0 for rows that have no target.
        factor: L, in its lower triangle.
        positions: the viewed columns that are positions, ascending.
        features: shape (n, q), f of the rows of the data.
        amplitude: the variance before any data, without that of the trends.
        trend: the variance of the quadratic trend.
        effects: that of the sum of effects.
        n_parameters: how many parameters there are.
        p: how many viewed columns there are, those that are left out because they are 0 in all rows included.
    """

    data: Array
    scale: Array
    rows: Array
    norms: Array
    weight: Array
    factor: Array
    positions: Index
    features: Array
    amplitude: float
    trend: float
    effects: float
    n_parameters: int
    p: int

    def predict(self, V: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the function, without the noise, each of shape (m,)."""
        f, _ = effects(V, self.positions, self.n_parameters)
        k, _, _ = self._covariance(V, f)
        return k @ self.weight, self._deviation(k, own_trend(V, self.p)[0], f)[0]

    def predict_with_slopes(self, V: Array, columns: Index) -> tuple[Array, Array, Array, Array]:
        """Mean and deviation (m,), and how both change along some of the positions, each (m, len(columns))."""
        f, g = effects(V, self.positions, self.n_parameters)
        k, slope, bend = self._covariance(V, f)
        own, own_bend = own_trend(V, self.p)
        deviation, half = self._deviation(k, own, f)
        # d mean = a^T dk;  d variance = dk(x, x) - 2 (K^-1 k)^T dk, so d deviation is half of that / deviation
        weights = np.empty((2, *k.shape))
        weights[0] = self.weight
        np.negative(_solve(self.factor, half, is_transposed=True).T, out=weights[1])
        line = np.searchsorted(self.positions, columns)
        by_mean, by_variance = self._along(weights, slope, bend, V, columns)
        by_mean += self._along_effects(weights[0] @ self.features, g, line)
        by_variance += self._along_effects(weights[1] @ self.features + f, g, line)
        by_variance += (self.trend * own_bend)[:, np.newaxis] * V[:, columns]
        by_variance /= deviation[:, np.newaxis]
        return k @ self.weight, deviation, by_mean, by_variance

    def _covariance(self, V: Array, f: Array) -> tuple[Array, Array, Array]:
        """k(x) between m viewed rows, of features f, and the data, and what its slopes are made of, each (m, n)."""
        scaled = V * self.scale
        square = (-2.0 * scaled) @ self.rows.T
        square += _norms(scaled)[:, np.newaxis]
        square += self.norms
        # what cancels here is of the order of 1e-16, and correlation is flat where the distance is 0
        k, slope = matern(np.maximum(square, 0.0, out=square))
        quadratic, bend = trend(V, self.data, self.p)
        # in place: new arrays of this size would cost as much as the arithmetic
        k *= self.amplitude
        quadratic *= self.trend
        k += quadratic
        k += (self.effects * f) @ self.features.T
        slope *= self.amplitude
        bend *= self.trend
        return k, slope, bend

    def _deviation(self, k: Array, own_trend: Array, f: Array) -> tuple[Array, Array]:
        """The standard deviation (m,), and L^-1 k(x) as columns (n, m)."""
        half = _solve(self.factor, k.T)
        own = self.amplitude + self.trend * own_trend + self.effects * _norms(f)
        variance = own - np.einsum("nm,nm->m", half, half)
        return np.sqrt(np.maximum(variance, _LEAST_VARIANCE * own)), half

    def _along(self, weights: Array, slope: Array, bend: Array, V: Array, columns: Index) -> Array:
        """Sums over the data of weights (w, m, n) times dk / d(viewed column), shape (w, m, len(columns))."""
        # of the correlation: -slope * (v_p - z_p) * scale_p, in scaled units; of the trend: bend * w_p
        data, scale = self.data[:, columns], self.scale[columns]
        near = slope * weights
        gap = near.sum(axis=2)[:, :, np.newaxis] * V[:, columns] - near @ data
        return np.asarray((bend * weights) @ data - gap * (scale * scale))

    def _along_effects(self, f: Array, g: Array, line: Index) -> Array:
        """Slopes (m, len(line)) of the covariance of effects with something of features f (m, q): all that bend."""
        curve, bowl = line + len(self.positions), line + 2 * len(self.positions)
        return np.asarray(self.effects * (f[:, line] * g[:, line] + f[:, curve] * g[:, curve] + f[:, -1:] * g[:, bowl]))


def posterior(
    V: Array,
    y: Array,
    column: Index,
    theta: Hyperparameters,
    p: int | None = None,
    positions: Index | None = None,
) -> Posterior:
    """Condition on viewed rows V (n, p) with targets y (k,), k <= n.

    Pass ``p`` where V is without columns of zeros, and the columns that are ``positions`` where others are not.

    Rows beyond the first k have no target yet. The process takes its own prediction for their targets: that narrows the
    deviation around them and changes no mean (the kriging believer of Ginsbourger et al. 2010).
    """
    from scipy.linalg.lapack import dpotrs  # 0.1 s to import

    scale = 1.0 / theta.lengthscale[column]
    Z = V * scale
    norms = _norms(Z)
    square = norms[:, np.newaxis] + norms - 2.0 * (Z @ Z.T)
    K = theta.amplitude * matern(np.maximum(square, 0.0))[0]
    K[np.diag_indices(len(K))] = theta.amplitude + theta.noise
    K += theta.trend * trend(V, V, p)[0]
    places = np.arange(V.shape[1]) if positions is None else positions
    f, _ = effects(V, places, len(theta.lengthscale))
    K += theta.effects * (f @ f.T)
    L = cholesky(K.T)
    weight = np.zeros(len(V))
    # targets that equal the mean get no weight, so those of the first k rows are the same as without the others
    weight[: len(y)] = dpotrs(np.asfortranarray(L[: len(y), : len(y)]), y, lower=1)[0]
    heights = theta.amplitude, theta.trend, theta.effects
    return Posterior(V, scale, Z, norms, weight, L, places, f, *heights, len(theta.lengthscale), p or V.shape[1])


def left_out(process: Posterior, y: Array) -> Array:
    """What a process predicts for each of the targets y (n,) that it learned from, were that one left out; (n,).

    y - a / diag(K^-1) (Rasmussen and Williams, eq. 5.12). The process must not have rows without a target.
    """
    from scipy.linalg.lapack import dpotri  # 0.1 s to import

    inverse = dpotri(process.factor, lower=1)[0]
    return np.asarray(y - process.weight / inverse.diagonal())


def _norms(Z: Array) -> Array:
    return np.asarray(np.einsum("np,np->n", Z, Z))


def _solve(L: Array, B: Array, *, is_transposed: bool = False) -> Array:
    """L^-1 B, or L^-T B, for B (n, m)."""
    from scipy.linalg.lapack import dtrtrs  # 0.1 s to import

    return np.asarray(dtrtrs(L, B, lower=1, trans=int(is_transposed))[0])
