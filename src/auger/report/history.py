"""How the run went: values over time, the front, workers, intermediate values."""

from __future__ import annotations

from auger.markup import Markup, joined
from auger.report.page_figures import PageFigures


def history(figures: PageFigures) -> Markup:
    """The values of the trials, one figure per objective; of several objectives, how much the front has attained."""
    view = figures.view
    how = "The line is the best so far; colors and shapes tell who proposed a trial."
    if len(view.objectives) == 1:
        return figures.add("history", "Value of each trial", how, key="history-0")
    reached = figures.add(
        "attainment",
        "What the front has attained",
        "The volume is what at least one trial is better than in every objective; it grows where a trial moves the "
        "front.",
    )
    return joined(reached, figures.per_objective("history", "Value of each trial", how))


def work(figures: PageFigures) -> Markup:
    """Which worker ran which trial when, and the intermediate values."""
    timeline = figures.add(
        "timeline",
        "Timeline",
        "A bar is a trial; trials that a worker ran at the same time stand in rows below each other. Gaps are "
        "waiting, long bars are expensive settings.",
    )
    how = "A line is a trial, from step to step; pruned trials end early."
    n = max((len(row) - 1 for trial in figures.view.trials for row in trial.intermediate_values), default=1)
    if n == 1:
        return joined(timeline, figures.add("curves", "Intermediate values", how))
    return joined(timeline, figures.per_objective("curves", "Intermediate values", how))
