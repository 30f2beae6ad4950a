"""Results of other runs, imported into a study: a CSV file, checked row by row before anything is stored."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optuna.trial import TrialState, create_trial

from auger.errors import ConfigError, StudyError, nearest
from auger.files import read_up_to
from auger.hosts.optuna.trials import attributes_of
from auger.provenance import Provenance
from auger.schema import IMPORTED
from auger.space import Float, Int, Parameter
from auger.studies.results import COLUMNS, parameter_column
from auger.studies.study import Study
from auger.table import read_cell
from auger.text import written
from auger.types import Config

# Bytes of a file of results: millions of rows.
_MAX_FILE = 2**30


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
        good: configurations and values.
        bad: rows that cannot be used.
        n_skipped: number of rows whose `state` is not "complete".
        ignored: columns that have no meaning here.
    """

    good: list[tuple[Config, float]]
    bad: list[BadRow]
    n_skipped: int
    ignored: list[str]


def read_results(path: Path, study: Study, *, value: str = "value") -> Table:
    """Read and check a CSV file with one column per parameter, empty where it is inactive, and one with the value.

    Args:
        path: of the file.
        study: the study whose space the rows must fit.
        value: the name of the column with the value.
    """
    space = study.definition.space
    try:
        content = read_up_to(path, _MAX_FILE).decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(content, newline=""), strict=True)
        reader.fieldnames = titles = [read_cell(title) for title in reader.fieldnames or ()]
        lines = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path} must be a CSV file in UTF-8: {error}.") from error
    _check_titles(path, titles, value, study)
    used = {value, *COLUMNS, *map(parameter_column, space.names)}
    complete = [(line, row) for line, row in lines if row.get("state") in {None, "", "complete"}]
    results = [_read_row(row, line, value, study) for line, row in complete]
    return Table(
        [result for result in results if not isinstance(result, BadRow)],
        [result for result in results if isinstance(result, BadRow)],
        len(lines) - len(complete),
        [title for title in titles if title not in used],
    )


def _check_titles(path: Path, titles: list[str], value: str, study: Study) -> None:
    if len(set(titles)) < len(titles):
        twice = sorted({title for title in titles if titles.count(title) > 1})
        raise StudyError(f"{path}: the names of the columns must differ. Twice: {', '.join(map(repr, twice))}.")
    parameters = study.definition.space.parameters
    for title in (value, *(parameter_column(name) for name, parameter in parameters.items() if not parameter.when)):
        if title not in titles:
            hint = " Name the column of the value with --value." if title == value else ""
            raise StudyError(f"{path}: there is no column {title!r}.{hint} {nearest(title, titles)}")


def _read_row(row: Mapping[str, Any], line: int, value: str, study: Study) -> tuple[Config, float] | BadRow:
    if None in row or None in row.values():
        return BadRow(line, None, "must have as many cells as the first line.")
    config: Config = {}
    for name, parameter in study.definition.space.parameters.items():
        cell = read_cell(row.get(parameter_column(name), "").strip())
        if cell:
            try:
                config[name] = _parsed(cell, parameter)
                parameter.encode([config[name]], name)
            except ConfigError as error:
                return BadRow(line, parameter_column(name), str(error))
    try:
        study.definition.space.encode([config])
    except ConfigError as error:
        return BadRow(line, None, str(error))
    number = _number(row[value])
    if number is None or math.isnan(number):
        return BadRow(line, value, f"must be a number. Got {row[value]!r}.")
    return config, number


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


def _key(params: Mapping[str, Any], value: float | None) -> str:
    return json.dumps([value, params], sort_keys=True)


def import_results(study: Study, results: list[tuple[Config, float]], *, source: str) -> int:
    """Store results as complete trials, except those that the study holds already. Returns how many were stored."""
    with study.storage.turn(study.definition.name) as turn:
        complete = [trial for trial in study.trials() if trial.state is TrialState.COMPLETE]
        stored = {_key(trial.params, trial.value) for trial in complete}
        pairs = [(study.params(config), value) for config, value in results]
        fresh = [(params, value) for params, value in pairs if _key(params, value) not in stored]
        provenance = attributes_of(Provenance(notes=(f"imported from {source}",)))
        for params, value in fresh:
            trial = create_trial(
                value=value,
                params=params,
                distributions=study.distributions(params),
                system_attrs=provenance,
                user_attrs={IMPORTED: source},
            )
            turn.check()  # another import may hold the same
            study.storage.optuna.create_new_trial(study.key, template_trial=trial)
    return len(fresh)
