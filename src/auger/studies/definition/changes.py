"""What may change between two runs of a study.

Everything but its objectives, its space unless that grows, and, once there are values, the rules that read them and the
limits of outcome constraints.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auger import text
from auger.errors import StudyError
from auger.objectives import Objectives
from auger.old_formats import recipe_name
from auger.space import Space
from auger.studies.definition.definition import Definition

_FRESH = "--fresh begins anew and keeps the trials so far as another study; or give the new study another name."
_CARRY_OVER = "`auger trials --csv` and `auger import` bring over what still fits."


def updated(old: Definition, new: Definition, *, widen: bool, n_values: int = 0) -> tuple[Definition, tuple[str, ...]]:
    """The definition to go on with, and notes about changes that make older trials differ from newer ones.

    Raises a StudyError when the objectives, the outcome constraints or the space have changed; a space that contains
    the old one is accepted with ``widen``. The same with another rule for a value, or another limit, once ``n_values``
    trials have values.

    A recipe that has the name it had, and meant something else when it was stored, goes on as what it was.
    """
    if old.objectives != new.objectives:
        is_of_direction = old.objectives.names == new.objectives.names == Objectives().names
        was, now = (_objectives(each, is_of_direction) for each in (old, new))
        raise StudyError(f"The study {old.name!r} exists already, with the {was}. Got the {now}. {_FRESH}")
    if old.limited.keys() != new.limited.keys():
        was, now = (", ".join(map(repr, each.limited)) or "none" for each in (old, new))
        raise StudyError(
            f"The study {old.name!r} exists already, with outcome constraints of: {was}. Got: {now}. {_FRESH}"
        )
    if n_values:
        _check_values_compare(old, new, n_values)
    changes = differences(old.space, new.space)
    can_widen = is_wider(old.space, new.space)
    if changes and not (widen and can_widen):
        listed = "\n".join(f"  {change}" for change in changes)
        way_out = (
            "The new space contains the old one: --widen goes on with it." if can_widen else f"{_FRESH} {_CARRY_OVER}"
        )
        raise StudyError(f"The space of the study {old.name!r} has changed:\n{listed}\n{way_out}")
    changed = {"command": old.command != new.command, "value": old.rules != new.rules}
    notes = tuple(
        f"The {name} of the study {old.name!r} has changed; going on with the new one."
        for name, is_changed in changed.items()
        if is_changed
    )
    recipe = old.recipe if recipe_name(new.recipe) == old.recipe else new.recipe
    return replace(new, seed=old.seed if new.seed is None else new.seed, recipe=recipe), notes


def _check_values_compare(old: Definition, new: Definition, n_values: int) -> None:
    """Refuse rules and limits with which new values would not compare with those that there are."""
    trials = text.count(n_values, "trial")
    for name, rule in new.rules.items():
        if old.rules[name] != rule:
            which = "" if name in Objectives().names else f" {name!r}"
            raise StudyError(
                f"The rule for the value{which} of the study {old.name!r} has changed, and the values of {trials} were "
                f"read with the old one, so that new values would not compare with them. {_FRESH}"
            )
    for name, limit in new.limited.items():
        if old.limited[name] != limit:
            raise StudyError(
                f"The outcome constraint {name!r} of the study {old.name!r} was {old.limited[name]!r}, by which "
                f"{trials} were judged. Got {limit!r}. {_FRESH} {_CARRY_OVER}"
            )


def _objectives(definition: Definition, is_of_direction: bool) -> str:
    described = definition.objectives.described()
    if definition.objectives.names != Objectives().names:
        return f"objectives {described}"
    direction = f"direction {next(iter(described.values()))!r}"
    return direction if is_of_direction else f"{direction} and no named objectives"


def is_other_program(old: Definition, new: Definition) -> bool:
    """Whether trials may end otherwise than before: another command, another rule for the value, other limits."""
    return any(getattr(old, name) != getattr(new, name) for name in ("command", "rules", "limits"))


def differences(old: Space, new: Space) -> list[str]:
    """What differs between two spaces, one sentence per change.

    Example:
        >>> differences(Space({"x": (0, 9), "y": (0.0, 1.0)}), Space({"x": (0, 12), "z": ["a", "b"]}))
        ['x: high was 9, is 12', 'y: is gone', 'z: is new']
    """
    before, after = old.to_json(), new.to_json()
    was, now = before["parameters"], after["parameters"]
    changes = []
    for name in [*was, *(name for name in now if name not in was)]:
        if name not in now:
            changes.append(f"{name}: is gone")
        elif name not in was:
            changes.append(f"{name}: is new")
        else:
            changes += [f"{name}: {change}" for change in _changes(was[name], now[name])]
    changes += [f"constraint {rule!r}: is gone" for rule in before["constraints"] if rule not in after["constraints"]]
    changes += [f"constraint {rule!r}: is new" for rule in after["constraints"] if rule not in before["constraints"]]
    return changes


def _changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    if was["type"] != now["type"]:
        return [f"was {was['type']}, is {now['type']}"]
    keys = [*was, *(key for key in now if key not in was)]
    return [
        f"{key} was {_shown(was.get(key))}, is {_shown(now.get(key))}" for key in keys if was.get(key) != now.get(key)
    ]


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value)


def is_wider(old: Space, new: Space) -> bool:
    """Whether the new space contains every configuration of the old one, and Optuna can hold both in one study.

    Ranges may grow. Choices may not, because Optuna stores a choice as its number.
    """
    before, after = old.to_json(), new.to_json()
    was, now = before["parameters"], after["parameters"]
    if list(was) != list(now) or any(rule not in before["constraints"] for rule in after["constraints"]):
        return False
    return all(_is_wider_range(was[name], now[name], new, name) for name in was)


def _is_wider_range(was: Mapping[str, Any], now: Mapping[str, Any], new: Space, name: str) -> bool:
    if was == now:
        return True
    if "low" not in was or {**was, "low": now.get("low"), "high": now.get("high")} != now:
        return False
    if not now["low"] <= was["low"] <= was["high"] <= now["high"]:
        return False
    try:  # on a grid, the old bounds must be on the new one
        new.parameters[name].encode([was["low"], was["high"]], name)
    except ValueError:
        return False
    return True
