"""The color and stroke of each method in regret plots."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How the line of a method is drawn.

    Attributes:
        color: as "#rrggbb".
        dashes: lengths on and off, in line widths; empty for a solid line.
        width: of the line, in points.
    """

    color: str
    dashes: tuple[float, ...] = ()
    width: float = 1.5


# Colors of Okabe and Ito and of Tol's "muted" set, told apart with any kind of color vision; without the yellows, too
# faint for a line. Nineteen colors cannot all be far apart, so strokes help: our methods are solid, others dashed.
_DASHED = (4.0, 1.5)
_DASHDOTTED = (6.0, 1.5, 1.2, 1.5)
DOTTED = (1.2, 1.4)
STYLES: dict[str, Style] = {
    "auto": Style("#000000", width=2.0),
    "bore-rf": Style("#0072B2", width=1.8),
    "bore-xgb": Style("#D55E00", width=1.8),
    "bore-mlp": Style("#009E73", width=1.8),
    "bore-mlp, ours": Style("#6FC9A9", width=1.8),  # without relaxed choices
    "bore-mlp, with repeats": Style("#7B4FA3", width=1.8),
    "bore-mlp activation=elu": Style("#B8529E", width=1.8),
    "bore-xgb online=true": Style("#A65628", width=1.8),
    "bore-svm": Style("#CC79A7", width=1.8),
    "lfbo-rf": Style("#56B4E9"),
    "lfbo-xgb": Style("#E69F00"),
    "lfbo-mlp": Style("#8DB43C"),
    "optuna-tpe": Style("#882255", _DASHED),
    "optuna-gp": Style("#332288", _DASHED),
    "hyperopt-tpe": Style("#CC6677", _DASHDOTTED),
    "smac": Style("#117733", _DASHED),
    "re": Style("#661100", (8.0, 2.0)),
    "random": Style("#777777", DOTTED),
    "auto-pruner": Style("#CC3311", width=1.8),
    "auto-asha": Style("#3366AA"),
    "auto-hyperband": Style("#66BBEE"),
    "hpbandster-bohb": Style("#2E8B57", _DASHDOTTED),
    "optuna-tpe-hyperband": Style("#7A3E6B", _DASHDOTTED),
    "random-hyperband": Style("#8C8C8C", _DASHED),
}
_OURS = ("auto", "bore-", "lfbo-")
_LIMITED = re.compile(r"(?P<base>.+)-(?P<maximizer>rs|de)(?P<limit>\d+)")
_HUES = {"rs": "#D55E00", "de": "#0072B2"}
_FAINTEST = 0.3  # of the hue, the rest white: the smallest limit must still be visible
# other names: any of these colors with any of these strokes
_COLORS = ("#44AA99", "#AA4499", "#999933", "#DDAA33", "#4477AA", "#BB5566", "#661100", "#6699CC")
_STROKES = (_DASHED, _DASHDOTTED, (2.5, 1.2), (8.0, 2.0))


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """How each of these methods is drawn, in the order of the legend: ours, then others, `random` last.

    A name in `STYLES` has the same style in every figure. Another name has a style derived from it, or the next one if
    another method of the figure has that style already. Names ``<base>-rs<N>`` and ``<base>-de<N>`` share one hue for
    rs and one for de, fuller for larger N; the stroke tells a second base from the first.
    """
    ordered = sorted(set(methods), key=_sort_key)
    by_name = {name: STYLES[name] for name in ordered if name in STYLES}
    by_name |= _limited_styles([name for name in ordered if _LIMITED.fullmatch(name)])
    for name in ordered:
        if name not in by_name:
            by_name[name] = _derived(name, set(by_name.values()))
    return {name: by_name[name] for name in ordered}


def _sort_key(name: str) -> tuple[int, int, str, str, int, str]:
    """Sorts methods: those in `STYLES` in its order, ours before others, limits as numbers and not as text."""
    names = list(STYLES)
    if name in STYLES:
        return (0 if name.startswith(_OURS) else 3 if name == "random" else 2, names.index(name), "", "", 0, name)
    match = _LIMITED.fullmatch(name)
    if match:
        return (1, 0, match["base"], match["maximizer"], int(match["limit"]), name)
    return (1 if name.startswith(_OURS) else 2, len(names), "", "", 0, name)


def _limited_styles(names: Sequence[str]) -> dict[str, Style]:
    """Even steps of fullness over the limits: the paper's opacity, mixed with white so that crossings stay clean."""
    matches = {name: match for name in names if (match := _LIMITED.fullmatch(name))}
    bases = sorted({match["base"] for match in matches.values()})
    limits = sorted({int(match["limit"]) for match in matches.values()})
    strokes = ((), *_STROKES)
    return {
        name: Style(
            _faded(_HUES[match["maximizer"]], _fullness(limits.index(int(match["limit"])), len(limits))),
            strokes[bases.index(match["base"]) % len(strokes)],
            1.7,
        )
        for name, match in matches.items()
    }


def _fullness(index: int, n: int) -> float:
    return 1.0 if n == 1 else _FAINTEST + (1.0 - _FAINTEST) * index / (n - 1)


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
