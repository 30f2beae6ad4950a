"""What an evaluation comes to: one value or several, and the values of outcome constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The values of a config, all minimized, and of its outcome constraints.

    Attributes:
        values: one per objective; NaN if the evaluation failed.
        constraints: one per outcome constraint, satisfied if at most 0; empty if the evaluation failed.

    Example:
        >>> Outcome((1.0, 2.0), (-0.5, 0.0)).is_feasible, Outcome((1.0, 2.0), (0.1,)).is_feasible
        (True, False)
    """

    values: tuple[float, ...]
    constraints: tuple[float, ...] = ()

    @property
    def value(self) -> float:
        """The value, where there is one objective."""
        [value] = self.values
        return value

    @property
    def is_failed(self) -> bool:
        """Whether the evaluation failed, so that a value is not a number or is infinite."""
        return not all(map(math.isfinite, self.values))

    @property
    def is_feasible(self) -> bool:
        """Whether the evaluation did not fail and satisfies every outcome constraint; NaN satisfies none."""
        return not self.is_failed and all(constraint <= 0.0 for constraint in self.constraints)
