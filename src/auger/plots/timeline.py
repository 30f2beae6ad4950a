"""Which worker ran which trial, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any

from auger.plots.errors import PlotError
from auger.plots.escaping import plain
from auger.plots.style import BLUE, GRAY, HATCH, ORANGE, PURPLE, SKY, VERMILION, Figure, axis, figure
from auger.plots.thin import MAX_POINTS
from auger.plots.trials import hovers
from auger.trial import State, Trial
from auger.view import view

# state -> color and pattern
_LOOKS = {
    State.COMPLETE: (BLUE, ""),
    State.PRUNED: (GRAY, "."),
    State.FAILED: (VERMILION, "x"),
    State.DIED: (ORANGE, "/"),
    State.STOPPED: (PURPLE, "\\"),
    State.RUNNING: (SKY, ""),
}

# From so many seconds on, times are shown in units of so many seconds.
_UNITS = ((2 * 86400, 86400, "days"), (2 * 3600, 3600, "hours"), (2 * 60, 60, "minutes"), (0, 1, "seconds"))


def timeline(source: Any) -> Figure:
    """Draw the trials as bars in time, colored by how they ended, the rows of one worker below each other.

    Trials of one worker that ran at the same time stand in rows of their own.

    Args:
        source: whatever `auger.view` looks at.

    Raises:
        PlotError: it is not known when the trials ran, as for past results.

    Example:
        >>> import optuna
        >>> study = optuna.create_study()
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        >>> len(timeline(study).data[0].x)
        3
    """
    run = view(source)
    ran = [trial for trial in run.trials if trial.started is not None]
    if not ran:
        raise PlotError("It is not known when these trials ran." if run.trials else "There is no trial yet.")
    # every so many would look as if workers had been idle
    note = f"The latest {MAX_POINTS:,} of {len(ran):,} trials shown." if len(ran) > MAX_POINTS else ""
    ran = sorted(ran, key=_started)[-MAX_POINTS:]
    begins = [_started(trial) for trial in ran]
    first, last = min(begins), max([*begins, *(trial.finished for trial in ran if trial.finished)])
    starts = [(begin - first).total_seconds() for begin in begins]
    lengths = [_length(trial, last) for trial in ran]
    names, lanes = _lanes(ran, starts, lengths)
    whole = max(start + length for start, length in zip(starts, lengths, strict=True))
    unit, unit_name = next((size, name) for least, size, name in _UNITS if whole >= least)
    traces = []
    for state, (color, pattern) in _LOOKS.items():
        members = [i for i, trial in enumerate(ran) if trial.state is state]
        if not members:
            continue
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{state.value}: {len(members):,}",
                "y": [lanes[i] for i in members],
                "base": [starts[i] / unit for i in members],
                # a trial of no time is a line at least
                "x": [max(lengths[i], whole / 2000) / unit for i in members],
                "hovertext": hovers(run, [ran[i] for i in members]),
                "hoverinfo": "text",
                "marker": {"color": color, "pattern": HATCH | {"shape": pattern}, "line": {"width": 0}},
            }
        )
    ticks = [row for row, name in enumerate(names) if name]
    ticks = ticks[:: math.ceil(len(ticks) / 30)]
    return figure(
        traces,
        f"Trials of {plain(run.name, 28)} in time",
        notes=[note],
        height=min(150 + 26 * len(names), 640),
        xaxis=axis(f"{unit_name} since {first:%Y-%m-%d %H:%M}"),
        yaxis=axis(
            tickvals=ticks,
            ticktext=[plain(names[row], 24) for row in ticks],
            range=[len(names) - 0.4, -0.6],
            showgrid=False,
        ),
        barmode="overlay",
        bargap=0.15,
        showlegend=True,
    )


def _started(trial: Trial) -> datetime:
    assert trial.started is not None
    return trial.started


def _length(trial: Trial, last: datetime) -> float:
    """Seconds; until the latest time known for a trial that has not ended.

    A trial whose worker died is finished when that is noticed, long after: its cost is the shorter time.
    """
    seconds = ((trial.finished or last) - _started(trial)).total_seconds()
    return max(seconds if trial.cost is None else min(seconds, trial.cost), 0.0)


def _lanes(ran: Sequence[Trial], starts: Sequence[float], lengths: Sequence[float]) -> tuple[list[str], list[int]]:
    """The names of the rows, workers in the order in which they began, and the row of each trial, sorted by start.

    The first row of a worker has its name. Where no worker is known, rows are numbered.
    """
    ends: dict[str, list[float]] = {}  # worker -> when each of its lanes is free again
    own_lanes = []
    for trial, start, length in zip(ran, starts, lengths, strict=True):
        free = ends.setdefault(trial.worker, [])
        lane = next((lane for lane, end in enumerate(free) if end <= start), len(free))
        free[lane:] = [start + length, *free[lane + 1 :]]
        own_lanes.append(lane)
    if list(ends) == [""]:
        return [str(lane + 1) for lane in range(len(ends[""]))], own_lanes
    first = dict(zip(ends, accumulate([0, *map(len, ends.values())]), strict=False))
    names = [name for worker, free in ends.items() for name in (worker or "unknown", *[""] * (len(free) - 1))]
    return names, [first[trial.worker] + lane for trial, lane in zip(ran, own_lanes, strict=True)]
