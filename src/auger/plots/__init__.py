"""Figures of a run, for people who tune: plotly's, to be shown in a notebook or written to a file.

Every function takes an Optimizer, a Result, a History, a study of `auger tune` or an Optuna study, and returns a
`plotly.graph_objects.Figure`. When there is nothing to draw it raises `PlotError`, whose sentence says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auger.plots.attainment import attainment
from auger.plots.curves import curves
from auger.plots.drivers import drivers
from auger.plots.errors import PlotError
from auger.plots.feasibility import feasibility
from auger.plots.forecast import forecast
from auger.plots.front import front
from auger.plots.history import history
from auger.plots.importance import importance
from auger.plots.parallel import parallel
from auger.plots.reliability import reliability
from auger.plots.skill import skill
from auger.plots.slice_of_good import slice_of_good
from auger.plots.slices import slices
from auger.plots.surface import surface
from auger.plots.thin import MAX_POINTS
from auger.plots.timeline import timeline

#: Every plot by its name; `slice_of_good` wants the name of a parameter as well, `surface` those of two.
PLOTS: dict[str, Callable[..., Any]] = {
    plot.__name__: plot
    for plot in (
        *(history, slices, parallel, importance, slice_of_good, surface),
        *(reliability, skill, front, timeline, curves, forecast),
        *(attainment, drivers, feasibility),
    )
}

__all__ = [
    "MAX_POINTS",
    "PLOTS",
    "PlotError",
    "attainment",
    "curves",
    "drivers",
    "feasibility",
    "forecast",
    "front",
    "history",
    "importance",
    "parallel",
    "reliability",
    "skill",
    "slice_of_good",
    "slices",
    "surface",
    "timeline",
]
