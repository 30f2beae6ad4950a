"""How the run went: values over time, the front, failures, workers, values on the way."""

from __future__ import annotations

from functools import partial

from auger import plots
from auger import text as words
from auger.report.failures import FAILED, failures
from auger.report.figures import Figures
from auger.report.markup import Markup, element, joined, table
from auger.text import mask
from auger.view import View

# The most groups of failures; and the most letters of an error.
_MAX_GROUPS, _MAX_ERROR = 20, 500


def history(seen: View, figures: Figures) -> Markup:
    """The values of the trials, for each objective, and the front of several."""
    made = []
    if len(seen.objectives) > 1:
        made.append(
            figures.place(
                "front",
                "Trade-offs",
                "A point is a trial; of those on the line, none is better in one objective without being worse in "
                "another.",
                partial(plots.front, seen),
            )
        )
    for i, name in enumerate(seen.objectives):
        made.append(
            figures.place(
                f"history-{i}",
                "Value of each trial" if len(seen.objectives) == 1 else f"{name} of each trial",
                "The line is the best so far; points are told apart by who proposed them.",
                partial(plots.history, seen, objective=i),
            )
        )
    return joined(*made)


def work(seen: View, figures: Figures) -> Markup:
    """Who ran what when, and the values on the way."""
    return joined(
        figures.place(
            "timeline",
            "Timeline",
            "A bar is a trial, a row a worker: gaps are waiting, long bars are expensive settings.",
            partial(plots.timeline, seen),
        ),
        figures.place(
            "curves",
            "Values on the way",
            "A line is a trial, from step to step; pruned ones end early.",
            partial(plots.curves, seen),
        ),
    )


def failed(seen: View) -> Markup:
    """Failed trials by their cause, each group with an example."""
    groups = failures(seen.rows)
    n = sum(len(group.rows) for group in groups)
    if not groups:
        return element("p", "No trial has failed.")
    n_ended = sum(row.state in (*FAILED, "complete", "pruned") for row in seen.rows)
    said = f"{words.count(n, 'trial')} of {n_ended:,} failed, for {words.count(len(groups), 'reason')}."
    rows: list[list[object]] = []
    for group in groups[:_MAX_GROUPS]:
        example = group.rows[0]
        error = mask(example.error)
        error = error if len(error) <= _MAX_ERROR else f"{error[:_MAX_ERROR]}…"
        shown = joined(
            element("div", f"trial {example.number}"),
            error and element("pre", error, class_="error"),
            element("code", words.settings(example.config)),
        )
        rows.append([mask(group.cause), group.state, f"{len(group.rows):,}", shown])
    more = f"{len(groups) - _MAX_GROUPS} rarer reasons are left out." if len(groups) > _MAX_GROUPS else ""
    how = " ".join(["Numbers in the reasons are shown as #, so that equal causes count together.", more])
    listed = table(["reason", "state", "trials", "for example"], rows, label="Failures by reason")
    return joined(element("p", said), listed, element("p", how, class_="how"))
