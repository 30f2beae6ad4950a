"""Which trial of the front to use, by what the user prefers. It is chosen after the fact, and needs no new trial.

A preference is either limits and an order of objectives, or weights:

    "accuracy >= 0.9, size"       of the trials with an accuracy of at least 0.9, the smallest
    "size"                        the smallest of all; ties by the other objectives, in the order of the study
    {"size": 1, "accuracy": 3}    accuracy counts three times as much
    None                          all objectives count alike

With weights, each loss counts from 0, the best on the front, to 1, the worst on the front, times its weight, and the
trial is chosen whose largest loss is lowest; ties by the sum of losses (an augmented Chebyshev scalarization, which
unlike a sum alone reaches every trial of a front).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.checks import is_number
from auger.errors import ObjectiveError
from auger.objectives import Objectives
from auger.trial import Trial
from auger.types import Array

#: A preference as users write it.
Prefer = str | Mapping[str, float] | None

_LIMIT = re.compile(r"(?P<name>.*?)\s*(?P<sign><=|>=|<|>|=)\s*(?P<bound>.*)", re.DOTALL)

# What the sum of losses counts beside the largest one: enough to break ties.
_OF_SUM = 1e-6


@dataclass(frozen=True)
class Preference:
    """What the user prefers, checked, for minimized values.

    Attributes:
        limits: the highest value per objective that is wanted, shape (k,); infinity without a limit.
        order: positions of objectives, the most important first; empty with weights.
        weights: one per objective, at least one of them above 0; empty with an order.
    """

    limits: tuple[float, ...]
    order: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()


def as_preference(prefer: Any, objectives: Objectives) -> Preference:
    """A preference as the user wrote it, checked.

    Example:
        >>> from auger.objectives import as_objectives
        >>> objectives = as_objectives({"accuracy": "maximize", "size": "minimize"})
        >>> as_preference("accuracy >= 0.9, size", objectives)
        Preference(limits=(-0.9, inf), order=(1, 0), weights=())
    """
    free = (math.inf,) * len(objectives)
    if prefer is None:
        return Preference(free, weights=(1.0,) * len(objectives))
    if isinstance(prefer, Mapping):
        return Preference(free, weights=_weights(prefer, objectives))
    if not isinstance(prefer, str) or not prefer.strip():
        raise ObjectiveError(
            f"A preference must be limits and names of objectives, such as 'error <= 0.1, size', or a dict of names "
            f"and weights. Got {prefer!r}."
        )
    limits, order = list(free), []
    for part in (part.strip() for part in prefer.split(",")):
        if not part:
            raise ObjectiveError(f"A preference must have a name or a limit between its commas. Got {prefer!r}.")
        limit = _LIMIT.fullmatch(part)
        if limit is None:
            order.append(objectives.index(part))
        else:
            i = objectives.index(limit["name"])
            limits[i] = min(limits[i], _limit(part, limit, objectives.signs[i], objectives.directions[i].value))
    order += [i for i in range(len(objectives)) if i not in order and limits[i] == math.inf]
    order += [i for i in range(len(objectives)) if i not in order]
    return Preference(tuple(limits), tuple(dict.fromkeys(order)))


def choose(front: Sequence[Trial], objectives: Objectives, preference: Preference) -> Trial | None:
    """The trial of a front that a preference names; None of an empty one.

    Args:
        front: trials that no other beats, with minimized values.
        objectives: what their values are.
        preference: for them. One that no trial meets is an ObjectiveError, which says how far they are.
    """
    if not front:
        return None
    losses = np.array([trial.values for trial in front])
    limits = np.array(preference.limits)
    is_met = (losses <= limits).all(axis=1)
    if not is_met.any():
        raise ObjectiveError(_unmet(losses, objectives, limits))
    among = np.flatnonzero(is_met)
    if preference.order:
        keys = losses[among][:, preference.order[::-1]]
        return front[int(among[np.lexsort(keys.T)[0]])]
    return front[int(among[np.argmin(_weighted(losses, np.array(preference.weights))[among])])]


def _weighted(losses: Array, weights: Array) -> Array:
    """The largest weighted loss of each trial (n,), of losses (n, k) in units of the front's width."""
    best = losses.min(axis=0)
    width = losses.max(axis=0) / 2 - best / 2  # halves: 1e308 - (-1e308) overflows
    scaled = (losses / 2 - best / 2) / np.where(width > 0, width, 1.0) * (weights / weights.max())
    return np.asarray(scaled.max(axis=1) + _OF_SUM * scaled.sum(axis=1))


def _weights(weights: Mapping[Any, Any], objectives: Objectives) -> tuple[float, ...]:
    for name, weight in weights.items():
        objectives.index(name)
        if not is_number(weight) or not 0 <= weight < math.inf:
            raise ObjectiveError(f"The weight of {name!r} must be a number of at least 0. Got {weight!r}.")
    if not any(weights.values()):
        raise ObjectiveError(f"At least one weight must be above 0. Got {dict(weights)!r}.")
    return tuple(float(weights.get(name, 0.0)) for name in objectives.names)


def _limit(part: str, limit: re.Match[str], sign: float, direction: str) -> float:
    """The highest minimized value that a limit allows."""
    try:
        bound = float(limit["bound"])
    except ValueError:
        bound = math.nan
    if math.isnan(bound):
        raise ObjectiveError(f"The limit of {limit['name']!r} must be a number. Got {part!r}.")
    wanted = "<=" if sign > 0 else ">="
    if limit["sign"] != wanted:
        raise ObjectiveError(
            f"A limit of {limit['name']!r}, to be {direction}d, must be written {wanted}. Got {part!r}."
        )
    return sign * bound


def _unmet(losses: Array, objectives: Objectives, limits: Array) -> str:
    """Why no trial of the front meets the limits."""
    shown = [
        (name, "at most" if sign > 0 else "at least", sign * limit, sign * best)
        for name, sign, limit, best in zip(objectives.names, objectives.signs, limits, losses.min(axis=0), strict=True)
        if limit < math.inf
    ]
    wanted = " and ".join(f"{name!r} {how} {limit:g}" for name, how, limit, _ in shown)
    bests = ", ".join(f"{best:g} for {name!r}" for name, _, _, best in shown)
    return f"No trial of the front has {wanted}. The best of {len(losses)} have {bests}, each by itself."
