"""Appendix H: the relative density ratio of two known densities, from classifiers and from density estimates.

    l(x) = 0.3 N(2, 1) + 0.7 N(-3, 0.5^2)        g(x) = N(0, 2^2)

A quarter of 1,000 draws is from l. The paper states the layers of its network and no other setting. Here the network is
trained for 2,500 steps, and trees are shallow: fully grown ones memorize every draw.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from auger.classifiers import KDE, MLP, Boosting, Classifier, Forest
from auger.classifiers.kde import parzen
from auger.density_ratio import relative_density_ratio
from auger.space import Float, Space
from auger.types import Array
from auger_bench.canvas import GOOD, NEXT, REST, TRUTH, blank, legend, panel, title
from auger_bench.paper.exact_ratio import log_normal, relative_ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_DRAWS = 1000
GAMMA = 1 / 4
_SEED = 0
_RANGE = (-5.5, 5.5)
CLASSIFIERS: dict[str, Classifier] = {
    "MLP": MLP(n_layers=3, activation="elu", learning_rate=2e-3, n_steps=2500),
    "random forest": Forest(max_depth=3),
    "XGBoost": Boosting(n_rounds=30, learning_rate=0.1, max_depth=3),
}


def samples() -> tuple[Array, Array]:
    """Draws from l, shape (250,), and from g, shape (750,)."""
    rng = np.random.default_rng(_SEED)
    n_good = round(GAMMA * N_DRAWS)
    is_right = rng.random(n_good) < 0.3
    good = np.where(is_right, rng.normal(2.0, 1.0, n_good), rng.normal(-3.0, 0.5, n_good))
    return good, rng.normal(0.0, 2.0, N_DRAWS - n_good)


def log_densities(x: Array) -> tuple[Array, Array]:
    """The logarithms of l and g at x, each (m,)."""
    log_l = np.logaddexp(np.log(0.3) + log_normal(x, 2.0, 1.0), np.log(0.7) + log_normal(x, -3.0, 0.5))
    return log_l, log_normal(x, 0.0, 2.0)


def figure() -> Figure:
    """The densities, and the ratio from each of three classifiers."""
    figure = blank(9.6, 5.6)
    panels = figure.subplots(2, 2, sharex=True).flat
    x = np.linspace(*_RANGE, 601)
    good, rest = samples()
    _draw_densities(next(panels), x, good, rest)
    exact = relative_ratio(*log_densities(x), GAMMA)
    by_densities = relative_density_ratio(good, rest, classifier=KDE(), rng=_SEED)(x)
    for (name, classifier), axes in zip(CLASSIFIERS.items(), panels, strict=True):
        axes.plot(x, exact, color=GOOD, linewidth=1.8, label="exact")
        axes.plot(x, by_densities, color=REST, linewidth=1.6, dashes=(4, 1.5), label="from density estimates")
        if isinstance(classifier, Boosting) and find_spec("xgboost") is None:
            missing = 'XGBoost is not installed:\npip install "auger[xgboost]"'
            axes.text(0.5, 0.6, missing, transform=axes.transAxes, ha="center", fontsize=9)
        else:
            estimate = relative_density_ratio(good, rest, classifier=classifier, rng=_SEED)
            axes.plot(x, estimate(x), color=NEXT, linewidth=1.8, label="from a classifier")
        panel(axes, y="relative ratio").set(ylim=(0, 1.05 / GAMMA))
        title(axes, name)
    for axes in figure.axes[2:]:
        axes.set_xlabel("$x$", fontsize=9)
    handles, names = figure.axes[1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_densities(axes: Axes, x: Array, good: Array, rest: Array) -> None:
    """The exact densities and their estimates, with marks of the draws below."""
    low, high = _RANGE
    space = Space({"x": Float(low, high)})
    log_l, log_g = log_densities(x)
    for log_density, draws, color, name, base in (
        (log_l, good, GOOD, r"$\ell(x)$", -0.03),
        (log_g, rest, REST, "$g(x)$", -0.07),
    ):
        axes.plot(x, np.exp(log_density), color=color, linewidth=1.8, label=name)
        rows = ((draws - low) / (high - low))[:, None]
        estimate = parzen(rows, np.ones(len(rows)), space=space, min_bandwidth=KDE().min_bandwidth)
        height = np.exp(estimate.log_density(((x - low) / (high - low))[:, None])) / (high - low)
        axes.plot(x, height, color=color, linewidth=1.4, dashes=(4, 1.5))
        axes.vlines(draws, base - 0.02, base, color=color, linewidth=0.4, alpha=0.6)
    axes.plot([], [], color=TRUTH, linewidth=1.4, dashes=(4, 1.5), label="estimates")
    panel(axes, y="density").set(xlim=_RANGE, yticks=np.arange(0.0, 0.6, 0.1))
    legend(axes, "upper right")
    title(axes, "densities")
