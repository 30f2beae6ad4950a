"""Outcome constraints: how many trials satisfy each, and how that changed."""

from __future__ import annotations

from auger import insight, text
from auger.markup import NONE, Markup, element, joined
from auger.report.markup import table
from auger.report.page_figures import PageFigures
from auger.report.sentences import NOTHING
from auger.view import View

_OF_LIMITS = "A trial breaks a limit by as much as it is beyond it; at 0 and below, it is within the limit."
_OF_VALUES = "A constraint is satisfied where its value is at most 0; it is broken by as much as it is above."


def constraints(view: View, figures: PageFigures) -> Markup:
    """A table and a figure; nothing where no trial has an outcome constraint."""
    counts = insight.feasibility(view)
    if not counts.limits:
        return NOTHING
    n = len(counts.numbers)
    rows: list[list[object]] = [
        [
            limit.name,
            f"{limit.n_satisfied:,} of {limit.n_trials:,}",
            text.percent(limit.n_satisfied / limit.n_trials) if limit.n_trials else NONE,
            NONE if limit.typical is None else text.number(limit.typical),
            f"{limit.n_alone:,}",
        ]
        for limit in counts.limits
    ]
    head = ["constraint", "satisfied by", "share", "broken by, in the median", "breaks this one only"]
    satisfied = text.percent(counts.n_feasible / n)
    counted = f"{counts.n_feasible:,} of {text.count(n, 'complete trial')}"
    lead = f"{counted} {_satisfy(counts.n_feasible)} all constraints ({satisfied})."
    first = "" if counts.first is None else f" The first is trial {counts.first}."
    how = _OF_LIMITS if set(view.constraints) <= set(view.named_constraints) else _OF_VALUES
    return joined(
        element("p", lead + first),
        table(head, rows, label="Outcome constraints"),
        element("p", figures.sentences.new(how), class_="how"),
        figures.add(
            "feasibility", "Share of feasible trials", "A search that learns the constraints breaks them less often."
        ),
    )


def _satisfy(n: int) -> str:
    return "satisfies" if n == 1 else "satisfy"
