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
    "value": lambda trial: trial.values[0] if trial.values else None,  # of several, each objective has a column
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


def value_columns(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns before the parameters, with one for each of several objectives in place of "value".

    Example:
        >>> value_columns(("number", "value", "error"), ["loss", "error"])
        ['number', 'loss', 'value:error', 'error']
    """
    at = columns.index("value")
    return [*columns[:at], *map(value_column, names), *columns[at + 1 :]]


def value_column(name: str) -> str:
    """The name of the column of an objective: its own, unless that is a column of every table."""
    return f"value:{name}" if name in CELLS else name


def attribute_column(name: str, taken: Iterable[str]) -> str:
    """The name of the column of a user's attribute: its own, unless another column has it."""
    return f"attribute:{name}" if name in taken else name


def trial_rows(
    trials: Iterable[Trial],
    parameters: Sequence[str],
    *,
    columns: Sequence[str] = COLUMNS,
    objectives: Objectives | None = None,
    names: Sequence[str] = (),
    with_attributes: bool = True,
) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of a table of trials, and its rows: column -> cell, without the parameters that are inactive.

    Args:
        trials: in the order of the rows.
        parameters: names of the parameters, in the order of their columns.
        columns: those before the parameters, names in `CELLS`.
        objectives: of trials whose values are minimized; None where they have the user's own sign already.
        names: of several objectives, each of which gets a column in place of "value".
        with_attributes: whether each attribute that a trial has gets a column.
    """
    trials = list(trials)
    several = names if len(names) > 1 else ()
    if several:
        columns = value_columns(columns, several)
    columns_of = {name: parameter_column(name, columns) for name in parameters}
    titles = [*columns, *columns_of.values()]
    attributes: dict[str, str] = {}
    if with_attributes:
        for name in dict.fromkeys(name for trial in trials for name in trial.attributes):
            attributes[name] = attribute_column(name, titles)
    rows = []
    for trial in trials:
        row = {title: CELLS[title](trial) for title in columns if title in CELLS}
        values = trial.values if objectives is None or not trial.values else objectives.original(trial.values)
        if values and "value" in row:
            row["value"] = values[0]
        if several and values:
            row.update(zip(map(value_column, several), values, strict=True))
        row.update((columns_of.get(name, name), value) for name, value in trial.config.items())
        row.update((attributes[name], value) for name, value in trial.attributes.items() if name in attributes)
        rows.append(row)
    return [*titles, *attributes.values()], rows


def _blank(names: Sequence[str]) -> Sequence[str]:
    """The columns in which None is an empty cell."""
    return (*COLUMNS, *map(value_column, names)) if len(names) > 1 else COLUMNS


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


def to_frame(trials: Iterable[Trial], parameters: Sequence[str], names: Sequence[str] = ()) -> pd.DataFrame:
    """Trials, in the user's own sign, as a DataFrame of pandas; NaN or None in empty cells.

    ``names`` are those of the objectives: several have a column each.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise AugerError("A DataFrame needs pandas. Install it with: pip install pandas") from error
    titles, rows = trial_rows(trials, parameters, names=names)
    return pd.DataFrame({title: [row.get(title) for row in rows] for title in titles})


def to_csv(trials: Iterable[Trial], parameters: Sequence[str], names: Sequence[str] = ()) -> str:
    """Trials, in the user's own sign, as CSV; ``names`` are those of the objectives."""
    return csv_text(*trial_rows(trials, parameters, names=names), empty=_blank(names))
