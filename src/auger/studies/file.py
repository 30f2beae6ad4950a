"""Study files: TOML that says what to tune, checked to the end before the first trial."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from auger.errors import ConfigError, SpaceError, StudyError, nearest
from auger.parameters import Categorical, Float, Int, Ordinal, Parameter, parameter_from_json
from auger.recipes import RECIPES
from auger.space import Space
from auger.studies import amounts
from auger.studies.command import Argument, Command
from auger.studies.definition import DIRECTIONS, PRUNERS, Definition, Limits
from auger.studies.table import Table
from auger.studies.values import ReportRule, ValueRule
from auger.types import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TABLES = ("study", "command", "value", "report", "defaults", "space")
_STUDY_KEYS = (
    *("name", "direction", "trials", "time", "workers", "seed", "recipe", "storage", "retries", "pruner"),
    *("constraints", "initial"),
)
_KINDS: dict[str, Any] = {"float": Float, "int": Int, "categorical": Categorical, "ordinal": Ordinal}
# What the function of a study leaves in its trial's folder.
FUNCTION_VALUE = ValueRule("file", key="value", path="value.json")


def read_study_file(path: str | Path, *, function: str | None = None) -> Definition:
    """Read and check a study file.

    Raises:
        StudyError: the file cannot be run as it is; the message names the file, the line and the key.
        OSError: the file cannot be read.
    """
    path = Path(path)
    text = _text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{path}: not valid TOML: {error}.") from error
    for key, value in data.items():
        if key not in _TABLES or not isinstance(value, dict):
            raise StudyError(f"{path}: unknown table or key {key!r}. {nearest(key, _TABLES)}")
    tables = {name: Table(path, text, name, data.get(name, {})) for name in _TABLES}
    return _definition(path, tables)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: must be UTF-8 text. Byte {error.start} is not.") from error


def _definition(path: Path, tables: Mapping[str, Table]) -> Definition:
    study, command = tables["study"], tables["command"]
    study.check_keys(_STUDY_KEYS)
    name = study.get("name", path.stem, _name)
    home = path.resolve().parent
    space = _space(tables["space"], study)
    what = _command(command, space)
    report = _report(tables["report"])
    pruner = study.get("pruner", "none", lambda value: _one_of(value, PRUNERS))
    if pruner != "none" and report is None:
        raise study.error("pruner", "needs a [report] table that says where the values on the way are.")
    defaults = tables["defaults"]
    return Definition(
        name=name,
        space=space,
        command=what,
        storage=study.get("storage", str(home / f"{name}.journal"), lambda value: _storage(value, home)),
        home=str(home),
        folder=command.get("folder", f"{name}.trials", _text_value),
        direction=study.get("direction", "minimize", lambda value: _one_of(value, DIRECTIONS)),
        trials=study.get("trials", None, lambda value: _whole(value, 1)),
        time=study.get("time", None, amounts.seconds),
        workers=study.get("workers", 1, lambda value: _whole(value, 1)),
        seed=study.get("seed", None, lambda value: _whole(value, 0)),
        recipe=study.get("recipe", "auto", lambda value: _one_of(value, RECIPES)),
        defaults=_config(defaults.items, space, defaults) if defaults.items else None,
        initial=study.get("initial", (), lambda value: _initial(value, space)),
        value=_value(tables["value"], what),
        report=report,
        pruner=pruner,
        limits=Limits(
            command.get("time_limit", None, amounts.seconds), command.get("memory_limit", None, amounts.size)
        ),
        retries=study.get("retries", 1, lambda value: _whole(value, 0)),
    )


# -- the space ------------------------------------------------------------------------------------------


def _space(table: Table, study: Table) -> Space:
    if not table.items:
        raise StudyError(f"{table.path}: must have a [space] table with at least one parameter.")
    parameters = {name: _parameter(value, name, table) for name, value in table.items.items()}
    with table.blame():
        space = Space(parameters)
        space.to_json()  # choices that cannot be stored are refused here
    return study.get("constraints", space, lambda value: Space(parameters, constraints=_texts(value)))


def _parameter(value: Any, name: str, table: Table) -> Parameter:
    if not isinstance(value, dict):
        raise table.error(name, f'must be a table such as {{ type = "float", low = 0, high = 1 }}. Got {value!r}.')
    type_ = value.get("type")
    if type_ not in _KINDS:
        raise table.error(name, f"`type` must be one of {', '.join(_KINDS)}. {nearest(type_, _KINDS)}")
    settings = fields(_KINDS[type_])
    known = ["type", *(setting.name for setting in settings)]
    for key in value:
        if key not in known:
            raise table.error(name, f"unknown key {key!r}. {nearest(key, known)}")
    for setting in settings:
        if setting.default is MISSING and setting.default_factory is MISSING and setting.name not in value:
            raise table.error(name, f"`{setting.name}` is missing.")
    with table.blame(name):
        return parameter_from_json(value, name)


def _config(items: Mapping[str, Any], space: Space, table: Table | None = None) -> Config:
    """A configuration of the file as a member of the space: a whole number means a Float where one is wanted."""
    try:
        X = space.encode([items])
        if not space.allowed(X)[0]:
            raise ConfigError(f"breaks a constraint. Got {dict(items)!r}.")
    except (ConfigError, SpaceError) as error:
        if table is None:
            raise
        raise table.error(None, str(error)) from error
    kinds = space.parameters
    return {
        name: float(items[name]) if isinstance(kinds[name], Float) else items[name] for name in kinds if name in items
    }


def _initial(value: Any, space: Space) -> tuple[Config, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise StudyError(f"must be a list of configurations such as [{{ x = 1 }}, {{ x = 2 }}]. Got {value!r}.")
    return tuple(_config(item, space) for item in value)


# -- the command ----------------------------------------------------------------------------------------


def _command(table: Table, space: Space) -> Command:
    table.check_keys(("run", "function", "environment", "config", "folder", "time_limit", "memory_limit"))
    if ("run" in table.items) == ("function" in table.items):
        raise table.error(None, "must have either `run`, a list of arguments, or `function`, 'package.module:name'.")
    function = table.get("function", None, _function)
    command = Command(
        run=table.get("run", (), _arguments),
        function=function,
        environment=table.get("environment", {}, _environment),
        config=table.get("config", function is not None, _truth),
    )
    conditional = [name for name, kind in space.parameters.items() if kind.when]
    with table.blame("run" if command.run else "environment"):
        command.check(space.names, conditional)
        if not command.config:
            _check_all_used(command, space)
    return command


def _check_all_used(command: Command, space: Space) -> None:
    used = command.mentioned()
    # a parent that decides which arguments are there reaches the program through them
    parents = {parent for name in used if name in space.parameters for parent in space.parameters[name].when}
    for name in space.names:
        if name not in used | parents:
            raise StudyError(
                f"the parameter {name!r} never reaches the program. Put {{{name}}} in an argument or a variable, or "
                f"set `config = true` if the program reads its settings from the variable AUGER_CONFIG."
            )


def _arguments(value: Any) -> tuple[Argument, ...]:
    if not isinstance(value, list) or not value:
        raise StudyError(f'must be a list of arguments such as ["python", "train.py"]. Got {value!r}.')
    return tuple(_group(item) if isinstance(item, list) else _argument(item) for item in value)


def _group(items: list[Any]) -> tuple[str, ...]:
    return tuple(_argument(item) for item in items)


def _argument(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise StudyError(f'each argument must be text; put quotes around it, as in "10". Got {value!r}.')
    return value


def _function(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*", value):
        raise StudyError(f"must name a function as in 'package.module:name'. Got {value!r}.")
    return value


def _environment(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise StudyError(f'must be a table such as {{ THREADS = "2" }}. Got {value!r}.')
    for name, text in value.items():
        if not name or "=" in name or "\0" in name:
            raise StudyError(f"the name of a variable must not be empty or have a '='. Got {name!r}.")
        if not isinstance(text, str) or "\0" in text:
            raise StudyError(f"the variable {name} must be text; put quotes around it. Got {text!r}.")
    return dict(value)


# -- values ---------------------------------------------------------------------------------------------


def _value(table: Table, command: Command) -> ValueRule:
    if command.function is not None:
        if table.items:
            raise table.error(None, "is for programs; a function returns its value.")
        return FUNCTION_VALUE
    table.check_keys(field.name for field in fields(ValueRule))
    with table.blame(next((key for key in ("pattern", "key", "path", "read") if key in table.items), None)):
        return ValueRule(**table.items)


def _report(table: Table) -> ReportRule | None:
    if not table.items:
        return None
    table.check_keys(field.name for field in fields(ReportRule))
    with table.blame(next((key for key in ("pattern", "key", "read") if key in table.items), None)):
        return ReportRule(**{"read": "json", **table.items})


# -- small things ---------------------------------------------------------------------------------------


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or re.search(r"[/\\]", value):
        raise StudyError(f"must be text without a slash: folders are named after it. Got {value!r}.")
    return value


def _storage(value: Any, home: Path) -> str:
    text = _text_value(value)
    return text if "://" in text else str(home / text)


def _text_value(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise StudyError(f"must be text. Got {value!r}.")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise StudyError(f"must be a list of texts. Got {value!r}.")
    return tuple(value)


def _whole(value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise StudyError(f"must be a whole number of at least {least}. Got {value!r}.")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise StudyError(f"must be true or false. Got {value!r}.")
    return value


def _one_of(value: Any, known: Any) -> str:
    if not isinstance(value, str) or value not in known:
        raise StudyError(f"unknown: {value!r}. {nearest(value, known)}")
    return value
