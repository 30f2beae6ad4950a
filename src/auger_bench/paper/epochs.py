"""Appendix J.3: passes over the data in each fit of the network, for a fixed number of gradient steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from auger.classifiers.mlp import MLP
from auger.classifiers.networks import n_epochs
from auger_bench.canvas import GOOD, INK, NEXT, REST, blank, panel, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BATCH_SIZES = (32, 64, 128)
STEPS = (100, 200, 400, 800)
N_ITERATIONS = 512
_COLORS = (GOOD, "#E69F00", NEXT, REST)


def figure() -> Figure:
    """One panel per batch size, one curve per number of steps."""
    figure = blank(9.6, 3.2)  # raises if there is no matplotlib
    from matplotlib.ticker import FuncFormatter  # optional

    panels = figure.subplots(1, len(BATCH_SIZES), sharey=True)
    n = np.arange(1, N_ITERATIONS + 1)
    for axes, batch_size in zip(panels, BATCH_SIZES, strict=True):
        for n_steps, color in zip(STEPS, _COLORS, strict=True):
            epochs = [n_epochs(int(size), n_steps=n_steps, batch_size=batch_size) for size in n]
            axes.plot(n, epochs, color=color, linewidth=1.8, label=_name(n_steps), drawstyle="steps-post")
        panel(axes, x="iteration $n$")
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda epochs, _: f"{epochs:g}"))
        axes.set(xlim=(1, N_ITERATIONS), xticks=[1, 128, 256, 384, 512])
        title(axes, f"$B = {batch_size}$")
    panels[0].set_ylabel("epochs $E$", fontsize=9)
    example = n_epochs(512, n_steps=800, batch_size=64)
    panels[1].plot(512, example, "o", color=INK, markersize=5, clip_on=False, zorder=3)
    panels[1].annotate(
        f"$E = {example}$", (512, example), xytext=(0, -14), textcoords="offset points", fontsize=9, ha="right"
    )
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(STEPS), frameon=False, fontsize=9)
    return figure


def _name(n_steps: int) -> str:
    is_papers = n_steps == MLP().n_steps
    return f"$S = {n_steps}$" + (", as in the paper's experiments" if is_papers else "")
