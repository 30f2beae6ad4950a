"""Test functions of the literature that exist in any dimension, with known optima.

>>> FAMILIES["ackley"](10).name, FAMILIES["ackley"](10).optimum
('ackley10', 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from auger.checks import is_whole
from auger.errors import AugerError
from auger.space import Float
from auger.types import Array
from auger_bench.problems.interface import Problem, vector_problem

#: The highest dimension: beyond it, the dictionary of a config is too long to be useful.
MAX_DIMENSIONS = 1000
#: Name without the dimension -> function of the dimension: "ackley7" is ``FAMILIES["ackley"](7)``.
FAMILIES: dict[str, Callable[[int], Problem]] = {}
#: One problem of each family by name.
FAMILY_MEMBERS: dict[str, Callable[[], Problem]] = {}

_Function = Callable[[Array], float]  # of x (d,)


def _on_cube(
    low: float,
    high: float,
    *,
    best: float | Callable[[int], Array],
    listed: int,
    optimum: float | None = None,
    least: int = 1,
) -> Callable[[_Function], _Function]:
    """Add a function of x (d,) to the families, under its own name. The bounds are the same along every axis.

    Args:
        low, high: the bounds.
        best: the minimizer: one number for all axes, or a function of d that returns x.
        listed: the dimension of the family's member in listings.
        optimum: the lowest value, for functions whose value at the minimizer has rounding errors or costs a matrix.
        least: the fewest dimensions.
    """

    def add(function: _Function) -> _Function:
        name = function.__name__.replace("_", "-")

        def make(n_dimensions: int) -> Problem:
            if not is_whole(n_dimensions) or not least <= n_dimensions <= MAX_DIMENSIONS:
                raise AugerError(
                    f"The number of dimensions of {name!r} must be a whole number from {least} to {MAX_DIMENSIONS}. "
                    f"Got {n_dimensions!r}."
                )
            minimizer = best(n_dimensions).tolist() if callable(best) else [best] * n_dimensions
            axes = [Float(low, high)] * n_dimensions
            return vector_problem(f"{name}{n_dimensions}", function, axes, minimizer=minimizer, optimum=optimum)

        FAMILIES[name] = make
        FAMILY_MEMBERS[f"{name}{listed}"] = partial(make, listed)
        return function

    return add


@_on_cube(-32.768, 32.768, best=0.0, listed=10)
def ackley(x: Array) -> float:
    """A funnel covered with ripples; the lowest point, in the middle of the domain, is the tip of a cone."""
    # 20 + e - 20 exp(...) - exp(...), written so that nothing cancels and the optimum is 0 exactly
    distance, ripples = math.sqrt(np.mean(x**2)), float(np.mean(np.cos(2 * math.pi * x)))
    return -20 * math.expm1(-0.2 * distance) - math.e * math.expm1(ripples - 1)


@_on_cube(-5.0, 10.0, best=1.0, listed=6, least=2)
def rosenbrock(x: Array) -> float:
    """A long, bent, flat valley; needs at least two dimensions."""
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


@_on_cube(-10.0, 10.0, best=1.0, listed=8)
def levy(x: Array) -> float:
    """Waves along every axis, of a different kind along the first and the last."""
    # with w = 1 + u for what the literature calls w: whole turns drop out, and the optimum is 0 exactly
    u = (x - 1) / 4
    waves = 1 + 10 * np.sin(math.pi * u[:-1] + 1) ** 2
    ends = math.sin(math.pi * u[0]) ** 2 + u[-1] ** 2 * (1 + math.sin(2 * math.pi * u[-1]) ** 2)
    return float((u[:-1] ** 2 * waves).sum() + ends)


@_on_cube(-5.0, 5.0, best=-2.903534027771177, listed=5)
def styblinski_tang(x: Array) -> float:
    """Two basins along every axis, 2^d in all; the lowest value is -39.166... for each dimension."""
    return float((x**4 - 16 * x**2 + 5 * x).sum() / 2)


@_on_cube(-600.0, 600.0, best=0.0, listed=6)
def griewank(x: Array) -> float:
    """A wide bowl with thousands of shallow dents, which are noise to a model."""
    dents = np.cos(x / np.sqrt(np.arange(1, len(x) + 1))).prod()
    return float((x**2).sum() / 4000 + (1 - dents))


@_on_cube(-5.12, 5.12, best=0.0, listed=5)
def rastrigin(x: Array) -> float:
    """A bowl with eleven deep valleys along every axis, 11^d in all, lower towards the middle."""
    # 10 d + sum(x^2 - 10 cos(2 pi x)), written so that nothing cancels
    return float((x**2 + 20 * np.sin(math.pi * x) ** 2).sum())


@_on_cube(-5.0, 10.0, best=0.0, listed=6)
def zakharov(x: Array) -> float:
    """One valley and no other minimum, along a slanted plate; away from it, values grow with the fourth power."""
    slant = float(x @ np.arange(1, len(x) + 1)) / 2
    return float((x**2).sum() + slant**2 + slant**4)


# the minimizer is 2^-((2^i - 2) / 2^i) for i = 1 ... d
@_on_cube(-10.0, 10.0, best=lambda n: np.asarray(2.0 ** (2.0 ** -np.arange(n) - 1)), listed=6, optimum=0.0, least=2)
def dixon_price(x: Array) -> float:
    """A bent valley in which every axis depends on the one before it; needs at least two dimensions."""
    i = np.arange(2, len(x) + 1)
    return float((x[0] - 1) ** 2 + (i * (2 * x[1:] ** 2 - x[:-1]) ** 2).sum())


def _michalewicz_best(n_dimensions: int) -> Array:
    """The minimizer, computed for each axis, as the function is a sum over them.

    Along axis i there is one valley between any two neighboring zeros of sin(i x^2 / pi). The lowest valley has the
    highest sin(x) at its bottom, and so is one of the two next to pi / 2, or the only one.
    """
    i = np.arange(1, n_dimensions + 1, dtype=np.float64)

    def bottom(k: Array) -> Array:
        """The x where the slope changes its sign between zeros k and k + 1, by bisection to the last digit."""
        low, high = math.pi * np.sqrt(k / i), math.pi * np.sqrt((k + 1) / i)
        for _ in range(60):
            x = (low + high) / 2
            angle = i * x**2 / math.pi - k * math.pi  # in (0, pi)
            is_before = np.cos(x) * np.sin(angle) + 40 * i * x / math.pi * np.cos(angle) * np.sin(x) > 0
            low, high = np.where(is_before, x, low), np.where(is_before, high, x)
        return np.asarray((low + high) / 2)

    def depth(x: Array) -> Array:
        return np.asarray(np.sin(x) * np.sin(i * x**2 / math.pi) ** 20)

    # valley k is at about x = pi sqrt((k + 1/2) / i), which is pi / 2 at k = i / 4 - 1/2
    k = np.clip(np.floor(i / 4 - 0.5), 0, i - 1)
    left, right = bottom(k), bottom(np.minimum(k + 1, i - 1))
    return np.where(depth(left) >= depth(right), left, right)


@_on_cube(0.0, math.pi, best=_michalewicz_best, listed=5)
def michalewicz(x: Array) -> float:
    """Plateaus without slope, crossed by narrow valleys, more of them along every further axis (m = 10)."""
    i = np.arange(1, len(x) + 1)
    return -float((np.sin(x) * np.sin(i * x**2 / math.pi) ** 20).sum())


@_on_cube(-1.0, 1.0, best=0.0, listed=8)
def cosines(x: Array) -> float:
    """The cosine mixture: five valleys along every axis, the middle one lowest; the optimum is -0.1 per dimension."""
    return float((x**2 - 0.1 * np.cos(5 * math.pi * x)).sum())


@_on_cube(-5.12, 5.12, best=0.0, listed=6)
def steps(x: Array) -> float:
    """A bowl of terraces, eleven along every axis: flat almost everywhere, with a jump between neighbors.

    Hard for smooth models, above all for a Gaussian process: equal values nearby, then a cliff.
    """
    return float((np.floor(x + 0.5) ** 2).sum())


@_on_cube(-5.0, 5.0, best=1.0, listed=6, optimum=0.0)
def rotated_ellipsoid(x: Array) -> float:
    """A long, thin bowl at an angle to every axis: a thousand times as steep along one direction as along another.

    Hard for methods that treat each axis alone. The minimizer is at 1 along every axis, off the middle.
    """
    z = _rotation(len(x)) @ (x - 1)
    return float(10 ** np.linspace(0, 3, len(z)) @ z**2)


@_on_cube(-5.12, 5.12, best=1.0, listed=5, optimum=0.0)
def rotated_rastrigin(x: Array) -> float:
    """`rastrigin` at an angle to every axis, and so no sum over them, with its minimizer at 1 along every axis."""
    return rastrigin(_rotation(len(x)) @ (x - 1))


@lru_cache(maxsize=8)  # in 1000 dimensions 8 MB each, and a second at the first evaluation
def _rotation(n_dimensions: int) -> Array:
    """A fixed orthogonal matrix (d, d), drawn from the uniform distribution."""
    q, r = np.linalg.qr(np.random.default_rng(n_dimensions).normal(size=(n_dimensions, n_dimensions)))
    return np.asarray(q * np.sign(np.diag(r)))  # LAPACKs differ in the signs
