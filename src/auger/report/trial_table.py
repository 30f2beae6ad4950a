"""The table of all trials: its frame, and its columns as data for the page's script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from auger import text
from auger.markup import Markup, element, joined
from auger.provenance import Origin
from auger.trial import State, Trial
from auger.view import View

# Characters of an error or a choice in the table; the study has the rest.
_MAX_TEXT = 300

# In a column of settings: the trial does not have the parameter. None is a value there.
_ABSENT = object()


def columns(view: View) -> list[dict[str, Any]]:
    """The columns of the table, as JSON types: a title, the values, whether they are numbers, or talk about the trial.

    Numbers have six digits, and are texts where JSON has none: "nan", "inf". None is an empty cell. Of a pruned trial
    the last intermediate value is shown, and ``marks``, by row, say at which step it was.
    """
    trials = view.trials
    values, marks = [view.values_of(trial) for trial in trials], _marks(trials)
    for row in marks:
        last = trials[row].intermediate_values[-1][1:]
        values[row] = tuple(sign * value for sign, value in zip(view.objectives.signs, last, strict=False))
    table = [
        column("trial", [trial.number for trial in trials]),
        column("state", [trial.state.value for trial in trials]),
        *(
            column(name, [own[i] if len(own) > i else None for own in values])
            | {"marks": {row: mark for row, mark in marks.items() if len(values[row]) > i}}
            for i, name in enumerate(view.objectives.names)
        ),
    ]
    if len(view.objectives) > 1:
        on_front = {trial.number for trial in view.front}
        table.append(column("front", ["yes" if trial.number in on_front else None for trial in trials]))
    if not all(trial.is_feasible for trial in trials):
        table.append(column("feasible", ["yes" if trial.is_feasible else "no" for trial in trials]))
    limits = [trial.constraints for trial in trials]
    table += [
        column(
            f"{name}: beyond by" if name in view.named_constraints else name,
            [own[i] if len(own) > i else None for own in limits],
        )
        for i, name in enumerate(view.constraints)
    ]
    table += setting_columns(view, trials)
    table += [
        column("seconds", [trial.cost for trial in trials]),
        column("origin", [_origin(trial) for trial in trials]),
        column("why", [text.mask(trial.reason) or None for trial in trials], is_talk=True),
        column("worker", [text.mask(trial.worker) or None for trial in trials], is_talk=True),
        column("error", [text.mask(trial.error or "") or None for trial in trials], is_talk=True),
    ]
    return used(table)


def setting_columns(view: View, trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """A column per parameter, in the order of the space."""
    names = dict.fromkeys(name for trial in trials for name in trial.config)
    if view.history is not None:
        names = dict.fromkeys(view.history.space.names) | names
    return [column(name, [trial.config.get(name, _ABSENT) for trial in trials], is_setting=True) for name in names]


def used(columns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns in which something stands."""
    return [column for column in columns if column.pop("is_used")]


def _marks(trials: Sequence[Trial]) -> dict[int, str]:
    """The rows whose value is not a final one, and what to say of it."""
    return {
        row: f"at step {trial.intermediate_values[-1][0]:g}"
        for row, trial in enumerate(trials)
        if trial.state is State.PRUNED and trial.intermediate_values
    }


def _origin(trial: Trial) -> str | None:
    return None if trial.origin is Origin.OTHER else trial.origin.value


def column(title: str, values: Sequence[Any], *, is_setting: bool = False, is_talk: bool = False) -> dict[str, Any]:
    """A column as JSON types.

    Args:
        title: of the column.
        values: one per row; None is an empty cell.
        is_setting: whether they are values of a parameter, where None is one of them.
        is_talk: whether they are shown below the row.
    """
    present = [value for value in values if value is not None and value is not _ABSENT]
    has_none = is_setting and any(value is None for value in values)
    is_number = not has_none and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in present
    )
    cells = [_number(value) if is_number else _text(value, is_setting) for value in values]
    is_used = bool(present) or title == "trial"
    return {"title": text.shown(title), "values": cells, "is_number": is_number, "is_talk": is_talk, "is_used": is_used}


def _number(value: Any) -> float | str | None:
    if value is None or value is _ABSENT:
        return None
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)


def _text(value: Any, is_setting: bool) -> str | None:
    if value is _ABSENT or (value is None and not is_setting):
        return None
    cell = text.shown(text.written(value))
    return cell if len(cell) <= _MAX_TEXT else f"{cell[: _MAX_TEXT - 1]}…"


def empty_table(n: int) -> Markup:
    """The frame that the page's script fills with n trials."""
    controls = element(
        "div",
        element(
            "label", "Filter", element("input", type="search", id="filter", placeholder="any text", autocomplete="off")
        ),
        element("label", "State", element("select", element("option", "all", value=""), id="state")),
        class_="controls",
    )
    return joined(controls, listing("trials", "All trials", n))


def listing(name: str, title: str, n: int) -> Markup:
    """The frame of a table of n trials that the page's script fills, sorts, and turns the pages of.

    Args:
        name: of the table, for the script.
        title: what it lists, for readers who cannot see it.
        n: how many trials.
    """
    summary = element("p", role="status", class_="rows", id=f"{name}-rows")
    printed = f"On paper, the first 50 of {n:,} trials at most; the page on a screen has them all."
    table = element(
        "table",
        element("thead", element("tr")),
        element("tbody"),
        id=f"{name}-table",
        class_="listing",
        aria_label=title,
    )
    box = element("div", table, class_="scroll", tabindex="0", role="region", aria_label=title)
    pages = element(
        "div",
        element("button", "Previous", type="button"),
        element("button", "Next", type="button"),
        id=f"{name}-pages",
        class_="controls pages",
    )
    return joined(summary, element("p", printed, class_="rows only-print") if n > 50 else None, box, pages)
