"""Test functions of the literature, with known optima.

>>> ackley(10).name, ackley(10).optimum
('ackley10', 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from auger.checks import is_whole
from auger.errors import AugerError
from auger.problems.interface import Problem
from auger.space import Float, Space
from auger.types import Array, Config

#: Functions of any dimension go up to this one: beyond, a config is a dictionary too long to be of use.
MAX_DIMENSIONS = 1000


def teaser() -> Problem:
    """Figure 1 of the paper, where it is observed with noise of standard deviation 0.2 (``teaser+noisy0.2``).

    The paper does not name the domain; this is the one of the authors' code.
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


# Hartmann-6, from Dixon and Szego 1978
_H_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_H_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_H_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann6() -> Problem:
    """Six dimensions, six local minima, one of which traps many."""

    def value(config: Config) -> float:
        x = np.array([config[f"x{i}"] for i in range(6)])
        return -float(_H_ALPHA @ np.exp(-(_H_A * (x - _H_P) ** 2).sum(axis=1)))

    best = [0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054]
    minimizer = {f"x{i}": x for i, x in enumerate(best)}
    return Problem("hartmann6", Space({f"x{i}": Float(0.0, 1.0) for i in range(6)}), value, value(minimizer), minimizer)


# -- of any dimension -----------------------------------------------------------------------------------


def ackley(n_dimensions: int) -> Problem:
    """A funnel covered with ripples; the lowest point, in the middle of the domain, is the tip of a cone."""
    return _on_cube("ackley", n_dimensions, ackley_value, Float(-32.768, 32.768), best=0.0)


def ackley_value(x: Array) -> float:
    """Ackley's function of x (d,)."""
    # 20 + e - 20 exp(...) - exp(...), written so that nothing cancels and the optimum is 0 exactly
    distance, ripples = math.sqrt(np.mean(x**2)), float(np.mean(np.cos(2 * math.pi * x)))
    return -20 * math.expm1(-0.2 * distance) - math.e * math.expm1(ripples - 1)


def rosenbrock(n_dimensions: int) -> Problem:
    """A long, bent, flat valley; needs at least two dimensions."""

    def value(x: Array) -> float:
        return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())

    return _on_cube("rosenbrock", n_dimensions, value, Float(-5.0, 10.0), best=1.0, least=2)


def levy(n_dimensions: int) -> Problem:
    """Waves along every axis, of a different kind along the first and the last."""

    def value(x: Array) -> float:
        # with w = 1 + u for what the literature calls w: whole turns drop out, and the optimum is 0 exactly
        u = (x - 1) / 4
        waves = 1 + 10 * np.sin(math.pi * u[:-1] + 1) ** 2
        ends = math.sin(math.pi * u[0]) ** 2 + u[-1] ** 2 * (1 + math.sin(2 * math.pi * u[-1]) ** 2)
        return float((u[:-1] ** 2 * waves).sum() + ends)

    return _on_cube("levy", n_dimensions, value, Float(-10.0, 10.0), best=1.0)


def styblinski_tang(n_dimensions: int) -> Problem:
    """Two basins along every axis, 2^d in all; the lowest value is -39.166... for each dimension."""

    def value(x: Array) -> float:
        return float((x**4 - 16 * x**2 + 5 * x).sum() / 2)

    return _on_cube("styblinski-tang", n_dimensions, value, Float(-5.0, 5.0), best=-2.903534027771177)


def _on_cube(
    name: str, n_dimensions: int, value: Callable[[Array], float], side: Float, *, best: float, least: int = 1
) -> Problem:
    """A function of x (d,) with the same bounds, and the same place of the minimum, along every axis."""
    if not is_whole(n_dimensions) or not least <= n_dimensions <= MAX_DIMENSIONS:
        raise AugerError(
            f"The number of dimensions of {name!r} must be a whole number from {least} to {MAX_DIMENSIONS}. "
            f"Got {n_dimensions!r}."
        )
    names = [f"x{i}" for i in range(n_dimensions)]

    def function(config: Config) -> float:
        return value(np.array([config[axis] for axis in names], dtype=np.float64))

    minimizer = dict.fromkeys(names, best)
    return Problem(f"{name}{n_dimensions}", Space(dict.fromkeys(names, side)), function, function(minimizer), minimizer)


#: Name without the dimension -> function of the dimension: "ackley7" is ``FAMILIES["ackley"](7)``.
FAMILIES = {"ackley": ackley, "rosenbrock": rosenbrock, "levy": levy, "styblinski-tang": styblinski_tang}

#: The problems of this file by name; those of any dimension, in one that is usual.
FUNCTIONS: dict[str, Callable[[], Problem]] = {
    "teaser": teaser,
    "forrester": forrester,
    "branin": branin,
    "hartmann6": hartmann6,
    "ackley10": partial(ackley, 10),
    "rosenbrock6": partial(rosenbrock, 6),
    "levy8": partial(levy, 8),
    "styblinski-tang5": partial(styblinski_tang, 5),
}
