"""Which parameters matter together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from auger.insight.slices import two_slice
from auger.insight.view import view


@dataclass(frozen=True)
class Interaction:
    """Two parameters, and by how much P(good) moves with both beyond what each does by itself: a standard deviation."""

    first: str
    second: str
    strength: float


def interactions(source: Any, *, n: int = 5) -> list[Interaction]:
    """The ``n`` pairs of parameters that interact most, strongest first."""
    seen = view(source)
    found = []
    for first, second in combinations(() if seen.history is None else seen.history.space.names, 2):
        p = two_slice(seen, first, second).p
        if p.size:
            rest = p - p.mean(axis=0) - p.mean(axis=1, keepdims=True) + p.mean()
            found.append(Interaction(first, second, float(np.sqrt((rest**2).mean()))))
    return sorted(found, key=lambda each: -each.strength)[:n]
