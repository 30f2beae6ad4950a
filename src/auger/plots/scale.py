"""The axis that values are drawn on: logarithmic where that helps, and not spoiled by a few that are far off."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger.plots.escaping import short_number
from auger.plots.style import axis
from auger.types import Array

# Values over more decades than this are drawn on a logarithmic axis.
_DECADES = 2.0
# Where everything takes this many times the room of the best nine tenths, the rest is left outside at first.
_FAR = 12.0


def value_axis(
    values: Array, sign: float, title: str, sides: tuple[str, str] = ("above", "below")
) -> tuple[dict[str, Any], str]:
    """An axis for finite values (n,), n >= 1, of which ``sign * value`` is minimized, and a note on what is outside.

    ``sides`` are the words for where values are that are too high, or too low, to be drawn.
    """
    return (_log_axis(values, title), "") if _is_log(values) else _linear_axis(values, sign, title, sides)


def other_axis(values: Array, sign: float, title: str) -> dict[str, Any] | None:
    """The axis that `value_axis` did not choose: linear for logarithmic, and the reverse; None where there is none."""
    if _is_log(values):
        return _linear_axis(values, sign, title)[0]
    return _log_axis(values, title) if 0 < values.min() < values.max() else None


def _is_log(values: Array) -> bool:
    low, high = float(values.min()), float(values.max())
    return low > 0 and math.log10(high) - math.log10(low) > _DECADES


def _log_axis(values: Array, title: str) -> dict[str, Any]:
    return axis(title, type="log", **log_ticks(float(values.min()), float(values.max()), 6))


def _linear_axis(
    values: Array, sign: float, title: str, sides: tuple[str, str] = ("above", "below")
) -> tuple[dict[str, Any], str]:
    scale = axis(title)
    cut = float(np.quantile(sign * values, 0.9))
    best = float((sign * values).min())
    worst = float((sign * values).max())
    # halves: the difference of two finite numbers need not be one
    if len(values) >= 10 and (worst / 2 - best / 2) > _FAR * (cut / 2 - best / 2) > 0:
        margin = 0.08 * (cut - best)
        scale["range"] = sorted([sign * (best - margin), sign * (cut + 3 * margin)])
        n = int(np.count_nonzero(sign * values > cut + 3 * margin))
        if n:
            side = sides[0] if sign > 0 else sides[1]
            return scale, f"{n:,} far {side} the figure: double-click to see {'it' if n == 1 else 'them'}."
    return scale, ""


def log_ticks(low: float, high: float, n: int = 4) -> dict[str, Any]:
    """Some ``n`` ticks of a logarithmic axis, as plotly's axes take them: powers of ten, or other round numbers.

    Example:
        >>> log_ticks(1e-5, 1e-1)
        {'dtick': 1, 'exponentformat': 'e'}
        >>> log_ticks(10, 200)["ticktext"]
        ['10', '20', '50', '100', '200']
    """
    decades = math.log10(high) - math.log10(low)
    if decades >= 2:
        return {"dtick": max(1, math.ceil(decades / n)), "exponentformat": "e"}
    at = round_ratios(low, high, n)
    return {"tickvals": at, "ticktext": [short_number(tick) for tick in at], "tickangle": 0}


def round_ratios(low: float, high: float, n: int = 4) -> list[float]:
    """Some ``n`` round numbers between the ends, evenly spread in ratio; whatever the ends leave where there are none.

    Example:
        >>> round_ratios(0.05, 4), round_ratios(10, 11)
        ([0.05, 0.1, 0.2, 0.5, 1.0, 2.0], [10.0, 10.32, 10.66, 11.0])
        >>> round_ratios(1e-5, 1.0)
        [1e-05, 0.0001, 0.001, 0.01, 0.1, 1.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3), (1,)):
        candidates = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
        at = [tick for tick in candidates if low <= tick <= high]
        if len(at) <= n + 2:
            break
    at = at[:: math.ceil(len(at) / (n + 2))] if at else at
    return at if len(at) >= 3 else [float(short_number(tick).replace(",", "")) for tick in np.geomspace(low, high, n)]


def round_ticks(low: float, high: float, n: int = 5) -> Array:
    """Some ``n`` round numbers between the ends, at least one number.

    Example:
        >>> round_ticks(0.05, 1.0).tolist(), round_ticks(2, 20).tolist(), round_ticks(3.0, 3.0).tolist()
        ([0.2, 0.4, 0.6, 0.8, 1.0], [5.0, 10.0, 15.0, 20.0], [3.0])
    """
    width = high / n - low / n  # not (high - low) / n, which may be infinite
    if not width > 1e-300 or not math.isfinite(width):
        return np.unique([low, high])
    power = 10.0 ** math.floor(math.log10(width))
    step = min((digit * power for digit in (1, 2, 5, 10)), key=lambda step: abs(math.log(step / width)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = np.array([float(f"{i * step:.12g}") for i in range(first, last + 1)])
    return ticks if 0 < len(ticks) <= 2 * n else np.unique([low, high])
