"""Figure 2: two Gaussian densities and their relative density ratios: unbounded for gamma = 0, else below 1 / gamma.

The paper does not say which Gaussians. With l = N(1, 1) and g = N(0, 1) the plain ratio is exp(x - 1/2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auger_bench.canvas import DASHED, GOOD, NEXT, REST, blank, draw_density, legend, panel, title
from auger_bench.paper.exact_ratio import log_normal, relative_ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_END = 8.0  # far enough for the curve of 1/4 to lie on its limit


def figure() -> Figure:
    """The densities, and the ratios."""
    figure = blank(9.6, 3.3)
    left, right = figure.subplots(1, 2)
    x = np.linspace(-3.5, _END, 801)
    log_l, log_g = log_normal(x, 1.0, 1.0), log_normal(x, 0.0, 1.0)
    for log_density, color, name in ((log_l, GOOD, r"$\ell(x) = N(1, 1)$"), (log_g, REST, "$g(x) = N(0, 1)$")):
        draw_density(left, x, np.exp(log_density), color, name)
    panel(left, x="$x$", y="density").set(xlim=(-3.5, 4.5), ylim=(0, None))
    legend(left, "upper right")
    title(left, "densities")

    right.axhline(4.0, **DASHED, label=r"$1 / \gamma = 4$")
    plain = r"$\gamma = 0$: $\ell / g$"
    right.plot(x, relative_ratio(log_l, log_g, 0.0), color=GOOD, linewidth=1.8, label=plain)
    right.plot(x, relative_ratio(log_l, log_g, 0.25), color=NEXT, linewidth=1.8, label=r"$\gamma = 1/4$")
    panel(right, x="$x$", y="relative ratio").set(xlim=(-3.5, _END), ylim=(0, 8))
    legend(right, "upper left")
    title(right, r"ratios $\ell / (\gamma \ell + (1 - \gamma) g)$")
    return figure
