"""Trials as a table, one row per trial: for pandas, for CSV files, and for the command line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auger import text
from auger.errors import AugerError
from auger.objectives import Objectives
from auger.trial import State, Trial

if TYPE_CHECKING:
    import pandas as pd

# How a text begins that a spreadsheet takes for a formula, and one that was written so that it does not.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def _seconds(trial: Trial) -> float | None:
    """How long a trial ran, or has been running."""
    if trial.state is State.RUNNING and trial.started is not None:
        return round((datetime.now() - trial.started).total_seconds(), 3)
    return None if trial.cost is None else round(trial.cost, 3)


#: What is known of every trial: column -> its cell, for a trial in the user's own sign. None is an empty cell.
CELLS: Mapping[str, Callable[[Trial], Any]] = {
    "number": lambda trial: trial.number,
    "state": lambda trial: trial.state.value,
    "value": lambda trial: trial.values[0] if trial.values else None,
    "feasible": lambda trial: trial.is_feasible if trial.is_finished else None,
    "cost": lambda trial: trial.cost,
    "seconds": _seconds,
    "started": lambda trial: trial.started,
    "finished": lambda trial: trial.finished,
    "origin": lambda trial: trial.origin.value,
    "reason": lambda trial: trial.reason or None,
    "error": lambda trial: trial.error,
}

#: The columns of a run from Python before those of its parameters and attributes.
COLUMNS = ("number", "state", "value", "feasible", "cost", "started", "finished", "origin", "reason", "error")


def parameter_column(name: str, columns: Sequence[str] = COLUMNS) -> str:
    """The name of the column of a parameter: the parameter's own, unless one of ``columns`` has it.

    Example:
        >>> parameter_column("lr"), parameter_column("cost")
        ('lr', 'param:cost')
    """
    return f"param:{name}" if name in columns else name


def attribute_column(name: str, taken: Iterable[str]) -> str:
    """The name of the column of a user's attribute: its own, unless another column has it."""
    return f"attribute:{name}" if name in taken else name


def trial_rows(
    trials: Iterable[Trial],
    parameters: Sequence[str],
    *,
    columns: Sequence[str] = COLUMNS,
    objectives: Objectives | None = None,
    with_attributes: bool = True,
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of a table of trials, and its rows: column -> cell, without the parameters that are inactive.

    Args:
        trials: in the order of the rows.
        parameters: names of the parameters, in the order of their columns.
        columns: those before the parameters, names in `CELLS`.
        objectives: of trials whose values are minimized; None where they have the user's own sign already.
        with_attributes: whether each attribute that a trial has gets a column.
    """
    trials = list(trials)
    names = {name: parameter_column(name, columns) for name in parameters}
    titles = [*columns, *names.values()]
    attributes: dict[str, str] = {}
    if with_attributes:
        for name in dict.fromkeys(name for trial in trials for name in trial.attributes):
            attributes[name] = attribute_column(name, titles)
    rows = []
    for trial in trials:
        row = {title: CELLS[title](trial) for title in columns}
        if objectives is not None and trial.values and "value" in row:
            row["value"] = objectives.original(trial.values)[0]
        row.update((names.get(name, name), value) for name, value in trial.config.items())
        row.update((attributes[name], value) for name, value in trial.attributes.items() if name in attributes)
        rows.append(row)
    return [*titles, *attributes.values()], rows


def csv_text(titles: Sequence[str], rows: Iterable[Mapping[str, Any]], *, empty: Iterable[str] = COLUMNS) -> str:
    """A table as CSV: text as it is, everything else as JSON; None is nothing in the columns named ``empty``.

    A text that a spreadsheet would take for a formula gets a quote in front, as people write it there; `read_cell`
    takes it away again.
    """
    file, empty = io.StringIO(), set(empty)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_cell(title) for title in titles])
    for row in rows:
        is_blank = [title not in row or (row[title] is None and title in empty) for title in titles]
        writer.writerow(["" if blank else _cell(row[title]) for title, blank in zip(titles, is_blank, strict=True)])
    return file.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    cell = text.written(value)
    return f"'{cell}" if isinstance(value, str) and _FORMULA.match(cell) and not _is_number(cell) else cell


def read_cell(cell: str) -> str:
    """The text of a cell that `csv_text` wrote.

    Example:
        >>> read_cell("'=1+1"), read_cell("'quoted'"), read_cell("-3")
        ('=1+1', "'quoted'", '-3')
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def to_frame(trials: Iterable[Trial], parameters: Sequence[str]) -> pd.DataFrame:
    """Trials, in the user's own sign, as a DataFrame of pandas; NaN or None in empty cells."""
    try:
        import pandas as pd
    except ImportError as error:
        raise AugerError("A DataFrame needs pandas. Install it with: pip install pandas") from error
    titles, rows = trial_rows(trials, parameters)
    return pd.DataFrame({title: [row.get(title) for row in rows] for title in titles})


def to_csv(trials: Iterable[Trial], parameters: Sequence[str]) -> str:
    """Trials, in the user's own sign, as CSV."""
    return csv_text(*trial_rows(trials, parameters))
