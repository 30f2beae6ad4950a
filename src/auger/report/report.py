"""From a run to its report."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auger.files import write_whole
from auger.report import course, learned, overview
from auger.report.environment import environment
from auger.report.figures import Figures
from auger.report.markup import Markup, element, joined
from auger.report.page import Page, Section
from auger.report.settings import settings
from auger.report.trials import columns
from auger.report.trust import trust
from auger.view import View, view

if TYPE_CHECKING:
    from auger.studies.study import Study


def write_report(source: Any, path: str | Path) -> Path:
    """Write the report of a run: one HTML file that needs no network, whole or not at all.

    Args:
        source: whatever `auger.view` looks at: an Optimizer, a Result, a History, a study.
        path: the file.

    Returns:
        The path.
    """
    path = Path(path)
    write_whole(path, report_html(source))
    return path


def report_html(source: Any) -> str:
    """The report of a run as HTML; see `write_report`."""
    return make_page(source).html()


def make_page(source: Any) -> Page:
    """All that the report of a run says."""
    study = _study(source)
    trials = [] if study is None else study.trials()
    seen = view(source)  # after the trials: of a study that runs, it knows all of them
    how, chosen = overview.progress(seen, study, trials), settings(seen, study, trials)
    figures = Figures()
    made = datetime.now().astimezone()
    best = None if chosen is None else chosen.best.number
    sections = (
        Section("summary", "Summary", overview.tiles(seen, how, chosen)),
        Section("settings", "Best settings", overview.best_settings(seen, chosen)),
        Section("history", "History", course.history(seen, figures)),
        Section("parameters", "What matters", learned.what_matters(seen, figures)),
        Section("learned", "What was learned", learned.what_was_learned(seen, figures, best)),
        Section("trust", "How far to trust it", trust(seen, figures)),
        Section("failures", "Failures", course.failed(seen)),
        Section("work", "Work", course.work(seen, figures)),
        Section("trials", "All trials", _table(len(seen.rows))),
        Section("environment", "Environment", environment(seen, made)),
    )
    data = {"figures": figures.drawn, "columns": columns(seen)}
    return Page(seen.name, _status(seen, how, made), sections, data)


def _study(source: Any) -> Study | None:
    """The source, where it is a study of ours, which knows more than its view."""
    module = sys.modules.get("auger.studies.study")
    return source if module is not None and isinstance(source, module.Study) else None


def _status(seen: View, how: overview.Progress, made: datetime) -> str:
    running = how.counts.get("running", 0)
    state = "Done" if how.is_done else f"{running} running" if running else "Not running" if seen.rows else "Not begun"
    n = f"{how.n_finished:,} of {how.budget:,} trials" if how.budget is not None else f"{how.n_finished:,} trials"
    return f"{state}, {n} finished. As of {made:%Y-%m-%d %H:%M:%S}."


def _table(n: int) -> Markup:
    """The frame that the page's script fills."""
    controls = element(
        "div",
        element(
            "label", "Filter", element("input", type="search", id="filter", placeholder="any text", autocomplete="off")
        ),
        element("label", "State", element("select", element("option", "all", value=""), id="state")),
        class_="controls",
    )
    said = element("p", id="rows", role="status", class_="rows")
    printed = f"On paper, the first 50 of {n:,} trials at most; the page on a screen has them all."
    table = element(
        "table", element("thead", element("tr")), element("tbody"), id="trials-table", aria_label="All trials"
    )
    box = element("div", table, class_="scroll", tabindex="0", role="region", aria_label="All trials")
    pages = element(
        "div",
        element("button", "Previous", type="button", id="back"),
        element("button", "Next", type="button", id="next"),
        id="pages",
        class_="controls pages",
    )
    return joined(controls, said, element("p", printed, class_="rows only-print"), box, pages)
