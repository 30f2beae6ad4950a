"""The parameters in the table [space] of a study file, and settings of them, checked in the words of TOML.

The space checks again, in the words of Python; what a person can get wrong in a file is refused here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from auger.checks import is_number, is_whole
from auger.errors import ConfigError, StudyError, did_you_mean, nearest
from auger.space import Categorical, Float, Int, Ordinal, Parameter, Space, parameter_from_json
from auger.studies.definition.checks import check_parameter_name
from auger.studies.definition.location import errors_at
from auger.text import condition, toml_value, values

_TYPES: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
_MUST_BE = {"float": "a number, ", "int": "a whole number, ", "categorical": "one of ", "ordinal": "one of "}


def read_parameter_table(table: Any, name: str) -> Parameter:
    """The parameter ``name`` of a table such as ``{ type = "float", low = 0, high = 1 }``."""
    key = f"space.{name}"
    check_parameter_name(name, key)
    if not isinstance(table, dict):
        raise StudyError(
            f'must be a table such as {{ type = "float", low = 0, high = 1 }}. Got {toml_value(table)}.', key
        )
    _check_keys(table, key)
    if "choices" in table:
        _check_choices(table["choices"], key)
    else:
        _check_range(table, key)
    _check_when(table.get("when", {}), key)
    with errors_at(key):
        return parameter_from_json(table, name)


def _check_keys(table: Mapping[str, Any], key: str) -> None:
    type_name = table.get("type")
    if not isinstance(type_name, str) or type_name not in _TYPES:
        if type_name is None:
            raise StudyError(f"`type` is missing. {nearest(type_name, _TYPES)}", key)
        raise StudyError(f"unknown type {toml_value(type_name)}. {nearest(type_name, _TYPES)}", key)
    settings = fields(_TYPES[type_name])
    names = ["type", *(setting.name for setting in settings)]
    for setting_name in table:
        if setting_name not in names:
            raise StudyError(f"unknown key {setting_name!r}. {nearest(setting_name, names)}", key)
    for setting in settings:
        if setting.default is MISSING and setting.default_factory is MISSING and setting.name not in table:
            raise StudyError(f"`{setting.name}` is missing.", key)


def _check_range(table: Mapping[str, Any], key: str) -> None:
    is_int = table["type"] == "int"
    low, high, log, step = table["low"], table["high"], table.get("log"), table.get("step")
    for name, number in (("low", low), ("high", high), ("step", step)):
        if number is None:
            continue
        is_right = is_whole(number) if is_int else is_number(number) and math.isfinite(number)
        if not is_right or (name == "step" and not number > 0):
            positive = " above 0" if name == "step" else ""
            wanted = "a whole number" if is_int else "a number"
            raise StudyError(f"`{name}` must be {wanted}{positive}. Got {toml_value(number)}.", key)
    if not low < high:
        constant = f' For one value only: {{ type = "categorical", choices = [{low}] }}.' if low == high else ""
        raise StudyError(f"`low` must be below `high`. Got low = {low}, high = {high}.{constant}", key)
    if log is not None and not isinstance(log, bool):
        raise StudyError(f"`log` must be true or false. Got {toml_value(log)}.", key)
    if log and low <= 0:
        raise StudyError(f"`low` must be above 0 with `log = true`. Got {toml_value(low)}.", key)
    if log and step is not None:
        raise StudyError(
            '`log` and `step` cannot be combined. List the values: { type = "ordinal", choices = [...] }.', key
        )


def _check_choices(choices: Any, key: str) -> None:
    if not isinstance(choices, list) or not choices:
        raise StudyError(f'`choices` must be a list of values such as ["a", "b"]. Got {toml_value(choices)}.', key)
    first: dict[Any, Any] = {}
    for choice in choices:
        if not _is_plain(choice):
            raise StudyError(
                f"a choice must be text, a number, true, false, or a list of these. Got {toml_value(choice)}.", key
            )
        same = _hashable(choice)
        if same in first:
            raise StudyError(
                f"`choices` must all differ. Got {toml_value(first[same])} and {toml_value(choice)}, which are equal.",
                key,
            )
        first[same] = choice


def _is_plain(choice: Any) -> bool:
    if isinstance(choice, list):
        return all(map(_is_plain, choice))
    return isinstance(choice, (str, bool, int)) or (isinstance(choice, float) and math.isfinite(choice))


def _hashable(choice: Any) -> Any:
    """The same for choices that are equal, and for no others."""
    return tuple(map(_hashable, choice)) if isinstance(choice, list) else choice


def _check_when(when: Any, key: str) -> None:
    if not isinstance(when, dict):
        raise StudyError(f'`when` must be a table such as {{ kernel = ["poly"] }}. Got {toml_value(when)}.', key)


def check_parents(parameters: Mapping[str, Parameter]) -> None:
    """Refuse a ``when`` that names no parameter, or one without separate values, or a value that it does not have."""
    for name, parameter in parameters.items():
        key = f"space.{name}"
        for parent, wanted in parameter.when.items():
            others = [other for other in parameters if other != name]
            if parent not in others:
                raise StudyError(
                    f"`when` mentions {parent!r}, which is no other parameter. {nearest(parent, others)}", key
                )
            if parameters[parent].n_values is None:
                raise StudyError(f"`when` must not mention {parent!r}, which is a float without `step`.", key)
            for value in wanted if isinstance(wanted, (list, tuple)) else [wanted]:
                _check_value(value, parent, parameters[parent], key)


def check_settings(settings: Any, space: Space, key: str) -> None:
    """Refuse settings that are not exactly one value for each active parameter."""
    if not isinstance(settings, Mapping):
        raise StudyError(f"must be a table such as {{ x = 1 }}. Got {toml_value(settings)}.", key)
    for name in settings:
        if name not in space.parameters:
            raise StudyError(f"unknown parameter {name!r}. {nearest(name, space.names)}", key)

    def choose(name: str, parameter: Parameter) -> Any:
        if name not in settings:
            raise StudyError(f"`{name}` is missing: there must be a value for each active parameter.", key)
        _check_value(settings[name], name, parameter, key)
        return settings[name]

    active = space.walk(choose)
    for name in settings:
        if name not in active:
            when = condition(space.parameters[name].when)
            raise StudyError(f"`{name}` must be left out: it is active only if {when}.", key)


def _check_value(value: Any, name: str, parameter: Parameter, key: str) -> None:
    data = parameter.to_json()
    try:
        parameter.encode([value], name)
    except ConfigError as error:
        hint = did_you_mean(value, [choice for choice in data.get("choices", ()) if isinstance(choice, str)])
        raise StudyError(
            f"`{name}` must be {_MUST_BE[data['type']]}{values(data)}. Got {toml_value(value)}.{hint}", key
        ) from error
