"""Every trial as columns for the table of the page: short numbers, short texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from auger.text import mask, written
from auger.view import Row, View

# Characters of an error or a choice in the table; the study has the rest.
_MAX_TEXT = 300


def columns(seen: View) -> list[dict[str, Any]]:
    """The columns of the table, as JSON types: a title, the values, whether they are numbers, or talk about the trial.

    Numbers have six digits, and are texts where JSON has none: "nan", "inf". None is an empty cell.
    """
    rows = seen.rows
    made = [_column("trial", [row.number for row in rows]), _column("state", [row.state for row in rows])]
    for i, name in enumerate(seen.objectives):
        made.append(_column(name, [row.values[i] if i < len(row.values) else None for row in rows]))
    if not all(row.is_feasible for row in rows):
        made.append(_column("feasible", ["yes" if row.is_feasible else "no" for row in rows]))
    names = list(dict.fromkeys(name for row in rows for name in row.config))
    if seen.history is not None:  # in the order of the space
        names = [*seen.history.space.names, *(name for name in names if name not in seen.history.space.names)]
    made += [_column(name, [row.config.get(name, _NOTHING) for row in rows], is_setting=True) for name in names]
    made.append(_column("seconds", [row.seconds for row in rows]))
    for title, attribute in (("origin", "origin"), ("why", "reason"), ("worker", "worker"), ("error", "error")):
        made.append(_column(title, [mask(getattr(row, attribute)) or None for row in rows], is_talk=True))
    return [column for column in made if column.pop("is_used")]


_NOTHING = object()


def _column(title: str, values: Sequence[Any], *, is_setting: bool = False, is_talk: bool = False) -> dict[str, Any]:
    there = [value for value in values if value is not None and value is not _NOTHING]
    has_none = is_setting and any(value is None for value in values)
    is_number = not has_none and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in there)
    shown = [_number(value) if is_number else _text(value, is_setting) for value in values]
    is_used = bool(there) or title == "trial"
    return {"title": title, "values": shown, "is_number": is_number, "is_talk": is_talk, "is_used": is_used}


def _number(value: Any) -> float | str | None:
    if value is None or value is _NOTHING:
        return None
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)


def _text(value: Any, is_setting: bool) -> str | None:
    if value is _NOTHING or (value is None and not is_setting):
        return None
    text = value if isinstance(value, str) else written(value)
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def span(rows: Sequence[Row]) -> float | None:
    """Seconds during which at least one trial ran; None where no times are known."""
    spans = sorted(
        (row.started.timestamp(), row.started.timestamp() + row.seconds)
        for row in rows
        if row.started is not None and row.seconds is not None
    )
    total, end = 0.0, -math.inf
    for start, stop in spans:
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total if spans else None
