"""Wrappers that make a problem harder: noise, a moved optimum, crashes in a part of the space, idle parameters.

Wrappers can be combined: each takes a problem and returns another. `problem` reads them from a name, left to right:
``problem("hartmann6+shifted3+noisy0.1")`` is ``noisy(shifted(problem("hartmann6"), 3), 0.1)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auger.checks import check_whole, is_number
from auger.errors import AugerError
from auger.space import Float, Space
from auger.space.constraints import Expression
from auger.types import Array, Config
from auger_bench.problems.interface import EvaluationError, Problem

# Members drawn to place a crash region: its share is accurate to about 0.01.
_N_SURVEYED = 4096

# A shift: the range of new positions of the minimizer, the largest a for that, and the largest a without a minimizer.
_NEW_POSITIONS = (0.15, 0.85)
_MOST_BENT = 16.0
_FREE_BEND = 4.0


def noisy(problem: Problem, scale: float) -> Problem:
    """The problem, observed with Gaussian noise of standard deviation `scale`, on top of any noise of its own.

    `Problem.function`, optimum and regret stay noise-free, and so does `Problem.cheaper`.

    Example:
        >>> from auger_bench.problems import problem
        >>> noisy(problem("branin"), 0.1).name
        'branin+noisy0.1'
    """
    if not is_number(scale) or not 0 < scale < math.inf:
        raise AugerError(f"`scale` of noisy must be a positive number. Got {scale!r}.")
    if not problem.is_plain:
        raise AugerError(
            f"`noisy` needs a problem with one objective and without outcome constraints. Got {problem.name!r}."
        )
    observe = problem.observe

    def observe_with_noise(config: Config, rng: np.random.Generator) -> float:
        value = problem(config) if observe is None else observe(config, rng)
        return float(value + rng.normal(0.0, scale))

    return replace(problem, name=f"{problem.name}+noisy{_decimal(scale)}", observe=observe_with_noise)


def shifted(problem: Problem, seed: int) -> Problem:
    """The problem with its minimizer at another position, which depends on `seed`.

    Continuous Floats are bent along their axes, and everything else stays as it is. The new function at position x
    of the encoded unit cube (for a logarithmic Float, a position on the logarithmic scale) is the old function at

        t(x) = x / (x + a (1 - x)),    with an a > 0 for each axis,

    which rises smoothly from t(0) = 0 to t(1) = 1. So t takes every position exactly once, adds no cliff and no second
    valley, and the optimum stays the same. If the minimizer has the position u on an axis, its new position v is
    uniform between 0.15 and 0.85, and a solves t(v) = u. Nearer to the ends the valley would become too narrow. Only
    positions v with a between 1/16 and 16 are drawn, since a (or 1/a) is the largest slope of t. If there are none,
    with u within about 0.01 of an end, or if there is no u (an unknown minimizer, an inactive parameter), a itself is
    log-uniform between 1/4 and 4: the middle of the axis then takes the value of a position between 0.2 and 0.8, and
    the ends stay where they are.

    Positions are on a grid of about 13 decimals, and so is v: the value at the new minimizer differs from the optimum
    by no more than the effect of rounding u to that grid.

    Raises:
        AugerError: the space has no continuous Float, or it has constraints.

    Example:
        >>> from auger_bench.problems import problem
        >>> moved = shifted(problem("ackley2"), 3)
        >>> {name: round(x, 2) for name, x in moved.minimizer.items()}, moved.optimum
        ({'x0': -19.01, 'x1': -12.07}, 0.0)
    """
    check_whole(seed, 0, "`seed` of shifted", AugerError)
    space = problem.space
    axes = _continuous_axes(problem)
    u = np.full(len(axes), np.nan) if problem.minimizer is None else space.encode([problem.minimizer])[0, axes]
    a, v = _bend(u, space, axes, np.random.default_rng(seed))
    names = [space.names[j] for j in axes]

    def move(config: Config, new: Callable[[Array], Array]) -> Config:
        row = space.encode([config])
        row[0, axes] = new(row[0, axes])
        decoded = space.decode(row)[0]  # not snapped first: where t is flat, neighbors would become one
        return {**config, **{name: decoded[name] for name in names if name in config}}

    minimizer = None if problem.minimizer is None else move(problem.minimizer, lambda _: v)
    moved = _through(problem, lambda config: move(config, lambda x: x / (x + a * (1 - x))))
    return replace(moved, name=f"{problem.name}+shifted{seed}", minimizer=minimizer)


def _bend(u: Array, space: Space, axes: list[int], rng: np.random.Generator) -> tuple[Array, Array]:
    """For each axis, the a of `shifted` and the position v with t(v) = u; v is NaN where u is."""
    draw = rng.random(len(axes))
    a = _FREE_BEND ** (2 * draw - 1)
    low, high = (np.clip(b * u / (1 - u + b * u), *_NEW_POSITIONS) for b in (1 / _MOST_BENT, _MOST_BENT))
    v = np.where(low < high, low + draw * (high - low), a * u / (1 - u + a * u))
    row = np.full((1, len(space)), 0.5)
    row[0, axes] = v
    v = np.where(np.isnan(u), np.nan, space.grid.snap(row)[0, axes])
    is_between = (u > 0) & (u < 1) & (v > 0) & (v < 1)
    u, w = np.where(is_between, u, 0.5), np.where(is_between, v, 0.5)
    return np.where(is_between, w * (1 - u) / (u * (1 - w)), a), v


def crashing(problem: Problem, share: float) -> Problem:
    """The problem with evaluations that raise an EvaluationError in a fixed part of the space, about `share` of it.

    The other part is one side of a straight cut across the space: the members whose encoded, one-hot row has a product
    with fixed random weights below (or above) a bound. So a model can learn the crashes, in every kind of space. The
    minimizer, where it is known, does not crash; a share above one half can need two parallel cuts with the minimizer
    between them. In a space of few members the share is approximate.
    """
    if not is_number(share) or not 0 < share < 1:
        raise AugerError(f"`share` of crashing must be strictly between 0 and 1. Got {share!r}.")
    name = f"{problem.name}+crashing{_decimal(share)}"
    works = _region(problem.space, problem.minimizer, 1 - share)

    def check(config: Config) -> Config:
        if not works(config):
            raise EvaluationError(f"{name!r} crashes on purpose in the part of its space where this config is.")
        return config

    return replace(_through(problem, check), name=name)


def idle(problem: Problem, number: int) -> Problem:
    """The problem with so many more Floats between 0 and 1, which have no effect.

    Example:
        >>> from auger_bench.problems import problem
        >>> sparse = idle(problem("branin"), 98)
        >>> len(sparse.space), sparse.optimum == problem("branin").optimum
        (100, True)
    """
    check_whole(number, 1, "`number` of idle", AugerError)
    space, names = problem.space, [f"idle{j}" for j in range(number)]
    rules = [rule.text if isinstance(rule, Expression) else rule for rule in space.constraints]
    wider = Space({**space.parameters, **{name: Float(0.0, 1.0) for name in names}}, constraints=rules)
    minimizer = problem.minimizer and {**problem.minimizer, **dict.fromkeys(names, 0.5)}
    narrowed = _through(problem, lambda config: {name: config[name] for name in space.names if name in config})
    return replace(narrowed, name=f"{problem.name}+idle{number}", space=wider, minimizer=minimizer)


def _through(problem: Problem, prepare: Callable[[Config], Config]) -> Problem:
    """The problem with `prepare` applied to every config before its evaluation, also with noise or at a fidelity."""
    function, observe, cheaper = problem.function, problem.observe, problem.cheaper
    return replace(
        problem,
        function=lambda config: function(prepare(config)),
        observe=observe and (lambda config, rng: observe(prepare(config), rng)),
        cheaper=cheaper and (lambda config, fidelity: cheaper(prepare(config), fidelity)),
    )


def _continuous_axes(problem: Problem) -> list[int]:
    """The columns of the continuous Floats."""
    wanted = f"`shifted` needs a space with a continuous Float and without constraints. Got {problem.name!r}"
    if problem.space.constraints:
        raise AugerError(f"{wanted}, which has constraints.")
    axes = [j for j, n_values in enumerate(problem.space.n_values) if n_values is None]
    if not axes:
        raise AugerError(f"{wanted}, which has no continuous Float.")
    return axes


def _region(space: Space, inside: Config | None, share: float) -> Callable[[Config], bool]:
    """Membership in a region that holds about `share` of the space, and the config `inside` unless that is None."""
    rng = np.random.default_rng(0)
    rows = space.sample(_N_SURVEYED, rng)
    weights = rng.normal(size=space.one_hot(rows).shape[1])

    def height(X: Array) -> Array:
        return np.asarray(space.one_hot(X) @ weights)

    heights = height(rows)
    mark = float(heights.min() if inside is None else height(space.encode([inside]))[0])
    low, high = _cuts(heights, mark, share, rng)
    return lambda config: bool(low <= height(space.encode([config]))[0] <= high)


def _cuts(heights: Array, mark: float, share: float, rng: np.random.Generator) -> tuple[float, float]:
    """Bounds with about `share` of the heights, and the mark, between them; one is infinite if possible."""
    rank = float((heights < mark).mean())
    if rank <= share:
        return -math.inf, max(float(np.quantile(heights, share)), mark)
    if rank >= 1 - share:
        return min(float(np.quantile(heights, 1 - share)), mark), math.inf
    start = rng.uniform(rank - share, rank)
    low, high = np.quantile(heights, [start, start + share]).tolist()
    return min(low, mark), max(high, mark)  # among few members, the mark can be outside of these quantiles


def _decimal(number: Any) -> str:
    """A number without exponent and trailing zeros: a unique text that is valid in file names."""
    return np.format_float_positional(float(number), trim="-")


#: Name -> wrapper, and the type of its number.
WRAPPERS: dict[str, tuple[Callable[[Problem, Any], Problem], type[int] | type[float]]] = {
    "noisy": (noisy, float),
    "shifted": (shifted, int),
    "crashing": (crashing, float),
    "idle": (idle, int),
}
