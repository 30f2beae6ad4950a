"""Parameters of a space in words, from their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auger.characters import shown
from auger.text.format import number, written

# The most choices of a parameter that are listed.
_MAX_CHOICES = 8


def values(parameter: Mapping[str, Any]) -> str:
    """The values that a parameter can take.

    Example:
        >>> values({"type": "float", "low": 1e-5, "high": 0.1, "log": True, "step": None})
        '1e-05 to 0.1, log'
        >>> values({"type": "ordinal", "choices": [16, 32]}), values({"type": "int", "low": 0, "high": 9, "step": 3})
        ('16, 32', '0 to 9, step 3')
    """
    if "choices" in parameter:
        listed = [shown(written(choice)) for choice in parameter["choices"][:_MAX_CHOICES]]
        n_more = len(parameter["choices"]) - len(listed)
        return ", ".join([*listed, *([f"and {n_more} more"] if n_more else [])])
    low, high = (number(bound) if isinstance(bound, float) else str(bound) for bound in map(parameter.get, _BOUNDS))
    log = ", log" if parameter.get("log") else ""
    step = f", step {written(parameter['step'])}" if parameter.get("step") not in (None, 1) else ""
    return f"{low} to {high}{log}{step}"


_BOUNDS = ("low", "high")


def condition(when: Mapping[str, Any]) -> str:
    """When a parameter is active; empty for always.

    Example:
        >>> condition({"kernel": ["poly", "rbf"], "fit": True})
        'kernel is poly or rbf and fit is true'
    """
    return " and ".join(f"{shown(parent)} is {_one_of(allowed)}" for parent, allowed in when.items())


def _one_of(allowed: Any) -> str:
    return " or ".join(
        shown(written(value)) for value in (allowed if isinstance(allowed, (list, tuple)) else [allowed])
    )
