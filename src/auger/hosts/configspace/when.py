"""ConfigSpace's conditions as ``when``: for each parent, the values that make the child active; all must hold.

A condition is read into a *box*: parent -> the set of its encoded values that are allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from auger.errors import SpaceError
from auger.space import Parameter

Box = dict[str, frozenset[float]]

# A condition such as "below 500" is written out value by value, up to this many.
MAX_LISTED = 1000

_ORDER: dict[str, Callable[[Any, Any], Any]] = {"LessThanCondition": operator.lt, "GreaterThanCondition": operator.gt}


def when_of(conditions: Iterable[Any], parameters: Mapping[str, Parameter]) -> dict[str, dict[str, list[Any]]]:
    """Child -> its ``when``, for children with conditions. Raises a SpaceError where ``when`` cannot express one."""
    conditional = {_child(condition) for condition in conditions}
    boxes: dict[str, Box] = {}
    for condition in conditions:
        child = _child(condition)
        boxes[child] = _both(boxes.get(child, {}), _box(condition, parameters, conditional))
    for child, box in boxes.items():
        if not all(box.values()):
            raise SpaceError(
                f"Hyperparameter {child!r} can never be active: its conditions exclude each other. Remove it."
            )
    return {
        child: {parent: parameters[parent].decode(np.array(sorted(allowed))) for parent, allowed in box.items()}
        for child, box in boxes.items()
    }


def _child(condition: Any) -> str:
    while hasattr(condition, "components"):
        condition = condition.components[0]
    return str(condition.child.name)


def _box(condition: Any, parameters: Mapping[str, Parameter], conditional: set[str]) -> Box:
    class_name = type(condition).__name__
    if class_name in ("AndConjunction", "OrConjunction"):
        boxes = [_box(part, parameters, conditional) for part in condition.components]
        return reduce(_both if class_name == "AndConjunction" else partial(_either, condition), boxes)
    parent, what = condition.parent.name, f"The parent of the condition {condition!r}"
    parameter = parameters[parent]
    if parameter.n_values is None:
        raise SpaceError(
            f"{what} must be an integer, or have listed values. Got the continuous hyperparameter {parent!r}. Make "
            f"{parent!r} an OrdinalHyperparameter or an integer, or leave the condition out."
        )
    if class_name in ("EqualsCondition", "InCondition"):
        values = list(condition.values) if class_name == "InCondition" else [condition.value]
        return {parent: frozenset(parameter.encode(values, parent).tolist())}
    if parameter.n_values > MAX_LISTED:
        raise SpaceError(
            f"{what} must have at most {MAX_LISTED:,} values. Got {parent!r} with {parameter.n_values:,} values. Use "
            "an InCondition, or an OrdinalHyperparameter of the values that matter."
        )
    levels = frozenset(parameter.levels().tolist())
    bound = float(parameter.encode([condition.value], parent)[0])
    if class_name == "NotEqualsCondition":
        if parent in conditional:
            raise SpaceError(
                f"{what} must always be active, because ConfigSpace 1.2 counts an inactive parent as not equal. "
                f"Got {parent!r}, which may be inactive. Use an InCondition of the other values."
            )
        return {parent: levels - {bound}}
    if class_name in _ORDER:
        return {parent: frozenset(level for level in levels if _ORDER[class_name](level, bound))}
    raise SpaceError(
        f"The condition {condition!r} must be an EqualsCondition, NotEqualsCondition, InCondition, LessThanCondition, "
        f"GreaterThanCondition, AndConjunction or OrConjunction. Got a {class_name}."
    )


def _both(a: Box, b: Box) -> Box:
    return {**a, **b, **{parent: a[parent] & b[parent] for parent in a.keys() & b.keys()}}


def _either(condition: Any, a: Box, b: Box) -> Box:
    """The box that holds both and nothing else, which exists if they differ in at most one parent."""
    differing = [parent for parent in a.keys() & b.keys() if a[parent] != b[parent]]
    if a.keys() != b.keys() or len(differing) > 1:
        raise SpaceError(
            f"The condition {condition!r} must be an `or` over one parent, because all conditions of a parameter must "
            "hold together in a Space. Got an `or` over different parents. Use a hyperparameter for each case."
        )
    return {**a, **{parent: a[parent] | b[parent] for parent in differing}}
