"""How the run went: values over time, the front, workers, intermediate values."""

from __future__ import annotations

from auger.markup import Markup, joined
from auger.report.page_figures import PageFigures


def history(figures: PageFigures) -> Markup:
    """The values of the trials, one figure per objective, and the front of several objectives."""
    names = figures.view.objectives.names
    parts = []
    if len(names) > 1:
        how = "A point is a trial. A trial on the line is bettered in one objective only by losing in another."
        parts.append(figures.add("front", "Trade-offs", how))
    for i, name in enumerate(names):
        title = "Value of each trial" if len(names) == 1 else f"{name} of each trial"
        how = "The line is the best so far; colors and shapes tell who proposed a trial."
        parts.append(figures.add("history", title, how, key=f"history-{i}", objective=i))
    return joined(*parts)


def work(figures: PageFigures) -> Markup:
    """Which worker ran which trial when, and the intermediate values."""
    return joined(
        figures.add(
            "timeline",
            "Timeline",
            "A bar is a trial; trials that a worker ran at the same time stand in rows below each other. Gaps are "
            "waiting, long bars are expensive settings.",
        ),
        figures.add("curves", "Intermediate values", "A line is a trial, from step to step; pruned trials end early."),
    )
