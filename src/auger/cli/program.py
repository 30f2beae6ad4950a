"""What commands take after ``--``: a program and its arguments; and the options that stand for a study file."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from auger.errors import ObjectiveError, StudyError, did_you_mean

if TYPE_CHECKING:
    from auger.objectives import Objectives
    from auger.outcome_constraints import OutcomeConstraint
    from auger.studies.definition import Definition, ValueRule

_PROGRAM = "auger.program"
DIRECTIONS = ("minimize", "maximize")
_KINDS = ("float", "int", "choice", "ordinal")

FLOAT = typer.Option("--float", metavar="NAME=LOW:HIGH", help="Tune a number; :log or :STEP may follow. Repeatable.")
INT = typer.Option("--int", metavar="NAME=LOW:HIGH", help="Tune a whole number; :log or :STEP may follow.")
CHOICE = typer.Option("--choice", metavar="NAME=A,B,...", help="Tune a choice.")
ORDINAL = typer.Option("--ordinal", metavar="NAME=A,B,...", help="Tune a choice out of an ordered list.")
STUDY_NAME = typer.Option(
    "--name",
    metavar="TEXT",
    help="The name of the study: without a study file, or in a storage with several.  [default: the program's]",
)
OBJECTIVE = typer.Option(
    "--objective",
    metavar="NAME=DIRECTION",
    help="Without a study file: one of several values, read by name, such as size=minimize. Repeatable.",
)
CONSTRAINT = typer.Option(
    "--constraint",
    metavar="LIMIT",
    help="Without a study file: a limit of a number that the program prints, such as 'memory_mb<=512'. Repeatable.",
)
VALUE_KEY = typer.Option(
    "--value-key", metavar="KEY", help="Without a study file: the value is under KEY in the last JSON line."
)
VALUE_PATTERN = typer.Option(
    "--value-pattern", metavar="REGEX", help="Without a study file: the value is the group of the last match."
)


class WithProgram(TyperCommand):
    """A command that keeps what follows ``--``, apart from its own arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Cut off the program."""
        if "--" in args:
            i = args.index("--")
            ctx.meta[_PROGRAM], args = tuple(args[i + 1 :]), args[:i]
        elif any(word.partition("=")[0] in {f"--{kind}" for kind in _KINDS} for word in args):
            study = next((word for word in args if word.endswith((".toml", ".journal"))), None)
            if study is not None:
                raise StudyError(f"{study} has a space of its own: --float and the like are for a program after --.")
            raise StudyError(
                "Write -- between the options and the program, such as: "
                f"auger {ctx.info_name} --float lr=1e-5:1e-1:log -- python train.py --lr {{lr}}"
            )
        try:
            return super().parse_args(ctx, list(args))
        except TyperException as error:
            program = next((i for i, word in enumerate(args) if shutil.which(word)), None)
            if program is None or _PROGRAM in ctx.meta:
                raise
            line = shlex.join(["auger", str(ctx.info_name), *args[:program], "--", *args[program:]])
            raise StudyError(f"Write -- before the program: {line}") from error

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Add the program to the line of the usage."""
        return [*super().collect_usage_pieces(ctx), "[-- PROGRAM [ARGUMENT]...]"]


@dataclass(frozen=True)
class Program:
    """The words after ``--``, none without it, and the options that a study file would hold otherwise."""

    words: tuple[str, ...]
    floats: list[str] | None
    ints: list[str] | None
    choices: list[str] | None
    ordinals: list[str] | None
    value_key: str | None
    value_pattern: str | None
    is_maximized: bool | None = None
    name: str | None = None
    objectives: list[str] | None = None
    constraints: list[str] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options that are not for a study file or a storage, apart from the name; None where not used."""
        return {
            "--value-key": self.value_key,
            "--value-pattern": self.value_pattern,
            "--maximize and --minimize": self.is_maximized,
            "--objective": self.objectives or None,
            "--constraint": self.constraints or None,
        }

    def definition(self) -> Definition:
        """The study of the program, in the current folder."""
        from auger.studies.definition import definition_without_file

        texts = zip(_KINDS, (self.floats, self.ints, self.choices, self.ordinals), strict=True)
        return definition_without_file(
            self.words,
            [(kind, written_as) for kind, many in texts for written_as in many or ()],
            name=self.name,
            objectives=self._objectives(),
            outcome_constraints=self._outcome_constraints(),
            value=self._value_rule(),
            values=self._value_rules(),
            home=Path.cwd(),
        )

    def _objectives(self) -> Objectives:
        from auger.objectives import as_objectives

        if not self.objectives:
            return as_objectives("maximize" if self.is_maximized else "minimize")
        for option, value in list(self.options.items())[:3]:
            if value is not None:
                raise StudyError(
                    f"{option}: only without --objective, which says the direction and reads each value by name. "
                    "For other rules write a study file."
                )
        directions: dict[str, str] = {}
        for written_as in self.objectives:
            name, equals, direction = (part.strip() for part in written_as.partition("="))
            if not equals or not name or direction not in DIRECTIONS:
                raise StudyError(
                    f"--objective must be NAME=minimize or NAME=maximize. Got {written_as!r}."
                    f"{did_you_mean(direction, DIRECTIONS)}"
                )
            if name in directions:
                raise StudyError(f"--objective {written_as}: there is another objective {name!r}.")
            directions[name] = direction
        return as_objectives(directions)

    def _outcome_constraints(self) -> tuple[OutcomeConstraint, ...]:
        from auger.outcome_constraints import check_satisfiable

        limits = tuple(limit for written_as in self.constraints or () for limit in _read_limit(written_as))
        try:
            check_satisfiable(limits)
        except ObjectiveError as error:
            raise StudyError(f"--constraint: {error}") from error
        return limits

    def _value_rules(self) -> dict[str, ValueRule]:
        from auger.studies.definition.value_rules import BY_NAME, ValueRule

        names = [written_as.partition("=")[0].strip() for written_as in self.objectives or ()]
        return {name: ValueRule(BY_NAME, key=name) for name in names}

    def _value_rule(self) -> ValueRule:
        from auger.studies.definition import ValueRule

        if self.value_key is not None and self.value_pattern is not None:
            raise StudyError("--value-key and --value-pattern: one of them must be left out.")
        try:
            if self.value_key is not None:
                return ValueRule("json", key=self.value_key)
            return ValueRule() if self.value_pattern is None else ValueRule("regex", pattern=self.value_pattern)
        except StudyError as error:
            raise StudyError(f"--value-{'key' if self.value_pattern is None else 'pattern'}: {error.reason}") from error


def _read_limit(written_as: str) -> tuple[OutcomeConstraint, ...]:
    from auger.outcome_constraints import as_outcome_constraints

    match = re.fullmatch(r"\s*(?P<name>.*?)\s*(?P<limit>(?:<=|>=).*)", written_as)
    if match is None or not match["name"]:
        raise StudyError(f"--constraint must be NAME<=NUMBER or NAME>=NUMBER. Got {written_as!r}.")
    try:
        return as_outcome_constraints({match["name"]: match["limit"]})
    except ObjectiveError as error:
        raise StudyError(f"--constraint {written_as}: {error}") from error


def program_of(context: typer.Context) -> tuple[str, ...]:
    """The words after ``--``; none without it."""
    words: tuple[str, ...] = context.meta.get(_PROGRAM, ())
    return words
