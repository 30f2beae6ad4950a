"""A study without a study file: a command with placeholders, and parameters in their shorthand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from auger.errors import StudyError
from auger.objectives import Objectives
from auger.outcome_constraints import OutcomeConstraint
from auger.space import Parameter, Space
from auger.studies.definition.command import Command, is_function_name, placeholders
from auger.studies.definition.definition import Definition
from auger.studies.definition.shorthand import read_parameter
from auger.studies.definition.value_rules import ValueRule


def definition_without_file(
    words: Sequence[str],
    parameters: Sequence[tuple[str, str]],
    *,
    name: str | None = None,
    objectives: Objectives | None = None,
    outcome_constraints: Sequence[OutcomeConstraint] = (),
    value: ValueRule | None = None,
    values: Mapping[str, ValueRule] | None = None,
    home: Path,
) -> Definition:
    """The study of a command, or of a Python function.

    Args:
        words: the program and its arguments, with ``{name}`` for the value of each parameter; or one word,
            ``package.module:name``, for a function.
        parameters: pairs of a kind and a parameter in its shorthand: ``("float", "lr=1e-5:1e-1:log")``.
        name: of the study; by default the name of the program without its ending.
        objectives: what is optimized; by default a single value, to be minimized.
        outcome_constraints: of other numbers that the program prints.
        value: how the value is read of an objective without a name; by default the last number.
        values: how the others are read; by default by name.
        home: the folder where the program runs, and where the study is stored.
    """
    by_name: dict[str, Parameter] = {}
    for kind, written_as in parameters:
        parameter_name, parameter = read_parameter(kind, written_as)
        if parameter_name in by_name:
            raise StudyError(f"--{kind} {written_as}: there is another parameter {parameter_name!r}.")
        by_name[parameter_name] = parameter
    if not by_name:
        raise StudyError(
            "Say what to tune, with --float, --int, --choice or --ordinal before the --: "
            "auger tune --float lr=1e-5:1e-1:log -- python train.py --lr {lr}. "
            f"Or let `auger init -- {shlex.join(words)}` write a study file."
        )
    with _errors_about_options():
        if len(words) == 1 and is_function_name(words[0]):
            command, stem = Command(function=words[0]), words[0].rpartition(":")[2]
        else:
            _check_placeholders(words, by_name)
            command, stem = Command(tuple(words)), program_name(words)
            used = [parameter_name for word in words for parameter_name in placeholders(word)]
            by_name = {each: by_name[each] for each in sorted(by_name, key=used.index)}  # as the command has them
        settings: dict[str, Any] = {
            "objectives": objectives or Objectives(),
            "outcome_constraints": tuple(outcome_constraints),
            "value": value or ValueRule(),
            "values": values or {},
        }
        return Definition(name or stem, Space(by_name), command, str(home), **settings)


# Key of a study file -> what it is on the command line.
_OPTIONS = {
    "command.run": "The command",
    "study.name": "--name",
    "study.objectives": "--objective",
    "study.constraints": "--constraint",
}


@contextmanager
def _errors_about_options() -> Iterator[None]:
    """Begin an error about a key of a study file, which there is none of, with the option instead."""
    try:
        yield
    except StudyError as error:
        if error.key not in _OPTIONS:
            raise
        raise StudyError(f"{_OPTIONS[error.key]}: {error.reason}") from error


def program_name(words: Sequence[str]) -> str:
    """The name of the program that a command runs, without its folder and ending: of the script, not of Python.

    Example:
        >>> program_name(["python", "-u", "src/train.py", "--lr", "{lr}"]), program_name(["./solve", "{x}"])
        ('train', 'solve')
        >>> program_name(["python3", "-m", "package.train"]), program_name(["python", "-c", "print(1)"])
        ('train', 'python')
    """
    program = PurePath(words[0]).name
    for option, word in pairwise(words):
        if not re.match(r"python|pypy|sh$|bash$|env$|Rscript|node|ruby|perl|julia|uv$", program):
            break
        if option == "-m":
            return word.rpartition(".")[2]
        if option == "-c" or word == "-c":
            break
        if re.search(r"\.\w+$", word) and "{" not in word and not word.startswith("-"):
            return PurePath(word).stem
    return PurePath(words[0]).stem


def _check_placeholders(words: Sequence[str], parameters: dict[str, Parameter]) -> None:
    """Refuse a command that does not mention every parameter; the message shows where it could."""
    mentioned = {name for word in words for name in placeholders(word, "command.run")}
    for name in parameters:
        if name not in mentioned:
            raise StudyError(
                f"The command does not use the parameter {name!r}. Write {{{name}}} where its value belongs, such as: "
                f"{' '.join(_with_placeholder(words, name))}"
            )


def _with_placeholder(words: Sequence[str], name: str) -> list[str]:
    """The command with a placeholder: in the value of the option of that name, or at the end."""
    option = name.replace("_", "-")
    for i, word in enumerate(words):
        flag, equals, _ = word.partition("=")
        if flag.lstrip("-").replace("_", "-") != option or not flag.startswith("-"):
            continue
        if equals:
            return [*words[:i], f"{flag}={{{name}}}", *words[i + 1 :]]
        has_value = len(words) > i + 1 and not words[i + 1].startswith("-")
        return [*words[: i + 1], f"{{{name}}}", *words[i + 1 + has_value :]]
    return [*words, f"--{option}={{{name}}}"]
