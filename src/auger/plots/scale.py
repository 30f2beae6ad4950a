"""The axis that values are drawn on: logarithmic where that helps, and not spoiled by a few that are far off."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger.plots.style import axis
from auger.types import Array

# Values over more decades than this are drawn on a logarithmic axis.
_DECADES = 2.0
# Where everything takes this many times the room of the best nine tenths, the rest is left outside at first.
_FAR = 12.0


def value_axis(values: Array, sign: float, title: str) -> tuple[dict[str, Any], str]:
    """An axis for finite values (n,), n >= 1, of which ``sign * value`` is minimized, and a note on what is outside."""
    low, high = float(values.min()), float(values.max())
    if low > 0 and math.log10(high) - math.log10(low) > _DECADES:
        return axis(title, type="log", exponentformat="power", dtick=_log_step(low, high)), ""
    made = axis(title)
    cut = float(np.quantile(sign * values, 0.9))
    best = float((sign * values).min())
    worst = float((sign * values).max())
    # halves: the difference of two finite numbers need not be one
    if len(values) >= 10 and (worst / 2 - best / 2) > _FAR * (cut / 2 - best / 2) > 0:
        margin = 0.08 * (cut - best)
        made["range"] = sorted([sign * (best - margin), sign * (cut + 3 * margin)])
        n = int(np.count_nonzero(sign * values > cut + 3 * margin))
        if n:
            side = "above" if sign > 0 else "below"
            return made, f"{n:,} far {side} the figure: double-click to see {'it' if n == 1 else 'them'}."
    return made, ""


def _log_step(low: float, high: float) -> int:
    """Decades between ticks: some six of them."""
    return max(1, math.ceil((math.log10(high) - math.log10(low)) / 6))
