"""The paper's figures: a panel a problem, the mean over seeds against evaluations, with its 95 % band."""

from __future__ import annotations

import io
import math
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.errors import AugerError, nearest
from auger.types import Array
from auger_bench.methods.interface import MissingLibraryError
from auger_bench.run_files import Run
from auger_bench.statistics import Curve, curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What `draw` writes.
SUFFIXES = (".png", ".svg")
#: Of pictures in pixels: a page of documentation is some 850 to 1,100 of them wide.
DPI = 120


class FigureError(AugerError, ValueError):
    """A figure that cannot be drawn: a method without runs, a kind of file or a folder that is not there."""


# --- styles --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Style:
    """How a method is drawn.

    Attributes:
        color: "#rrggbb".
        dashes: lengths on and off in line widths; empty for a solid line.
        width: in points.
    """

    color: str
    dashes: tuple[float, ...] = ()
    width: float = 1.5


# Colors of Okabe and Ito and of Tol's "muted" set, told apart with any kind of color vision. Yellows are left out, too
# faint for a line. Nineteen colors cannot all be far apart, so the stroke helps: ours are solid, other people's dashed.
_DASHED = (4.0, 1.5)
_DASH_DOTTED = (6.0, 1.5, 1.2, 1.5)
_DOTTED = (1.2, 1.4)
STYLES: dict[str, Style] = {
    "auto": Style("#000000", width=2.0),
    "bore-rf": Style("#0072B2", width=1.8),
    "bore-xgb": Style("#D55E00", width=1.8),
    "bore-mlp": Style("#009E73", width=1.8),
    "bore-svm": Style("#CC79A7", width=1.8),
    "lfbo-rf": Style("#56B4E9"),
    "lfbo-xgb": Style("#E69F00"),
    "lfbo-mlp": Style("#8DB43C"),
    "optuna-tpe": Style("#882255", _DASHED),
    "optuna-gp": Style("#332288", _DASHED),
    "hyperopt-tpe": Style("#CC6677", _DASH_DOTTED),
    "smac": Style("#117733", _DASHED),
    "random": Style("#777777", _DOTTED),
    "auto-pruner": Style("#CC3311", width=1.8),
    "auto-asha": Style("#3366AA"),
    "auto-hyperband": Style("#66BBEE"),
    "hpbandster-bohb": Style("#2E8B57", _DASH_DOTTED),
    "optuna-tpe-hyperband": Style("#7A3E6B", _DASH_DOTTED),
    "random-hyperband": Style("#8C8C8C", _DASHED),
}
_OURS = ("auto", "bore-", "lfbo-")
_LIMITED = re.compile(r"(?P<base>.+)-(?P<kind>rs|de)(?P<limit>\d+)")
_HUES = {"rs": "#D55E00", "de": "#0072B2"}
_FAINTEST = 0.3  # of the hue, the rest white: the smallest limit must still be seen
# names we have not met: any of these colors with any of these strokes
_COLORS = ("#44AA99", "#AA4499", "#999933", "#DDAA33", "#4477AA", "#BB5566", "#661100", "#6699CC")
_STROKES = (_DASHED, _DASH_DOTTED, (2.5, 1.2), (8.0, 2.0))


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """How each of these methods is drawn, in the order of the legend: ours, then others, `random` last.

    A known name has the same style in every figure. An unknown one has a style derived from its name, and moves on to
    the next if another method of the figure has that already. Names ``<base>-rs<N>`` and ``<base>-de<N>`` share one hue
    for rs and one for de, the fuller the larger N; a second base is told by its stroke.
    """
    ordered = sorted(set(methods), key=_place)
    found = {name: STYLES[name] for name in ordered if name in STYLES}
    found |= _limited_styles([name for name in ordered if _LIMITED.fullmatch(name)])
    taken = set(found.values())
    for name in ordered:
        if name not in found:
            found[name] = _derived(name, taken)
            taken.add(found[name])
    return {name: found[name] for name in ordered}


def _place(name: str) -> tuple[int, int, str, str, int, str]:
    """Sorts methods: known ones as in `STYLES`, ours before others', limits by size and not by their digits."""
    known = list(STYLES)
    if name in STYLES:
        return (0 if name.startswith(_OURS) else 3 if name == "random" else 2, known.index(name), "", "", 0, name)
    match = _LIMITED.fullmatch(name)
    if match:
        return (1, 0, match["base"], match["kind"], int(match["limit"]), name)
    return (1 if name.startswith(_OURS) else 2, len(known), "", "", 0, name)


def _limited_styles(names: Sequence[str]) -> dict[str, Style]:
    """Even steps of fullness over the limits present: the paper's opacity, on white, so that crossings stay clean."""
    matches = {name: match for name in names if (match := _LIMITED.fullmatch(name))}
    bases = sorted({match["base"] for match in matches.values()})
    limits = sorted({int(match["limit"]) for match in matches.values()})
    strokes = ((), *_STROKES)
    return {
        name: Style(
            _faded(_HUES[match["kind"]], _fullness(limits.index(int(match["limit"])), len(limits))),
            strokes[bases.index(match["base"]) % len(strokes)],
            1.7,
        )
        for name, match in matches.items()
    }


def _fullness(place: int, n: int) -> float:
    return 1.0 if n == 1 else _FAINTEST + (1.0 - _FAINTEST) * place / (n - 1)


def _faded(color: str, fullness: float) -> str:
    """The color mixed with white.

    Example:
        >>> _faded("#0072B2", 1.0), _faded("#0072B2", 0.0)
        ('#0072b2', '#ffffff')
    """
    channels = [int(color[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - fullness * (255 - channel)):02x}" for channel in channels)


def _derived(name: str, taken: Collection[Style]) -> Style:
    strokes = ((),) if name.startswith(_OURS) else _STROKES
    palette = [Style(color, stroke) for stroke in strokes for color in _COLORS]
    start = zlib.crc32(name.encode())  # not `hash`, which differs from process to process
    turns = [palette[(start + turn) % len(palette)] for turn in range(len(palette))]
    return next((style for style in turns if style not in taken), turns[0])


# --- figures -------------------------------------------------------------------------------------------------------


def draw(
    runs: Iterable[Run], path: str | Path, *, methods: Sequence[str] | None = None, title: str | None = None
) -> None:
    """Write the figure of these runs to a file, PNG or SVG by its suffix.

    Args:
        runs: in any order; only complete ones are drawn.
        path: where to; a file there is replaced. Its folder must exist.
        methods: whom to draw; everybody by default.
        title: above the panels.

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
    save(figure(runs, methods=methods, title=title), path)


def save(drawn: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG, by the suffix. The same one gives the same file: no date in it, no random names."""
    from matplotlib import rc_context  # half a second, and optional

    if path.suffix.lower() == ".svg":
        with rc_context({"svg.hashsalt": "auger"}):
            drawn.savefig(path, metadata={"Date": None})
        return
    from PIL import Image  # comes with matplotlib

    pixels = io.BytesIO()
    drawn.savefig(pixels, format="png", dpi=DPI)
    # lines on white need no more than 256 colors, and a third of the bytes
    few_colors = Image.open(pixels).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few_colors.save(path, format="png", optimize=True)


def figure(runs: Iterable[Run], *, methods: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """The figure as matplotlib's object, not registered with pyplot. Arguments as in `draw`."""
    return of_curves(_choose(curves(runs), methods), title=title)


def of_curves(
    chosen: Sequence[Curve],
    *,
    title: str | None = None,
    looks: Mapping[str, Style] | None = None,
    has_bands: bool = True,
) -> Figure:
    """The figure of curves that are there already, at all evaluations or at some of them.

    Args:
        chosen: the curves, a panel a problem.
        title: above the panels.
        looks: how each method is drawn, in the order of the legend; None for `styles`.
        has_bands: whether the 95 % bands are drawn.
    """
    looks = styles(curve.method for curve in chosen) if looks is None else looks
    problems = sorted({curve.problem for curve in chosen})
    n_columns = _n_columns(len(problems))
    n_rows = math.ceil(len(problems) / n_columns)
    n_lines = math.ceil(len(looks) / _legend_columns(looks, n_columns))
    height = 2.5 * n_rows + 0.22 * n_lines + 0.3 + (0.3 if title else 0.0)
    drawn = blank(_width(n_columns), height)
    panels = [[curve for curve in chosen if curve.problem == problem] for problem in problems]
    for place, panel in enumerate(panels):
        axes = drawn.add_subplot(n_rows, n_columns, place + 1)
        _panel(axes, panel, looks, has_bands=has_bands)
        if place + n_columns >= len(problems):  # nothing below it
            axes.set_xlabel("evaluations", fontsize=9)
        if place % n_columns and panel[0].is_regret == panels[place - 1][0].is_regret:
            axes.set_ylabel("")  # said by a panel to the left
    _legend(drawn, looks, _legend_columns(looks, n_columns))
    if title:
        drawn.suptitle(title, fontsize=12)
    return drawn


def blank(width: float, height: float) -> Figure:
    """An empty figure of so many inches, not registered with pyplot.

    Raises:
        MissingLibraryError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # half a second, and optional
    except ImportError as error:
        raise MissingLibraryError('Figures need matplotlib. Install it with: pip install "auger[figures]"') from error
    return Figure(figsize=(width, height), layout="constrained")


def tidy(axes: Axes) -> None:
    """The frame that all our panels have: a faint grid behind, and no lines at the top and on the right."""
    axes.grid(which="major", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, color="#999999", which="both")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")


def _choose(found: Sequence[Curve], methods: Sequence[str] | None) -> list[Curve]:
    if methods is None:
        return list(found)
    present = sorted({curve.method for curve in found})
    for method in methods:
        if method not in present:
            raise FigureError(f"No complete run of method {method!r}. {nearest(method, present)}")
    if not methods:
        raise FigureError("`methods` must name at least one method. Got none.")
    return [curve for curve in found if curve.method in methods]


def _n_columns(n_panels: int) -> int:
    """Up to three in a row, four where that saves a row: a README is some 850 pixels wide."""
    if n_panels == 4:
        return 2
    return 4 if n_panels in (7, 8) or n_panels > 9 else min(n_panels, 3)


def _width(n_columns: int) -> float:
    return {1: 5.2, 2: 7.4, 3: 9.6, 4: 11.2}[n_columns]


def _legend_columns(names: Collection[str], n_columns: int) -> int:
    """As many as fit the width, then as few as need no further line: 12 names stand 6 and 6, not 7 and 5."""
    entry = 0.6 + 0.07 * max(map(len, names))  # inches: the stroke and the spaces, then the letters
    fit = max(1, min(len(names), int(_width(n_columns) / entry)))
    return math.ceil(len(names) / math.ceil(len(names) / fit))


def _panel(axes: Axes, panel: Sequence[Curve], looks: Mapping[str, Style], *, has_bands: bool) -> None:
    is_regret = panel[0].is_regret
    floor = _floor(panel) if is_regret else -math.inf
    order = list(looks)
    # ours are drawn last, on top
    for curve in sorted(panel, key=lambda curve: -order.index(curve.method)):
        style = looks[curve.method]
        lower, mean, upper = (np.maximum(line, floor) for line in (curve.lower, curve.mean, curve.upper))
        if has_bands:
            axes.fill_between(curve.evaluations, lower, upper, color=style.color, alpha=0.12, linewidth=0.0)
        axes.plot(
            curve.evaluations, mean, color=style.color, linewidth=style.width, label=curve.method, **_stroke(style)
        )
    if is_regret:
        _regret_axis(axes, panel, floor)
    else:
        _value_axis(axes, panel)
    axes.set_title(panel[0].problem, fontsize=10)
    axes.set_xlim(1, max(_n_evals(panel), 2))
    tidy(axes)


def _n_evals(panel: Sequence[Curve]) -> int:
    return int(panel[0].evaluations[-1])


def _after(curve: Curve, n_evals: int) -> Array:
    """The mean of a curve behind its first evaluations."""
    return curve.mean[curve.evaluations > n_evals]


def _stroke(style: Style) -> dict[str, Any]:
    return {"linestyle": (0, style.dashes)} if style.dashes else {}


def _floor(panel: Sequence[Curve]) -> float:
    """Where regret 0 is drawn: half of the smallest positive mean of the panel."""
    positive = [curve.mean[curve.mean > 0.0] for curve in panel]
    smallest = min((line.min() for line in positive if len(line)), default=1.0)
    return float(smallest) / 2


def _regret_axis(axes: Axes, panel: Sequence[Curve], floor: float) -> None:
    """A logarithmic axis from the lowest mean to the highest after a fiftieth of the evaluations.

    Where a mean is 0, a dotted line says that 0 is drawn there.
    """
    axes.set_yscale("log")
    axes.set_ylabel("mean regret", fontsize=9)
    has_zero = any((curve.mean <= 0.0).any() for curve in panel)
    settled = _n_evals(panel) // 50
    low = floor if has_zero else 2 * floor
    high = max((float(line.max()) for curve in panel if len(line := _finite([_after(curve, settled)]))), default=low)
    decades = max(math.log10(max(high, low) / low), 0.5)
    # the words stand below the line of zero, where no curve comes
    axes.set_ylim(low / 10 ** ((0.1 if has_zero else 0.04) * decades), low * 10 ** (1.04 * decades))
    if has_zero:
        # down there the axis holds no numbers: a tick at the line would call it 0.001
        ticks = [tick for tick in axes.get_yticks() if 1.05 * floor < tick <= axes.get_ylim()[1]]
        if ticks:
            axes.set_yticks(ticks)
        axes.axhline(floor, color="#999999", linewidth=0.8, dashes=_DOTTED, zorder=1)
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
    """From just below everything to where the highest curve is after a tenth of the evaluations.

    The first, random evaluations would otherwise take most of the height.
    """
    axes.set_ylabel("mean best value", fontsize=9)
    settled = _n_evals(panel) // 10
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


def _legend(drawn: Figure, looks: Mapping[str, Style], n_columns: int) -> None:
    from matplotlib.lines import Line2D  # half a second, and optional

    # matplotlib fills column by column; we read row by row
    names = [name for column in range(n_columns) for name in list(looks)[column::n_columns]]
    lines = [
        Line2D([], [], color=looks[name].color, linewidth=looks[name].width, **_stroke(looks[name])) for name in names
    ]
    drawn.legend(
        lines,
        names,
        loc="outside lower center",
        ncols=n_columns,
        frameon=False,
        fontsize=9,
        handlelength=2.4,
        columnspacing=1.4,
    )
