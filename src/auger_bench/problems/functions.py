"""Test functions of the literature in a fixed dimension, with known optima.

>>> branin().name, round(branin().optimum, 6)
('branin', 0.397887)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from auger.space import Float, Space
from auger.types import Array, Config
from auger_bench.problems.interface import Problem, vector_problem


def teaser() -> Problem:
    """The function of figure 1 of the paper, there with noise of standard deviation 0.2 (``teaser+noisy0.2``).

    The paper does not name the domain; this is that of the authors' code.
    """

    def value(config: Config) -> float:
        x = config["x"]
        return float(math.sin(3 * x) + x**2 - 0.7 * x)

    minimizer = {"x": -0.35939449860055334}
    return Problem("teaser", Space({"x": Float(-1.0, 2.0)}), value, value(minimizer), minimizer)


def forrester() -> Problem:
    """The paper's step-by-step example (appendix), there with noise of standard deviation 0.05."""

    def value(config: Config) -> float:
        x = config["x"]
        return float((6 * x - 2) ** 2 * math.sin(12 * x - 4))

    minimizer = {"x": 0.757248757841856}
    return Problem("forrester", Space({"x": Float(0.0, 1.0)}), value, value(minimizer), minimizer)


def branin() -> Problem:
    """Two dimensions, three equal minima."""
    a, b, c, r, s, t = 1.0, 5.1 / (4 * math.pi**2), 5 / math.pi, 6.0, 10.0, 1 / (8 * math.pi)

    def value(config: Config) -> float:
        x, y = config["x"], config["y"]
        return float(a * (y - b * x**2 + c * x - r) ** 2 + s * (1 - t) * math.cos(x) + s)

    space = Space({"x": Float(-5.0, 10.0), "y": Float(0.0, 15.0)})
    minimizer = {"x": math.pi, "y": 2.275}
    return Problem("branin", space, value, value(minimizer), minimizer)


def six_hump_camel() -> Problem:
    """Two dimensions, six minima in a flat valley between steep sides; the lowest two are equal."""

    def value(config: Config) -> float:
        x, y = config["x"], config["y"]
        return float((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2)

    space = Space({"x": Float(-3.0, 3.0), "y": Float(-2.0, 2.0)})
    minimizer = {"x": 0.08984201368301331, "y": -0.7126564032704135}
    return Problem("six-hump-camel", space, value, value(minimizer), minimizer)


def goldstein_price() -> Problem:
    """Two dimensions, four minima; values from 3 to a million, not their logarithm.

    Hard for models of the values, which the highest values dominate; easier for models of their order.
    """

    def value(config: Config) -> float:
        x, y = config["x"], config["y"]
        first = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
        second = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
        return float((1 + (x + y + 1) ** 2 * first) * (30 + (2 * x - 3 * y) ** 2 * second))

    space = Space({"x": Float(-2.0, 2.0), "y": Float(-2.0, 2.0)})
    return Problem("goldstein-price", space, value, 3.0, {"x": 0.0, "y": -1.0})


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


def hartmann3() -> Problem:
    """Three dimensions, four local minima; the first axis hardly matters."""

    def value(x: Array) -> float:
        return -float(_H_ALPHA @ np.exp(-(_H3_A * (x - _H3_P) ** 2).sum(axis=1)))

    best = [0.11458887665506895, 0.5556488946169301, 0.8525469846866774]
    return vector_problem("hartmann3", value, [Float(0.0, 1.0)] * 3, minimizer=best)


def hartmann6() -> Problem:
    """Six dimensions, six local minima, one of which traps many searches."""

    def value(x: Array) -> float:
        return -float(_H_ALPHA @ np.exp(-(_H6_A * (x - _H6_P) ** 2).sum(axis=1)))

    best = [0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054]
    return vector_problem("hartmann6", value, [Float(0.0, 1.0)] * 6, minimizer=best)


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


def shekel() -> Problem:
    """Four dimensions, ten narrow holes (m = 10) in a plain without a hint where they are."""

    def value(x: Array) -> float:
        return -float((1 / (((x - _S_C) ** 2).sum(axis=1) + _S_BETA)).sum())

    best = [4.000746531592046, 4.000592934138532, 3.9996633980403224, 3.9995098005868077]
    return vector_problem("shekel", value, [Float(0.0, 10.0)] * 4, minimizer=best)


#: The problems of this file by name.
FUNCTIONS: dict[str, Callable[[], Problem]] = {
    "teaser": teaser,
    "forrester": forrester,
    "branin": branin,
    "six-hump-camel": six_hump_camel,
    "goldstein-price": goldstein_price,
    "hartmann3": hartmann3,
    "shekel": shekel,
    "hartmann6": hartmann6,
}
