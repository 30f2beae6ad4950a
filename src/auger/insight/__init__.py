"""Looking into a run: what it is made of, how good its classifier was, and what it has learned."""

from auger.insight.advice import Advice, advice
from auger.insight.drivers import Drivers, drivers
from auger.insight.feasibility import Feasibility, Limit, feasibility
from auger.insight.forecast import Forecast, forecast
from auger.insight.front import (
    Attainment,
    Front,
    Lead,
    TradeOff,
    WhyOnFront,
    attainment,
    front,
    trade_offs,
    why_on_front,
)
from auger.insight.importance import Importance, importance
from auger.insight.interactions import Interaction, interactions
from auger.insight.report_card import Bin, Point, ReportCard, report_card
from auger.insight.rules import Rule, rules
from auger.insight.slices import Slice, Surface, one_slice, two_slice
from auger.insight.why import Why, why
from auger.view import View, view

__all__ = [
    "Advice",
    "Attainment",
    "Bin",
    "Drivers",
    "Feasibility",
    "Forecast",
    "Front",
    "Importance",
    "Interaction",
    "Lead",
    "Limit",
    "Point",
    "ReportCard",
    "Rule",
    "Slice",
    "Surface",
    "TradeOff",
    "View",
    "Why",
    "WhyOnFront",
    "advice",
    "attainment",
    "drivers",
    "feasibility",
    "forecast",
    "front",
    "importance",
    "interactions",
    "one_slice",
    "report_card",
    "rules",
    "trade_offs",
    "two_slice",
    "view",
    "why",
    "why_on_front",
]
