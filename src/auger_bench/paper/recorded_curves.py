"""Section 5 and appendix G: regret over evaluations, from curves that were recorded when we ran the experiments.

The curves come with the package, so the figures need no run. `auger bench table DIR --format curves` writes such files;
docs/benchmarks.md and docs/auto.md have the commands for each, and the final values of all runs are in the repository,
in benchmarks/results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from auger_bench.method_styles import Style, styles
from auger_bench.methods.recipes import REPEATS
from auger_bench.regret_plot import figure_of_curves
from auger_bench.statistics import Curve
from auger_bench.tables import read_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def recorded_curves(name: str) -> list[Curve]:
    """The recorded curves of an experiment of the paper, or of "unseen", the experiments behind `auto`.

    Example:
        >>> sorted({curve.problem for curve in recorded_curves("racing")})
        ['racing-ethz-a', 'racing-ethz-b', 'racing-ucb']
    """
    return read_curves((files("auger_bench") / "results" / f"{name}.csv").read_text(encoding="utf-8"))


# What the legend calls a recipe with a long name.
_SHORT = {"bore-mlp relaxed=false": "bore-mlp, ours", "bore-mlp repeats=true": "bore-mlp, with repeats"}


def experiment(name: str) -> Callable[[], Figure]:
    """A function that returns the figure of an experiment, with one panel per problem."""
    return lambda: figure_of_curves(
        [replace(curve, method=_SHORT.get(curve.method, curve.method)) for curve in recorded_curves(name)]
    )


# The methods of the paper's figures. Its Gaussian process is gone; Optuna's stands for it.
_OF_PAPER = ("bore-rf", "bore-xgb", "bore-mlp", "hyperopt-tpe", "smac", "optuna-gp", "re", "de", "random")


def of_paper(name: str) -> Callable[[], Figure]:
    """A function that returns the figure of an experiment with the methods of the paper alone."""
    return lambda: figure_of_curves([curve for curve in recorded_curves(name) if curve.method in _OF_PAPER])


def maximizer() -> Figure:
    """A panel for each recipe without repeats, and for each with them."""
    curves = recorded_curves("maximizer")
    solid = styles(f"rf-{curve.method.removesuffix(REPEATS).rpartition('-')[2]}" for curve in curves)
    looks = {_limit(method): style for method, style in solid.items()}
    return figure_of_curves([_by_maximizer(curve) for curve in curves], looks=looks)


def _by_maximizer(curve: Curve) -> Curve:
    suffix = ", with repeats" if curve.method.endswith(REPEATS) else ""
    return replace(curve, problem=f"{_recipe(curve)}{suffix}", method=_limit(curve.method.removesuffix(REPEATS)))


def _limit(method: str) -> str:
    """The maximizer, and how often it may call the score.

    Example:
        >>> _limit("bore-rf-de200")
        'evolution 200'
    """
    suffix = method.rpartition("-")[2]
    return f"{'random search' if suffix.startswith('rs') else 'evolution'} {suffix[2:]}"


_CALIBRATION = {
    "": ("not calibrated", Style("#000000", width=1.8)),
    "platt": ("Platt scaling", Style("#E69F00", width=1.8)),
    "isotonic": ("isotonic regression", Style("#56B4E9", width=1.8)),
    "platt-folds": ("Platt scaling, mean of two folds", Style("#E69F00", (4.0, 1.5), 1.8)),
    "isotonic-folds": ("isotonic regression, mean of two folds", Style("#56B4E9", (4.0, 1.5), 1.8)),
}


def calibration() -> Figure:
    """A panel for the forest and one for boosting; the paper has them in two figures."""
    curves = recorded_curves("calibration")
    variants = [_CALIBRATION[curve.method.removeprefix(_recipe(curve)).removeprefix("-")][0] for curve in curves]
    return figure_of_curves(list(map(_by_recipe, curves, variants)), looks=dict(_CALIBRATION.values()))


def _by_recipe(curve: Curve, variant: str) -> Curve:
    """The curve in the panel of its recipe, under the name of its variant."""
    return replace(curve, problem=f"{_recipe(curve)} on {curve.problem}", method=variant)


def _recipe(curve: Curve) -> str:
    return "-".join(curve.method.split("-")[:2])
