"""Outcome constraints: limits of numbers that only a run of the program reveals, such as memory."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auger.errors import StudyError
from auger.text import toml_value

_LIMIT = re.compile(r"\s*(?P<sign><=|>=)\s*(?P<bound>\S+)\s*")


@dataclass(frozen=True)
class OutcomeConstraint:
    """A limit of a number that the program gives.

    Attributes:
        name: of the number.
        is_upper: whether the bound is the highest value that is allowed; otherwise it is the lowest.
        bound: the limit.

    Example:
        >>> constraint = OutcomeConstraint("memory_mb", True, 512.0)
        >>> constraint.limit, constraint.excess(500.0), constraint.excess(600.0)
        ('<= 512', -12.0, 88.0)
    """

    name: str
    is_upper: bool
    bound: float

    @property
    def limit(self) -> str:
        """The limit as the study file has it."""
        return f"{'<=' if self.is_upper else '>='} {_short(self.bound)}"

    def excess(self, number: float) -> float:
        """How far a number is beyond the limit; at most 0 where it satisfies the constraint."""
        return number - self.bound if self.is_upper else self.bound - number


def read_outcome_constraint(name: str, limit: Any, key: str = "study.constraints") -> OutcomeConstraint:
    """An outcome constraint as the user writes it.

    Args:
        name: of the number.
        limit: such as ``"<= 512"``.
        key: of the study file, for errors.

    Example:
        >>> read_outcome_constraint("recall", ">= 0.9")
        OutcomeConstraint(name='recall', is_upper=False, bound=0.9)
    """
    match = _LIMIT.fullmatch(limit) if isinstance(limit, str) else None
    try:
        bound = math.nan if match is None else float(match["bound"])
    except ValueError:
        bound = math.nan
    if match is None or not math.isfinite(bound):
        raise StudyError(
            f'the limit of {toml_value(name)} must be text such as "<= 512" or ">= 0.9". Got {toml_value(limit)}.', key
        )
    return OutcomeConstraint(name, match["sign"] == "<=", bound)


def read_outcome_constraints(table: Mapping[str, Any]) -> tuple[OutcomeConstraint, ...]:
    """The outcome constraints of a table: names and limits."""
    return tuple(read_outcome_constraint(name, limit) for name, limit in table.items())


def _short(bound: float) -> str:
    """A number as people write it: 512 for 512.0."""
    return str(int(bound)) if bound == int(bound) and abs(bound) < 1e15 else repr(bound)
