"""What came of a study: the command line of its best settings, and every trial as a row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auger import table, text
from auger.errors import StudyError
from auger.studies.definition import Definition, placeholders, trial_variables
from auger.studies.study import Study
from auger.types import Config
from auger.view import View

#: Columns of a table of trials before those of the parameters.
COLUMNS = ("number", "state", "value", "seconds", "origin", "error")


def command_line(study: Study, number: int, config: Config, *, is_for_others: bool = False) -> str:
    """The shell command that runs the program of a study with the settings of a trial.

    Args:
        study: of programs; a StudyError for a study of a function.
        number: of the trial.
        config: its settings.
        is_for_others: leave out the variables that hold no setting: their values may not be for everybody.
    """
    definition = study.definition
    command = definition.command
    if command.function is not None:
        raise StudyError(f"--command is for programs; {definition.name} calls the function {command.function}.")
    folder = str(definition.trials_folder / str(number))
    variables = trial_variables(definition.name, number, folder, config)
    values = {**config, **variables, **definition.slot_variables()}
    environment = {name: value for name, value in command.variables(values).items() if value is not None}
    if is_for_others:
        environment = {name: value for name, value in environment.items() if placeholders(command.environment[name])}
    if command.config:
        environment = {"AUGER_CONFIG": variables["AUGER_CONFIG"], **environment}
    prefix = ["env", *(f"{name}={value}" for name, value in environment.items())] if environment else []
    return text.command([*prefix, *command.arguments(values)])


def value_columns(definition: Definition, value: str = "value") -> list[str]:
    """The columns of the numbers of a trial: one called ``value`` of a single objective, or one per objective; and then
    one per outcome constraint.
    """
    names = definition.objectives.names
    values = [value] if len(names) == 1 else table.value_columns(["value"], names)
    return [*values, *map(constraint_column, definition.limited)]


def constraint_column(name: str) -> str:
    """The name of the column of an outcome constraint: its own, unless that is a column of every table."""
    return f"constraint:{name}" if name in COLUMNS else name


def parameter_column(name: str, columns: Sequence[str] = COLUMNS) -> str:
    """The name of the column of a parameter: the parameter's own, unless that is taken."""
    return table.parameter_column(name, (*COLUMNS, *columns))


def outcomes(view: View, study: Study | None) -> dict[int, dict[str, float]]:
    """What the program gave for each outcome constraint, by the number of the trial; empty for other studies."""
    if study is None or not study.definition.limited:
        return {}
    return {frozen.number: study.outcomes(frozen) for frozen in study.trials() if frozen.number in view.by_number}


def trial_rows(view: View, study: Study | None = None) -> list[dict[str, Any]]:
    """Every trial as a row: column -> value, without the inactive parameters."""
    return _table(view, study)[1]


def to_csv(view: View, study: Study | None = None) -> str:
    """Every trial as a line of CSV, which `auger import` understands.

    Args:
        view: with the trials.
        study: the same one, where it is one of `auger tune`: it knows what outcome constraints were measured.
    """
    titles, rows = _table(view, study)
    parameters = (
        set() if view.history is None else {parameter_column(name, titles) for name in view.history.space.names}
    )
    return table.csv_text(titles, rows, empty=[title for title in titles if title not in parameters])


def _table(view: View, study: Study | None) -> tuple[list[str], list[dict[str, Any]]]:
    parameters = [] if view.history is None else view.history.space.names
    names = [] if study is None else list(study.definition.limited)
    at = COLUMNS.index("value") + 1
    titles, rows = table.trial_rows(
        view.trials,
        parameters,
        columns=(*COLUMNS[:at], *map(constraint_column, names), *COLUMNS[at:]),
        objectives=view.objectives,
        names=view.objectives.names,
        with_attributes=False,
    )
    measured = outcomes(view, study)
    for trial, row in zip(view.trials, rows, strict=True):
        row.update((constraint_column(name), number) for name, number in measured.get(trial.number, {}).items())
    return titles, rows
