"""The trials of a run as figures need them: values, kinds, words to point at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from auger.plots.errors import PlotError
from auger.plots.texts import MAX_HOVER, config, lines, number, plain
from auger.types import Array
from auger.view import Row, View


def objective_of(seen: View, objective: Any) -> int:
    """The place of an objective, given by its place or its name."""
    n = len(seen.objectives)
    if isinstance(objective, str) and objective in seen.objectives:
        return seen.objectives.index(objective)
    if isinstance(objective, (int, np.integer)) and not isinstance(objective, bool) and 0 <= objective < n:
        return int(objective)
    known = ", ".join(f"{place} ({name!r})" for place, name in enumerate(seen.objectives))
    raise PlotError(f"An objective must be one of {known}. Got {objective!r}.")


def value_of(row: Row, objective: int = 0) -> float:
    """What was measured, in the user's own sign; NaN where nothing was, or no number that can be drawn."""
    value = float(row.values[objective]) if objective < len(row.values) else math.nan
    return value if math.isfinite(value) else math.nan


def last_step(row: Row) -> float:
    """The last value on the way; NaN where there is none."""
    value = float(list(row.steps.values())[-1]) if row.steps else math.nan
    return value if math.isfinite(value) else math.nan


def minimized(rows: Sequence[Row], sign: float, objective: int = 0) -> Array:
    """Values to be minimized of complete, feasible trials, shape (n,); NaN for all others."""
    return np.array(
        [sign * value_of(row, objective) if row.state == "complete" and row.is_feasible else math.nan for row in rows],
        dtype=np.float64,
    )


def hovers(seen: View, rows: Sequence[Row]) -> list[str]:
    """What is said of each trial when it is pointed at, escaped; less of each where there are many."""
    limit = MAX_HOVER if len(seen.rows) <= _FEW else _SHORT
    return [_hover(seen, row, limit) for row in rows]


# A figure of more trials than this says less of each, or the texts would be most of a page's size.
_FEW = 500
_SHORT = 64


def _hover(seen: View, row: Row, limit: int) -> str:
    said = [f"<b>trial {row.number}</b>{'' if row.state == 'complete' else f', {plain(row.state)}'}"]
    said += [f"{plain(name)}: {number(value)}" for name, value in zip(seen.objectives, row.values, strict=False)]
    if not row.is_feasible:
        said.append("breaks an outcome constraint")
    said.append(config(row.config.items(), limit))
    said.append(f"<i>{lines(row.reason or row.origin, limit)}</i>" if row.reason or row.origin else "")
    said.append(lines(row.error, limit))
    return "<br>".join(each for each in said if each)


def nothing_complete(seen: View) -> PlotError:
    """Why there is nothing to draw, in words."""
    n = len(seen.rows)
    if not n:
        return PlotError("There is no trial yet.")
    if all(row.state in ("running", "waiting") for row in seen.rows):
        return PlotError("No trial is complete yet.")
    states = sorted({row.state for row in seen.rows if row.state != "complete"})
    if any(row.state == "complete" for row in seen.rows):
        return PlotError(f"No value can be drawn: none of {n:,} trials has a finite one.")
    return PlotError(f"No trial is complete: {n:,} so far, {' or '.join(states)}.")
