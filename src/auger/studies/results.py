"""What came of a study: the command line of its best settings, and every trial as a row of a table."""

from __future__ import annotations

from typing import Any

from auger import table, text
from auger.errors import StudyError
from auger.studies.definition import placeholders, trial_variables
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


def parameter_column(name: str) -> str:
    """The name of the column of a parameter: the parameter's own, unless that is taken."""
    return table.parameter_column(name, COLUMNS)


def trial_rows(view: View) -> list[dict[str, Any]]:
    """Every trial as a row: column -> value, without the inactive parameters."""
    return _table(view)[1]


def to_csv(view: View) -> str:
    """Every trial as a line of CSV, which `auger import` understands."""
    return table.csv_text(*_table(view), empty=COLUMNS)


def _table(view: View) -> tuple[list[str], list[dict[str, Any]]]:
    parameters = [] if view.history is None else view.history.space.names
    return table.trial_rows(view.trials, parameters, columns=COLUMNS, objectives=view.objectives, with_attributes=False)
