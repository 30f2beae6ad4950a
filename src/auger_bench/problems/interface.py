"""A problem: a space, the outcome of each of its configurations, and the optimum where it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from auger.errors import AugerError
from auger.space import Float, Parameter, Space
from auger.types import Array, Config
from auger_bench.outcome import Outcome

#: The sources of a best hypervolume: a formula or a whole table, or `benchmarks/best_fronts.py`.
EXACT, SEARCHED = "exact", "search"


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

    With several objectives, the value of a run is minus the hypervolume of its feasible points: what they dominate up
    to the reference point. So the optimum is minus the largest hypervolume, and the regret is the hypervolume that is
    still missing. With one objective and constraints, the value of a run is that of its best feasible config, but at
    most that of the reference point, which it also has before there is a feasible config.

    Attributes:
        name: its name in the benchmark.
        space: the space of its configs.
        function: config -> noise-free value; or outcome, where there are several objectives or constraints.
        optimum: the lowest value; with several objectives, minus the best known hypervolume. None if it is unknown.
        minimizer: a config with the lowest value; None if it is unknown, or if there are several objectives.
        observe: config, generator -> value with noise; None if evaluations are noise-free.
        fidelities: the lower budgets at which `cheaper` has a value, lowest first; empty if there are none.
        cheaper: config, fidelity -> value at a lower budget; None if there are no fidelities.
        budget: the full budget, in the unit of the fidelities; None if there are no fidelities.
        is_continued: whether an evaluation can continue from a lower fidelity and then costs the difference.
            Otherwise each fidelity is a separate evaluation, from the start.
        objectives: their names.
        constraints: the names of the outcome constraints.
        reference: one value per objective, where there are several objectives or constraints; else empty.
        source: how the best known hypervolume is known, `EXACT` or `SEARCHED`; empty with one objective.
    """

    name: str
    space: Space
    function: Callable[[Config], float | Outcome]
    optimum: float | None = None
    minimizer: Config | None = None
    observe: Callable[[Config, np.random.Generator], float] | None = None
    fidelities: tuple[int, ...] = ()
    cheaper: Callable[[Config, int], float] | None = None
    budget: int | None = None
    is_continued: bool = True
    objectives: tuple[str, ...] = ("value",)
    constraints: tuple[str, ...] = ()
    reference: tuple[float, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        n = 0 if self.is_plain else len(self.objectives)
        if len(self.reference) != n:
            raise AugerError(
                f"`reference` of {self.name!r} must have {n} values: one per objective where there are several "
                f"objectives or constraints, else none. Got {self.reference!r}."
            )
        if not self.is_plain and (self.optimum is None or self.is_noisy or self.fidelities):
            raise AugerError(
                f"{self.name!r} has several objectives or constraints, so it must have a known optimum, no noise and "
                "no fidelities."
            )

    @property
    def is_noisy(self) -> bool:
        """Whether evaluations differ from the noise-free value."""
        return self.observe is not None

    @property
    def is_plain(self) -> bool:
        """Whether there is one objective and no outcome constraint."""
        return len(self.objectives) == 1 and not self.constraints

    def outcome(self, config: Config) -> Outcome:
        """The noise-free values of all objectives and constraints."""
        result = self.function(config)
        return result if isinstance(result, Outcome) else Outcome((result,))

    def __call__(self, config: Config) -> float:
        """The noise-free value of the one objective, feasible or not."""
        if len(self.objectives) > 1:
            raise AugerError(
                f"{self.name!r} has several objectives: {', '.join(self.objectives)}. Call `outcome` for all values."
            )
        return self.outcome(config).value

    def regret(self, value: float) -> float:
        """The distance of a noise-free value from the optimum (immediate regret, section 5 of the paper)."""
        if self.optimum is None:
            raise AugerError(f"The optimum of {self.name!r} is unknown, so there is no regret. Compare values instead.")
        return abs(value - self.optimum)


def front_problem(
    name: str,
    function: Callable[[Array], Outcome],
    axes: Sequence[Parameter],
    *,
    reference: Sequence[float],
    hypervolume: float,
    source: str = EXACT,
    constraints: Sequence[str] = (),
) -> Problem:
    """The problem with several objectives of a function of x (d,), with parameters ``x0``, ``x1``, ...

    Args:
        name: the name of the problem.
        function: x -> outcome; its objectives are called ``f1``, ``f2``, ...
        axes: the parameters, (d,), all of them numbers.
        reference: the reference point.
        hypervolume: the largest known hypervolume up to the reference point.
        source: how it is known.
        constraints: the names of the outcome constraints.
    """
    names = [f"x{i}" for i in range(len(axes))]
    return Problem(
        name,
        Space(dict(zip(names, axes, strict=True))),
        lambda config: function(np.array([config[name] for name in names], dtype=np.float64)),
        optimum=-hypervolume,
        objectives=tuple(f"f{i}" for i in range(1, len(reference) + 1)),
        constraints=tuple(constraints),
        reference=tuple(reference),
        source=source,
    )


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
