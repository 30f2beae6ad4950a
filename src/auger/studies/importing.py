"""Results of other runs, brought into a study: a CSV file, checked row by row before anything is stored."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auger.errors import ConfigError, StudyError, nearest
from auger.schema import ORIGIN, REASON
from auger.space import Float, Int, Parameter
from auger.studies.definition.command import written
from auger.studies.pool.progress import IMPORTED
from auger.studies.results import COLUMNS, column
from auger.studies.study import Study
from auger.types import Config


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used: its line in the file, the column if it is one's fault, and why."""

    line: int
    column: str | None
    reason: str

    def __str__(self) -> str:
        where = f"line {self.line}" if self.column is None else f"line {self.line}, column {self.column!r}"
        return f"{where}: {self.reason}"


@dataclass(frozen=True)
class Table:
    """What a file of results holds.

    Attributes:
        good: configurations and values.
        bad: rows that cannot be used.
        n_skipped: rows of trials that did not end with a value, by their `state`.
        ignored: columns that are none of ours.
    """

    good: list[tuple[Config, float]]
    bad: list[BadRow]
    n_skipped: int
    ignored: list[str]


def read_results(path: Path, study: Study, *, value: str = "value") -> Table:
    """Read and check a CSV file with a column a parameter, empty where it is inactive, and one with the value.

    Args:
        path: of the file.
        study: whose space the rows must fit.
        value: the name of the column with the value.
    """
    space = study.definition.space
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True)
            lines = [(reader.line_num, row) for row in reader]
            titles = list(reader.fieldnames or [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path} must be a CSV file in UTF-8: {error}.") from error
    _check_titles(path, titles, value, study)
    table = Table([], [], 0, [title for title in titles if title not in {value, *COLUMNS, *map(column, space.names)}])
    n_skipped = 0
    for line, row in lines:
        if row.get("state") not in {None, "", "complete"}:
            n_skipped += 1
            continue
        found = _read_row(row, line, value, study)
        if isinstance(found, BadRow):
            table.bad.append(found)
        else:
            table.good.append(found)
    return Table(table.good, table.bad, n_skipped, table.ignored)


def _check_titles(path: Path, titles: list[str], value: str, study: Study) -> None:
    if len(set(titles)) < len(titles):
        twice = sorted({title for title in titles if titles.count(title) > 1})
        raise StudyError(f"{path}: each column must have a name of its own. Twice: {', '.join(map(repr, twice))}.")
    parameters = study.definition.space.parameters
    for wanted in (value, *(column(name) for name, kind in parameters.items() if not kind.when)):
        if wanted not in titles:
            hint = " Name another with --value." if wanted == value else ""
            raise StudyError(f"{path}: there is no column {wanted!r}.{hint} {nearest(wanted, titles)}")


def _read_row(row: Mapping[str, Any], line: int, value: str, study: Study) -> tuple[Config, float] | BadRow:
    if None in row or None in row.values():
        return BadRow(line, None, "must have as many cells as the first line has names.")
    config: Config = {}
    for name, kind in study.definition.space.parameters.items():
        cell = row.get(column(name), "").strip()
        if cell:
            try:
                config[name] = _parsed(cell, kind)
                kind.encode([config[name]], name)
            except ConfigError as error:
                return BadRow(line, column(name), str(error))
    try:
        study.definition.space.encode([config])
    except ConfigError as error:
        return BadRow(line, None, str(error))
    number = _number(row[value])
    if number is None or math.isnan(number):
        return BadRow(line, value, f"must be a number. Got {row[value]!r}.")
    return config, number


def _parsed(cell: str, kind: Parameter) -> Any:
    """The value a cell means; the text itself where it means none, for the parameter to complain about."""
    if isinstance(kind, (Float, Int)):
        number = _number(cell)
        if number is None:
            return cell
        return int(number) if isinstance(kind, Int) and number.is_integer() else number  # tables turn 3 into 3.0
    for choice in kind.decode(kind.levels()):
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
    """Store results as complete trials, those that are not there yet. Returns how many were."""
    from optuna.trial import create_trial

    with study.storage.turn(study.definition.name):
        known = {_key(trial.params, trial.value) for trial in study.trials() if IMPORTED in trial.user_attrs}
        pairs = [(study.params(config), value) for config, value in results]
        fresh = [(params, value) for params, value in pairs if _key(params, value) not in known]
        attributes = {IMPORTED: source, ORIGIN: "given", REASON: f"imported from {source}"}
        for params, value in fresh:
            made = create_trial(
                value=value, params=params, distributions=study.distributions(params), user_attrs=attributes
            )
            study.storage.optuna.create_new_trial(study.key, template_trial=made)
    return len(fresh)
