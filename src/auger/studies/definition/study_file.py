"""Study files: TOML that says what to tune, checked completely before the first trial."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from auger.errors import StudyError, did_you_mean, nearest
from auger.files import read_up_to
from auger.objectives import Objectives, as_objectives
from auger.outcome_constraints import OutcomeConstraint, as_outcome_constraints, check_satisfiable
from auger.space import Space
from auger.studies.definition import amounts
from auger.studies.definition.checks import check_choice, check_text
from auger.studies.definition.command import Command
from auger.studies.definition.definition import Definition, Limits
from auger.studies.definition.location import errors_at, errors_in_file
from auger.studies.definition.parameter_tables import check_parents, read_parameter_table
from auger.studies.definition.reservation import Reservation
from auger.studies.definition.value_rules import BY_NAME, ReportRule, ValueRule
from auger.studies.storage.address import read_address
from auger.text import count, system_error, toml_key, toml_value
from auger.types import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Ending of a program that is no study file -> what runs it.
_PROGRAMS = {".py": "python", ".sh": "sh", ".R": "Rscript", ".jl": "julia", ".js": "node", ".rb": "ruby", ".pl": "perl"}

# Bytes of a study file: more than a million choices.
_MAX_FILE = 32 * 2**20

DIRECTIONS = ("minimize", "maximize")

T = TypeVar("T")
_Table = dict[str, Any]

# The tables of a study file and their keys; the keys of [space] and [defaults] are the names of parameters.
_KEYS: dict[str, tuple[str, ...] | None] = {
    "study": (
        *("name", "direction", "trials", "time", "workers", "seed", "recipe", "storage", "retries", "pruner"),
        *("objectives", "constraints", "initial", "repeats", "confirm", "slots", "gpus"),
    ),
    "command": ("run", "function", "environment", "config", "folder", "time_limit", "memory_limit"),
    "value": tuple(setting.name for setting in fields(ValueRule)),
    "report": tuple(setting.name for setting in fields(ReportRule)),
    "ray": tuple(setting.name for setting in fields(Reservation)),
    "defaults": None,
    "space": None,
}


def read_study_file(path: str | Path, *, function: str | None = None) -> Definition:
    """Read a study file and check all of it.

    Args:
        path: of the file.
        function: "package.module:name", the function to run where the file has no command; it is imported from the
            current folder. The study is then named after it, unless the file names it.

    Raises:
        StudyError: there is no such file, or the study cannot run as written; the message names the file, the line and
            the key.
    """
    path = Path(path)
    text = _text(path)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyError(f"{path}: a study file must be valid TOML. {error}.") from error
    with errors_in_file(path, text):
        tables, home = _tables(data), path.resolve().parent
        return _definition(
            path, *((tables, home) if function is None else (_with_function(tables, function), Path.cwd()))
        )


def _text(path: Path) -> str:
    try:
        content = read_up_to(path, _MAX_FILE)
        if _is_program(path, content):
            raise StudyError(
                f"{path} is a program, not a study file. `auger init -- {_command_of(path)}` proposes a study file for "
                f"it; `auger tune --float lr=1e-5:1e-1:log -- {_command_of(path)} --lr {{lr}}` does without one."
            )
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        names = {other.stem: other.name for ending in ("journal", "toml") for other in path.parent.glob(f"*.{ending}")}
        near = names.get(path.stem) or next((names[stem] for stem in get_close_matches(path.stem, names, 1)), None)
        hint = f" Did you mean {str(path.with_name(near))!r}?" if near else f" `auger init {path}` writes one."
        raise StudyError(f"There is no study file {path}.{hint}") from error
    except OSError as error:
        raise StudyError(f"The study file cannot be read. {system_error(error)}.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: a study file must be UTF-8 text. Byte {error.start} is not.") from error


def _is_program(path: Path, content: bytes) -> bool:
    is_executable = path.suffix != ".toml" and os.access(path, os.X_OK)
    return path.suffix in _PROGRAMS or content.startswith((b"#!", b"\x7fELF")) or is_executable


def _command_of(path: Path) -> str:
    """How a program is run."""
    interpreter = _PROGRAMS.get(path.suffix)
    if interpreter is not None:
        return shlex.join([interpreter, str(path)])
    return shlex.quote(str(path) if os.sep in str(path) else f"./{path}")


def _tables(data: Mapping[str, Any]) -> dict[str, _Table]:
    for name, items in data.items():
        if name in _KEYS and not isinstance(items, dict):
            raise StudyError(f"must be a table. Got {toml_value(items)}.", name)
        if not isinstance(items, dict):
            tables = ", ".join(f"[{table}]" for table in _KEYS)
            raise StudyError(f"{name!r} must be inside one of the tables: {tables}.")
        if name not in _KEYS:
            raise StudyError(f"unknown table. {nearest(name, _KEYS)}", name)
        for key in items:
            keys = _KEYS[name]
            is_of_a_name = name == "value" and isinstance(items[key], dict)  # [value.size]
            if keys is not None and key not in keys and not is_of_a_name:
                raise StudyError(f"unknown key. {nearest(key, keys)}", f"{name}.{key}")
    return {name: data.get(name, {}) for name in _KEYS}


def _with_function(tables: Mapping[str, _Table], function: str) -> dict[str, _Table]:
    for key in ("run", "function"):
        if key in tables["command"]:
            raise StudyError(
                f"must not be in the file when the command line names a function to run. Got {function}.",
                f"command.{key}",
            )
    named = {"name": function.rpartition(":")[2], **tables["study"]}
    return {**tables, "study": named, "command": {**tables["command"], "function": function}}


def _definition(path: Path, tables: Mapping[str, _Table], home: Path) -> Definition:
    study = tables["study"]
    plain = {key: study[key] for key in _KEYS["study"] or () if key in study}
    for key in ("direction", "objectives", "constraints", "initial", "storage", "time"):
        plain.pop(key, None)
    plain.update({key: _as_tuple(plain[key]) for key in ("slots", "gpus") if key in plain})
    slots = plain.get("slots") or plain.get("gpus")
    if isinstance(slots, tuple) and "workers" not in plain:
        plain["workers"] = len(slots)
    objectives, (rules, limits) = _objectives(study), _constraints(study.get("constraints", []))
    named = [*(objectives.names if "objectives" in study else ()), *dict.fromkeys(limit.name for limit in limits)]
    return Definition(
        **{"name": path.stem, **plain},
        space=_space(tables["space"], rules),
        command=_command(tables["command"]),
        objectives=objectives,
        outcome_constraints=limits,
        home=str(home),
        storage=_storage(study.get("storage", ""), home),
        folder=tables["command"].get("folder", ""),
        time=_read(study, "study.time", amounts.seconds),
        defaults=tables["defaults"] or None,
        initial=_initial(study.get("initial", [])),
        **_values(tables["value"], tables["command"], named, is_all_named="objectives" in study),
        report=ReportRule(**{"read": "json", **tables["report"]}) if tables["report"] else None,
        limits=_limits(tables["command"]),
        ray=Reservation(**{**tables["ray"], "memory": _read(tables["ray"], "ray.memory", amounts.size)}),
    )


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _read(table: _Table, key: str, read: Callable[[Any], T]) -> T | None:
    name = key.partition(".")[2]
    with errors_at(key):
        return read(table[name]) if name in table else None


def _limits(command: _Table) -> Limits:
    if "memory_limit" in command and sys.platform == "darwin":
        raise StudyError(
            "is not possible on macOS, which cannot limit the address space of a process.", "command.memory_limit"
        )
    time = _read(command, "command.time_limit", amounts.seconds)
    return Limits(time, _read(command, "command.memory_limit", amounts.size))


def _space(table: _Table, constraints: list[str]) -> Space:
    if not table:
        raise StudyError("must have at least one parameter.", "space")
    parameters = {name: read_parameter_table(value, name) for name, value in table.items()}
    check_parents(parameters)
    with errors_at("space"):
        space = Space(parameters)
    with errors_at("study.constraints"):
        space = Space(parameters, constraints=constraints)
        space.sample(1, np.random.default_rng(0))  # raises when the constraints leave nothing to try
    return space


def _objectives(study: _Table) -> Objectives:
    """What is optimized: named objectives with their directions, or the direction of a single one."""
    if "objectives" not in study:
        check_choice(study.get("direction", "minimize"), DIRECTIONS, "study.direction")
        return as_objectives(study.get("direction", "minimize"))
    objectives = study["objectives"]
    if "direction" in study:
        raise StudyError("must be left out with `objectives`, each of which has a direction.", "study.direction")
    if not isinstance(objectives, dict) or not objectives:
        raise StudyError(
            'must be a table of names and directions such as { size = "minimize", accuracy = "maximize" }. '
            f"Got {toml_value(objectives)}.",
            "study.objectives",
        )
    for name, direction in objectives.items():
        if direction not in DIRECTIONS:
            raise StudyError(
                f"the direction of {toml_value(name)} must be one of {_listed(DIRECTIONS)}. Got "
                f"{toml_value(direction)}.{did_you_mean(direction, DIRECTIONS)}",
                "study.objectives",
            )
    with errors_at("study.objectives"):
        return as_objectives(objectives)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(toml_value(name) for name in names)


def _constraints(constraints: Any) -> tuple[list[str], tuple[OutcomeConstraint, ...]]:
    """Those of the space, which are texts, and those of outcomes, which are tables of names and limits."""
    listed = [constraints] if isinstance(constraints, dict) else constraints
    if not isinstance(listed, list) or not all(isinstance(rule, (str, dict)) for rule in listed):
        raise StudyError(
            'must be a list of texts such as ["a + b <= 1"] for what every suggestion must satisfy, or a table such as '
            '{ memory_mb = "<= 512" } for numbers that the program gives; a list may have both. '
            f"Got {toml_value(constraints)}.",
            "study.constraints",
        )
    rules = [rule for rule in listed if isinstance(rule, str)]
    limits: list[OutcomeConstraint] = []
    for name, written in ((name, table[name]) for table in listed if isinstance(table, dict) for name in table):
        texts = written if isinstance(written, list) else [written]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise StudyError(
                f'the limit of {toml_value(name)} must be text such as "<= 512" or ">= 0.9", or a list of both. '
                f"Got {toml_value(written)}.",
                "study.constraints",
            )
        with errors_at("study.constraints"):
            limits += as_outcome_constraints({name: texts})
            check_satisfiable(limits)
    return rules, tuple(limits)


def _command(table: _Table) -> Command:
    run = table.get("run", ())
    return Command(
        run=tuple(tuple(item) if isinstance(item, list) else item for item in run) if isinstance(run, list) else run,
        function=table.get("function"),
        environment=table.get("environment", {}),
        config=table.get("config", False),
    )


def _values(table: _Table, command: _Table, named: Sequence[str], *, is_all_named: bool) -> dict[str, Any]:
    """The rules of a definition, as its fields.

    Args:
        table: [value], with one rule for all, and a table for each name that has a rule of its own.
        command: which has a `function`, or not.
        named: the names of objectives and outcome constraints.
        is_all_named: whether there is no objective without a name.
    """
    if table and "function" in command:
        raise StudyError("must be left out with `function`: the value is what the function returns.", "value")
    common = {key: setting for key, setting in table.items() if not isinstance(setting, dict)}
    own = {key: setting for key, setting in table.items() if isinstance(setting, dict)}
    if not named and own:
        name = next(iter(own))
        raise StudyError("must not be a table without `objectives` and outcome constraints.", f"value.{name}")
    values = {name: _rule(name, own[name]) for name in own}
    if not is_all_named:
        return {"value": ValueRule(**common), "values": values}
    if common and common.get("read") not in (None, "json", "file", BY_NAME):
        raise StudyError(
            f"must be one of {_listed(('json', 'file'))} for {count(len(named), 'name')}, or be in a table for "
            f"each name such as [value.{toml_key(named[0])}]. Got {toml_value(common['read'])}.",
            "value.read",
        )
    for key in ("key", "pattern"):
        if key in common:
            raise StudyError(
                "must be left out: the names of the objectives and constraints are the keys. A table for a name, such "
                f"as [value.{toml_key(named[0])}], has rules of its own.",
                f"value.{key}",
            )
    rest = [name for name in named if name not in values]
    return {"values": {**{name: ValueRule(**{"read": BY_NAME, **common, "key": name}) for name in rest}, **values}}


def _rule(name: str, table: _Table) -> ValueRule:
    """The rule of one name; errors name its table."""
    unknown = [key for key in table if key not in (_KEYS["value"] or ())]
    if unknown:
        raise StudyError(f"unknown key. {nearest(unknown[0], _KEYS['value'] or ())}", f"value.{name}.{unknown[0]}")
    try:
        return ValueRule(**{"key": name, **table} if table.get("read") in ("json", BY_NAME) else table)
    except StudyError as error:
        raise StudyError(error.reason, f"value.{name}.{(error.key or '').partition('.')[2]}") from error


def _initial(value: Any) -> tuple[Config, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise StudyError(
            f"must be a list of tables such as [{{ x = 1 }}, {{ x = 2 }}]. Got {toml_value(value)}.", "study.initial"
        )
    return tuple(value)


def _storage(value: Any, home: Path) -> str:
    check_text(value, "study.storage")
    if "://" in value:
        with errors_at("study.storage"):
            read_address(value)
        return str(value)
    return str(home / value) if value else ""
