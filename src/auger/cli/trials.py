"""`auger trials`: every trial of a study, as a list or as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auger import text
from auger.cli.echo import echo, echo_data
from auger.cli.studies import ANY, NAME, find_view
from auger.errors import StudyError, nearest
from auger.trial import State

if TYPE_CHECKING:
    from auger.trial import Trial
    from auger.view import View


def trials(
    where: Annotated[str, ANY],
    study: Annotated[str | None, NAME] = None,
    sort: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="By trial, state, value (the best first), time, or a parameter."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N; the best ones, unless sorted otherwise.")
    ] = None,
    is_csv: Annotated[bool, typer.Option("--csv", help="As CSV, which `auger import` understands.")] = False,
) -> None:
    """List the trials with their values, times, settings and errors.

    A star marks the best settings, as `auger best` prints them.
    """
    from auger.best import best_settings
    from auger.studies.results import to_csv

    view = find_view(where, study)[0]
    best = best_settings(view)
    order = _sorted(view, sort or ("trial" if top is None else "value"))[:top]
    if is_csv:
        echo_data(to_csv(replace(view, trials=tuple(order))))
        return
    for line in lines(view, order, None if best is None else best.number):
        echo(line)


def _sorted(view: View, column: str) -> list[Trial]:
    """The trials by a column; those without an entry there come last."""
    parameters = [] if view.history is None else view.history.space.names
    columns = ["trial", "state", "value", "time", *parameters]
    if column not in columns:
        raise StudyError(f"--sort must name a column. Got {column!r}. {nearest(column, columns)}")
    return sorted(view.trials, key=lambda trial: _sort_key(_entry(trial, column)))


def _entry(trial: Trial, column: str) -> Any:
    if column == "value":
        is_comparable = trial.values and trial.state.value == "complete" and trial.is_feasible
        return trial.values[0] if is_comparable else None
    if column in ("trial", "state", "time"):
        return {"trial": trial.number, "state": trial.state.value, "time": trial.cost}[column]
    return trial.config.get(column)


def _sort_key(entry: Any) -> tuple[Any, ...]:
    """Numbers before texts before everything else, and nothing last."""
    if entry is None or entry != entry:  # noqa: PLR0124 - NaN
        return (3, 0)
    if isinstance(entry, (int, float)):
        return (0, entry)
    return (1, entry) if isinstance(entry, str) else (2, text.written(entry))


def lines(view: View, trials: Sequence[Trial], best: int | None) -> list[str]:
    """The table: a header, and a line per trial."""
    rows = [_cells(view, trial, trial.number == best) for trial in trials]
    head = ("trial", "state", *map(text.shown, view.objectives.names), "time", "settings")
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head) - 1)]
    return [_line(row, widths) for row in [head, *rows]]


def _cells(view: View, trial: Trial, is_best: bool) -> tuple[str, ...]:
    from auger.table import CELLS

    shown = view.objectives.original(trial.values) if len(trial.values) == len(view.objectives) else ()
    values = [_value(trial, value) for value in shown] or [""] * len(view.objectives)
    seconds = CELLS["seconds"](trial)
    error = f"{text.clean(trial.error)}  " if trial.error else ""  # first: settings may be longer than the terminal
    is_good_again = trial.provenance.confirms is not None and trial.state is State.COMPLETE
    return (
        f"{'* ' if is_best else ''}{trial.number}",
        f"confirms {trial.provenance.confirms}" if is_good_again else trial.state.value,
        *values,
        "" if seconds is None else text.duration(seconds),
        f"{error}{text.settings(trial.config)}",
    )


def _value(trial: Trial, value: float) -> str:
    n_runs = len(trial.runs)
    return f"{text.number(value)} ({n_runs} runs)" if n_runs > 1 else text.number(value)


def _line(row: tuple[str, ...], widths: Sequence[int]) -> str:
    """Numbers to the right, words to the left."""
    cells = [f"{cell:<{w}}" if i == 1 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=False))]
    return "  ".join([*cells, row[-1]]).rstrip()
