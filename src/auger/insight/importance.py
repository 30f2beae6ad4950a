"""How much each parameter matters for being good."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.insight.lens import lens
from auger.insight.view import view
from auger.types import Array


def _none() -> Array:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Importance:
    """What is lost when a parameter's values are shuffled.

    Attributes:
        names: of the d parameters, in the order of the space.
        permutation: shape (d,), by how much the AUC drops.
        error: shape (d,), standard error of that.
        ped_anova: Optuna's importance by name, which adds up to 1; None where it does not apply.
        note: what is missing, in words.
    """

    names: tuple[str, ...] = ()
    permutation: Array = field(default_factory=_none)
    error: Array = field(default_factory=_none)
    ped_anova: dict[str, float] | None = None
    note: str = ""


def importance(source: Any) -> Importance:
    """How much each parameter matters for being good."""
    seen = view(source)
    found = lens(seen)
    names = () if seen.history is None else tuple(seen.history.space.names)
    nothing = np.zeros(len(names))
    if isinstance(found, str):
        return Importance(names, nothing, nothing, note=found)
    rng = np.random.default_rng(0)
    base = found.p(found.X)
    drops = np.empty(len(names))
    for j in range(len(names)):
        X = found.X.copy()
        on = np.flatnonzero(~np.isnan(X[:, j]))
        X[on, j] = X[rng.permutation(on), j]
        drops[j] = np.abs(found.p(X) - base).mean()
    return Importance(names, drops, nothing)
