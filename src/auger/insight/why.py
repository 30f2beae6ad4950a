"""Why a trial was tried."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from auger.errors import TrialError
from auger.insight.view import view


@dataclass(frozen=True)
class Why:
    """Where a trial came from, and what was known before it.

    Attributes:
        number: of the trial.
        model: whose turn it was; empty where no model proposed it.
        score: what the model gave it; None where no model did.
        reason: as it was recorded.
        p: the forecast of P(good) before its answer; None where nothing was known.
        nearest: (number, distance, value) of the trials known before that were most like it, nearest first. The
            distance is 0 for the same configuration and 1 for the opposite in every parameter; the value is None for
            one that has none.
        text: all of it in words.
    """

    number: int
    model: str = ""
    score: float | None = None
    reason: str = ""
    p: float | None = None
    nearest: list[tuple[int, float, float | None]] = field(default_factory=list)
    text: str = ""


def why(source: Any, number: int) -> Why:
    """Why the trial of that number was tried."""
    seen = view(source)
    row = seen.by_number.get(number)
    if row is None:
        known = f"{seen.rows[0].number} to {seen.rows[-1].number}" if seen.rows else "of which there is none yet"
        raise TrialError(f"The number of a trial must be one of the run's, {known}. Got {number!r}.")
    found = re.search(r": score (\S+) from", row.reason)
    text = f"Trial {number}: {row.origin or 'origin unknown'}. {row.reason}".strip()
    return Why(number, row.model, float(found[1]) if found else None, row.reason, None, [], text)
