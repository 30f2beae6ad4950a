"""What is started for a trial: a program's arguments and variables, whether it is a command or a Python function."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from auger.errors import StudyError
from auger.studies.definition.command import fill, surroundings
from auger.studies.definition.definition import Definition
from auger.studies.trial import function
from auger.types import Config


def invocation(definition: Definition, number: int, config: Config) -> tuple[list[str], dict[str, str]]:
    """The arguments and the variables of a trial's process."""
    command = definition.command
    ours = surroundings(definition.name, number, str(definition.trials_folder / str(number)), config)
    environment = {**_inherited(), **ours}
    for name, value in command.variables({**config, **ours}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    if command.function is not None:
        return _calling(command.function), environment
    return command.arguments({**config, **ours}), environment


def check_program(definition: Definition) -> None:
    """Refuse a command whose program is not there, or a function that cannot be imported, before the first trial."""
    command, home = definition.command, Path(definition.home)
    # as far as it is known without a configuration
    fixed = {name: value for name, value in command.variables({}).items() if value is not None}
    environment = {**_inherited(), **fixed}
    if not home.is_dir():
        raise StudyError(f"There is no folder {home}, where the study file was and programs are to run.")
    if command.function is not None:
        _check_function(command.function, environment, home)
        return
    program = fill(str(command.run[0]), {})
    if program is not None and find_program(program, environment, home) is None:
        raise StudyError(f"there is no program {program!r}, neither on the PATH nor in {home}.", "command.run")


def _check_function(name: str, environment: Mapping[str, str], home: Path) -> None:
    tried = subprocess.run(  # noqa: S603
        _calling("--check", name),
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if tried.returncode:
        said = tried.stderr.decode(errors="replace").strip().splitlines()
        raise StudyError(
            f"{name} cannot be called from {home}: {said[-1] if said else 'no reason given'}", "command.function"
        )


def find_program(name: str, environment: Mapping[str, str], home: Path) -> str | None:
    """Where a program is that is started in ``home``; None where there is none."""
    return shutil.which(str(home / name) if os.sep in name else name, path=environment.get("PATH"))


def _inherited() -> dict[str, str]:
    """Our variables, with two additions for programs in Python."""
    # one called "python" is found even where ours is the only one, and its folder not on the path
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
    # what it prints arrives when it prints it, not in blocks of eight kilobytes: values on the way are of use then only
    return {"PYTHONUNBUFFERED": "1", **os.environ, "PATH": path}


def _calling(*arguments: str) -> list[str]:
    return [sys.executable, function.__file__, *arguments]
