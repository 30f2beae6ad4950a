"""How the run went: values over time, the front, workers, intermediate values."""

from __future__ import annotations

from functools import partial

from auger import plots
from auger.report.markup import Markup, joined
from auger.report.page_figures import PageFigures
from auger.view import View


def history(view: View, figures: PageFigures) -> Markup:
    """The values of the trials, one figure per objective, and the front of several objectives."""
    names = view.objectives.names
    parts = []
    if len(names) > 1:
        parts.append(
            figures.add(
                "front",
                "Trade-offs",
                "A point is a trial. A trial on the line is bettered in one objective only by losing in another.",
                partial(plots.front, view),
            )
        )
    for i, name in enumerate(names):
        parts.append(
            figures.add(
                f"history-{i}",
                "Value of each trial" if len(names) == 1 else f"{name} of each trial",
                "The line is the best so far; colors and shapes tell who proposed a trial.",
                partial(plots.history, view, objective=i),
            )
        )
    return joined(*parts)


def work(view: View, figures: PageFigures) -> Markup:
    """Which worker ran which trial when, and the intermediate values."""
    return joined(
        figures.add(
            "timeline",
            "Timeline",
            "A bar is a trial, a row is a worker: gaps are waiting, long bars are expensive settings.",
            partial(plots.timeline, view),
        ),
        figures.add(
            "curves",
            "Intermediate values",
            "A line is a trial, from step to step; pruned trials end early.",
            partial(plots.curves, view),
        ),
    )
