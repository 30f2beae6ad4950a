"""A run as a notebook shows it: the best settings, and a small plot of the values, in HTML and SVG without a script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auger import text
from auger.markup import Markup, element, joined
from auger.objectives import Direction, Objectives
from auger.trial import State, Trial
from auger.types import Array

# The size of the plot, and of the margins around its points, in pixels.
_WIDTH, _HEIGHT = 460, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 10, 6, 34

# Colors that are readable on white and on black; text has the color of the page around it.
_POINT, _LINE = "#3b8ee0", "#e07b2a"

# More points than this are thinned out evenly, those that were the best so far aside.
_MAX_POINTS = 400

# Characters of a setting, and rows of the table.
_MAX_TEXT, _MAX_SETTINGS = 80, 40

# Parameters in the table of a front.
_MAX_COLUMNS = 12

_CELL = "text-align: left; padding: 0.15em 1.2em 0.15em 0; background: none;"


def run_html(trials: Sequence[Trial], best: Trial | None, direction: Direction, reason: str = "") -> Markup:
    """The best settings of a run as a table, and its values as a plot.

    Args:
        trials: by number, in the user's own sign.
        best: the trial whose settings to show; None where there is none yet.
        direction: of the objective.
        reason: why this trial, in words.
    """
    parts = [element("div", text.trials(trial.state.value for trial in trials), style="opacity: 0.75;")]
    if best is not None:
        lead = element("b", text.number(best.values[0]))
        why = f", {reason}" if reason else ""
        parts.insert(0, element("div", "Best value ", lead, f" (trial {best.number}{why})"))
        parts.insert(1, _settings(best))
    plot = _plot(trials, direction)
    return element(
        "div",
        element("div", *parts, style="max-width: 32em;"),
        plot,
        style="display: flex; flex-wrap: wrap; gap: 1em 2.5em; align-items: flex-start; font-size: 90%;",
    )


def front_html(trials: Sequence[Trial], front: Sequence[Trial], objectives: Objectives) -> Markup:
    """The front of a run with several objectives as a table, a trial per row.

    Args:
        trials: by number, in the user's own sign.
        front: those of them that no other beats.
        objectives: their names and directions.
    """
    counts = element("div", text.trials(trial.state.value for trial in trials), style="opacity: 0.75;")
    lead = element("b", text.count(len(front), "trial"))
    parameters = list(dict.fromkeys(name for trial in front for name in trial.config))[:_MAX_COLUMNS]
    directed = [f"{name} ({direction}d)" for name, direction in objectives.described().items()]
    head = [element("th", name, scope="col", style=_CELL) for name in ("trial", *directed, *parameters)]
    rows = [
        element(
            "tr",
            element("th", str(trial.number), scope="row", style=_CELL),
            *(element("td", text.number(value), style=_CELL) for value in trial.values),
            *(element("td", _value(trial.config[n]) if n in trial.config else "", style=_CELL) for n in parameters),
        )
        for trial in front[:_MAX_SETTINGS]
    ]
    if len(rows) < len(front):
        rows.append(element("tr", element("td", f"... and {len(front) - len(rows)} more", colspan=len(head))))
    table = element("table", element("tr", *head), *rows, style="border-collapse: collapse; margin: 0.4em 0;")
    return element("div", element("div", lead, " on the front"), table, counts, style="font-size: 90%;")


def _settings(best: Trial) -> Markup:
    shown = list(best.config.items())[:_MAX_SETTINGS]
    rows = [
        element("tr", element("th", name, scope="row", style=_CELL), element("td", _value(value), style=_CELL))
        for name, value in shown
    ]
    if len(shown) < len(best.config):
        rows.append(element("tr", element("td", f"... and {len(best.config) - len(shown)} more", colspan=2)))
    return element("table", *rows, style="border-collapse: collapse; margin: 0.4em 0; font-size: inherit;")


def _value(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _MAX_TEXT else f"{shown[:_MAX_TEXT]}..."


def _plot(trials: Sequence[Trial], direction: Direction) -> Markup | None:
    """Values of complete trials and the best so far; failed trials as ticks below. None with fewer than two values."""
    usable = [t for t in trials if t.state is State.COMPLETE and math.isfinite(t.values[0])]
    lost = [t.number for t in trials if t.state is State.FAILED or not all(map(math.isfinite, t.values))]
    if len(usable) < 2:
        return None
    y, bests = np.array([trial.values[0] for trial in usable]), _best_so_far(usable, direction)
    axis, n_last = _axis(y, direction), max(trial.number for trial in trials)
    kept, floor = _thinned(bests), _HEIGHT - _BOTTOM

    def across(numbers: Sequence[int]) -> Array:
        return _LEFT + 6 + np.array(numbers) / max(n_last, 1) * (_WIDTH - _LEFT - _RIGHT - 12)

    x, down = across([trial.number for trial in usable]), axis.positions(y)
    points = [
        element("circle", cx=f"{x[i]:.1f}", cy=f"{down[i]:.1f}", r="2.6", fill=_POINT, fill_opacity="0.8") for i in kept
    ]
    ticks = [
        element("path", d=f"M{at:.1f} {floor - 6}v6", stroke="currentColor", stroke_width="1.2")
        for at in across(lost[:_MAX_POINTS])
    ]
    steps = _steps(x[kept], axis.positions(bests)[kept], _WIDTH - _RIGHT)
    legend = [
        element("tspan", "\u25cf", fill=_POINT),
        " value",
        element("tspan", "  \u2014", fill=_LINE),
        " best so far",
        "  | failed" if lost else None,
        "  (log scale)" if axis.is_log else None,
    ]
    drawn = joined(
        element("path", d=f"M{_LEFT} {_TOP}V{floor}H{_WIDTH - _RIGHT}", stroke="currentColor", stroke_opacity="0.4"),
        *(_label(name, _LEFT - 5, at + 3, "end") for name, at in axis.labels()),
        _label("0", _LEFT + 6, floor + 13, "middle"),
        _label(str(n_last), _WIDTH - _RIGHT, floor + 13, "end"),
        _label("trial", (_LEFT + _WIDTH) / 2, floor + 13, "middle"),
        _label(joined(*legend), (_LEFT + _WIDTH) / 2, _HEIGHT - 3, "middle"),
        *ticks,
        *points,
        element("path", d=steps, stroke=_LINE, stroke_width="1.8"),
    )
    return element(
        "svg",
        drawn,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
        aria_label="Value per trial, and the best so far",
        style="max-width: 100%; height: auto; background: none;",
        fill="none",
    )


@dataclass(frozen=True)
class _Axis:
    """The vertical axis: which values it shows, and where."""

    low: float
    high: float
    is_log: bool

    def positions(self, y: Array) -> Array:
        """How far down values are, in pixels; those beyond the axis at its ends. NaN stays NaN."""
        ends = np.array([self.low, self.high])
        y = np.clip(y, *ends)
        if self.is_log:
            ends, y = np.log(ends), np.log(y)
        share = (ends[1] / 2 - y / 2) / (ends[1] / 2 - ends[0] / 2)  # halves, so that 1e308 - (-1e308) is finite
        return np.asarray(_TOP + 5 + share * (_HEIGHT - _BOTTOM - _TOP - 12))

    def labels(self) -> list[tuple[str, float]]:
        """Texts at the two ends, and how far down they are."""
        ends = [self.high, self.low]
        return [(f"{v:.4g}", float(at)) for v, at in zip(ends, self.positions(np.array(ends)), strict=True)]


def _label(words: object, x: float, y: float, anchor: str) -> Markup:
    return element(
        "text", words, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, fill="currentColor", fill_opacity="0.8", font_size=10
    )


def _best_so_far(trials: Sequence[Trial], direction: Direction) -> Array:
    """The best feasible value up to each trial, (n,); NaN before the first."""
    losses = np.array([direction.sign * t.values[0] if t.is_feasible else np.inf for t in trials])
    bests = np.minimum.accumulate(losses)
    return np.asarray(direction.sign * np.where(np.isinf(bests), np.nan, bests))


def _axis(y: Array, direction: Direction) -> _Axis:
    """All values, unless the worst are so far off that the others would be one line. Losses near 0: on a log scale."""
    losses = direction.sign * y
    ordered = np.sort(losses)
    best, middle, worst = ordered[[0, len(ordered) // 2, -1]].tolist()
    if direction is Direction.MINIMIZE and best > 0 and middle > 50 * best:
        return _Axis(best, worst, True)
    if best < middle < worst and worst / 8 - middle / 8 > middle / 2 - best / 2:
        worst = middle + 4 * (middle - best)
    low, high = sorted([direction.sign * best, direction.sign * worst])
    return _Axis(low, high, False) if low < high else _Axis(low - abs(low) / 2 - 1, high + abs(high) / 2 + 1, False)


def _thinned(bests: Array) -> list[int]:
    n = len(bests)
    if n <= _MAX_POINTS:
        return list(range(n))
    is_new = np.append(True, bests[1:] != bests[:-1])
    return sorted({*np.flatnonzero(is_new).tolist(), *np.linspace(0, n - 1, _MAX_POINTS).astype(int).tolist()})


def _steps(x: Array, y: Array, end: float) -> str:
    """The path of a line that stays level until the next best; NaN is left out."""
    is_known = ~np.isnan(y)
    x, y = x[is_known], y[is_known]
    if not len(x):
        return ""
    is_new = y[1:] != y[:-1]
    corners = [f"H{to:.1f}V{height:.1f}" for to, height in zip(x[1:][is_new], y[1:][is_new], strict=True)]
    return f"M{x[0]:.1f} {y[0]:.1f}{''.join(corners)}H{end:g}"
