"""Results of other runs, as trials: from lists, or from the columns of a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from auger import text
from auger.checks import unwrapped
from auger.configs import tidied
from auger.errors import AugerError, ConfigError, TrialError, nearest
from auger.objectives import Objectives
from auger.provenance import Provenance
from auger.space import Parameter, Space
from auger.table import parameter_column, value_column
from auger.trial import State, Trial, as_value, checked_attributes
from auger.types import Array, Config

#: One entry per config; or, with a DataFrame, the name of a column.
Column = Iterable[Any] | str

_PAST = Provenance(notes=("a past result",))
_NO_VALUE = "no value"


def past_results(
    space: Space,
    objectives: Objectives,
    configs: Any,
    values: Column | None,
    *,
    errors: Column | None = None,
    pruned: Column | None = None,
    constraints: Column | Sequence[str] | None = None,
    intermediate_values: Column | None = None,
    attributes: Column | Sequence[str] | None = None,
    start: int = 0,
    n_constraints: int = 0,
) -> tuple[list[Trial], Array]:
    """Past results as finished trials, minimized, numbered from ``start``; and their rows (n, d).

    Everything is checked, and an error names the row. See `Optimizer.add` for the arguments. ``n_constraints`` is how
    many outcome constraints the trials before had; 0 where they had none.
    """
    frame = configs if _is_frame(configs) else None
    rows = _rows_of_frame(frame, space) if frame is not None else _listed(configs, space)
    n = len(rows)

    def column(entries: Any, name: str) -> list[Any]:
        if entries is None:
            return [None] * n
        if isinstance(entries, str):
            return _cells(frame, entries, f"`{name}`")
        listed = list(entries)
        if len(listed) != n:
            raise TrialError(f"`{name}` must have one entry for each of the {n} configs. Got {len(listed)}.")
        return listed

    def columns(entries: Any, name: str) -> list[Any]:
        """Like `column`; a list of names stands for several columns of a DataFrame, as one dict per row."""
        if frame is None or entries is None:
            return column(entries, name)
        entries = [entries] if isinstance(entries, str) else list(entries)
        if not entries or not all(isinstance(entry, str) for entry in entries):
            return column(entries, name)
        cells = {entry: _cells(frame, entry, f"`{name}`") for entry in entries}
        return [{entry: cells[entry][i] for entry in entries} for i in range(n)]

    def vectors(entries: Any) -> list[Any]:
        """Values of several objectives; names of columns are in the order of the objectives, unless they are theirs."""
        titles = [] if frame is None or isinstance(entries, str) or entries is None else list(entries)
        if not titles or not all(isinstance(title, str) for title in titles):
            return column(entries, "values")
        if frame is not None and set(titles) == set(objectives.names):
            own = {name: value_column(name) for name in objectives.names}  # as `to_pandas` has them
            titles = [column if column in frame.columns else name for name, column in own.items()]
        cells = zip(*(_cells(frame, title, "`values`") for title in titles), strict=True)
        return [None if all(cell is None for cell in row) else row for row in cells]

    listed = zip(
        rows,
        column(values, "values") if len(objectives) == 1 else vectors(values),
        column(errors, "errors"),
        column(pruned, "pruned"),
        columns(constraints, "constraints"),
        column(intermediate_values, "intermediate_values"),
        columns(attributes, "attributes"),
        strict=True,
    )
    trials: list[Trial] = []
    with _naming_row(trials):
        for i, result in enumerate(listed):
            trial = _trial(start + i, objectives, *result)
            check_constraints(trial.constraints, trial.number, n_constraints)
            n_constraints = n_constraints or len(trial.constraints)
            trials.append(trial)
    return trials, _encoded([trial.config for trial in trials], space)


def _trial(
    number: int,
    objectives: Objectives,
    config: Config,
    value: Any,
    error: Any,
    is_pruned: Any,
    constraints: Any,
    steps: Any,
    attributes: Any,
) -> Trial:
    """One result. Without a value it failed, unless it was pruned and has intermediate values."""
    steps = steps.items() if isinstance(steps, Mapping) else steps or ()
    try:
        curve = [(step, *minimized_values(objectives, v, number, "intermediate value")) for step, v in steps]
    except (TypeError, ValueError) as wrong:
        if isinstance(wrong, TrialError):
            raise
        raise TrialError(f"The intermediate values must be pairs of a step and a value. Got {steps!r}.") from None
    if isinstance(constraints, Mapping):
        constraints = list(constraints.values())
    state = State.COMPLETE if value is not None else State.FAILED
    minimized = () if value is None else final_values(objectives, value, number)
    if error is not None:
        if value is not None:
            raise TrialError(f"A result has a value or an error, not both. Got {value!r} and {error!r}.")
        state, error = State.FAILED, str(error)
    elif is_pruned:
        state, minimized = State.PRUNED, minimized or (max(curve)[1:] if curve else ())
    elif value is None:
        error = _NO_VALUE
    return Trial(
        number,
        config,
        state,
        minimized,
        () if constraints is None else tuple(constraints) if np.iterable(constraints) else constraints,
        _PAST,
        error,
        tuple(curve),
        attributes=checked_attributes({} if attributes is None else attributes, number),
    )


def check_constraints(constraints: Sequence[float], number: int, n_before: int) -> None:
    """Refuse another number of outcome constraints than the ``n_before`` of the trials before, if they had any."""
    if n_before and len(constraints) not in (0, n_before):
        raise TrialError(
            f"The constraints of trial {number} must be {text.count(n_before, 'number')}, as in the trials before. "
            f"Got {len(constraints)}: {list(constraints)!r}."
        )


def minimized_values(objectives: Objectives, values: Any, number: int, what: str = "value") -> tuple[float, ...]:
    """What the user says of a trial, one value per objective, as it is minimized."""
    is_named = isinstance(values, Mapping) and objectives.names != Objectives().names
    if len(objectives) == 1 and not is_named:
        return objectives.minimized([as_value(values, number, what)])
    listed = objectives.in_order(values, f"The {what}s of trial {number}")
    return objectives.minimized(
        [as_value(v, number, f"{what} of {name!r}") for v, name in zip(listed, objectives.names, strict=True)]
    )


def final_values(objectives: Objectives, values: Any, number: int) -> tuple[float, ...]:
    """The same at the end of a trial: of several values none may be NaN, which is more often missing than bad."""
    minimized = minimized_values(objectives, values, number)
    for value, name in zip(minimized, objectives.names, strict=True):
        if len(minimized) > 1 and math.isnan(value):
            raise TrialError(f"The value of {name!r} of trial {number} must be a number. Got {value!r}.")
    return minimized


@contextmanager
def _naming_row(rows: Sequence[Any]) -> Iterator[None]:
    """Put the number of the row in front of an error: that of the next one to be added to ``rows``."""
    try:
        yield
    except AugerError as error:
        raise type(error)(f"row {len(rows)}: {error}") from error


def _encoded(configs: list[Config], space: Space) -> Array:
    """The rows (n, d) of configs; an error names the first that is no member of the space."""
    try:
        return space.encode(configs)
    except ConfigError:
        members: list[Array] = []
        with _naming_row(members):
            members.extend(space.encode([config]) for config in configs)
        raise


def _listed(configs: Any, space: Space) -> list[Config]:
    if isinstance(configs, Mapping):
        raise ConfigError(f"`configs` must be a list of configs. Got one config: {configs!r}. Put it in a list.")
    rows: list[Config] = []
    with _naming_row(rows):
        rows.extend(tidied(config, space) for config in configs)
    return rows


# -- DataFrames -----------------------------------------------------------------------------------------


def _is_frame(configs: Any) -> bool:
    """Whether it has named columns, as the DataFrames of pandas and polars do."""
    return hasattr(configs, "columns") and callable(getattr(configs, "__getitem__", None))


def _cells(frame: Any, title: str, what: str) -> list[Any]:
    """The cells of a column; None where nothing is in them."""
    titles = [] if frame is None else list(frame.columns)
    if title not in titles:
        hint = "Only a DataFrame has columns by name." if frame is None else nearest(title, map(str, titles))
        raise ConfigError(f"{what} must be the name of a column, or one entry per config. Got {title!r}. {hint}")
    return [None if _is_missing(cell) else unwrapped(cell) for cell in frame[title]]


def _is_missing(cell: Any) -> bool:
    """Whether a cell is empty: None, NaN, NaT or pandas' NA, none of which equals itself."""
    if cell is None:
        return True
    try:
        return bool(cell != cell)  # noqa: PLR0124
    except (TypeError, ValueError):  # NA is neither true nor false; an array has many truths, and is something
        return not np.iterable(cell)


def _rows_of_frame(frame: Any, space: Space) -> list[Config]:
    """The configs in a DataFrame with a column per parameter. Other columns are not looked at."""
    present = set(frame.columns)
    own = {name: parameter_column(name, (name,)) for name in space.names}  # where another column has the name
    titles = {name: title if title in present else parameter_column(name) for name, title in own.items()}
    cells = {
        name: _cells(frame, title if title in present else name, "A parameter")
        for name, title in titles.items()
        if title in present or name in present
    }
    if not cells:
        known = ", ".join(map(repr, space.names))
        raise ConfigError(f"A DataFrame must have a column for each parameter: {known}. Got {list(frame.columns)!r}.")
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    parameters = space.parameters
    return [
        tidied({name: cell for name, cell in row.items() if _is_value(cell, parameters[name])}, space) for row in rows
    ]


def _is_value(cell: Any, parameter: Parameter) -> bool:
    """Whether a cell holds a value: an empty one is an inactive parameter, unless None is one of its choices."""
    return cell is not None or (None in getattr(parameter, "choices", ()) and not parameter.when)
