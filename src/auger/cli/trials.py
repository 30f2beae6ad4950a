"""`auger trials`: every trial of a study, as a list or as CSV."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from auger import pareto, text
from auger.cli.echo import echo, echo_data
from auger.cli.front import FrontOf
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
        typer.Option(
            metavar="COLUMN",
            help="By trial, state, value (the best first), time, or the name of a number or parameter.",
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N; the best ones, unless sorted otherwise.")
    ] = None,
    is_csv: Annotated[bool, typer.Option("--csv", help="As CSV, which `auger import` understands.")] = False,
) -> None:
    """List the trials with their values, times, settings and errors.

    A star marks the best settings, as `auger best` prints them; with several objectives, all trials that no other
    beats.
    """
    from auger.best import best_settings
    from auger.studies.results import outcomes, to_csv

    view, opened = find_view(where, study)
    measured = outcomes(view, opened)
    order = _sorted(view, sort or ("trial" if top is None else "value"), measured)[:top]
    if is_csv:
        echo_data(to_csv(replace(view, trials=tuple(order)), opened))
        return
    best = best_settings(view)
    starred = {trial.number for trial in view.front} if best is None else {best.number}
    for line in lines(view, order, starred, FrontOf(view, opened).limits, measured):
        echo(line)


def _sorted(view: View, column: str, measured: Mapping[int, Mapping[str, float]]) -> list[Trial]:
    """The trials by a column; those without an entry there come last."""
    parameters = [] if view.history is None else view.history.space.names
    objectives = view.objectives.names if len(view.objectives) > 1 or "value" not in view.objectives.names else ()
    constraints = list(dict.fromkeys(name for numbers in measured.values() for name in numbers))
    columns = ["trial", "state", "value", "time", *objectives, *constraints, *parameters]
    if column not in columns:
        raise StudyError(f"--sort must name a column. Got {column!r}. {nearest(column, columns)}")
    by_number: Mapping[int, Any] = {}
    if column == "value" or column in objectives:
        by_number = _ranks(view, objectives.index(column) if column in objectives else None)
    elif column in constraints:
        by_number = {number: numbers.get(column) for number, numbers in measured.items()}
    else:
        by_number = {trial.number: _entry(trial, column) for trial in view.trials}
    return sorted(view.trials, key=lambda trial: _sort_key(by_number.get(trial.number)))


def _ranks(view: View, objective: int | None) -> dict[int, float]:
    """What complete, feasible trials are sorted by: the values of one objective, or, of several, the front first."""
    usable = np.flatnonzero(np.isfinite(view.losses).all(axis=1))
    losses = view.losses[usable]
    if objective is None and len(view.objectives) > 1:
        ranks = pareto.rank(losses) if len(losses) else losses[:, 0]
    else:
        ranks = losses[:, objective or 0]
    return {view.trials[i].number: float(ranked) for i, ranked in zip(usable.tolist(), ranks, strict=True)}


def _entry(trial: Trial, column: str) -> Any:
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


def lines(
    view: View,
    trials: Sequence[Trial],
    starred: Collection[int],
    constraints: Collection[str] = (),
    measured: Mapping[int, Mapping[str, float]] = MappingProxyType({}),
) -> list[str]:
    """The table: a header, and a line per trial.

    Args:
        view: with the objectives.
        trials: to list.
        starred: numbers of those that get a star.
        constraints: names of the outcome constraints.
        measured: what was measured of them, by the number of the trial.
    """
    rows = []
    for trial in trials:
        numbers = measured.get(trial.number, {})
        cells = [text.number(numbers[name]) if name in numbers else "" for name in constraints]
        rows.append(_cells(view, trial, cells, is_starred=trial.number in starred))
    head = ("trial", "state", *map(text.shown, (*view.objectives.names, *constraints)), "time", "settings")
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head) - 1)]
    return [_line(row, widths) for row in [head, *rows]]


def _cells(view: View, trial: Trial, measured: Sequence[str], *, is_starred: bool) -> tuple[str, ...]:
    from auger.table import CELLS

    shown = view.objectives.original(trial.values) if len(trial.values) == len(view.objectives) else ()
    values = [_value(trial, value) for value in shown] or [""] * len(view.objectives)
    seconds = CELLS["seconds"](trial)
    error = f"{text.clean(trial.error)}  " if trial.error else ""  # first: settings may be longer than the terminal
    is_good_again = trial.provenance.confirms is not None and trial.state is State.COMPLETE
    return (
        f"{'* ' if is_starred else ''}{trial.number}",
        f"confirms {trial.provenance.confirms}" if is_good_again else _state(trial),
        *values,
        *measured,
        "" if seconds is None else text.duration(seconds),
        f"{error}{text.settings(trial.config)}",
    )


def _state(trial: Trial) -> str:
    is_infeasible = trial.state is State.COMPLETE and not trial.is_feasible
    return "infeasible" if is_infeasible else trial.state.value


def _value(trial: Trial, value: float) -> str:
    n_runs = len(trial.runs)
    return f"{text.number(value)} ({n_runs} runs)" if n_runs > 1 else text.number(value)


def _line(row: tuple[str, ...], widths: Sequence[int]) -> str:
    """Numbers to the right, words to the left."""
    cells = [f"{cell:<{w}}" if i == 1 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=False))]
    return "  ".join([*cells, row[-1]]).rstrip()
