"""The config that a run would end with, if it ended now."""

from __future__ import annotations

import math
from dataclasses import dataclass

from auger_bench.problems import Problem


@dataclass
class Incumbent:
    """The config with the lowest observed value so far; what `recommend` would say is not asked."""

    problem: Problem
    observed: float = math.inf
    value: float = math.nan

    def update(self, observed: float, value: float) -> None:
        """Take one more evaluation into account."""
        if observed < self.observed:
            self.observed, self.value = observed, value

    @property
    def regret(self) -> float | None:
        """Its distance from the optimum, without noise; None where the optimum is unknown."""
        return None if self.problem.optimum is None else self.problem.regret(self.value)
