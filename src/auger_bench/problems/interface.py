"""What a problem is: a space, a value for each of its configurations, and what is known of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auger.errors import AugerError
from auger.space import Space
from auger.types import Config


class DataError(AugerError, RuntimeError):
    """Data or a library that a problem needs is missing; the message says what provides it."""


class EvaluationError(AugerError, RuntimeError):
    """An evaluation that came to no value: what the crash region of `auger_bench.problems.wrappers.crashing` raises."""


@dataclass(frozen=True)
class Problem:
    """A function to minimize, with what is known of its answer.

    Attributes:
        name: what the benchmarks call it.
        space: where it is defined.
        function: config -> noise-free value.
        optimum: the lowest value; None where nobody knows it.
        minimizer: a config where it is reached; None where unknown.
        observe: config, generator -> the value an evaluation returns, where that differs from the noise-free one.
        fidelities: budgets at which `cheaper` can be asked, lowest first; empty when there is only the full one.
        cheaper: config, fidelity -> value at a lower budget.
        budget: the full one, in the unit of the fidelities; None where there are none.
        is_continued: whether going on from a lower fidelity costs the difference. Otherwise each fidelity is an
            evaluation of its own, from the start.
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
        """How far a noise-free value is from the optimum (immediate regret, section 5 of the paper)."""
        if self.optimum is None:
            raise AugerError(f"The optimum of {self.name!r} is unknown, so there is no regret. Compare values instead.")
        return abs(value - self.optimum)
