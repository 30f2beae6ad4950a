"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

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
    quoted,
    settings,
    system_error,
    toml,
    toml_key,
    toml_value,
    worker,
    written,
)
from auger.text.passwords import mask
from auger.text.reasons import explanation, reason, recommended
from auger.text.runs import best, trials
from auger.text.spaces import condition, values
from auger.text.tryouts import equal_values, starting_point, wrong_number

__all__ = [
    "best",
    "better_than",
    "clean",
    "condition",
    "count",
    "duration",
    "equal_values",
    "explanation",
    "forecast",
    "forecast_record",
    "mask",
    "near",
    "number",
    "percent",
    "percent_gained",
    "quoted",
    "reason",
    "recommended",
    "settings",
    "starting_point",
    "system_error",
    "toml",
    "toml_key",
    "toml_value",
    "trials",
    "values",
    "worker",
    "written",
    "wrong_number",
]
