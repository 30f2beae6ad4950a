"""Test functions of the literature in a fixed dimension, with known optima.

>>> FUNCTIONS["branin"]().name, round(FUNCTIONS["branin"]().optimum, 6)
('branin', 0.397887)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from auger.space import Float, Space
from auger.types import Config
from auger_bench.problems.interface import Problem

#: The problems of this file by name.
FUNCTIONS: dict[str, Callable[[], Problem]] = {}

_Function = Callable[..., float]


def _on_box(minimizer: Config, **axes: Float) -> Callable[[_Function], _Function]:
    """Add a function of these axes, in their order, to the problems, under its own name."""

    def add(function: _Function) -> _Function:
        name = function.__name__.replace("_", "-")

        def value(config: Config) -> float:
            return float(function(*(config[axis] for axis in axes)))

        FUNCTIONS[name] = lambda: Problem(name, Space(axes), value, value(minimizer), minimizer)
        return function

    return add


def _on_cube(side: Float, minimizer: list[float]) -> Callable[[_Function], _Function]:
    """The same for axes ``x0``, ``x1``, ..., all with the same bounds."""
    best = {f"x{i}": x for i, x in enumerate(minimizer)}
    return _on_box(best, **dict.fromkeys(best, side))


@_on_box({"x": -0.35939449860055334}, x=Float(-1.0, 2.0))
def teaser(x: float) -> float:
    """The function of figure 1 of the paper, there with noise of standard deviation 0.2 (``teaser+noisy0.2``).

    The paper does not name the domain; this is that of the authors' code.
    """
    return math.sin(3 * x) + x**2 - 0.7 * x


@_on_box({"x": 0.757248757841856}, x=Float(0.0, 1.0))
def forrester(x: float) -> float:
    """The paper's step-by-step example (appendix), there with noise of standard deviation 0.05."""
    return (6 * x - 2) ** 2 * math.sin(12 * x - 4)


@_on_box({"x": math.pi, "y": 2.275}, x=Float(-5.0, 10.0), y=Float(0.0, 15.0))
def branin(x: float, y: float) -> float:
    """Two dimensions, three equal minima."""
    a, b, c, r, s, t = 1.0, 5.1 / (4 * math.pi**2), 5 / math.pi, 6.0, 10.0, 1 / (8 * math.pi)
    return a * (y - b * x**2 + c * x - r) ** 2 + s * (1 - t) * math.cos(x) + s


@_on_box({"x": 0.08984201368301331, "y": -0.7126564032704135}, x=Float(-3.0, 3.0), y=Float(-2.0, 2.0))
def six_hump_camel(x: float, y: float) -> float:
    """Two dimensions, six minima in a flat valley between steep sides; the lowest two are equal."""
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


@_on_box({"x": 0.0, "y": -1.0}, x=Float(-2.0, 2.0), y=Float(-2.0, 2.0))
def goldstein_price(x: float, y: float) -> float:
    """Two dimensions, four minima; values from 3 to a million, not their logarithm.

    Hard for models of the values, which the highest values dominate; easier for models of their order.
    """
    first = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    second = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * first) * (30 + (2 * x - 3 * y) ** 2 * second)


# Hartmann-3 and -6, from Dixon and Szego 1978
_H_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_H3_A = np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]])
_H3_P = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
_H6_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_H6_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


@_on_cube(Float(0.0, 1.0), [0.11458887665506895, 0.5556488946169301, 0.8525469846866774])
def hartmann3(*x: float) -> float:
    """Three dimensions, four local minima; the first axis hardly matters."""
    return -float(_H_ALPHA @ np.exp(-(_H3_A * (np.array(x) - _H3_P) ** 2).sum(axis=1)))


# Shekel's ten holes, from the same; some copies have (5, 3, 5, 3) for the seventh, which moves the optimum by 3e-5
_S_BETA = np.array([1, 2, 2, 4, 4, 6, 3, 7, 5, 5]) / 10
_S_C = np.array(
    [
        [4, 4, 4, 4],
        [1, 1, 1, 1],
        [8, 8, 8, 8],
        [6, 6, 6, 6],
        [3, 7, 3, 7],
        [2, 9, 2, 9],
        [5, 5, 3, 3],
        [8, 1, 8, 1],
        [6, 2, 6, 2],
        [7, 3.6, 7, 3.6],
    ]
)


@_on_cube(Float(0.0, 10.0), [4.000746531592046, 4.000592934138532, 3.9996633980403224, 3.9995098005868077])
def shekel(*x: float) -> float:
    """Four dimensions, ten narrow holes (m = 10) in a plain without a hint where they are."""
    return -float((1 / (((np.array(x) - _S_C) ** 2).sum(axis=1) + _S_BETA)).sum())


@_on_cube(Float(0.0, 1.0), [0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054])
def hartmann6(*x: float) -> float:
    """Six dimensions, six local minima, one of which traps many searches."""
    return -float(_H_ALPHA @ np.exp(-(_H6_A * (np.array(x) - _H6_P) ** 2).sum(axis=1)))
