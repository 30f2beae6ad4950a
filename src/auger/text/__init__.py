"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

from auger.text.breakdowns import broken, forgotten
from auger.text.forecasts import forecast, forecast_record
from auger.text.format import (
    better_than,
    clean,
    count,
    duration,
    expected,
    measured,
    near,
    number,
    percent,
    percent_gained,
    settings,
    size,
    toml,
    worker,
    written,
)
from auger.text.passwords import mask
from auger.text.reasons import confirmed, explanation, model_skill, no_single_best, reason, recommended
from auger.text.runs import best, ended, trials

__all__ = [
    "best",
    "better_than",
    "broken",
    "clean",
    "confirmed",
    "count",
    "duration",
    "ended",
    "expected",
    "explanation",
    "forecast",
    "forecast_record",
    "forgotten",
    "mask",
    "measured",
    "model_skill",
    "near",
    "no_single_best",
    "number",
    "percent",
    "percent_gained",
    "reason",
    "recommended",
    "settings",
    "size",
    "toml",
    "trials",
    "worker",
    "written",
]
