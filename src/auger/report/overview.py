"""The head of the page: how the run stands, and the settings to use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from auger import text as words
from auger.pareto import front
from auger.plots.rows import minimized
from auger.report.figures import missing
from auger.report.markup import NONE, Markup, element, joined, table
from auger.report.settings import Settings
from auger.report.trials import span
from auger.studies.pool.progress import seconds_spent
from auger.text import written
from auger.view import Row, View

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from auger.studies.study import Study

# The most trials of a front that are listed.
_MAX_FRONT = 20

# In this order, whatever comes first in the study.
_STATES = ("complete", "pruned", "failed", "died", "stopped", "running", "waiting")


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        counts: state -> trials, in the order they are told.
        budget: trials in all; None where there is no limit.
        seconds: at work; None where no times are known.
        is_done: whether nothing more will come.
    """

    counts: dict[str, int]
    budget: int | None
    seconds: float | None
    is_done: bool

    @property
    def n_finished(self) -> int:
        """Trials that have ended."""
        return sum(n for state, n in self.counts.items() if state not in ("running", "waiting"))


def progress(seen: View, study: Study | None, trials: Sequence[FrozenTrial]) -> Progress:
    """Count the trials, and ask whether there will be more: only a study of ours can tell, by its budget.

    Args:
        seen: the run.
        study: the study of ours that it is, if it is one.
        trials: those of the study.
    """
    found = Counter(row.state for row in seen.rows)
    counts = {state: found[state] for state in _STATES if found[state]}
    if study is None:
        return Progress(counts, None, span(seen.rows), False)
    ended = [trial.datetime_complete for trial in trials if trial.datetime_complete is not None]
    # what comes after the last of them is a pause, unless one runs
    now = datetime.now() if found["running"] or not ended else max(ended)
    return Progress(counts, study.definition.trials, seconds_spent(trials, now), is_done(study, trials))


def is_done(study: Study, trials: Sequence[FrozenTrial]) -> bool:
    """Whether a study has used up what it may, and nothing runs any more or is to be run again."""
    ledger, definition = study.ledger(), study.definition
    ledger.read(trials)
    is_spent = definition.trials is not None and ledger.n_finished >= definition.trials
    if definition.time is not None:
        is_spent |= seconds_spent(trials, datetime.now()) >= definition.time
    return is_spent and not ledger.running and not ledger.due


def tiles(seen: View, how: Progress, chosen: Settings | None) -> Markup:
    """The few numbers that are looked for first."""
    made = [_tile("Best", *_best(seen, chosen))]
    if chosen is not None and (better := words.gain(chosen.best)) is not None:
        share, _, than = better.partition(" better than ")
        made.append(_tile("Gain", share if than else "yes", f"better than {than or better.partition(' than ')[2]}"))
    of = "" if how.budget is None else f" of {how.budget:,}"
    parts = ", ".join(f"{n:,} {state}" for state, n in how.counts.items())
    made.append(_tile("Trials", f"{len(seen.rows):,}{of}", parts))
    if how.seconds and how.n_finished:
        made.append(_tile("Time", words.duration(how.seconds), "while trials ran"))
        made.append(_tile("Rate", f"{words.duration(how.seconds / how.n_finished)}", "a trial"))
    return element("dl", *made, class_="tiles")


def _tile(name: str, value: str, note: str) -> Markup:
    return element("div", element("dt", name), element("dd", value), element("dd", note, class_="note"))


def _best(seen: View, chosen: Settings | None) -> tuple[str, str]:
    if len(seen.directions) > 1:
        names = [f"{name} {way}d" for name, way in zip(seen.objectives, seen.directions, strict=True)]
        return words.count(len(_front(seen)), "trial"), f"that no other beats; {', '.join(names)}"
    if chosen is None:
        return "none yet", "no trial has succeeded"
    best = chosen.best
    note = f"trial {best.number}, {seen.objectives[0]} {seen.directions[0]}d"
    if best.estimate is not None and best.error is not None:
        note += f"; values are noisy: expect {words.number(best.estimate)} ± {best.error:.2g}"
    return words.number(best.value), note


def best_settings(seen: View, chosen: Settings | None) -> Markup:
    """The settings as a table, and to be copied."""
    if len(seen.directions) > 1:
        return _front_table(seen)
    if chosen is None:
        return missing("No trial has succeeded yet.")
    best = chosen.best
    rows: list[list[Any]] = [[name, _shown(value)] for name, value in best.config.items()]
    head = ["parameter", "best"]
    if best.baseline is not None:
        other = seen.by_number[best.baseline.number].config
        head.append(best.baseline.name.removeprefix("the "))
        rows = [[*row, _shown(other[row[0]]) if row[0] in other else NONE] for row in rows]
    why = element("p", f"Trial {best.number}: {best.reason}.", class_="how")
    return joined(why, element("div", table(head, rows, label="Best settings"), _copies(chosen), class_="pair"))


def _front(seen: View) -> list[Row]:
    """The trials that no other beats in all objectives, the best in the first one first."""
    values = np.stack([minimized(seen.rows, sign, place) for place, sign in enumerate(seen.signs)], axis=1)
    usable = np.flatnonzero(~np.isnan(values).any(axis=1))
    on_front = usable[front(values[usable])]
    return [seen.rows[place] for place in on_front[np.argsort(values[on_front, 0], kind="stable")]]


def _front_table(seen: View) -> Markup:
    found = _front(seen)
    if not found:
        return missing("No trial has succeeded yet.")
    rows: list[list[Any]] = [
        [str(row.number), *(words.number(value) for value in row.values), words.settings(row.config)]
        for row in found[:_MAX_FRONT]
    ]
    said = "No one trial is best in all objectives. None of these is beaten by another."
    if len(found) > len(rows):
        said += f" {len(rows)} of {len(found)} are listed, the best in {seen.objectives[0]} first."
    return joined(element("p", said), table(["trial", *seen.objectives, "settings"], rows, label="Unbeaten trials"))


def _copies(chosen: Settings) -> Markup:
    formats = list(chosen.written)
    buttons = [
        element("button", name, type="button", data_format=name, aria_pressed="true" if not i else "false")
        for i, name in enumerate(formats)
    ]
    texts = [
        element("pre", text, data_text=name, tabindex="0", aria_label=f"Best settings as {name}", hidden=i > 0)
        for i, (name, text) in enumerate(chosen.written.items())
    ]
    copy = element("button", "Copy", type="button", id="copy", class_="main")
    said = element("span", role="status", id="copied")
    bar = element("div", element("div", *buttons, class_="choice", role="group", aria_label="Format"), copy, said)
    return element("div", bar, *texts, class_="copies")


def _shown(value: Any) -> str:
    return words.number(value) if isinstance(value, float) else written(value)
