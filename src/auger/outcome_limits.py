"""Limits of numbers that a run reports, as users write them, and as outcome constraints: satisfied if at most 0.

{"memory_mb": "<= 512"}               at most 512
{"accuracy": ">= 0.9"}                at least 0.9
{"seconds": [">= 1", "<= 60"]}        both
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auger.errors import ObjectiveError

_LIMIT = re.compile(r"\s*(<=|>=)\s*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class OutcomeLimit:
    """One limit of one number.

    Attributes:
        name: what is reported.
        is_upper: whether it is the most that is allowed, or the least.
        bound: the limit itself.
    """

    name: str
    is_upper: bool
    bound: float

    @property
    def written(self) -> str:
        """The limit as users write it.

        Example:
            >>> OutcomeLimit("memory_mb", True, 512.0).written, OutcomeLimit("accuracy", False, 0.9).written
            ('<= 512', '>= 0.9')
        """
        is_short = self.bound == int(self.bound) and abs(self.bound) < 1e15
        return f"{'<=' if self.is_upper else '>='} {int(self.bound) if is_short else self.bound!r}"

    def constraint(self, value: float) -> float:
        """How far a reported value is beyond the limit: at most 0 if it is within. NaN is beyond any."""
        beyond = value - self.bound if self.is_upper else self.bound - value
        return math.inf if math.isnan(beyond) else beyond


def as_outcome_limits(limits: Any, what: str = "`constraints`") -> tuple[OutcomeLimit, ...]:
    """Limits by name, checked; none for None.

    Args:
        limits: a dict of names and limits.
        what: it is, for an error.

    Example:
        >>> limits = as_outcome_limits({"memory_mb": "<= 512", "accuracy": ">= 0.9"})
        >>> [limit.constraint(value) for limit, value in zip(limits, [500, 0.5])]
        [-12.0, 0.4]
    """
    if limits is None:
        return ()
    if not isinstance(limits, Mapping):
        raise ObjectiveError(
            f"{what} must be a dict of names and limits, such as {{'seconds': '<= 60'}}. Got {limits!r}."
        )
    parsed = []
    for name, written in limits.items():
        if not isinstance(name, str) or not name.strip():
            raise ObjectiveError(f"A name in {what} must be a text. Got {name!r}.")
        parsed += [_limit(name, text) for text in (written if isinstance(written, (list, tuple)) else [written])]
    return tuple(parsed)


def _limit(name: str, written: Any) -> OutcomeLimit:
    match = _LIMIT.fullmatch(written) if isinstance(written, str) else None
    try:
        bound = float(match[2]) if match else math.nan
    except ValueError:
        bound = math.nan
    if match is None or not math.isfinite(bound):
        raise ObjectiveError(f"The limit of {name!r} must be a text such as '<= 512' or '>= 0.9'. Got {written!r}.")
    return OutcomeLimit(name, match[1] == "<=", bound)
