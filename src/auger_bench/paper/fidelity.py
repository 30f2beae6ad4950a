"""Methods that stop trials early: the regret at the end of runs of the same cost, from our recorded runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from auger_bench.canvas import blank, tidy
from auger_bench.method_styles import styles
from auger_bench.paper.recorded_curves import recorded_curves
from auger_bench.regret_plot import n_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from auger_bench.statistics import Curve

_N_COLUMNS = 4


def figure() -> Figure:
    """A panel per problem: the mean final regret of each method and its 95 % interval, the lowest on average on top."""
    curves = recorded_curves("fidelity")
    problems = sorted({curve.problem for curve in curves})
    methods = by_regret(curves)
    n_rows = math.ceil(len(problems) / _N_COLUMNS)
    figure = blank(11.2, 0.19 * len(methods) * n_rows + 0.7 * n_rows + 0.4)
    for index, problem in enumerate(problems):
        axes = figure.add_subplot(n_rows, _N_COLUMNS, index + 1)
        _draw(axes, [curve for curve in curves if curve.problem == problem], methods)
        axes.set_title(problem, fontsize=10)
        if index % _N_COLUMNS:
            axes.tick_params(labelleft=False)
        if index + _N_COLUMNS >= len(problems):
            axes.set_xlabel("mean regret", fontsize=9)
    n_units = max(int(curve.evaluations[-1]) for curve in curves)
    figure.supxlabel(f"at the cost of {n_units} full evaluations; {n_runs(curves, 'intervals')}", fontsize=8)
    return figure


def by_regret(curves: list[Curve]) -> list[str]:
    """The methods by the mean over problems of the logarithm of their final regret, lowest first."""
    heights: dict[str, list[float]] = {}
    for curve in curves:
        heights.setdefault(curve.method, []).append(math.log(curve.mean[-1]))
    return sorted(heights, key=lambda method: float(np.mean(heights[method])))


def _draw(axes: Axes, panel: list[Curve], methods: list[str]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # optional

    looks = styles(methods)
    for curve in panel:
        row, mean = methods.index(curve.method), curve.mean[-1]
        color = looks[curve.method].color
        axes.hlines(row, curve.lower[-1], curve.upper[-1], color=color, linewidth=2.2, alpha=0.45)
        axes.plot(mean, row, "o", color=color, markersize=5, label=curve.method)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda regret, _: f"{regret:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set(ylim=(len(methods) - 0.5, -0.5), yticks=range(len(methods)), yticklabels=methods)
    tidy(axes)
    axes.tick_params(axis="y", labelcolor="#222222", length=0)
