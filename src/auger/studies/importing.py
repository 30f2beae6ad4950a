"""Results of other runs, imported into a study: a CSV file, checked row by row before anything is stored."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optuna.trial import TrialState, create_trial

from auger.errors import ConfigError, StudyError, nearest
from auger.files import read_up_to
from auger.hosts.optuna.trials import attributes_of, constraint_attributes
from auger.provenance import Provenance
from auger.schema import IMPORTED, OUTCOMES
from auger.space import Float, Int, Parameter
from auger.studies.results import COLUMNS, parameter_column, value_columns
from auger.studies.study import Study
from auger.table import read_cell
from auger.text import written
from auger.types import Config

# Bytes of a file of results: millions of rows.
_MAX_FILE = 2**30

# The columns by which a table of auger's own is known.
_OF_AUGER = frozenset({"number", "origin"})

# What a column of every table is of a trial, where that is not its name.
_MEANT = {"seconds": "duration", "feasible": "feasibility", "started": "start", "finished": "end"}


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used: its line in the file, the column unless it is the whole row, and the reason."""

    line: int
    column: str | None
    reason: str

    def __str__(self) -> str:
        column = "" if self.column is None else f", column {self.column!r}"
        return f"line {self.line}{column}: {self.reason}"


@dataclass(frozen=True)
class Table:
    """The rows of a file of results.

    Attributes:
        good: configurations, and their numbers: the values, and what was measured of each outcome constraint.
        bad: rows that cannot be used.
        n_skipped: number of rows whose `state` is not "complete".
        ignored: columns that have no meaning here.
    """

    good: list[tuple[Config, tuple[float, ...]]]
    bad: list[BadRow]
    n_skipped: int
    ignored: list[str]


def read_results(path: Path, study: Study, *, value: str = "value") -> Table:
    """Read and check a CSV file with one column per parameter, empty where it is inactive, and one with the value.

    Several objectives have a column each, and so has every outcome constraint. One that is called as a column of every
    table, such as `seconds`, has the column `value:seconds`, or `constraint:seconds`. In a file that is not auger's,
    plain `seconds` will do.

    Args:
        path: of the file.
        study: the study whose space the rows must fit.
        value: the name of the column with the value of a single objective.
    """
    space, objectives = study.definition.space, study.objectives
    if value != "value" and len(objectives) > 1:
        raise StudyError(
            f"--value is for a single objective. The columns of several are called as they are: "
            f"{', '.join(map(repr, objectives.names))}. Got {value!r}."
        )
    try:
        content = read_up_to(path, _MAX_FILE).decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(content, newline=""), strict=True)
        reader.fieldnames = titles = [read_cell(title) for title in reader.fieldnames or ()]
        lines = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path} must be a CSV file in UTF-8: {error}.") from error
    columns = _number_columns(titles, study, value)
    _check_titles(path, titles, columns, study)
    used = {*columns, *COLUMNS, *(parameter_column(name, columns) for name in space.names)}
    is_number = "state" in columns
    complete = [(line, row) for line, row in lines if is_number or row.get("state") in {None, "", "complete"}]
    results = [_read_row(row, line, columns, study) for line, row in complete]
    return Table(
        [result for result in results if not isinstance(result, BadRow)],
        [result for result in results if isinstance(result, BadRow)],
        len(lines) - len(complete),
        [title for title in titles if title not in used],
    )


def _number_columns(titles: list[str], study: Study, value: str) -> list[str]:
    """The columns of the numbers: `value:seconds` in auger's own tables may be plain `seconds` in those of others."""
    columns, names = value_columns(study.definition, value), _names(study)
    if not _OF_AUGER.difference(names).isdisjoint(titles):
        return columns
    for i, (column, name) in enumerate(zip(columns, names, strict=True)):
        if name is not None and column not in titles and name in titles and name not in columns:
            columns[i] = name
    return columns


def _names(study: Study) -> list[str | None]:
    """The name that each column of numbers is called after; None for that of a single objective."""
    names = study.objectives.names
    return [*(names if len(names) > 1 else [None]), *study.definition.limited]


def _check_titles(path: Path, titles: list[str], columns: list[str], study: Study) -> None:
    if len(set(titles)) < len(titles):
        twice = sorted({title for title in titles if titles.count(title) > 1})
        raise StudyError(f"{path}: the names of the columns must differ. Twice: {', '.join(map(repr, twice))}.")
    parameters = study.definition.space.parameters
    needed = [parameter_column(name, columns) for name, parameter in parameters.items() if not parameter.when]
    hints = [_hint(column, name, titles, study) for column, name in zip(columns, _names(study), strict=True)]
    for title, hint in zip((*columns, *needed), (*hints, *("" for _ in needed)), strict=True):
        if title not in titles:
            raise StudyError(f"{path}: there is no column {title!r}.{hint or f' {nearest(title, titles)}'}")


def _hint(column: str, name: str | None, titles: list[str], study: Study) -> str:
    """What to know of a column of numbers that is missing."""
    if name is None:
        return f" Name the column of the value with --value. {nearest(column, titles)}"
    if column == name:
        return ""
    what = "objective" if name in study.objectives.names else "outcome constraint"
    return (
        f" The {what} {name!r} is read from the column {column!r}, because {name!r} is the {_MEANT.get(name, name)} "
        f"of a trial. Known: {', '.join(map(repr, titles))}."
    )


def _read_row(
    row: Mapping[str, Any], line: int, columns: list[str], study: Study
) -> tuple[Config, tuple[float, ...]] | BadRow:
    if None in row or None in row.values():
        return BadRow(line, None, "must have as many cells as the first line.")
    config: Config = {}
    for name, parameter in study.definition.space.parameters.items():
        column = parameter_column(name, columns)
        cell = read_cell(row.get(column, "").strip())
        if cell:
            try:
                config[name] = _parsed(cell, parameter)
                parameter.encode([config[name]], name)
            except ConfigError as error:
                return BadRow(line, column, str(error))
    try:
        study.definition.space.encode([config])
    except ConfigError as error:
        return BadRow(line, None, str(error))
    numbers = []
    for column in columns:
        number = _number(row[column])
        if number is None or math.isnan(number):
            return BadRow(line, column, f"must be a number. Got {row[column]!r}.")
        numbers.append(number)
    return config, tuple(numbers)


def _parsed(cell: str, parameter: Parameter) -> Any:
    """The value of a cell; the text itself where it is no value of the parameter, whose `encode` then refuses it."""
    if isinstance(parameter, (Float, Int)):
        number = _number(cell)
        if number is None:
            return cell
        return int(number) if isinstance(parameter, Int) and number.is_integer() else number  # tables write 3 as 3.0
    for choice in parameter.decode(parameter.levels()):
        if cell in {written(choice), str(choice)} or json.dumps(choice) == cell:
            return choice
    return cell


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _key(params: Mapping[str, Any], values: Sequence[float]) -> str:
    return json.dumps([list(values), params], sort_keys=True)


def import_results(study: Study, results: Sequence[tuple[Config, Sequence[float]]], *, source: str) -> int:
    """Store results as complete trials, except those that the study holds already. Returns how many were stored."""
    n_values = len(study.objectives)
    with study.storage.turn(study.definition.name) as turn:
        complete = [trial for trial in study.trials() if trial.state is TrialState.COMPLETE]
        stored = {_key(trial.params, trial.values) for trial in complete}
        pairs = [(study.params(config), numbers) for config, numbers in results]
        fresh = [(params, numbers) for params, numbers in pairs if _key(params, numbers[:n_values]) not in stored]
        provenance = attributes_of(Provenance(notes=(f"imported from {source}",)))
        for params, numbers in fresh:
            excess = study.excess(numbers[n_values:])
            measured = dict(zip(study.definition.limited, numbers[n_values:], strict=True))
            trial = create_trial(
                values=list(numbers[:n_values]),
                params=params,
                distributions=study.distributions(params),
                system_attrs={**provenance, **constraint_attributes(excess)},
                user_attrs={IMPORTED: source, **({OUTCOMES: measured} if measured else {})},
            )
            turn.check()  # another import may hold the same
            study.storage.optuna.create_new_trial(study.key, template_trial=trial)
    return len(fresh)
