"""Forecasts, where they come from, and how earlier ones came out, in words."""

from __future__ import annotations

from collections.abc import Sequence

from auger.text.format import count, percent


def forecast(k: int, p: float) -> str:
    """The chance that one of the next k trials improves on the best.

    Example:
        >>> forecast(20, 0.256)
        'Chance of an improvement within 20 trials: 26 %'
    """
    return f"Chance of an improvement within {count(k, 'trial')}: {percent(p)}"


def fits(n: int) -> str:
    """How many fits of a classifier made the forecasts of a report card.

    Example:
        >>> fits(64)
        'The forecasts come from 64 fits.'
    """
    return f"The forecasts come from {count(n, 'fit')}."


def forecast_record(past: Sequence[tuple[float, bool]]) -> str:
    """How earlier forecasts came out: pairs of a forecast and whether it came true. Empty without any.

    Example:
        >>> forecast_record([(0.5, True), (0.3, False)])
        '2 earlier forecasts said 40 % on average; 50 % came true.'
    """
    if not past:
        return ""
    forecasts, outcomes = zip(*past, strict=True)
    mean, share = sum(forecasts) / len(past), sum(outcomes) / len(past)
    return f"{count(len(past), 'earlier forecast')} said {percent(mean)} on average; {percent(share)} came true."
