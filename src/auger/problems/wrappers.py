"""Problems made harder: with noise, with the optimum elsewhere, with a part of the space where evaluations crash.

A wrapper takes a problem and returns another, so they combine; `auger.problems.problem` reads them from a name,
left to right: ``problem("hartmann6+shifted3+noisy0.1")`` is ``noisy(shifted(problem("hartmann6"), 3), 0.1)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auger.checks import is_number, is_whole
from auger.errors import AugerError
from auger.problems.interface import EvaluationError, Problem
from auger.space import Float, Space
from auger.types import Array, Config

# Members drawn to place a crash region: its share is met to about 0.01.
_N_SURVEYED = 4096


def noisy(problem: Problem, scale: float) -> Problem:
    """The problem, observed with Gaussian noise of standard deviation `scale`, on top of any noise of its own.

    `Problem.function`, optimum and regret stay noise-free, and so does `Problem.cheaper`.

    Example:
        >>> from auger.problems import problem
        >>> noisy(problem("branin"), 0.1).name
        'branin+noisy0.1'
    """
    if not is_number(scale) or not 0 < scale < math.inf:
        raise AugerError(f"`scale` of noisy must be a positive number. Got {scale!r}.")
    function, observe = problem.function, problem.observe

    def observe_with_noise(config: Config, rng: np.random.Generator) -> float:
        value = function(config) if observe is None else observe(config, rng)
        return float(value + rng.normal(0.0, scale))

    return replace(problem, name=f"{problem.name}+noisy{_decimal(scale)}", observe=observe_with_noise)


def shifted(problem: Problem, seed: int) -> Problem:
    """The problem with its minimizer elsewhere: where, `seed` decides, and every place is as likely as any other.

    The new function at x is the old one at x + delta, where positions are those in the encoded unit cube (so the
    shift of a logarithmic Float is a factor) and wrap around: what leaves the cube on one side comes in at the
    opposite one. Every position is so visited exactly once. The optimum is therefore that of the problem, the old
    minimizer minus delta is the new one, and the values at random points follow the same law as before. The price is
    a cliff at the seam, where the old function differs from one end of its domain to the other.

    Raises:
        AugerError: the space has anything but continuous Floats, or constraints.
    """
    if not is_whole(seed) or seed < 0:
        raise AugerError(f"`seed` of shifted must be a whole number of at least 0. Got {seed!r}.")
    space = problem.space
    last = _last_positions(problem)
    # whole numbers of steps of the grid that positions are kept on, so that nothing is rounded on the way round
    delta = np.random.default_rng(seed).integers(0, last, endpoint=True)

    def move(config: Config, steps: np.ndarray) -> Config:
        index = np.rint(space.encode([config]) * last).astype(np.int64)
        return space.decode((index + steps) % (last + 1) / last)[0]

    minimizer = None if problem.minimizer is None else move(problem.minimizer, -delta)
    moved = _through(problem, lambda config: move(config, delta))
    return replace(moved, name=f"{problem.name}+shifted{seed}", minimizer=minimizer)


def crashing(problem: Problem, share: float) -> Problem:
    """The problem with evaluations that raise an EvaluationError in a fixed part of the space, about `share` of it.

    What works is one side of a straight cut across the space: the members whose encoded, one-hot row has a product
    with fixed random weights below (or above) a bound. So crashes can be learned, in every kind of space. The
    minimizer, where it is known, works; a share above one half can take two parallel cuts with the minimizer somewhere
    between them. In a space of few members the share is rough.
    """
    if not is_number(share) or not 0 < share < 1:
        raise AugerError(f"`share` of crashing must be strictly between 0 and 1. Got {share!r}.")
    name = f"{problem.name}+crashing{_decimal(share)}"
    works = _region(problem.space, problem.minimizer, 1 - share)

    def check(config: Config) -> Config:
        if not works(config):
            raise EvaluationError(f"{name!r} crashes, on purpose, in the part of its space that this config is from.")
        return config

    return replace(_through(problem, check), name=name)


def _through(problem: Problem, prepare: Callable[[Config], Config]) -> Problem:
    """The problem, with every config prepared before it is evaluated in whatever way."""
    function, observe, cheaper = problem.function, problem.observe, problem.cheaper
    return replace(
        problem,
        function=lambda config: function(prepare(config)),
        observe=observe and (lambda config, rng: observe(prepare(config), rng)),
        cheaper=cheaper and (lambda config, fidelity: cheaper(prepare(config), fidelity)),
    )


def _last_positions(problem: Problem) -> np.ndarray:
    """The highest number of a position on the grid of each parameter, shape (d,)."""
    wanted = f"`shifted` needs a space of continuous Floats without constraints. Got {problem.name!r}"
    for name, kind in problem.space.parameters.items():
        if not isinstance(kind, Float) or kind.step is not None:
            raise AugerError(f"{wanted}, whose {name!r} is {kind!r}.")
    if problem.space.constraints:
        raise AugerError(f"{wanted}, which has constraints.")
    return np.array([kind.n_steps for kind in problem.space.parameters.values()], dtype=np.int64)


def _region(space: Space, inside: Config | None, share: float) -> Callable[[Config], bool]:
    """Membership in a region that holds about `share` of the space, and `inside` where it is given."""
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
    """Bounds with about `share` of the heights, and the mark, between them; one of them infinite if that can be."""
    rank = float((heights < mark).mean())
    if rank <= share:
        return -math.inf, max(float(np.quantile(heights, share)), mark)
    if rank >= 1 - share:
        return min(float(np.quantile(heights, 1 - share)), mark), math.inf
    start = rng.uniform(rank - share, rank)
    low, high = np.quantile(heights, [start, start + share]).tolist()
    return min(low, mark), max(high, mark)  # among few members, a quantile can fall beside the mark


def _decimal(number: Any) -> str:
    """A number without exponent and needless zeros: one way to write it, fit for file names."""
    return np.format_float_positional(float(number), trim="-")


#: Name -> wrapper, and the type of its number.
WRAPPERS: dict[str, tuple[Callable[[Problem, Any], Problem], type[int] | type[float]]] = {
    "noisy": (noisy, float),
    "shifted": (shifted, int),
    "crashing": (crashing, float),
}
