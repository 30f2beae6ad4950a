"""Whether what the classifier called likely was likely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auger import insight
from auger.plots.errors import PlotError
from auger.plots.style import BLUE, INK, Figure, axis, figure, line, points


def reliability(source: Any) -> Figure:
    """Draw how often trials were good against how often they were forecast to be, with the number of forecasts.

    On the dotted line forecasts and outcomes agree. The bars are 95 % intervals.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: no forecast can be judged yet.

    Example:
        >>> from auger import minimize
        >>> result = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=30, seed=0)
        >>> reliability(result).layout.xaxis.title.text
        'forecast P(good)'
    """
    card = insight.report_card(source)
    bins = card.reliability() if card.n else []
    if not bins:
        raise PlotError(card.note or "No forecast can be judged yet.")
    shares = np.array([each.share for each in bins])
    n = np.array([each.n for each in bins])
    error = {
        "type": "data",
        "array": [each.error_high for each in bins] - shares,
        "arrayminus": shares - [each.error_low for each in bins],
        "color": BLUE,
        "thickness": 1,
    }
    marks = points(
        "what happened (and how many forecasts)",
        [each.p for each in bins],
        shares,
        {"color": BLUE, "size": 6 + 14 * np.sqrt(n / n.max())},
        mode="markers+text",
        text=[f"{each.n:,}" for each in bins],
        textposition="middle right",
        error_y=error,
        hovertemplate="forecast %{x:.0%}, was %{y:.0%} of %{text}<extra></extra>",
    )
    ends = {"range": [-0.03, 1.06], "tickformat": ".0%", "dtick": 0.25}
    return figure(
        [line("as forecast", [0, 1], [0, 1], INK, 1.5, line={"dash": "dot"}), marks],
        "Forecasts and what happened",
        guide=_summary(card),
        notes=[card.note],
        xaxis=axis("forecast P(good)", **ends),
        yaxis=axis("share that was good", **ends),
    )


def _summary(card: insight.ReportCard) -> str:
    """The numbers that say it in a word, where they are known."""
    words = [f"{card.n:,} forecasts"]
    words += [f"skill {card.skill:.2f} (0: as the base rate, 1: perfect)"] if math.isfinite(card.skill) else []
    words += [f"area under the ROC curve {card.auc:.2f}"] if math.isfinite(card.auc) else []
    return ", ".join(words) + "."
