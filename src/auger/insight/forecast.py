"""Is it worth going on? The probability that one of the next trials improves on the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.insight.view import view


@dataclass(frozen=True)
class Forecast:
    """What to expect of the next trials.

    Attributes:
        k: how many.
        p: the probability that at least one of them improves on the best; NaN where nothing is known.
        past: (p, improved) of the same forecast at earlier times, and whether the k trials that followed improved.
        note: what is missing, in words.
    """

    k: int
    p: float
    past: list[tuple[float, bool]] = field(default_factory=list)
    note: str = ""


def forecast(source: Any, *, k: int = 20) -> Forecast:
    """The probability that at least one of the next ``k`` trials improves on the best."""
    seen = view(source)
    if seen.history is None or seen.history.best is None:
        return Forecast(k, float("nan"), note="No trial has a value yet.")
    y = seen.history.y[np.array(seen.history.finished, dtype=np.intp)]
    n = len(y)
    records = np.minimum.accumulate(np.where(np.isnan(y), np.inf, y))
    past = [(k / (i + k), bool(records[i + k - 1] < records[i - 1])) for i in range(10, n - k + 1, k)]
    return Forecast(k, k / (n + k), past)
