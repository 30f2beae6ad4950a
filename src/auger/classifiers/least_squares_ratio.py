"""RuLSIF and uLSIF: a density ratio by least squares (Yamada et al., 2011; Kanamori, Hido and Sugiyama, 2009).

The notation is that of `kernel_mixture`. phi_i is the row of kernels K(x_i, c_k) of example i, a_i and b_i are its
masses as good and as rest, and alpha is gamma for RuLSIF, 0 for uLSIF. The squared error of f against the ratio is, up
to a constant,

    J(theta) = 1/2 theta' H theta - h' theta,   H = sum_i w_i phi_i phi_i',   h = sum_i a_i phi_i
    w_i = alpha a_i + (1 - alpha) b_i

and theta minimizes J + lambda / 2 |theta|^2. Without bounds this is theta = A^-1 h with A = H + lambda I, and leaving
example i out changes the estimate at x_i in closed form (Sherman and Morrison), with s_i = phi_i' A^-1 phi_i:

    f_(-i)(x_i) = (f(x_i) - a_i s_i) / (1 - w_i s_i)

So leave-one-out cross-validation of J costs one fit: it chooses the width and lambda. The weights are then the exact
minimum over theta >= 0. With few rows in many columns, a width that is best without bounds may be too wide with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.checks import check_settings
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.kernel_mixture import WIDTHS, Examples
from auger.errors import ClassifierError
from auger.labels import Labels
from auger.space import Space
from auger.types import Array

# Values of lambda that a fit chooses from.
_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)


@dataclass(frozen=True)
class LeastSquaresRatio(Classifier):
    """(Relative) unconstrained least-squares importance fitting, with weights >= 0.

    RuLSIF, which the paper's outlook names, estimates the relative ratio r_gamma, which 1 / gamma bounds. With the
    shares of good and rest as they are it is a least-squares fit of the labels, divided by gamma. uLSIF estimates the
    ordinary ratio r_0 = l / g, which has no bound: where good rows are dense and others are rare, a few rows decide the
    fit (section 2.4 of the paper).

    Args:
        is_relative: True for RuLSIF, False for uLSIF.
        n_centers: the most centers; of more good rows, so many are drawn at random.
    """

    is_relative: bool = True
    n_centers: int = 100

    has_gradient = True
    has_relaxation = True
    has_mean_shift = True

    def __post_init__(self) -> None:
        if not isinstance(self.is_relative, bool):
            raise ClassifierError(
                f"`is_relative` of a LeastSquaresRatio must be True or False. Got {self.is_relative!r}."
            )
        check_settings(self, ClassifierError, n_centers=1)

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("scipy.optimize",)

    def fit(
        self, X: Array, labels: Labels, *, space: Space, rng: np.random.Generator, previous: Score | None = None
    ) -> Score:
        examples = Examples.of(X, labels, space, self.n_centers, rng)
        alpha = examples.gamma if self.is_relative else 0.0
        w = alpha * examples.good + (1 - alpha) * examples.rest
        widths = [ratio * examples.median for ratio in WIDTHS]
        fits = [_LeastSquares.of(examples.kernels(width), w, examples.good) for width in widths]
        errors = np.array([[fit.left_out_error(penalty) for penalty in _PENALTIES] for fit in fits])
        i, j = np.unravel_index(int(errors.argmin()), errors.shape)
        return examples.score(widths[i], fits[i].weights(_PENALTIES[j]), is_relative=self.is_relative)


@dataclass(frozen=True)
class _LeastSquares:
    """All fits of one width.

    Attributes:
        P: shape (n, b), the kernels along the axes of H.
        w, a: shape (n,), the masses in H and in h.
        eigenvalues, axes: of H, shapes (b,) and (b, b).
    """

    P: Array
    w: Array
    a: Array
    eigenvalues: Array
    axes: Array

    @classmethod
    def of(cls, phi: Array, w: Array, a: Array) -> _LeastSquares:
        """Those with these kernels and masses."""
        eigenvalues, axes = np.linalg.eigh(phi.T @ (w[:, np.newaxis] * phi))
        return cls(phi @ axes, w, a, np.maximum(eigenvalues, 0.0), axes)

    def left_out_error(self, penalty: float) -> float:
        """J, with the estimate at each example from a fit without it."""
        f = self.P @ (self.P.T @ self.a / (self.eigenvalues + penalty))
        s = self.P**2 @ (1 / (self.eigenvalues + penalty))
        without = (f - self.a * s) / (1 - self.w * s)  # w s < 1, as long as lambda is above 0
        return float(0.5 * self.w @ without**2 - self.a @ without)

    def weights(self, penalty: float) -> Array:
        """theta >= 0 (b,) with the least penalized J; some are above 0, because h is."""
        from scipy.optimize import nnls  # 0.4 s to import

        # |root theta - target|^2 / 2 is the penalized J, up to a constant, where root' root = A and root' target = h
        scale = np.sqrt(self.eigenvalues + penalty)
        return np.asarray(nnls(scale[:, np.newaxis] * self.axes.T, self.P.T @ self.a / scale)[0])
