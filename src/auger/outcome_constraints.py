"""Outcome constraints as users write them: limits of numbers that only a run reveals, such as memory.

{"memory_mb": "<= 512"}               at most 512
{"accuracy": ">= 0.9"}                at least 0.9
{"seconds": [">= 1", "<= 60"]}        both
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from auger.errors import ObjectiveError

_LIMIT = re.compile(r"\s*(?P<sign><=|>=)\s*(?P<bound>\S+)\s*")


@dataclass(frozen=True)
class OutcomeConstraint:
    """A limit of a number that a run gives.

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
        """The limit as the user writes it."""
        return f"{'<=' if self.is_upper else '>='} {_short(self.bound)}"

    def excess(self, number: float) -> float:
        """How far a number is beyond the limit; at most 0 where it satisfies the constraint. NaN is beyond any."""
        beyond = number - self.bound if self.is_upper else self.bound - number
        return math.inf if math.isnan(beyond) else beyond


def outcome_constraint(name: str, limit: Any) -> OutcomeConstraint | None:
    """The constraint that a limit such as ``"<= 512"`` is for a number with this name; None where it is none.

    Example:
        >>> outcome_constraint("recall", ">= 0.9")
        OutcomeConstraint(name='recall', is_upper=False, bound=0.9)
    """
    match = _LIMIT.fullmatch(limit) if isinstance(limit, str) else None
    try:
        bound = math.nan if match is None else float(match["bound"])
    except ValueError:
        bound = math.nan
    return OutcomeConstraint(name, match["sign"] == "<=", bound) if match and math.isfinite(bound) else None


def as_outcome_constraints(limits: Any, what: str = "`constraints`") -> tuple[OutcomeConstraint, ...]:
    """Names and limits as constraints, checked; none for None.

    Args:
        limits: a dict of names and limits.
        what: it is, for an error.

    Example:
        >>> constraints = as_outcome_constraints({"memory_mb": "<= 512", "accuracy": ">= 0.9"})
        >>> [constraint.excess(number) for constraint, number in zip(constraints, [500, 0.5])]
        [-12.0, 0.4]
    """
    if limits is None:
        return ()
    if not isinstance(limits, Mapping):
        raise ObjectiveError(
            f"{what} must be a dict of names and limits, such as {{'seconds': '<= 60'}}. Got {limits!r}."
        )
    constraints = []
    for name, written in limits.items():
        if not isinstance(name, str) or not name.strip():
            raise ObjectiveError(f"A name in {what} must be a text that is not empty. Got {name!r}.")
        for limit in written if isinstance(written, (list, tuple)) else [written]:
            constraint = outcome_constraint(name, limit)
            if constraint is None:
                raise ObjectiveError(
                    f"The limit of {name!r} must be a text such as '<= 512' or '>= 0.9'. Got {limit!r}."
                )
            constraints.append(constraint)
    check_satisfiable(constraints)
    return tuple(constraints)


def check_satisfiable(constraints: Iterable[OutcomeConstraint]) -> None:
    """Refuse limits of a number that no number satisfies together, such as "<= 10" and ">= 20"."""
    highest: dict[str, OutcomeConstraint] = {}
    lowest: dict[str, OutcomeConstraint] = {}
    for constraint in constraints:
        name = constraint.name
        if constraint.is_upper:
            highest[name] = min(constraint, highest.get(name, constraint), key=lambda limit: limit.bound)
        else:
            lowest[name] = max(constraint, lowest.get(name, constraint), key=lambda limit: limit.bound)
        if name in highest and name in lowest and highest[name].bound < lowest[name].bound:
            raise ObjectiveError(
                f"The limits of {name!r} must leave a number that satisfies them all. "
                f"Got {highest[name].limit!r} and {lowest[name].limit!r}."
            )


def _short(bound: float) -> str:
    """A number as people write it: 512 for 512.0."""
    return str(int(bound)) if bound == int(bound) and abs(bound) < 1e15 else repr(bound)
