"""Short rules that good trials follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.insight.lens import lens
from auger.insight.view import view


@dataclass(frozen=True)
class Rule:
    """A rule, P(good) where it holds, how many trials it holds for, and how many of those are good."""

    text: str
    p: float
    n_trials: int
    n_good: int


def rules(source: Any, *, n: int = 5) -> list[Rule]:
    """Up to ``n`` short rules that tell good trials from the rest, best first; none where there are none."""
    found = lens(view(source))
    if isinstance(found, str):
        return []
    made = []
    for j, name in enumerate(found.space.names):
        column = found.X[:, j]
        if found.space.is_ordered[j] and found.z.any() and not np.isnan(column[found.z]).all():
            top = float(np.nanmax(column[found.z]))
            rows = column <= top
            value = found.space.parameters[name].decode(np.array([top]))[0]
            n_trials, n_good = int(rows.sum()), int((rows & found.z).sum())
            made.append(Rule(f"{name} <= {value}", (n_good + 1) / (n_trials + 2), n_trials, n_good))
    return sorted(made, key=lambda rule: -rule.p)[:n]
