"""Figure 1: the good and the rest of some noisy observations, their densities, and the ratio of the two.

The bottom pane is ours: the relative density ratio that the caption speaks of, by way of the densities, as TPE does,
and by classification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auger.classifiers import KDE, MLP
from auger.classifiers.kde import parzen
from auger.history import History
from auger.labels import Labels, label
from auger.plots.paper.line import evaluate, line, xs
from auger.plots.paper.style import FAINT, GOOD, INK, NEXT, REST, TRUTH, blank, panel
from auger.problems import problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_OBSERVATIONS = 27
GAMMA = 1 / 3
_SEED = 2
_PROBLEM = "teaser+noisy0.2"  # sin(3x) + x^2 - 0.7x, seen with noise N(0, 0.2^2)


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
    drawn = blank(7.4, 5.6)
    top, main, bottom = drawn.subplots(3, 1, sharex=True, height_ratios=[1, 2.4, 1.2])
    whole = line(problem(_PROBLEM))
    x, y, z = xs(history), history.y, labels.z

    width = float(np.ptp(whole.x))
    for mass, color, name in ((labels.positive, GOOD, r"$\ell(x)$"), (labels.negative, REST, "$g(x)$")):
        density = parzen(history.X, mass, space=history.space, min_bandwidth=1e-3)
        height = np.exp(density.log_density(whole.X)) / width
        top.plot(whole.x, height, color=color, linewidth=1.8, label=name)
        top.fill_between(whole.x, height, color=color, alpha=0.12, linewidth=0)
    panel(top, y="density").set_ylim(0, None)
    top.legend(loc="upper right", frameon=False, fontsize=9)

    main.plot(whole.x, whole.value, color=TRUTH, linewidth=2, label="$f(x)$, without noise")
    main.axhline(labels.tau, color=INK, linewidth=1, dashes=(4, 2))
    main.annotate(
        r"$\tau$",
        (1, labels.tau),
        xycoords=("axes fraction", "data"),
        xytext=(4, -3),
        textcoords="offset points",
        fontsize=11,
        color=INK,
    )
    good_name = r"good: the best $\gamma = 1/3$"
    main.plot(x[z], y[z], "x", color=GOOD, markersize=7, markeredgewidth=2, label=good_name)
    main.plot(x[~z], y[~z], "x", color=REST, markersize=7, markeredgewidth=2, label="the rest")
    panel(main, y="$y$")
    main.legend(loc="upper center", frameon=False, fontsize=9)

    rng = np.random.default_rng(_SEED)
    by_densities = KDE().fit(history.X, labels, space=history.space, rng=rng)(whole.X) / labels.share
    network = MLP(n_steps=1200)
    by_classifier = network.fit(history.X, labels, space=history.space, rng=rng)(whole.X) / labels.share
    bottom.axhline(1 / labels.share, color=FAINT, linewidth=1, dashes=(1, 2))
    bottom.plot(whole.x, by_densities, color=TRUTH, dashes=(4, 2), label=r"from $\ell$ and $g$")
    bottom.plot(whole.x, by_classifier, color=NEXT, linewidth=2, label="from a classifier")
    panel(bottom, x="$x$", y="relative ratio").set_ylim(0, 1.1 / labels.share)
    bottom.legend(loc="upper right", frameon=False, fontsize=9)
    bottom.set_xlim(whole.x[0] - 0.03, whole.x[-1] + 0.03)
    return drawn
