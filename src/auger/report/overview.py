"""The head of the page: how the run stands, and the settings to use."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from auger import text
from auger.best import Best
from auger.markup import NONE, Markup, element, joined
from auger.report.markup import table
from auger.report.sentences import NOTHING
from auger.trial import State, Trial
from auger.types import Config
from auger.view import View

# The most trials of a front that are listed.
_MAX_FRONT = 20

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
    parts = [_tile("Best", *_best(view, best))]
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
    pairs = zip(view.objectives.names, view.objectives.directions, strict=True)
    objectives = [f"{name} {direction.value}d" for name, direction in pairs]
    if len(objectives) > 1:
        return text.count(len(view.front), "trial"), f"that no other beats; {', '.join(objectives)}"
    if best is None:
        return "none yet", objectives[0]
    note = f"trial {best.number}, {objectives[0]}"
    return best.expectation, f"{note}; {best.runs}" if best.runs else note


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
    if len(view.objectives) > 1:
        return _front_table(view) if view.front else NOTHING
    if best is None:
        return NOTHING
    rows: list[list[Any]] = [[name, _shown(value)] for name, value in best.config.items()]
    head = ["parameter", "best"]
    if best.baseline is not None:
        other = view.by_number[best.baseline.number].config
        head.append(best.baseline.name.removeprefix("the "))
        rows = [[*row, _shown(other[row[0]]) if row[0] in other else NONE] for row in rows]
    why = element("p", f"Trial {best.number}: {best.reason}.", class_="how")
    copies = _copies(formats(view, best))
    return joined(why, element("div", table(head, rows, label="Best settings"), copies, class_="pair"))


def _front_table(view: View) -> Markup:
    rows: list[list[Any]] = [
        [str(trial.number), *map(text.number, view.values_of(trial)), text.settings(trial.config)]
        for trial in view.front[:_MAX_FRONT]
    ]
    names = view.objectives.names
    summary = "No single trial is best in all objectives. No other trial beats one of these."
    if len(view.front) > len(rows):
        summary += f" {len(rows)} of {len(view.front)} are listed, the best in {names[0]} first."
    return joined(element("p", summary), table(["trial", *names, "settings"], rows, label="Unbeaten trials"))


def formats(view: View, best: Best) -> dict[str, str]:
    """Name of a format -> the best settings in it."""
    written = {
        "TOML": text.toml(best.config),
        "JSON": _json(best.config),
    }
    if view.command is not None:
        written["command line"] = text.mask(view.command(best.number, best.config))
    return written


def _json(config: Config) -> str:
    """Settings as JSON, in ASCII if something in them could not be seen."""
    written = json.dumps(config, ensure_ascii=False, indent=2, default=repr)
    if text.shown_lines(written) == written:
        return written
    return json.dumps(config, indent=2, default=repr).replace("\x7f", "\\u007f")


def _copies(written: dict[str, str]) -> Markup:
    buttons = [
        element("button", name, type="button", data_format=name, aria_pressed="true" if not i else "false")
        for i, name in enumerate(written)
    ]
    texts = [
        element("pre", settings, data_text=name, tabindex="0", aria_label=f"Best settings as {name}", hidden=i > 0)
        for i, (name, settings) in enumerate(written.items())
    ]
    copy = element("button", "Copy", type="button", id="copy", class_="main")
    outcome = element("span", role="status", id="copied")
    bar = element("div", element("div", *buttons, class_="choice", role="group", aria_label="Format"), copy, outcome)
    return element("div", bar, *texts, class_="copies")


def _shown(value: Any) -> str:
    return text.number(value) if isinstance(value, float) else text.written(value)
