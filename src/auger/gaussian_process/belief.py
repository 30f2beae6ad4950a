"""The prior of hyperparameters, and the most probable hyperparameters once there are data.

theta_i ~ N(center_i, width_i^2), independent, and between bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auger.types import Array

# The bounds lie this many widths from the center.
_WIDTHS = 4.0

# Steps of L-BFGS, and the relative gain below which it stops: as a rule after 20 to 40 evaluations.
_N_STEPS = 60
_LEAST_GAIN = 1e-4

#: A function of theta and its gradient.
Likelihood = Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True, eq=False)
class Belief:
    """A prior of theta, all of the same shape.

    Attributes:
        center, width: of the normal distributions.
        low, high: theta lies between them.
    """

    center: Array
    width: Array
    low: Array
    high: Array

    def times(self, likelihood: Likelihood, theta: Array) -> tuple[float, Array]:
        """The logarithm of prior times likelihood, up to a constant, and its gradient."""
        standard = (theta - self.center) / self.width
        value, gradient = likelihood(theta)
        return value - 0.5 * float(standard @ standard), gradient - standard / self.width

    def climb(self, likelihood: Likelihood, start: Array) -> tuple[float, Array]:
        """The highest logarithm of prior times likelihood that L-BFGS reaches from a start, and its theta."""
        from scipy.optimize import minimize  # 0.4 s to import

        def descend(theta: Array) -> tuple[float, Array]:
            value, gradient = self.times(likelihood, theta)
            return -value, -gradient

        optimum = minimize(
            descend,
            np.clip(start, self.low, self.high),
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(self.low, self.high, strict=True)),
            options={"maxiter": _N_STEPS, "ftol": _LEAST_GAIN},
        )
        return -float(optimum.fun), np.asarray(optimum.x)


def around(center: Array, width: Array) -> Belief:
    """The belief whose bounds lie equally far from the center, four widths."""
    return Belief(center, width, center - _WIDTHS * width, center + _WIDTHS * width)
