"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

from auger.text.advice import NO_ADVICE, advice, no_change, no_gain, trade_off
from auger.text.forecasts import fits, forecast, forecast_record
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
    toml,
    worker,
    written,
)
from auger.text.passwords import mask
from auger.text.reasons import explanation, reason, recommended
from auger.text.runs import best, trials

__all__ = [
    "NO_ADVICE",
    "advice",
    "best",
    "better_than",
    "clean",
    "count",
    "duration",
    "explanation",
    "fits",
    "forecast",
    "forecast_record",
    "mask",
    "near",
    "no_change",
    "no_gain",
    "number",
    "percent",
    "percent_gained",
    "reason",
    "recommended",
    "settings",
    "toml",
    "trade_off",
    "trials",
    "worker",
    "written",
]
