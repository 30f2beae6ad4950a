"""The head of the page: how the run stands, and the settings to use."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from auger import insight, text
from auger.best import Best
from auger.markup import NONE, Markup, element, joined
from auger.report.markup import table
from auger.report.sentences import NOTHING
from auger.trial import State, Trial
from auger.types import Config
from auger.view import View

# The most objectives that have a tile of their own.
_MAX_TILES = 5

# The counts of a `Standing`, in the order in which they are shown: name -> label.
_COUNTS = {
    **{name: name for name in ("complete", "pruned", "failed", "running", "waiting")},
    "due": "to be run again",
    "imported": "imported",
    "forgotten": "forgotten",
    "confirmed": "to confirm the best",
}


def status(view: View) -> str:
    """How far the run is, in a line."""
    n_running = sum(trial.state is State.RUNNING for trial in view.trials)
    state = f"{n_running} running" if n_running else "No trial is running" if view.trials else "Not begun"
    n_finished = view.standing.finished
    n = f"{n_finished:,}" if view.budget is None else f"{n_finished:,} of {view.budget:,}"
    return f"{'Done' if view.is_done else state}, {n} trials finished."


def tiles(view: View, best: Best | None) -> Markup:
    """The few numbers that are looked for first."""
    parts = [_tile("Best", *_best(view, best))] if len(view.objectives) == 1 else _tiles_of_front(view)
    if best is not None and best.baseline is not None:
        compared = text.better_than(None, best.baseline.name, best.baseline.value, best.baseline.number)
        parts.append(_tile("Gain", text.percent_gained(best.gain) or "yes", compared))
    budget = "" if view.budget is None else f" of {view.budget:,}"
    standing, seconds = view.standing, _seconds(view)
    counts = {label: getattr(standing, name) for name, label in _COUNTS.items()}
    states = ", ".join(f"{n:,} {label}" for label, n in counts.items() if n)
    parts.append(_tile("Trials", f"{standing.finished:,}{budget}", states))
    n_finished = standing.finished
    if seconds and n_finished:
        parts.append(_tile("Time", text.duration(seconds), "while trials ran"))
        parts.append(_tile("Rate", text.duration(seconds / n_finished), "per trial"))
    return element("dl", *parts, class_="tiles")


def _tile(name: str, value: str, note: str) -> Markup:
    return element("div", element("dt", name), element("dd", value), element("dd", note, class_="note"))


def _best(view: View, best: Best | None) -> tuple[str, str]:
    objective = _directed(view)[0]
    if best is None:
        return "none yet", objective
    note = f"trial {best.number}, {objective}"
    return best.expectation, f"{note}; {best.runs}" if best.runs else note


def _directed(view: View) -> list[str]:
    pairs = zip(view.objectives.names, view.objectives.directions, strict=True)
    return [f"{name} {direction.value}d" for name, direction in pairs]


def _tiles_of_front(view: View) -> list[Markup]:
    """How many trials are on the front, and the best of each objective."""
    front = insight.front(view)
    if not front.members:
        return [_tile("Front", "none yet", ", ".join(_directed(view)))]
    parts = [_tile("Front", text.count(len(front.members), "trial"), "that no other beats")]
    before = None if view.baseline is None else view.values_of(view.by_number[view.baseline.number])
    for j, (name, number) in enumerate(list(front.best.items())[:_MAX_TILES]):
        which = f"{view.objectives.directions[j].value}d, trial {number}"
        if view.baseline is not None and before is not None and number != view.baseline.number:
            which += f"; {view.baseline.name}: {text.short(before[j])}"
        parts.append(_tile(name, text.short(view.values_of(view.by_number[number])[j]), which))
    return parts


def _seconds(view: View) -> float | None:
    """How long the run has been at work; None where no times are known."""
    return view.seconds if view.seconds is not None else _span(view.trials)


def _span(trials: Sequence[Trial]) -> float | None:
    """Seconds during which at least one trial ran; None where no times are known."""
    spans = sorted(
        (trial.started.timestamp(), trial.started.timestamp() + trial.cost)
        for trial in trials
        if trial.started is not None and trial.cost is not None
    )
    total, end = 0.0, -math.inf
    for start, stop in spans:
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total if spans else None


def best_settings(view: View, best: Best | None) -> Markup:
    """The settings as a table, and to be copied; nothing before any trial has succeeded."""
    if best is None:
        return NOTHING
    rows: list[list[Any]] = [[name, _shown(value)] for name, value in best.config.items()]
    head = ["parameter", "best"]
    if best.baseline is not None:
        other = view.by_number[best.baseline.number].config
        head.append(best.baseline.name.removeprefix("the "))
        rows = [[*row, _shown(other[row[0]]) if row[0] in other else NONE] for row in rows]
    why = element("p", f"Trial {best.number}: {best.reason}.", class_="how")
    copies = _copies(formats(view, best.number, best.config))
    return joined(why, element("div", table(head, rows, label="Best settings"), copies, class_="pair"))


def formats(view: View, number: int, config: Config) -> dict[str, str]:
    """Name of a format -> the settings of a trial in it."""
    written = {
        "TOML": text.toml(config),
        "JSON": _json(config),
    }
    if view.command is not None:
        written["command line"] = text.mask(view.command(number, config))
    return written


def _json(config: Config) -> str:
    """Settings as JSON, in ASCII if something in them could not be seen."""
    written = json.dumps(config, ensure_ascii=False, indent=2, default=repr)
    if text.shown_lines(written) == written:
        return written
    return json.dumps(config, indent=2, default=repr).replace("\x7f", "\\u007f")


def _copies(written: dict[str, str]) -> Markup:
    texts = [
        element("pre", settings, data_text=name, tabindex="0", aria_label=f"Best settings as {name}", hidden=i > 0)
        for i, (name, settings) in enumerate(written.items())
    ]
    copy = element("button", "Copy", type="button", id="copy", class_="main")
    outcome = element("span", role="status", id="copied")
    bar = element("div", format_buttons(written), copy, outcome)
    return element("div", bar, *texts, class_="copies")


def format_buttons(names: Iterable[str]) -> Markup:
    """A button per format in which settings are copied."""
    buttons = [
        element("button", name, type="button", data_format=name, aria_pressed="true" if not i else "false")
        for i, name in enumerate(names)
    ]
    return element("div", *buttons, class_="choice", role="group", aria_label="Format")


def _shown(value: Any) -> str:
    return text.number(value) if isinstance(value, float) else text.written(value)
