"""Test functions of the literature that exist in any dimension, with known optima.

>>> ackley(10).name, ackley(10).optimum
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


def griewank(n_dimensions: int) -> Problem:
    """A wide bowl with thousands of shallow dents, which are noise to a model."""

    def value(x: Array) -> float:
        dents = np.cos(x / np.sqrt(np.arange(1, len(x) + 1))).prod()
        return float((x**2).sum() / 4000 + (1 - dents))

    return _on_cube("griewank", n_dimensions, value, Float(-600.0, 600.0), best=0.0)


def rastrigin(n_dimensions: int) -> Problem:
    """A bowl with eleven deep valleys along every axis, 11^d in all, lower towards the middle."""
    return _on_cube("rastrigin", n_dimensions, _rastrigin_value, Float(-5.12, 5.12), best=0.0)


def _rastrigin_value(x: Array) -> float:
    # 10 d + sum(x^2 - 10 cos(2 pi x)), written so that nothing cancels
    return float((x**2 + 20 * np.sin(math.pi * x) ** 2).sum())


def zakharov(n_dimensions: int) -> Problem:
    """One valley and no other minimum, along a slanted plate; away from it, values grow with the fourth power."""

    def value(x: Array) -> float:
        slant = float(x @ np.arange(1, len(x) + 1)) / 2
        return float((x**2).sum() + slant**2 + slant**4)

    return _on_cube("zakharov", n_dimensions, value, Float(-5.0, 10.0), best=0.0)


def dixon_price(n_dimensions: int) -> Problem:
    """A bent valley in which every axis depends on the one before it; needs at least two dimensions."""

    def value(x: Array) -> float:
        i = np.arange(2, len(x) + 1)
        return float((x[0] - 1) ** 2 + (i * (2 * x[1:] ** 2 - x[:-1]) ** 2).sum())

    def best(n: int) -> Array:
        return np.asarray(2.0 ** (2.0 ** -np.arange(n) - 1))  # 2^-((2^i - 2) / 2^i) for i = 1 ... d

    return _on_cube("dixon-price", n_dimensions, value, Float(-10.0, 10.0), best=best, optimum=0.0, least=2)


def michalewicz(n_dimensions: int) -> Problem:
    """Plateaus without slope, crossed by narrow valleys, more of them along every further axis (m = 10)."""

    def value(x: Array) -> float:
        i = np.arange(1, len(x) + 1)
        return -float((np.sin(x) * np.sin(i * x**2 / math.pi) ** 20).sum())

    return _on_cube("michalewicz", n_dimensions, value, Float(0.0, math.pi), best=_michalewicz_best)


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


def cosines(n_dimensions: int) -> Problem:
    """The cosine mixture: five valleys along every axis, the middle one lowest; the optimum is -0.1 per dimension."""

    def value(x: Array) -> float:
        return float((x**2 - 0.1 * np.cos(5 * math.pi * x)).sum())

    return _on_cube("cosines", n_dimensions, value, Float(-1.0, 1.0), best=0.0)


def steps(n_dimensions: int) -> Problem:
    """A bowl of terraces, eleven along every axis: flat almost everywhere, with a jump between neighbors.

    Hard for smooth models, above all for a Gaussian process: equal values nearby, then a cliff.
    """

    def value(x: Array) -> float:
        return float((np.floor(x + 0.5) ** 2).sum())

    return _on_cube("steps", n_dimensions, value, Float(-5.12, 5.12), best=0.0)


def rotated_ellipsoid(n_dimensions: int) -> Problem:
    """A long, thin bowl at an angle to every axis: a thousand times as steep along one direction as along another.

    Hard for methods that treat each axis alone. The minimizer is at 1 along every axis, off the middle.
    """

    def value(x: Array) -> float:
        z = _rotation(len(x)) @ (x - 1)
        return float(10 ** np.linspace(0, 3, len(z)) @ z**2)

    return _on_cube("rotated-ellipsoid", n_dimensions, value, Float(-5.0, 5.0), best=1.0, optimum=0.0)


def rotated_rastrigin(n_dimensions: int) -> Problem:
    """`rastrigin` at an angle to every axis, and so no sum over them, with its minimizer at 1 along every axis."""

    def value(x: Array) -> float:
        return _rastrigin_value(_rotation(len(x)) @ (x - 1))

    return _on_cube("rotated-rastrigin", n_dimensions, value, Float(-5.12, 5.12), best=1.0, optimum=0.0)


@lru_cache(maxsize=8)  # in 1000 dimensions 8 MB each, and a second at the first evaluation
def _rotation(n_dimensions: int) -> Array:
    """A fixed orthogonal matrix (d, d), drawn from the uniform distribution."""
    q, r = np.linalg.qr(np.random.default_rng(n_dimensions).normal(size=(n_dimensions, n_dimensions)))
    return np.asarray(q * np.sign(np.diag(r)))  # LAPACKs differ in the signs


def _on_cube(
    name: str,
    n_dimensions: int,
    value: Callable[[Array], float],
    side: Float,
    *,
    best: float | Callable[[int], Array],
    optimum: float | None = None,
    least: int = 1,
) -> Problem:
    """A function of x (d,) with the same bounds along every axis.

    Args:
        best: the minimizer: one number for all axes, or a function of d that returns x.
        optimum: the lowest value, for functions whose value at the minimizer has rounding errors or costs a matrix.
        least: the fewest dimensions.
    """
    if not is_whole(n_dimensions) or not least <= n_dimensions <= MAX_DIMENSIONS:
        raise AugerError(
            f"The number of dimensions of {name!r} must be a whole number from {least} to {MAX_DIMENSIONS}. "
            f"Got {n_dimensions!r}."
        )
    minimizer = best(n_dimensions).tolist() if callable(best) else [best] * n_dimensions
    return vector_problem(f"{name}{n_dimensions}", value, [side] * n_dimensions, minimizer=minimizer, optimum=optimum)


#: Name without the dimension -> function of the dimension: "ackley7" is ``FAMILIES["ackley"](7)``.
FAMILIES: dict[str, Callable[[int], Problem]] = {
    "ackley": ackley,
    "rosenbrock": rosenbrock,
    "levy": levy,
    "styblinski-tang": styblinski_tang,
    "griewank": griewank,
    "rastrigin": rastrigin,
    "zakharov": zakharov,
    "dixon-price": dixon_price,
    "michalewicz": michalewicz,
    "cosines": cosines,
    "steps": steps,
    "rotated-ellipsoid": rotated_ellipsoid,
    "rotated-rastrigin": rotated_rastrigin,
}

# the dimensions in which they are listed, in the same order
_LISTED = (10, 6, 8, 5, 6, 5, 6, 6, 5, 8, 6, 6, 5)

#: One problem of each family by name.
FAMILY_MEMBERS: dict[str, Callable[[], Problem]] = {
    f"{name}{d}": partial(make, d) for (name, make), d in zip(FAMILIES.items(), _LISTED, strict=True)
}
