"""The report card of the classifier, and the forecast: how far to believe the page."""

from __future__ import annotations

import math
from functools import partial

from auger import insight, plots, words
from auger.insight.view import View
from auger.plots.report.figures import Figures, missing
from auger.plots.report.markup import NONE, Markup, element, joined, table


def trust(seen: View, figures: Figures) -> Markup:
    """Forecasts made before the answers were known, and what came."""
    card = insight.report_card(seen)
    if not card.n:
        return joined(missing(card.note or "No trial can be judged yet."), _forecast(seen, figures))
    cards = {"all": card, **(card.by_model() if len(set(card.models)) > 1 else {})}
    rows: list[list[object]] = [
        [
            name,
            f"{each.n:,}",
            _share(each.base_rate),
            _number(each.skill),
            _number(each.log_loss),
            _number(each.brier),
            _number(each.auc),
        ]
        for name, each in cards.items()
    ]
    judged = table(
        ["model", "trials judged", "good", "skill", "log loss", "Brier score", "AUC"],
        rows,
        label="Report card by model",
    )
    how = element(
        "p",
        "Each trial was forecast before its answer was known. Skill is what the forecasts save over always stating the "
        "share of good trials so far: 1 is perfect, 0 no better than that, below 0 worse.",
        class_="how",
    )
    note = element("p", card.note, class_="how") if card.note else None
    return joined(
        judged,
        how,
        note,
        element(
            "div",
            figures.place(
                "reliability",
                "Are the forecasts right?",
                "On the diagonal, forecasts of 30 % come true 30 % of the time; below it they were too hopeful.",
                partial(plots.reliability, seen),
            ),
            figures.place(
                "skill",
                "Skill over time",
                "The same score as the run went on, by model.",
                partial(plots.skill, seen),
            ),
            class_="grid",
        ),
        _forecast(seen, figures),
    )


def _forecast(seen: View, figures: Figures) -> Markup:
    heading = element("h3", "Is it worth going on?")
    found = insight.forecast(seen)
    if not math.isfinite(found.p):
        return joined(heading, missing(found.note or "No trial has a value yet."))
    said = f"The chance that one of the next {found.k} trials improves on the best is about {100 * found.p:.0f} %."
    if found.past:
        n_true = sum(improved for _, improved in found.past)
        mean = sum(p for p, _ in found.past) / len(found.past)
        said += (
            f" The same forecast at {words.count(len(found.past), 'earlier time')} said {100 * mean:.0f} % on average;"
            f" {n_true} of {len(found.past)} came true."
        )
    drawn = figures.place(
        "forecast",
        "Forecast and past accuracy",
        "What was forecast at earlier times, and whether the trials that followed improved on the best.",
        partial(plots.forecast, seen),
    )
    return joined(heading, element("p", said), drawn)


def _share(value: float) -> str:
    return f"{100 * value:.0f} %" if math.isfinite(value) else NONE


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else NONE
