"""Figure 1: the good and the rest of some noisy observations, their densities, and the ratio of the two.

The bottom pane is our addition: the relative density ratio that the caption mentions, from density estimates, as in
TPE, and from a classifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auger.classifiers import KDE, MLP
from auger.classifiers.kde import parzen
from auger.history import History
from auger.labels import Labels, label
from auger_bench.canvas import CROSS, GOOD, NEXT, REST, TRUTH, blank, draw_density, draw_level, legend, panel
from auger_bench.paper.line import Line, evaluate, line, xs
from auger_bench.problems import problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_OBSERVATIONS = 27
GAMMA = 1 / 3
_SEED = 2
_PROBLEM = "teaser+noisy0.2"  # sin(3x) + x^2 - 0.7x with noise N(0, 0.2^2)


def observations() -> tuple[History, Labels]:
    """The 27 observations and their labels."""
    rng = np.random.default_rng(_SEED)
    noisy = problem(_PROBLEM)
    history = History(noisy.space)
    for config in noisy.space.decode(noisy.space.sample(N_OBSERVATIONS, rng)):
        evaluate(noisy, history, config, rng)
    return history, label(history, gamma=GAMMA)


def figure() -> Figure:
    """The teaser."""
    history, labels = observations()
    whole = line(problem(_PROBLEM))
    figure = blank(7.4, 5.6)
    top, main, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[1, 2.4, 1.2])
    _draw_densities(top, whole, history, labels)
    _draw_observations(main, whole, history, labels)
    _draw_ratios(bottom, whole, history, labels)
    bottom.set_xlim(whole.x[0] - 0.03, whole.x[-1] + 0.03)
    return figure


def _draw_densities(axes: Axes, whole: Line, history: History, labels: Labels) -> None:
    width = float(np.ptp(whole.x))  # the estimate is a density over positions in [0, 1]
    for mass, color, name in ((labels.positive, GOOD, r"$\ell(x)$"), (labels.negative, REST, "$g(x)$")):
        density = parzen(history.X, mass, space=history.space, min_bandwidth=KDE().min_bandwidth)
        draw_density(axes, whole.x, np.exp(density.log_density(whole.X)) / width, color, name)
    panel(axes, y="density").set_ylim(0, None)
    legend(axes, "upper right")


def _draw_observations(axes: Axes, whole: Line, history: History, labels: Labels) -> None:
    x, y, z = xs(history), history.y, labels.z
    axes.plot(whole.x, whole.value, color=TRUTH, linewidth=2, label="$f(x)$, without noise")
    draw_level(axes, labels.tau, r"$\tau$")
    axes.plot(x[z], y[z], color=GOOD, label=r"good: the best $\gamma = 1/3$", **CROSS)
    axes.plot(x[~z], y[~z], color=REST, label="the rest", **CROSS)
    panel(axes, y="$y$")
    legend(axes, "upper center")


def _draw_ratios(axes: Axes, whole: Line, history: History, labels: Labels) -> None:
    """pi(x) / gamma from two density estimates, and from the paper's network, trained until it fits its labels."""
    for classifier, style in (
        (KDE(), {"color": TRUTH, "dashes": (4, 2), "label": r"from $\ell$ and $g$"}),
        (MLP(n_steps=1200), {"color": NEXT, "linewidth": 2, "label": "from a classifier"}),
    ):
        score = classifier.fit(history.X, labels, space=history.space, rng=np.random.default_rng(_SEED))
        axes.plot(whole.x, score(whole.X) / labels.share, **style)
    draw_level(axes, 1 / labels.share, r"$1 / \gamma$")
    panel(axes, x="$x$", y="relative ratio").set_ylim(0, 1.1 / labels.share)
    legend(axes, "center right")
