"""A problem: a space, a value for each of its configurations, and the optimum where it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from auger.errors import AugerError
from auger.space import Float, Space
from auger.types import Array, Config


class DataError(AugerError, RuntimeError):
    """Data or a library that a problem needs is missing; the message says how to get it."""


class EvaluationError(AugerError, RuntimeError):
    """An evaluation without a value: the crash region of `auger_bench.problems.wrappers.crashing` raises it."""


def import_library(name: str, user: str, *others: str) -> Any:
    """The module of an optional library; `others` are modules that it needs.

    Raises:
        DataError: one of them is not installed; `user` is the start of the message, such as "Racing needs CVXPY".
    """
    try:
        for other in others:
            import_module(other)
        return import_module(name)
    except ImportError as error:
        raise DataError(f'{user}, which is not installed. Install it with: pip install "auger[bench]"') from error


@dataclass(frozen=True)
class Problem:
    """A function to minimize, with its optimum where that is known.

    Attributes:
        name: its name in the benchmark.
        space: the space of its configs.
        function: config -> noise-free value.
        optimum: the lowest value; None if it is unknown.
        minimizer: a config with that value; None if it is unknown.
        observe: config, generator -> value with noise; None if evaluations are noise-free.
        fidelities: the lower budgets at which `cheaper` has a value, lowest first; empty if there are none.
        cheaper: config, fidelity -> value at a lower budget; None if there are no fidelities.
        budget: the full budget, in the unit of the fidelities; None if there are no fidelities.
        is_continued: whether an evaluation can continue from a lower fidelity and then costs the difference.
            Otherwise each fidelity is a separate evaluation, from the start.
    """

    name: str
    space: Space
    function: Callable[[Config], float]
    optimum: float | None = None
    minimizer: Config | None = None
    observe: Callable[[Config, np.random.Generator], float] | None = None
    fidelities: tuple[int, ...] = ()
    cheaper: Callable[[Config, int], float] | None = None
    budget: int | None = None
    is_continued: bool = True

    @property
    def is_noisy(self) -> bool:
        """Whether evaluations differ from the noise-free value."""
        return self.observe is not None

    def __call__(self, config: Config) -> float:
        return self.function(config)

    def regret(self, value: float) -> float:
        """The distance of a noise-free value from the optimum (immediate regret, section 5 of the paper)."""
        if self.optimum is None:
            raise AugerError(f"The optimum of {self.name!r} is unknown, so there is no regret. Compare values instead.")
        return abs(value - self.optimum)


def vector_problem(
    name: str,
    value: Callable[[Array], float],
    axes: Sequence[Float],
    *,
    minimizer: Sequence[float] | None = None,
    optimum: float | None = None,
) -> Problem:
    """The problem of a function of x (d,), with parameters ``x0``, ``x1``, ...

    Args:
        name: the name of the problem.
        value: the function.
        axes: the parameters, (d,).
        minimizer: the x with the lowest value; None if it is unknown.
        optimum: the lowest value; None for the value at the minimizer, if that is known.
    """
    names = [f"x{i}" for i in range(len(axes))]

    def function(config: Config) -> float:
        return value(np.array([config[name] for name in names], dtype=np.float64))

    best = None if minimizer is None else dict(zip(names, minimizer, strict=True))
    lowest = function(best) if optimum is None and best is not None else optimum
    return Problem(name, Space(dict(zip(names, axes, strict=True))), function, lowest, best)
