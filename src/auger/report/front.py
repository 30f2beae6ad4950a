"""The front of a run with several objectives: the best of each, a choice between them, and every trial to be copied."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from auger import insight, text
from auger.insight.front import along_front
from auger.markup import Markup, element, joined
from auger.report.markup import table
from auger.report.overview import format_buttons, formats
from auger.report.page_figures import PageFigures, attempt
from auger.report.sentences import NOTHING
from auger.report.trial_table import column, listing, setting_columns, used
from auger.view import View

# The most pairs of objectives that have a figure, and fewer trials per figure than that have none.
_MAX_PAIRS = 6

_COMPROMISE = (
    "The compromise loses least in its worst objective, counted from the best to the worst value on the front. Choose "
    "by your own preference if objectives do not count alike."
)


def the_front(view: View, figures: PageFigures) -> Markup:
    """All of the front; nothing before any trial has its values."""
    front = insight.front(view)
    if not front.members:
        nearest = insight.feasibility(view).nearest
        return NOTHING if nearest is None else _nearest(view, nearest)
    summary = text.front_share(len(front.members), front.n_compared, is_constrained=bool(view.constraints))
    return joined(
        element("p", figures.sentences.new(summary)),
        _bests(view, front),
        element("p", figures.sentences.new(_COMPROMISE), class_="how") if len(front.members) > 1 else None,
        attempt("Trade-offs", lambda: _pairs(figures)) if len(view.objectives) > 2 else _only_pair(figures),
        element("h3", "All trials on the front"),
        _members(view, front),
    )


def front_data(view: View) -> dict[str, Any]:
    """The table of the front, as JSON types.

    Columns are like those of all trials; copies are the settings of each row, by format; and sorted is the column by
    which it is sorted at first, and whether downwards.
    """
    if len(view.objectives) < 2 or not view.front:
        return {"columns": [], "copies": {}, "sorted": None}
    front, trials = insight.front(view), view.front
    written = [formats(view, trial.number, trial.config) for trial in trials]
    values = [view.values_of(trial) for trial in trials]
    columns = used(
        [
            column("trial", [trial.number for trial in trials]),
            column("note", [_note(view, front, trial.number) for trial in trials]),
            *(column(name, [own[j] for own in values]) for j, name in enumerate(view.objectives.names)),
            *setting_columns(view, trials),
            column("own volume, %", [float(f"{100 * member.share:.2g}") for member in front.members]),
            column("why", [_why(view, member) for member in front.members], is_talk=True),
        ]
    )
    copies = {name: [own[name] for own in written] for name in written[0]}
    first = {"title": text.shown(view.objectives.names[0]), "down": view.objectives.signs[0] < 0}
    return {"columns": columns, "copies": copies, "sorted": first}


def _why(view: View, member: insight.WhyOnFront) -> str | None:
    directions = dict(zip(view.objectives.names, view.objectives.directions, strict=True))
    words = text.ahead(directions, best_in=member.best_in, leads=member.runners_up, twins=member.twins)
    return text.shown(words) or None


def _note(view: View, front: insight.Front, number: int) -> str | None:
    notes = [_extreme(view, j) for j, name in enumerate(view.objectives.names) if front.best[name] == number]
    if front.compromise == number:
        notes.append("compromise")
    return ", ".join(notes) or None


def _extreme(view: View, objective: int) -> str:
    return f"{text.extreme(view.objectives.directions[objective])} {view.objectives.names[objective]}"


def _bests(view: View, front: insight.Front) -> Markup:
    """A row for the best of each objective, for the compromise, and for the baseline."""
    chosen = [(_extreme(view, j), front.best[name]) for j, name in enumerate(view.objectives.names)]
    if front.compromise is not None and len(front.members) > 1:
        chosen.append(("compromise", front.compromise))
    if view.baseline is not None:
        chosen.append((view.baseline.name, view.baseline.number))
    rows: list[list[object]] = [
        [what, str(number), *map(text.number, view.values_of(view.by_number[number]))] for what, number in chosen
    ]
    return table(["", "trial", *view.objectives.names], rows, label="The best of each objective")


def _only_pair(figures: PageFigures) -> Markup:
    return figures.add("front", "Trade-offs", f"{_HOW} The line joins what has been reached.")


_HOW = (
    "A point is a trial. A trial on the line is bettered in one objective only by losing in another; numbers are those "
    "of trials that the sentences below name."
)


def _pairs(figures: PageFigures) -> Markup:
    """A figure per pair of objectives: of many pairs, those with the most trials that neither objective decides."""
    view = figures.view
    pairs = list(combinations(range(len(view.objectives)), 2))
    sizes = {pair: len(along_front(view, *pair)) for pair in pairs}
    shown = sorted(sorted(pairs, key=lambda pair: -sizes[pair])[:_MAX_PAIRS])
    names = view.objectives.names
    how = f"{_HOW} The objectives that a figure does not show are left aside by its line."
    drawn = [
        figures.add("front", f"{names[i]} and {names[j]}", how, key=f"front-{i}-{j}", level=4, objectives=(i, j))
        for i, j in shown
    ]
    left_out = len(pairs) - len(shown)
    note = f"{text.count(left_out, 'pair')} with fewer trials to choose among left out." if left_out else None
    return joined(element("div", *drawn, class_="grid fronts"), note and element("p", note, class_="how"))


def _members(view: View, front: insight.Front) -> Markup:
    first = view.by_number[front.members[0].number]
    how = "Copy takes the settings of a trial in the format that is chosen here."
    bar = element(
        "div",
        format_buttons(formats(view, first.number, first.config)),
        element("span", how, class_="note"),
        element("span", role="status", id="copied", class_="note"),
        class_="controls",
    )
    return joined(bar, listing("front", "Trials on the front", len(front.members)))


def _nearest(view: View, number: int) -> Markup:
    """The settings that come nearest to being feasible."""
    trial = view.by_number[number]
    rows: list[list[object]] = [[name, text.setting(value)] for name, value in trial.config.items()]
    lead = element(
        "p", f"No trial satisfies all constraints yet. These are the settings of the nearest, trial {number}."
    )
    return joined(lead, table(["parameter", "nearest"], rows, label="Nearest settings"))
