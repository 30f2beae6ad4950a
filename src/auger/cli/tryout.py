"""`auger try`: run the program of a study once, show what happens, and record nothing."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text
from auger.cli.echo import echo
from auger.cli.program import (
    CHOICE,
    CONSTRAINT,
    FLOAT,
    INT,
    OBJECTIVE,
    ORDINAL,
    STUDY_NAME,
    VALUE_KEY,
    VALUE_PATTERN,
    Program,
    program_of,
)
from auger.cli.source import find_source
from auger.cli.studies import quiet
from auger.trial import State

if TYPE_CHECKING:
    from auger.studies.definition import Definition
    from auger.studies.definition.value_rules import Reading
    from auger.studies.trial.tryout import Tryout

EXIT_CODES = "Exit codes: 0 there is a value, 1 the program failed, 2 bad input, 130 interrupted."

# How many of the intermediate values, and of the last lines of an output, are shown.
_N_REPORTS = 3
_N_LINES = 3


def try_(
    context: typer.Context,
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY", help="A study file, its storage, or a function: package.module:name.", show_default=False
        ),
    ] = None,
    floats: Annotated[list[str] | None, FLOAT] = None,
    ints: Annotated[list[str] | None, INT] = None,
    choices: Annotated[list[str] | None, CHOICE] = None,
    ordinals: Annotated[list[str] | None, ORDINAL] = None,
    objectives: Annotated[list[str] | None, OBJECTIVE] = None,
    constraints: Annotated[list[str] | None, CONSTRAINT] = None,
    value_key: Annotated[str | None, VALUE_KEY] = None,
    value_pattern: Annotated[str | None, VALUE_PATTERN] = None,
    name: Annotated[str | None, STUDY_NAME] = None,
    space: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For a function: the file with its [space], and more if wanted.")
    ] = None,
) -> None:
    """Run the program once, and show which value is read.

    The settings are the [defaults] of the study; without them the first of `initial`, or the middle of every range.
    The command, its exit code, the line of the value, the intermediate values and what would be tuned are shown, and no
    trial is recorded.
    """
    from auger.studies.trial import check_program
    from auger.studies.trial.tryout import try_out

    quiet()
    of_program = (program_of(context), floats, ints, choices, ordinals, value_key, value_pattern)
    program = Program(*of_program, name=name, objectives=objectives, constraints=constraints)
    definition = find_source(study, space, program).definition
    check_program(definition)
    tryout = try_out(definition)
    for title, lines in _sections(definition, tryout):
        wrapped = lines if title == "command" else _wrapped(lines)  # a command is there to be copied
        for i, line in enumerate(wrapped):
            echo(f"{title if i == 0 else '':9} {line}".rstrip())
    if tryout.doubt is not None:
        read, named = tryout.doubt.read, tryout.doubt.named
        facts = (read.raw, read.line, named.raw, named.line, tryout.doubt.pattern)
        echo("\n" + "\n".join(_wrapped(text.wrong_number(*facts, is_file=not program.words).splitlines())))
    if tryout.outcome.state is not State.COMPLETE:
        raise typer.Exit(1)


def _sections(definition: Definition, tryout: Tryout) -> list[tuple[str, list[str]]]:
    """The lines of `auger try`: a title, and the lines beside and below it."""
    outcome, function = tryout.outcome, definition.command.function
    settings = [text.settings(tryout.config), text.starting_point(tryout.origin.value)]
    command = [text.command(tryout.arguments)] if function is None else [f"{function}(settings)"]
    code = "did not start" if outcome.exit_code is None else f"exit code {outcome.exit_code}"
    sections = [
        ("settings", settings),
        ("command", command),
        ("ended", [f"{code}, after {text.duration(outcome.seconds)}"]),
        ("value" if len(definition.names) == 1 else "values", _values(definition, tryout)),
        ("reports", _reports(definition, tryout)),
        ("to tune", _parameters(definition, tryout)),
    ]
    if outcome.state is not State.COMPLETE:
        sections += [(name, _last_lines(tryout, name)) for name in ("stdout", "stderr")]
    sections.append(("output", [f"{text.near(tryout.folder)}/ (no trial was recorded)"]))
    return [(title, lines) for title, lines in sections if lines]


def _wrapped(lines: Sequence[str]) -> list[str]:
    """The lines in a terminal, broken where they are too long for it; elsewhere as they are."""
    if not sys.stdout.isatty():
        return list(lines)
    width = max(shutil.get_terminal_size().columns - 10, 20)
    return [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ") or [""]]


def _values(definition: Definition, tryout: Tryout) -> list[str]:
    """Each number that was read, what it must be, and where it was read."""
    outcome, objectives = tryout.outcome, definition.objectives
    if outcome.state is not State.COMPLETE:
        return [f"none: {text.clean(outcome.error or '')}"]
    numbers = dict(zip(definition.names, outcome.numbers, strict=True))
    aims = {name: f"to be {direction}d" for name, direction in objectives.described().items()}
    for name, written in definition.limited.items():
        limits = [limit for limit in definition.outcome_constraints if limit.name == name]
        is_met = all(limit.excess(numbers[name]) <= 0 for limit in limits)
        aims[name] = f"{written}: {'satisfied' if is_met else 'not satisfied'}"
    lines = []
    for name, number in numbers.items():
        lead = "" if len(numbers) == 1 else f"{text.shown(name)} "
        lines.append(f"{lead}{text.number(number)}, {aims[name]}")
        lines.append(_source(definition, name, outcome.readings.get(name)))
    if definition.command.function is not None:
        return [*lines[::2], "returned by the function"]
    return lines


def _source(definition: Definition, name: str, reading: Reading | None) -> str:
    """Where a number was read."""
    rule = definition.rules[name]
    source = rule.path or rule.stream
    if reading is None or reading.number is None:
        return f"{rule.key!r} in the JSON file {source}"
    return f"line {reading.number} of {source}: {text.quoted(reading.line)}"


def _reports(definition: Definition, tryout: Tryout) -> list[str]:
    if definition.report is None:
        return []
    ignored = tryout.outcome.ignored
    ignored_line = None if ignored is None else text.ignored_report(ignored.why.value, ignored.line)
    if not tryout.reports:
        return [f"no intermediate value: {ignored_line or 'no line matches [report]'}"]
    names = definition.objectives.names
    shown = []
    for step, *values in tryout.reports[:_N_REPORTS]:
        numbers = text.numbers(dict(zip(names, values, strict=True))) if len(names) > 1 else text.number(values[0])
        shown.append(f"step {step}: {numbers}")
    n_more = len(tryout.reports) - len(shown)
    separator = "; " if len(names) > 1 else ", "
    more = f"{separator}and {n_more} more" if n_more else ""
    lines = [f"{text.count(len(tryout.reports), 'intermediate value')}: {separator.join(shown)}{more}"]
    return lines if ignored_line is None else [*lines, ignored_line]


def _parameters(definition: Definition, tryout: Tryout) -> list[str]:
    rows = [("parameter", "type", "tried", "values")]
    for name, parameter in definition.space.parameters.items():
        data = parameter.to_json()
        when = f" if {text.condition(parameter.when)}" if parameter.when else ""
        tried = text.setting(tryout.config[name]) if name in tryout.config else "inactive"
        rows.append((text.shown(name), data["type"], tried, text.values(data) + when))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _last_lines(tryout: Tryout, stream: str) -> list[str]:
    from auger.studies.trial import last_lines

    lines = last_lines(tryout.folder / stream, _N_LINES)
    return [*lines, f"(the last lines of {text.near(tryout.folder / stream)})"] if lines else []
