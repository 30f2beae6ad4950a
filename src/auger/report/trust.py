"""The report card of the classifier, and the forecast: how far to believe the page."""

from __future__ import annotations

import math

from auger import insight, text
from auger.markup import NONE, Markup, element, joined
from auger.report.markup import table
from auger.report.page_figures import PageFigures, attempt
from auger.view import View


def trust(view: View, figures: PageFigures) -> Markup:
    """Forecasts made before the answers were known, and what came."""
    return joined(
        attempt("Report card", lambda: _card(view, figures)),
        attempt("Is it worth going on?", lambda: _forecast(view, figures)),
    )


def _card(view: View, figures: PageFigures) -> Markup:
    card = insight.report_card(view)
    if not card.n:
        return figures.sentences.missing(card.note)
    cards = {"all": card, **(card.by_model() if len(set(card.models)) > 1 else {})}
    rows: list[list[object]] = [[name, *_marks(own)] for name, own in cards.items()]
    head = ["model", "trials judged", "good", "skill", "log loss", "Brier score", "AUC"]
    how = (
        "Each trial was forecast before its answer was known. Skill is what the forecasts save over always stating the "
        "share of good trials so far: 1 is perfect, 0 no better than that, below 0 worse."
    )
    if not view.is_ours:
        how += " Another program proposed these trials; what is judged is what the recipe auto would have said of them."
    return joined(
        table(head, rows, label="Report card by model"),
        element("p", figures.sentences.new(how, text.fits(card.n_fits), card.note), class_="how"),
        element(
            "div",
            figures.add(
                "reliability",
                "Are the forecasts right?",
                "On the diagonal, forecasts of 30 % come true 30 % of the time; below it they were too hopeful.",
                level=4,
            ),
            figures.add("skill", "Skill over time", "The same score as the run went on, by model.", level=4),
            class_="grid",
        ),
    )


def _marks(card: insight.ReportCard) -> list[str]:
    scores = (card.skill, card.log_loss, card.brier, card.auc)
    return [f"{card.n:,}", text.percent(card.base_rate), *(_number(score) for score in scores)]


def _forecast(view: View, figures: PageFigures) -> Markup:
    ahead = insight.forecast(view)
    if not math.isfinite(ahead.p):
        return figures.sentences.missing(ahead.note)
    drawn = figures.add(
        "forecast",
        "Forecast and past accuracy",
        "What was forecast at earlier times, and whether the trials that followed improved on the best.",
        level=4,
    )
    return joined(element("p", f"{text.forecast(ahead.k, ahead.p)}."), drawn)


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else NONE
