"""ConfigSpace's conditions as ``when``: for each parent, the values that make the child active; all must hold.

Inside, a condition is a *box*: parent -> the set of its encoded values that are allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from auger.errors import SpaceError
from auger.space import Parameter

Box = dict[str, frozenset[float]]

# A condition such as "below 500" is written out value by value, up to this many.
MAX_LISTED = 1000

_ORDER: dict[str, Callable[[Any, Any], Any]] = {"LessThanCondition": operator.lt, "GreaterThanCondition": operator.gt}


def when_of(conditions: Iterable[Any], kinds: Mapping[str, Parameter]) -> dict[str, dict[str, list[Any]]]:
    """Child -> its ``when``, for the children that have conditions. Raises a SpaceError for what cannot be said so."""
    conditional = {_child(condition) for condition in conditions}
    boxes: dict[str, Box] = {}
    for condition in conditions:
        child = _child(condition)
        boxes[child] = _both(boxes.get(child, {}), _box(condition, kinds, conditional))
    for child, box in boxes.items():
        if not all(box.values()):
            raise SpaceError(f"Hyperparameter {child!r} can never be active, by its conditions. Remove it.")
    return {
        child: {parent: kinds[parent].decode(np.array(sorted(allowed))) for parent, allowed in box.items()}
        for child, box in boxes.items()
    }


def _child(condition: Any) -> str:
    while hasattr(condition, "components"):
        condition = condition.components[0]
    return str(condition.child.name)


def _box(condition: Any, kinds: Mapping[str, Parameter], conditional: set[str]) -> Box:
    kind = type(condition).__name__
    if kind == "AndConjunction":
        return reduce(_both, (_box(part, kinds, conditional) for part in condition.components))
    if kind == "OrConjunction":
        return reduce(
            lambda a, b: _either(a, b, condition), (_box(part, kinds, conditional) for part in condition.components)
        )
    parent = condition.parent.name
    given = f"The condition {condition!r}"
    if kinds[parent].n_values is None:
        raise SpaceError(
            f"{given} is about a continuous hyperparameter, which has no equal here. Make {parent!r} an "
            "OrdinalHyperparameter or an integer, or leave the condition out."
        )
    if kind in ("EqualsCondition", "InCondition"):
        values = list(condition.values) if kind == "InCondition" else [condition.value]
        return {parent: frozenset(kinds[parent].encode(values, parent).tolist())}
    levels = _levels(kinds[parent], given)
    bound = float(kinds[parent].encode([condition.value], parent)[0])
    if kind == "NotEqualsCondition":
        if parent in conditional:  # ConfigSpace 1.2 takes an inactive parent for one that differs
            raise SpaceError(
                f"{given} is about a hyperparameter that may be inactive, which ConfigSpace itself gets wrong. Use an "
                "InCondition of the other values."
            )
        return {parent: levels - {bound}}
    if kind in _ORDER:
        return {parent: frozenset(level for level in levels if _ORDER[kind](level, bound))}
    raise SpaceError(f"{given} is a {kind}, which has no equal here. Use EqualsCondition, InCondition, AndConjunction.")


def _levels(kind: Parameter, given: str) -> frozenset[float]:
    assert kind.n_values is not None
    if kind.n_values > MAX_LISTED:
        raise SpaceError(
            f"{given} is about a hyperparameter of {kind.n_values:,} values, and must be about one of at most "
            f"{MAX_LISTED:,}. Use an InCondition, or an OrdinalHyperparameter of the values that matter."
        )
    return frozenset(kind.levels().tolist())


def _both(a: Box, b: Box) -> Box:
    return {**a, **b, **{parent: a[parent] & b[parent] for parent in a.keys() & b.keys()}}


def _either(a: Box, b: Box, condition: Any) -> Box:
    """The box that holds both and nothing else: there is one if they differ in one parent at most."""
    differing = [parent for parent in a.keys() & b.keys() if a[parent] != b[parent]]
    if a.keys() != b.keys() or len(differing) > 1:
        raise SpaceError(
            f"The condition {condition!r} is an `or` over different parents, which has no equal here, where all "
            "conditions of a parameter hold together. Use a hyperparameter for each case."
        )
    return {**a, **{parent: a[parent] | b[parent] for parent in differing}}
