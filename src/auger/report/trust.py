"""The report card of the classifier, and the forecast: how far to believe the page."""

from __future__ import annotations

import math
from functools import partial

from auger import insight, plots
from auger import text as words
from auger.report.figures import Figures, attempt, missing
from auger.report.markup import NONE, Markup, element, joined, table
from auger.view import View


def trust(seen: View, figures: Figures) -> Markup:
    """Forecasts made before the answers were known, and what came."""
    return joined(
        attempt("Report card", lambda: _card(seen, figures)),
        attempt("Is it worth going on?", lambda: _forecast(seen, figures)),
    )


def _card(seen: View, figures: Figures) -> Markup:
    card = insight.report_card(seen)
    if not card.n:
        return missing(card.note or "No trial can be judged yet.")
    cards = {"all": card, **(card.by_model() if len(set(card.models)) > 1 else {})}
    rows: list[list[object]] = [[name, *_marks(each)] for name, each in cards.items()]
    head = ["model", "trials judged", "good", "skill", "log loss", "Brier score", "AUC"]
    how = (
        "Each trial was forecast before its answer was known. Skill is what the forecasts save over always stating the "
        "share of good trials so far: 1 is perfect, 0 no better than that, below 0 worse."
    )
    if not seen.is_ours:
        how += " Another program proposed these trials; what is judged is what the recipe auto would have said of them."
    return joined(
        table(head, rows, label="Report card by model"),
        element("p", " ".join([how, card.note]), class_="how"),
        element(
            "div",
            figures.place(
                "reliability",
                "Are the forecasts right?",
                "On the diagonal, forecasts of 30 % come true 30 % of the time; below it they were too hopeful.",
                partial(plots.reliability, seen),
                level=4,
            ),
            figures.place(
                "skill",
                "Skill over time",
                "The same score as the run went on, by model.",
                partial(plots.skill, seen),
                level=4,
            ),
            class_="grid",
        ),
    )


def _marks(card: insight.ReportCard) -> list[str]:
    scores = (card.skill, card.log_loss, card.brier, card.auc)
    return [f"{card.n:,}", f"{100 * card.base_rate:.0f} %", *(_number(score) for score in scores)]


def _forecast(seen: View, figures: Figures) -> Markup:
    found = insight.forecast(seen)
    if not math.isfinite(found.p):
        return missing(found.note or "No trial has a value yet.")
    said = f"The chance that one of the next {found.k} trials improves on the best is {_chance(found.p)}."
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
        level=4,
    )
    return joined(element("p", said), drawn)


def _chance(p: float) -> str:
    return "below 1 %" if p < 0.01 else "above 99 %" if p > 0.99 else f"about {100 * p:.0f} %"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else NONE
