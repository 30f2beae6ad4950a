"""From a run to its report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from auger.best import Best
from auger.files import write_whole
from auger.insight.advice import advice
from auger.insight.memory import best_settings
from auger.report import history, learned, overview
from auger.report.constraints import constraints
from auger.report.environment import environment
from auger.report.failures import failed_trials
from auger.report.front import front_data, the_front
from auger.report.page import Page, Section
from auger.report.page_figures import PageFigures
from auger.report.trial_table import columns, empty_table
from auger.report.trust import trust
from auger.view import View, view


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
    """All that the report of a run says; the source is whatever `auger.view` looks at."""
    run = view(source)
    best, figures, now = best_settings(run), PageFigures(run), datetime.now().astimezone()
    sections = (
        Section("summary", "Summary", overview.tiles(run, best)),
        _settings(run, best, figures),
        Section("history", "History", history.history(figures)),
        Section("constraints", "Constraints", constraints(run, figures)),
        Section("parameters", "What matters", learned.what_matters(run, figures)),
        Section("learned", "What was learned", learned.what_was_learned(run, figures, best)),
        Section("trust", "How far to trust it", trust(run, figures)),
        Section("failures", "Failures", failed_trials(run)),
        Section("work", "Work", history.work(figures)),
        Section("trials", "All trials", empty_table(len(run.trials))),
        Section("environment", "Environment", environment(run, now)),
    )
    status = f"{overview.status(run)} As of {now:%Y-%m-%d %H:%M:%S}."
    data = {"figures": figures.drawn, "columns": columns(run), "front": front_data(run)}
    return Page(run.name, advice(run).text, status, tuple(section for section in sections if section.body), data)


def _settings(view: View, best: Best | None, figures: PageFigures) -> Section:
    """The settings to use: those of the best trial, or of the front."""
    if len(view.objectives) == 1:
        return Section("settings", "Best settings", overview.best_settings(view, best))
    return Section("settings", "The front", the_front(view, figures))
