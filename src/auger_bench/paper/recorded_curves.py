"""Section 5 and appendix G: regret over evaluations, from the runs we recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from auger_bench.recorded import recorded
from auger_bench.regret_plot import Style, of_curves, styles
from auger_bench.statistics import Curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def experiment(name: str) -> Callable[[], Figure]:
    """The figure of an experiment, a panel a problem."""
    return partial(_figure, name)


def _figure(name: str) -> Figure:
    return of_curves(recorded(name))


def maximizer() -> Figure:
    """A panel for the forest and one for boosting, and means only: eight bands over each other say nothing."""
    found = recorded("maximizer")
    plain = {method: style for method, style in styles(curve.method for curve in found).items() if not style.dashes}
    looks = {_limit(method): style for method, style in plain.items()}
    return of_curves([_by_recipe(curve, _limit(curve.method)) for curve in found], looks=looks, has_bands=False)


def _limit(method: str) -> str:
    """What maximizes, and how often it may ask the classifier.

    Example:
        >>> _limit("bore-rf-de200")
        'evolution 200'
    """
    how = method.rpartition("-")[2]
    return f"{'random search' if how.startswith('rs') else 'evolution'} {how[2:]}"


_CALIBRATION = {
    "": ("not calibrated", Style("#000000", width=1.8)),
    "platt": ("Platt scaling", Style("#E69F00", width=1.8)),
    "isotonic": ("isotonic regression", Style("#56B4E9", width=1.8)),
}


def calibration() -> Figure:
    """A panel for the forest and one for boosting; the paper has them in two figures."""
    found = recorded("calibration")
    words = {curve.method: _CALIBRATION[curve.method.removeprefix(_recipe(curve)).removeprefix("-")] for curve in found}
    return of_curves([_by_recipe(curve, words[curve.method][0]) for curve in found], looks=dict(_CALIBRATION.values()))


def _by_recipe(curve: Curve, variant: str) -> Curve:
    """The curve in the panel of its recipe, under the name of the variant that it is."""
    return replace(curve, problem=f"{_recipe(curve)} on {curve.problem}", method=variant)


def _recipe(curve: Curve) -> str:
    return "-".join(curve.method.split("-")[:2])
