"""Everything that is worded for people: numbers, times, settings, and why a trial was tried."""

from auger.text.advice import NO_ADVICE, advice, no_change, no_gain, trade_off
from auger.text.breakdowns import broken, forgotten
from auger.text.forecasts import fits, forecast, forecast_record
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
    quoted,
    settings,
    size,
    system_error,
    toml,
    toml_key,
    toml_value,
    worker,
    written,
)
from auger.text.passwords import mask
from auger.text.reasons import confirmed, explanation, model_skill, no_single_best, reason, recommended
from auger.text.runs import best, ended, trials
from auger.text.spaces import condition, values
from auger.text.tryouts import doubted_value, equal_values, starting_point, wrong_number

__all__ = [
    "NO_ADVICE",
    "advice",
    "best",
    "better_than",
    "broken",
    "clean",
    "condition",
    "confirmed",
    "count",
    "doubted_value",
    "duration",
    "ended",
    "equal_values",
    "expected",
    "explanation",
    "fits",
    "forecast",
    "forecast_record",
    "forgotten",
    "mask",
    "measured",
    "model_skill",
    "near",
    "no_change",
    "no_gain",
    "no_single_best",
    "number",
    "percent",
    "percent_gained",
    "quoted",
    "reason",
    "recommended",
    "settings",
    "size",
    "starting_point",
    "system_error",
    "toml",
    "toml_key",
    "toml_value",
    "trade_off",
    "trials",
    "values",
    "worker",
    "written",
    "wrong_number",
]
