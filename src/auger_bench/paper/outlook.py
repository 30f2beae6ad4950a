"""What the paper suggests for later, beside the recipes that it changes: from the final regrets of our recorded runs.

The file has a row for every run on a problem whose optimum is known: problem, method, seed, regret. They are columns of
benchmarks/results/outlook-runs.csv; docs/outlook.md has the command that makes the runs.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from auger.types import Array
from auger_bench.canvas import blank, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What is compared with which recipe, from top to bottom.
GROUPS: dict[str, tuple[str, ...]] = {
    "bore-rf": (
        *("bore-rulsif", "bore-ulsif", "bore-kliep", "bore-kmm"),
        *("bore-rf online=true", "bore-rf gamma=decay"),
    ),
    "bore-xgb": (
        *("bore-xgb loss=exponential", "bore-xgb loss=kliep", "bore-xgb loss=lsif", "bore-xgb online=true"),
        *("bore-xgb gamma=decay", "bore-xgb gamma=linear", "bore-xgb gamma=sqrt"),
    ),
    "bore-mlp": (
        *("bore-mlp loss=exponential", "bore-mlp loss=kliep", "bore-mlp loss=lsif"),
        *("bore-mlp posterior=dropout", "bore-mlp posterior=laplace", "bore-mlp varied=true ensemble=5"),
        *("bore-mlp varied=true ensemble=5 acquisition=upper", "bore-mlp posterior=laplace acquisition=thompson"),
        *("bore-mlp patience=5", "bore-mlp emphasis=4.0", "bore-mlp emphasis=4.0 patience=5"),
    ),
}
_TABLES = ("fcnet-", "nas201-")
_COLORS = {"bore-rf": "#0072B2", "bore-xgb": "#D55E00", "bore-mlp": "#009E73"}

# Regrets below this share of random search's median count as this much, as everywhere in the benchmark.
_FLOOR = 1e-3


class Difference(NamedTuple):
    """Decades between a method and its recipe, negative if it is better, and the standard error; of how many pairs."""

    decades: float
    error: float
    n: int


@cache
def final_regrets() -> dict[str, dict[str, dict[int, float]]]:
    """problem -> method -> seed -> regret at the end.

    Example:
        >>> sorted(final_regrets())[:2]
        ['ackley-mixed+shifted5', 'compiler']
    """
    text = (files("auger_bench") / "results" / "outlook.csv").read_text(encoding="utf-8")
    regrets: dict[str, dict[str, dict[int, float]]] = {}
    for row in csv.DictReader(text.splitlines()):
        seeds = regrets.setdefault(row["problem"], {}).setdefault(row["method"], {})
        seeds[int(row["seed"])] = float(row["regret"])
    return regrets


def difference(method: str, recipe: str, *, on_tables: bool) -> Difference:
    """A method against a recipe at the same seeds, the mean over problems; the error is that of the seeds alone."""
    means, squares, n = [], [], 0
    for problem, methods in final_regrets().items():
        if problem.startswith(_TABLES) != on_tables:
            continue
        floor = _FLOOR * float(np.median(list(methods["random"].values())))
        seeds = sorted(methods[method].keys() & methods[recipe].keys())
        ours, theirs = (_logs([methods[name][seed] for seed in seeds], floor) for name in (method, recipe))
        steps = ours - theirs
        means.append(float(steps.mean()))
        squares.append(float(steps.var(ddof=1)) / len(steps))
        n += len(seeds)
    return Difference(math.fsum(means) / len(means), math.sqrt(math.fsum(squares)) / len(squares), n)


def _logs(regrets: list[float], floor: float) -> Array:
    return np.asarray(np.log10(np.maximum(regrets, floor)))


def figure() -> Figure:
    """A panel for tables and one for other problems: decades between each method and the recipe that it changes."""
    names = [(recipe, method) for recipe, methods in GROUPS.items() for method in methods]
    drawn = blank(9.6, 0.21 * len(names) + 1.2)
    n = set()
    for index, (on_tables, title) in enumerate(((True, "tables of the paper"), (False, "other problems"))):
        axes = drawn.add_subplot(1, 2, index + 1)
        for row, (recipe, method) in enumerate(names):
            comparison = difference(method, recipe, on_tables=on_tables)
            n.add(comparison.n)
            low, high = comparison.decades - 1.96 * comparison.error, comparison.decades + 1.96 * comparison.error
            axes.hlines(row, low, high, color=_COLORS[recipe], linewidth=2.2, alpha=0.45)
            axes.plot(comparison.decades, row, "o", color=_COLORS[recipe], markersize=5, label=method)
        _finish(axes, [method for _, method in names])
        axes.set_title(title, fontsize=10)
        axes.tick_params(labelleft=not index)
    pairs = f"{min(n)} to {max(n)}" if len(n) > 1 else str(*n)
    drawn.supxlabel(
        "decades of regret against the recipe of the same color (bore-rf, bore-xgb, bore-mlp), lower is better; "
        f"95 % intervals, n = {pairs} pairs of runs",
        fontsize=8,
    )
    return drawn


def _finish(axes: Axes, names: list[str]) -> None:
    axes.axvline(0.0, color="#222222", linewidth=1.0)
    for methods in list(GROUPS.values())[:-1]:
        axes.axhline(names.index(methods[-1]) + 0.5, color="#cccccc", linewidth=0.8)
    axes.set(ylim=(len(names) - 0.5, -0.5), yticks=range(len(names)), yticklabels=names)
    tidy(axes)
    axes.tick_params(axis="y", labelcolor="#222222", length=0, labelsize=8)
