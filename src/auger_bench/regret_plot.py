"""Regret over evaluations as in the paper's figures: one panel per problem, the mean over seeds with its 95 % band."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.errors import AugerError, nearest
from auger.types import Array
from auger_bench import statistics
from auger_bench.canvas import blank, save, tidy
from auger_bench.method_styles import DOTTED, Style, styles
from auger_bench.run_files import Run
from auger_bench.statistics import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The kinds of file that `draw` writes.
SUFFIXES = (".png", ".svg")

# Runs longer than this have a logarithmic axis of evaluations: on an even one the first thousand of 10,000 would be a
# tenth of the width, and most happens there. It begins here, about where the random configs of the start end.
_LONG, _FIRST_OF_LONG = 2000, 10


class FigureError(AugerError, ValueError):
    """A figure that cannot be drawn: a method without runs, a kind of file or a folder that is not there."""


def draw(
    runs: Iterable[Run], path: str | Path, *, methods: Sequence[str] | None = None, title: str | None = None
) -> None:
    """Write the figure of these runs to a file, PNG or SVG by its suffix.

    Args:
        runs: the runs in any order; only complete ones are drawn.
        path: the file, which is replaced if it exists. Its folder must exist.
        methods: the methods to draw; all by default.
        title: the text above the panels.

    Raises:
        FigureError: another suffix, no such folder, or a method without complete runs.
        StatisticsError: no run is complete.
        MissingLibraryError: matplotlib is not installed.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise FigureError(f"A figure's file must end in {' or '.join(SUFFIXES)}. Got {path.name!r}.")
    if not path.parent.is_dir():
        raise FigureError(f"The folder of a figure must exist. Got {str(path)!r}: there is no {str(path.parent)!r}.")
    save(figure_of_runs(runs, methods=methods, title=title), path)


def figure_of_runs(runs: Iterable[Run], *, methods: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """The figure as an object of matplotlib, not registered with pyplot. Arguments as in `draw`."""
    return figure_of_curves(_choose(statistics.curves(runs), methods), title=title)


def figure_of_curves(
    curves: Sequence[Curve],
    *,
    title: str | None = None,
    looks: Mapping[str, Style] | None = None,
    problems: Sequence[str] | None = None,
    value: str = "best value",
) -> Figure:
    """The figure of some curves, which may hold all evaluations or a part of them.

    The curves of a panel may be of different lengths, and means of different numbers of runs.

    Args:
        curves: the curves; each problem has a panel.
        title: the text above the panels.
        looks: the style of each method, in the order of the legend; None for `styles`.
        problems: the panels in their order; None for all, by name.
        value: what curves are the mean of where the optimum is unknown.
    """
    looks = styles(curve.method for curve in curves) if looks is None else looks
    problems = sorted({curve.problem for curve in curves}) if problems is None else problems
    n_columns = _n_columns(len(problems))
    n_rows = math.ceil(len(problems) / n_columns)
    n_lines = math.ceil(len(looks) / _legend_columns(looks, n_columns))
    height = 2.5 * n_rows + 0.22 * (n_lines + 1) + 0.3 + (0.3 if title else 0.0)
    figure = blank(_width(n_columns), height)
    panels = [[curve for curve in curves if curve.problem == problem] for problem in problems]
    usual = _usual_numbers(curves)
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(n_rows, n_columns, index + 1)
        _panel(axes, panel, looks, value)
        own = {curve.method: curve.n_seeds for curve in panel}
        if any(n != usual[method] for method, n in own.items()):
            _note(axes, _numbers(own, separator="\n"))
        if index + n_columns >= len(problems):  # there is no panel below it
            axes.set_xlabel("evaluations", fontsize=9)
        if index % n_columns and panel[0].is_regret == panels[index - 1][0].is_regret:
            axes.set_ylabel("")  # the panel to the left has the same
    _legend(figure, looks, _legend_columns(looks, n_columns), n_runs(curves))
    if title:
        figure.suptitle(title, fontsize=12)
    return figure


def _choose(curves: Sequence[Curve], methods: Sequence[str] | None) -> list[Curve]:
    if methods is None:
        return list(curves)
    names = sorted({curve.method for curve in curves})
    for method in methods:
        if method not in names:
            raise FigureError(f"There is no complete run of method {method!r}. {nearest(method, names)}")
    if not methods:
        raise FigureError("`methods` must name at least one method. Got none.")
    return [curve for curve in curves if curve.method in methods]


def _n_columns(n_panels: int) -> int:
    """Up to three panels in a row, four where that saves a row: a README is some 850 pixels wide."""
    if n_panels == 4:
        return 2
    return 4 if n_panels in (7, 8) or n_panels > 9 else min(n_panels, 3)


def _width(n_columns: int) -> float:
    return {1: 5.2, 2: 7.4, 3: 9.6, 4: 11.2}[n_columns]


def _legend_columns(names: Collection[str], n_columns: int) -> int:
    """The fewest columns with as few lines as the width allows: 12 names are 6 and 6, not 7 and 5."""
    entry = 0.6 + 0.07 * max(map(len, names))  # inches for the stroke and the spaces, then for the letters
    fit = max(1, min(len(names), int(_width(n_columns) / entry)))
    return math.ceil(len(names) / math.ceil(len(names) / fit))


def _panel(axes: Axes, panel: Sequence[Curve], looks: Mapping[str, Style], value: str) -> None:
    is_regret = panel[0].is_regret
    floor = _floor(panel) if is_regret else -math.inf
    order = list(looks)
    alpha = min(0.12, 0.9 / len(panel))  # many bands on top of each other must not hide the lines
    # our methods are drawn last, on top
    for curve in sorted(panel, key=lambda curve: -order.index(curve.method)):
        style = looks[curve.method]
        lower, mean, upper = (np.maximum(line, floor) for line in (curve.lower, curve.mean, curve.upper))
        axes.fill_between(curve.evaluations, lower, upper, color=style.color, alpha=alpha, linewidth=0.0)
        axes.plot(
            curve.evaluations, mean, color=style.color, linewidth=style.width, label=curve.method, **_stroke(style)
        )
    if is_regret:
        _regret_axis(axes, panel, floor)
    else:
        _value_axis(axes, panel)
        axes.set_ylabel(f"mean {value}", fontsize=9)
    axes.set_title(panel[0].problem, fontsize=10)
    if _is_long(panel):
        axes.set_xscale("log")
    axes.set_xlim(_FIRST_OF_LONG if _is_long(panel) else 1, max(_n_evals(panel), 2))
    tidy(axes)


def _n_evals(panel: Sequence[Curve]) -> int:
    """The length of the longest curve."""
    return max(int(curve.evaluations[-1]) for curve in panel)


def _is_long(panel: Sequence[Curve]) -> bool:
    return _n_evals(panel) > _LONG


def _settled(panel: Sequence[Curve], share: float) -> int:
    """After how many evaluations the height of a panel must hold the curves: a share of all, or where its axis begins.

    A curve that ends before does not count.
    """
    return _FIRST_OF_LONG if _is_long(panel) else int(_n_evals(panel) * share)


def _after(curve: Curve, n_evals: int) -> Array:
    """The mean of a curve after its first `n_evals` evaluations."""
    return curve.mean[curve.evaluations > n_evals]


def _stroke(style: Style) -> dict[str, Any]:
    return {"linestyle": (0, style.dashes)} if style.dashes else {}


def _floor(panel: Sequence[Curve]) -> float:
    """The height at which regret 0 is drawn: half of the smallest positive mean of the panel."""
    positive = [curve.mean[curve.mean > 0.0] for curve in panel]
    smallest = min((line.min() for line in positive if len(line)), default=1.0)
    return float(smallest) / 2


def _regret_axis(axes: Axes, panel: Sequence[Curve], floor: float) -> None:
    """A logarithmic axis from the lowest mean to the highest after a fiftieth of the evaluations.

    If a mean is 0, a dotted line marks the height at which 0 is drawn.
    """
    axes.set_yscale("log")
    axes.set_ylabel("mean regret", fontsize=9)
    has_zero = any((curve.mean <= 0.0).any() for curve in panel)
    settled = _settled(panel, 1 / 50)
    low = floor if has_zero else 2 * floor
    high = max((float(line.max()) for curve in panel if len(line := _finite([_after(curve, settled)]))), default=low)
    decades = max(math.log10(max(high, low) / low), 0.2)
    # the words are below the line of zero, where no curve is
    axes.set_ylim(low / 10 ** ((0.1 if has_zero else 0.04) * decades), low * 10 ** (1.04 * decades))
    if has_zero:
        # no ticks at the line or below it: they would name it 0.001, for example
        ticks = [tick for tick in axes.get_yticks() if 1.05 * floor < tick <= axes.get_ylim()[1]]
        if ticks:
            axes.set_yticks(ticks)
        axes.axhline(floor, color="#999999", linewidth=0.8, dashes=DOTTED, zorder=1)
        axes.annotate(
            "regret 0",
            (1.0, floor),
            xycoords=("axes fraction", "data"),
            xytext=(-2, -2),
            textcoords="offset points",
            horizontalalignment="right",
            verticalalignment="top",
            fontsize=7,
            color="#777777",
        )


def _value_axis(axes: Axes, panel: Sequence[Curve]) -> None:
    """An axis from just below all bands to the highest curve after a tenth of the evaluations.

    The first, random evaluations would otherwise take most of the height.
    """
    settled = _settled(panel, 1 / 10)
    top = _finite([_after(curve, settled) for curve in panel])
    bottom = _finite([curve.lower for curve in panel])
    if not len(top) or not len(bottom):
        return
    low, high = float(bottom.min()), float(top.max())
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    axes.set_ylim(low - margin, high + margin)


def _finite(lines: Sequence[Array]) -> Array:
    joined = np.concatenate(lines)
    return np.asarray(joined[np.isfinite(joined)], dtype=np.float64)


def n_runs(curves: Sequence[Curve], ranges: str = "bands") -> str:
    """How many runs the curves are means of, in words: of most methods, and of those with another number.

    A panel in which a method has another number than in most panels says so itself.

    Example:
        >>> from auger_bench.tables import CURVE_COLUMNS, read_curves
        >>> rows = ["p,auto,regret,20,1,2,1,3,2", "p,random,regret,20,1,2,1,3,2", "p,smac,regret,2,1,2,1,3,2"]
        >>> n_runs(read_curves("\\n".join([",".join(CURVE_COLUMNS), *rows])))
        'means of n = 20 runs with 95 % bands (smac: 2)'
    """
    most, others = _most(_usual_numbers(curves))
    return f"means of n = {most} runs with 95 % {ranges}" + (f" ({', '.join(others)})" if others else "")


def _usual_numbers(curves: Iterable[Curve]) -> dict[str, int]:
    """Method -> the number of runs that it has in most panels, of several the largest."""
    numbers: dict[str, Counter[int]] = defaultdict(Counter)
    for curve in curves:
        numbers[curve.method][curve.n_seeds] += 1
    return {method: max(counts, key=lambda n: (counts[n], n)) for method, counts in numbers.items()}


def _numbers(n_of: Mapping[str, int], separator: str) -> str:
    """The number that most methods have, and those of others.

    Example:
        >>> _numbers({"a": 20, "b": 20, "smac": 2}, ", ")
        'n = 20, smac: 2'
    """
    most, others = _most(n_of)
    return separator.join([f"n = {most}", *others])


def _most(n_of: Mapping[str, int]) -> tuple[int, list[str]]:
    """The number that most methods have, of several the largest, and "method: number" of the others."""
    counts = Counter(n_of.values())
    most = max(counts, key=lambda n: (counts[n], n))
    return most, [f"{method}: {n}" for method, n in sorted(n_of.items()) if n != most]


def _note(axes: Axes, text: str) -> None:
    """Small print at the top right, where most curves have left; a white edge of its letters parts it from others."""
    from matplotlib.patheffects import withStroke  # half a second, and optional

    axes.annotate(
        text,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(-2, -2),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="top",
        fontsize=7,
        color="#777777",
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def _legend(figure: Figure, looks: Mapping[str, Style], n_columns: int, title: str) -> None:
    from matplotlib.lines import Line2D  # half a second, and optional

    # matplotlib fills a legend column by column; people read it row by row
    names = [name for column in range(n_columns) for name in list(looks)[column::n_columns]]
    lines = [
        Line2D([], [], color=looks[name].color, linewidth=looks[name].width, **_stroke(looks[name])) for name in names
    ]
    figure.legend(
        lines,
        names,
        loc="outside lower center",
        ncols=n_columns,
        frameon=False,
        fontsize=9,
        title=title,
        title_fontsize=8,
        handlelength=2.4,
        columnspacing=1.4,
    )
