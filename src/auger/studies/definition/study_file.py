"""Study files: TOML that says what to tune, checked completely before the first trial."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from auger.errors import StudyError, nearest
from auger.files import read_up_to
from auger.space import Space
from auger.studies.definition import amounts
from auger.studies.definition.checks import check_text
from auger.studies.definition.command import Command
from auger.studies.definition.definition import Definition, Limits
from auger.studies.definition.location import errors_at, errors_in_file
from auger.studies.definition.parameter_tables import check_parents, read_parameter_table
from auger.studies.definition.reservation import Reservation
from auger.studies.definition.value_rules import ReportRule, ValueRule
from auger.studies.storage.address import read_address
from auger.text import system_error, toml_value
from auger.types import Config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Ending of a program that is no study file -> what runs it.
_PROGRAMS = {".py": "python", ".sh": "sh", ".R": "Rscript", ".jl": "julia", ".js": "node", ".rb": "ruby", ".pl": "perl"}

# Bytes of a study file: more than a million choices.
_MAX_FILE = 32 * 2**20

T = TypeVar("T")
_Table = dict[str, Any]

# The tables of a study file and their keys; the keys of [space] and [defaults] are the names of parameters.
_KEYS: dict[str, tuple[str, ...] | None] = {
    "study": (
        *("name", "direction", "trials", "time", "workers", "seed", "recipe", "storage", "retries", "pruner"),
        *("constraints", "initial", "repeats", "confirm", "slots", "gpus"),
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
            if keys is not None and key not in keys:
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
    for key in ("constraints", "initial", "storage", "time"):
        plain.pop(key, None)
    plain.update({key: _as_tuple(plain[key]) for key in ("slots", "gpus") if key in plain})
    slots = plain.get("slots") or plain.get("gpus")
    if isinstance(slots, tuple) and "workers" not in plain:
        plain["workers"] = len(slots)
    return Definition(
        **{"name": path.stem, **plain},
        space=_space(tables["space"], study.get("constraints", [])),
        command=_command(tables["command"]),
        home=str(home),
        storage=_storage(study.get("storage", ""), home),
        folder=tables["command"].get("folder", ""),
        time=_read(study, "study.time", amounts.seconds),
        defaults=tables["defaults"] or None,
        initial=_initial(study.get("initial", [])),
        value=_value(tables["value"], tables["command"]),
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


def _space(table: _Table, constraints: Any) -> Space:
    if not table:
        raise StudyError("must have at least one parameter.", "space")
    parameters = {name: read_parameter_table(value, name) for name, value in table.items()}
    check_parents(parameters)
    with errors_at("space"):
        space = Space(parameters)
    if not isinstance(constraints, list) or not all(isinstance(rule, str) for rule in constraints):
        raise StudyError(
            f'must be a list of texts such as ["a + b <= 1"]. Got {toml_value(constraints)}.', "study.constraints"
        )
    with errors_at("study.constraints"):
        space = Space(parameters, constraints=constraints)
        space.sample(1, np.random.default_rng(0))  # raises when the constraints leave nothing to try
    return space


def _command(table: _Table) -> Command:
    run = table.get("run", ())
    return Command(
        run=tuple(tuple(item) if isinstance(item, list) else item for item in run) if isinstance(run, list) else run,
        function=table.get("function"),
        environment=table.get("environment", {}),
        config=table.get("config", False),
    )


def _value(table: _Table, command: _Table) -> ValueRule:
    if table and "function" in command:
        raise StudyError("must be left out with `function`: the value is what the function returns.", "value")
    return ValueRule(**table)


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
