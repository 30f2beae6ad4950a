"""Looking into a run: what it is made of, how good its classifier was, and what it has learned."""

from auger.insight.advice import Advice, advice
from auger.insight.forecast import Forecast, forecast
from auger.insight.importance import Importance, importance
from auger.insight.interactions import Interaction, interactions
from auger.insight.report_card import Bin, Point, ReportCard, report_card
from auger.insight.rules import Rule, rules
from auger.insight.slices import Slice, Surface, one_slice, two_slice
from auger.insight.why import Why, why
from auger.view import View, view

__all__ = [
    "Advice",
    "Bin",
    "Forecast",
    "Importance",
    "Interaction",
    "Point",
    "ReportCard",
    "Rule",
    "Slice",
    "Surface",
    "View",
    "Why",
    "advice",
    "forecast",
    "importance",
    "interactions",
    "one_slice",
    "report_card",
    "rules",
    "two_slice",
    "view",
    "why",
]
