"""Who ran what when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auger.plots.errors import PlotError
from auger.plots.rows import hovers
from auger.plots.style import BLUE, GRAY, HATCH, ORANGE, PURPLE, SKY, VERMILION, axis, figure
from auger.plots.texts import plain
from auger.plots.thin import MAX_POINTS
from auger.view import Row, view

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# state -> color and pattern
_LOOKS = {
    "complete": (BLUE, ""),
    "pruned": (GRAY, "."),
    "failed": (VERMILION, "x"),
    "died": (ORANGE, "/"),
    "stopped": (PURPLE, "\\"),
    "running": (SKY, ""),
}

# Of a time in seconds, from when on it is told in larger units.
_UNITS = ((2 * 86400, 86400, "days"), (2 * 3600, 3600, "hours"), (2 * 60, 60, "minutes"), (0, 1, "seconds"))


def timeline(source: Any) -> Figure:
    """Draw the trials as bars in time, a row a worker, colored by how they ended.

    Where nobody knows who ran them, those that ran at the same time stand in rows above each other.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: nobody knows when the trials ran, as for an Optimizer's own.

    Example:
        >>> import optuna
        >>> study = optuna.create_study()
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        >>> len(timeline(study).data[0].x)
        3
    """
    seen = view(source)
    ran = [row for row in seen.rows if row.started is not None]
    if not ran:
        raise PlotError("It is not known when these trials ran." if seen.rows else "There is no trial yet.")
    # every so many would look as if workers had been idle
    note = f"The latest {MAX_POINTS:,} of {len(ran):,} trials shown." if len(ran) > MAX_POINTS else ""
    ran = sorted(ran, key=_started)[-MAX_POINTS:]
    begins = [_started(row) for row in ran]
    first, last = min(begins), max([*begins, *(row.finished for row in ran if row.finished)])
    starts = [(begin - first).total_seconds() for begin in begins]
    lengths = [_length(row, last) for row in ran]
    names, lanes = _lanes(ran, starts, lengths)
    whole = max(start + length for start, length in zip(starts, lengths, strict=True))
    unit, unit_name = next((size, name) for least, size, name in _UNITS if whole >= least)
    traces = []
    for state in [state for state in _LOOKS if any(row.state == state for row in ran)]:
        members = [place for place in range(len(ran)) if ran[place].state == state]
        color, pattern = _LOOKS[state]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{state}: {len(members):,}",
                "y": [lanes[place] for place in members],
                "base": [starts[place] / unit for place in members],
                # a trial of no time is a line at least
                "x": [max(lengths[place], whole / 2000) / unit for place in members],
                "hovertext": hovers(seen, [ran[place] for place in members]),
                "hoverinfo": "text",
                "marker": {"color": color, "pattern": HATCH | {"shape": pattern}, "line": {"width": 0}},
            }
        )
    step = math.ceil(len(names) / 30)
    return figure(
        traces,
        f"Trials of {plain(seen.name, 28)} in time",
        notes=[note],
        height=min(150 + 26 * len(names), 640),
        xaxis=axis(f"{unit_name} since {first:%Y-%m-%d %H:%M}"),
        yaxis=axis(
            tickvals=list(range(0, len(names), step)),
            ticktext=[plain(name, 24) for name in names[::step]],
            range=[len(names) - 0.4, -0.6],
            showgrid=False,
        ),
        barmode="overlay",
        bargap=0.15,
        showlegend=True,
    )


def _started(row: Row) -> datetime:
    assert row.started is not None
    return row.started


def _length(row: Row, last: datetime) -> float:
    """Seconds; until the latest time known for a trial that has not ended."""
    if row.seconds is not None:
        return max(row.seconds, 0.0)
    return max(((row.finished or last) - _started(row)).total_seconds(), 0.0)


def _lanes(ran: Sequence[Row], starts: Sequence[float], lengths: Sequence[float]) -> tuple[list[str], list[int]]:
    """The names of the rows, in the order in which they began, and the row of each trial; these are sorted by start."""
    if any(row.worker for row in ran):
        workers = list(dict.fromkeys(row.worker for row in ran))
        return [worker or "unknown" for worker in workers], [workers.index(row.worker) for row in ran]
    free: list[float] = []  # when each lane is free again
    lanes = []
    for start, length in zip(starts, lengths, strict=True):
        lane = next((lane for lane, end in enumerate(free) if end <= start), len(free))
        free[lane:] = [start + length, *free[lane + 1 :]]
        lanes.append(lane)
    return [str(lane + 1) for lane in range(len(free))], lanes
