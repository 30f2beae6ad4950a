"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

from auger.text.breakdowns import broken, forgotten
from auger.text.forecasts import forecast, forecast_record
from auger.text.format import (
    better_than,
    clean,
    count,
    duration,
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
from auger.text.reasons import explanation, reason, recommended
from auger.text.runs import best, trials

__all__ = [
    "best",
    "better_than",
    "broken",
    "clean",
    "count",
    "duration",
    "explanation",
    "forecast",
    "forecast_record",
    "forgotten",
    "mask",
    "near",
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
