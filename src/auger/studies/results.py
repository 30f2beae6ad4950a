"""What came of a study: the command line of its best settings, and every trial as a row of a table."""

from __future__ import annotations

import csv
import io
import shlex
from datetime import datetime
from typing import Any

from auger import text
from auger.errors import StudyError
from auger.studies.definition import placeholders, trial_variables
from auger.studies.study import Study
from auger.trial import State, Trial
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
    values = {**config, **variables}
    environment = {name: value for name, value in command.variables(values).items() if value is not None}
    if is_for_others:
        environment = {name: value for name, value in environment.items() if placeholders(command.environment[name])}
    if command.config:
        environment = {"AUGER_CONFIG": variables["AUGER_CONFIG"], **environment}
    prefix = ["env", *(f"{name}={value}" for name, value in environment.items())] if environment else []
    return shlex.join([*prefix, *command.arguments(values)])


def parameter_column(name: str) -> str:
    """The name of the column of a parameter: the parameter's own, unless that is taken."""
    return f"param:{name}" if name in COLUMNS else name


def trial_rows(view: View) -> list[dict[str, Any]]:
    """Every trial as a row: column -> value, without the inactive parameters."""
    now = datetime.now()
    return [
        {
            "number": trial.number,
            "state": trial.state.value,
            "value": view.objectives.original(trial.values)[0] if trial.values else None,
            "seconds": _seconds(trial, now),
            "origin": trial.origin.value,
            "error": trial.error,
            **{parameter_column(name): value for name, value in trial.config.items()},
        }
        for trial in view.trials
    ]


def to_csv(view: View) -> str:
    """Every trial as a line of CSV, which `auger import` understands."""
    file = io.StringIO()
    parameters = [] if view.history is None else view.history.space.names
    writer = csv.DictWriter(file, [*COLUMNS, *map(parameter_column, parameters)], lineterminator="\n")
    writer.writeheader()
    for row in trial_rows(view):
        cells = {name: "" if value is None and name in COLUMNS else text.written(value) for name, value in row.items()}
        writer.writerow(cells)
    return file.getvalue()


def _seconds(trial: Trial, now: datetime) -> float | None:
    """How long a trial ran, or has been running."""
    if trial.state is State.RUNNING and trial.started is not None:
        return round((now - trial.started).total_seconds(), 3)
    return None if trial.cost is None else round(trial.cost, 3)
