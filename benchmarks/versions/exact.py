"""Suggestions as JSON that is equal only where they are equal to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

#: What one case recorded: a list, one item per suggestion.
Records = list[Any]

#: Name of a case -> what runs it.
Cases = dict[str, Callable[[], Records]]


class AbsentError(Exception):
    """A case that needs a library which is not installed."""


def exact(value: Any) -> Any:
    """A value as JSON types: floats in hexadecimal, everything else by its ``repr``, containers item by item.

    Example:
        >>> exact({"x": 0.1, "n": 3, "kind": "a"})
        {'x': '0x1.999999999999ap-4', 'n': '3', 'kind': "'a'"}
    """
    if isinstance(value, Mapping):
        return {str(name): exact(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return [exact(item) for item in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    if isinstance(value, float):
        kind = "" if type(value) is float else f"{type(value).__name__} "
        return f"{kind}{value.hex()}"
    return repr(value)


def suggested(config: Mapping[str, Any], origin: Any) -> dict[str, Any]:
    """The record of one suggestion."""
    return {"config": exact(config), "origin": str(getattr(origin, "value", origin))}


def first_difference(before: Any, after: Any, place: str = "") -> str | None:
    """Where two records differ first, and how; None where they are equal.

    Example:
        >>> first_difference([{"x": "1"}], [{"x": "2"}])
        "[0].x: before '1', after '2'"
    """
    if before == after:
        return None
    if isinstance(before, Mapping) and isinstance(after, Mapping) and before.keys() == after.keys():
        parts = [(f"{place}.{name}", before[name], after[name]) for name in before]
    elif _is_list(before) and _is_list(after) and before and after:
        parts = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(before, after, strict=False))]
    else:
        parts = []
    found = (first_difference(old, new, where) for where, old, new in parts)
    return next((text for text in found if text is not None), f"{place}: before {before!r}, after {after!r}")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
