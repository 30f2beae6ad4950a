"""The process that runs a trial: its arguments and variables, for a program and for a Python function."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from auger.errors import StudyError
from auger.studies.definition import Definition, trial_variables
from auger.studies.definition.command import fill
from auger.studies.trial import function
from auger.types import Config


def invocation(
    definition: Definition, number: int, config: Config, repeat: int | None = None, slot: str | None = None
) -> tuple[list[str], dict[str, str]]:
    """The arguments and the variables of a trial's process: for one of its runs where it has several, in its slot.

    Without a slot, the first one counts where the study has slots.
    """
    command = definition.command
    ours = trial_variables(definition.name, number, str(definition.folder_of(number, repeat)), config, repeat or 0)
    ours |= definition.slot_variables(slot)
    environment = {**inherited_environment(), **ours}
    for name, value in command.variables({**config, **ours}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    if command.function is not None:
        return _function_call(command.function), environment
    return command.arguments({**config, **ours}), environment


def check_program(definition: Definition) -> None:
    """Raise a StudyError when the program does not exist, or the function cannot be imported."""
    command, home = definition.command, Path(definition.home)
    # the variables that hold no setting
    fixed = {name: value for name, value in command.variables({}).items() if value is not None}
    environment = {**inherited_environment(), **fixed}
    if not home.is_dir():
        raise StudyError(f"The folder {home}, where the programs of the study run, does not exist.")
    if command.function is not None:
        _check_function(command.function, environment, home)
        return
    program = fill(str(command.run[0]), {})
    if program is not None and find_program(program, environment, home) is None:
        hint = " Write each argument as an item of its own." if " " in program else ""
        raise StudyError(f"there is no program {program!r}, neither on the PATH nor in {home}.{hint}", "command.run")
    script = command.run[1] if len(command.run) > 1 and os.path.basename(program or "").startswith("python") else ""
    if isinstance(script, str) and script.endswith(".py") and "{" not in script and not (home / script).is_file():
        raise StudyError(f"there is no script {script!r} in {home}, where the program runs.", "command.run")


def _check_function(name: str, environment: Mapping[str, str], home: Path) -> None:
    process = subprocess.run(  # noqa: S603
        _function_call("--check", name),
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if process.returncode:
        lines = process.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
        raise StudyError(f"{name} cannot be called from {home}: {lines[-1]}", "command.function")


def find_program(name: str, environment: Mapping[str, str], home: Path) -> str | None:
    """The path of a program that starts in ``home``; None where there is none."""
    return shutil.which(str(home / name) if os.sep in name else name, path=environment.get("PATH"))


def inherited_environment() -> dict[str, str]:
    """The variables of this process, with two additions for programs in Python."""
    # "python" works even where only this interpreter is installed and its folder is not on the PATH
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(sys.executable)])
    # output arrives at once, not in blocks of eight kilobytes: the pruner needs each intermediate value in time
    return {"PYTHONUNBUFFERED": "1", **os.environ, "PATH": path}


def _function_call(*arguments: str) -> list[str]:
    return [sys.executable, function.__file__, *arguments]
