"""The figures of a page: drawn by `auger.plots`, kept as JSON for the page's script, each with its element."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from auger.markup import Markup, element, joined
from auger.plots import PLOTS, PlotError
from auger.report.sentences import NOTHING, Sentences
from auger.view import View

_log = logging.getLogger(__name__)

# Pixels of a title and of a line of notes below it: the page shows them outside the figure.
_TITLE, _LINE = 30, 15


class PageFigures:
    """Draws the figures of a run, and collects them for its page.

    Attributes:
        view: the run.
        sentences: of the page.
        drawn: key -> data, layout, and the parts of the layout that differ on the other scale of values, as JSON types,
            for plotly.js.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.sentences = Sentences()
        self.drawn: dict[str, Any] = {}

    def add(
        self,
        plot: str,
        title: str,
        caption: str,
        *names: str,
        key: str = "",
        level: int = 3,
        min_width: int | None = None,
        **settings: Any,
    ) -> Markup:
        """A figure in the page, with its switches, or a sentence that says what is missing.

        Nothing at all where the page says already what is missing.

        Args:
            plot: one of `auger.plots.PLOTS`.
            title: what it shows.
            caption: how to read it, in a sentence; empty where another text says so.
            names: of the parameters that the plot wants.
            key: of the figure, unlike any other in the page; by default the name of the plot.
            level: of its heading.
            min_width: pixels below which it cannot be read: then it scrolls.
            settings: of the plot.
        """
        key, heading = key or plot, element(f"h{level}", title)
        try:
            drawn = json.loads(PLOTS[plot](self.view, *names, **settings).to_json())
        except PlotError as error:
            reason = self.sentences.missing(str(error))
            return element("div", heading, reason, class_="figure") if reason else NOTHING
        except Exception as error:
            return element("div", heading, _trouble(error), class_="figure")
        layout = drawn["layout"]
        meta = _bare(layout)
        figure = {"data": drawn["data"], "layout": layout, "other_scale": meta["other_scale"]}
        self.drawn[key] = figure
        size = f"--height:{int(layout.get('height', 420))}px" + (f";min-width:{min_width}px" if min_width else "")
        drawing = element("div", class_="plot", data_figure=key, style=size, role="group", aria_label=title)
        if min_width is not None:
            drawing = element("div", drawing, class_="scroll", tabindex="0", role="region", aria_label=title)
        words = self.sentences.new(caption, *meta["notes"])
        below = element("figcaption", words) if words else None
        return element("figure", heading, _switches(key, figure), drawing, below, class_="figure")

    def per_objective(self, plot: str, title: str, caption: str, **settings: Any) -> Markup:
        """The same figure of each objective, of which one is shown at a time."""
        names = self.view.objectives.names
        panels = [
            self.add(plot, f"{title}: {name}", caption, key=f"{plot}-{i}", level=4, objective=i, **settings)
            for i, name in enumerate(names)
        ]
        if not any(panels):
            return NOTHING
        buttons = [
            element("button", name, type="button", data_tab=f"{plot}-{i}", aria_pressed="false" if i else "true")
            for i, name in enumerate(names)
        ]
        boxes = [element("div", panel, data_panel=f"{plot}-{i}", hidden=i > 0) for i, panel in enumerate(panels)]
        choice = element("div", *buttons, class_="choice", role="group", aria_label=f"{title}: objective")
        bar = element("div", choice, class_="controls")
        return joined(element("h3", title), element("div", bar, *boxes, class_="tabs"))


def attempt(title: str, make: Callable[[], Markup]) -> Markup:
    """A part of the page under its heading, or a sentence that says what went wrong; nothing where there is none."""
    heading = element("h3", title)
    try:
        part = make()
    except Exception as error:
        return joined(heading, _trouble(error))
    return joined(heading, part) if part else NOTHING


def _trouble(error: Exception) -> Markup:
    """A sentence in the place of a part that failed: an error in one of twenty parts must not cost the others."""
    _log.debug("a part of a report", exc_info=error)
    return element("p", f"This section could not be made: {type(error).__name__}: {error}", class_="missing")


def _bare(layout: dict[str, Any]) -> dict[str, Any]:
    """Take the title and the notes out of a figure, for the page to show them; returns what it says about itself."""
    meta: dict[str, Any] = layout.pop("meta")
    title = layout.pop("title")
    subtitle = title.get("subtitle", {}).get("text", "")
    n_lines = subtitle.count("<br>") + 1 if subtitle else 0
    layout["margin"]["t"] = max(10, layout["margin"]["t"] - _TITLE - _LINE * n_lines)
    return meta


def _switches(key: str, figure: Mapping[str, Any]) -> Markup | None:
    """Boxes to be ticked: a logarithmic scale, where there are two, and pruned trials, where there are any."""
    boxes = []
    if figure["other_scale"] is not None:
        boxes.append(_box(key, "log", "Log scale", is_on=figure["layout"]["yaxis"].get("type") == "log"))
    if any(trace.get("legendgroup") == "pruned" for trace in figure["data"]):
        boxes.append(_box(key, "pruned", "Show pruned", is_on=True))
    return element("div", *boxes, class_="controls") if boxes else None


def _box(key: str, switch: str, title: str, *, is_on: bool) -> Markup:
    box = element("input", type="checkbox", data_of=key, data_switch=switch, checked=is_on, autocomplete="off")
    return element("label", box, title)
