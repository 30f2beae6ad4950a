"""The figures of a page: drawn by `auger.plots`, kept as JSON for the page's script, each with its element."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

from auger.markup import Markup, element, joined
from auger.plots import PLOTS, PlotError
from auger.report.markup import missing
from auger.view import View

_log = logging.getLogger(__name__)

# Pixels of a title and of a line of notes below it: the page shows them outside the figure.
_TITLE, _LINE = 30, 15


class PageFigures:
    """Draws the figures of a run, and collects them for its page.

    Attributes:
        view: the run.
        drawn: key -> data and layout, as JSON types, for plotly.js.
    """

    def __init__(self, view: View) -> None:
        self.view = view
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
        """A figure in the page, or a sentence that says what is missing.

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
        heading = element(f"h{level}", title)
        try:
            drawn = json.loads(PLOTS[plot](self.view, *names, **settings).to_json())
        except PlotError as error:
            return element("div", heading, missing(str(error)), class_="figure")
        except Exception as error:
            return element("div", heading, _trouble(error), class_="figure")
        layout = drawn["layout"]
        notes = _bare(layout)
        self.drawn[key or plot] = {"data": drawn["data"], "layout": layout}
        size = f"height:{int(layout.get('height', 420))}px" + (f";min-width:{min_width}px" if min_width else "")
        drawing = element("div", class_="plot", data_figure=key or plot, style=size, role="group", aria_label=title)
        if min_width is not None:
            drawing = element("div", drawing, class_="scroll", tabindex="0", role="region", aria_label=title)
        words = " ".join([caption, *notes]).strip()
        return element("figure", heading, drawing, element("figcaption", words) if words else None, class_="figure")


def attempt(title: str, make: Callable[[], Markup]) -> Markup:
    """A part of the page under its heading, or a sentence that says what went wrong."""
    heading = element("h3", title)
    try:
        return joined(heading, make())
    except Exception as error:
        return joined(heading, _trouble(error))


def _trouble(error: Exception) -> Markup:
    """A sentence in the place of a part that failed: an error in one of twenty parts must not cost the others."""
    _log.debug("a part of a report", exc_info=error)
    return missing(f"This section could not be made: {type(error).__name__}: {error}")


def _bare(layout: dict[str, Any]) -> Sequence[str]:
    """Take the title and the notes out of a figure, for the page to show them; returns the notes."""
    notes = [str(note) for note in (layout.pop("meta", None) or {}).get("notes", ())]
    title = layout.pop("title", {})
    subtitle = title.get("subtitle", {}).get("text", "")
    n_lines = subtitle.count("<br>") + 1 if subtitle else 0
    layout["margin"]["t"] = max(10, layout["margin"]["t"] - _TITLE - _LINE * n_lines)
    return notes
