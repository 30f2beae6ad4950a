"""Section 5 and appendix G: regret over evaluations, from curves that were recorded when we ran the experiments.

The curves come with the package, so the figures need no run. `auger bench table DIR --format curves` writes such files;
docs/benchmarks.md and docs/auto.md have the commands for each, and the final values of all runs are in the repository,
in benchmarks/results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

# What curves are the mean of where the optimum is unknown.
_VALUES = {"robot-pushing": "negative reward", "robot-pushing-long": "negative reward", "racing": "best lap time (s)"}


def experiment(name: str) -> Callable[[], Figure]:
    """A function that returns the figure of an experiment, with one panel per problem."""

    def figure() -> Figure:
        curves = [replace(curve, method=_SHORT.get(curve.method, curve.method)) for curve in recorded_curves(name)]
        return figure_of_curves(curves, value=_VALUES.get(name, "best value"))

    return figure


# The methods of the paper's figures. Its Gaussian process is gone; Optuna's stands for it.
_OF_PAPER = ("bore-rf", "bore-xgb", "bore-mlp", "hyperopt-tpe", "smac", "optuna-gp", "re", "de", "random")
_OUR_NETWORK = "bore-mlp relaxed=false"

# The panels of the paper's figures, in its order, with its titles.
_PANELS = {
    "fcnet": {
        "fcnet-protein": "protein",
        "fcnet-naval": "naval",
        "fcnet-parkinsons": "parkinsons",
        "fcnet-slice": "slice",
    },
    "nas201": {"nas201-cifar10": "CIFAR-10", "nas201-cifar100": "CIFAR-100", "nas201-imagenet16": "ImageNet-16"},
    "robot-pushing": {"robot-pushing": "robot pushing (D = 14)"},
    "racing": {
        "racing-ucb": "UC Berkeley (D = 12)",
        "racing-ethz-a": "ETH Zürich A (D = 20)",
        "racing-ethz-b": "ETH Zürich B (D = 21)",
    },
}


def of_paper(name: str) -> Callable[[], Figure]:
    """A function that returns the figure of an experiment with the methods of the paper alone.

    On a problem where its network was not run, ours stands for it, under its own name.
    """

    def figure() -> Figure:
        titles = _PANELS[name]
        curves = recorded_curves(name)
        has_network = {curve.problem for curve in curves if curve.method == "bore-mlp"}
        chosen = [
            replace(curve, problem=titles[curve.problem], method=_SHORT.get(curve.method, curve.method))
            for curve in curves
            if curve.method in _OF_PAPER or (curve.method == _OUR_NETWORK and curve.problem not in has_network)
        ]
        return figure_of_curves(chosen, problems=list(titles.values()), value=_VALUES.get(name, "best value"))

    return figure


def maximizer() -> Figure:
    """A panel for each recipe without repeats, and for each with them."""
    return _by_limit(recorded_curves("maximizer"))


def maximizer_of_paper() -> Figure:
    """A panel for each recipe, without repeats, with the limits of the paper."""
    curves = recorded_curves("maximizer")
    return _by_limit([curve for curve in curves if not curve.method.endswith((REPEATS, "1000"))])


def _by_limit(curves: Sequence[Curve]) -> Figure:
    solid = styles(f"rf-{curve.method.removesuffix(REPEATS).rpartition('-')[2]}" for curve in curves)
    # a row of the legend for each maximizer; random search has more limits
    names = sorted(solid, key=lambda name: "-rs" not in name)
    return figure_of_curves(
        [_by_maximizer(curve) for curve in curves], looks={_limit(name): solid[name] for name in names}
    )


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
    return _by_calibration(recorded_curves("calibration"), _CALIBRATION)


def calibration_of_paper() -> Figure:
    """The same as the paper has it: calibrated as the mean over folds, as by scikit-learn, or not at all."""
    looks = {"": _CALIBRATION[""]}
    for method in ("platt", "isotonic"):
        name, style = _CALIBRATION[method]
        looks[f"{method}-folds"] = (name, style)
    curves = [curve for curve in recorded_curves("calibration") if _variant(curve) in looks]
    return _by_calibration([replace(curve, problem="UC Berkeley") for curve in curves], looks)


def _by_calibration(curves: Sequence[Curve], looks: Mapping[str, tuple[str, Style]]) -> Figure:
    drawn = [_by_recipe(curve, looks[_variant(curve)][0]) for curve in curves]
    return figure_of_curves(drawn, looks=dict(looks.values()), value=_VALUES["racing"])


def _variant(curve: Curve) -> str:
    return curve.method.removeprefix(_recipe(curve)).removeprefix("-")


def _by_recipe(curve: Curve, variant: str) -> Curve:
    """The curve in the panel of its recipe, under the name of its variant."""
    return replace(curve, problem=f"{_recipe(curve)} on {curve.problem}", method=variant)


def _recipe(curve: Curve) -> str:
    return "-".join(curve.method.split("-")[:2])
