"""The figures by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auger.errors import AugerError, nearest
from auger_bench.paper import density_ratio, epochs, labels, recorded_curves, singularities, steps, teaser

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """A figure as the command line lists it.

    Attributes:
        summary: one line about what it shows.
        figure: returns the figure.
        animate: writes the animation to a GIF; None if there is none.
    """

    summary: str
    figure: Callable[[], Figure]
    animate: Callable[[Path], None] | None = None


#: The figures, in the order of the paper; the last is our own.
FIGURES: dict[str, Entry] = {
    "teaser": Entry(
        "the idea in one picture: the good, the rest, their densities, and the ratio of the two", teaser.figure
    ),
    "singularities": Entry("why the ratio is a relative one: the plain ratio has no bound", singularities.figure),
    "fcnet": Entry("regret over evaluations: tuning a network", recorded_curves.experiment("fcnet")),
    "nas201": Entry("regret over evaluations: neural architecture search", recorded_curves.experiment("nas201")),
    "robot-pushing": Entry("value over evaluations: robot pushing", recorded_curves.experiment("robot-pushing")),
    "racing": Entry("lap time over evaluations: racing lines", recorded_curves.experiment("racing")),
    "calibration": Entry("lap time over evaluations with calibrated classifiers", recorded_curves.calibration),
    "steps": Entry("the algorithm step by step, six iterations of it", steps.figure, steps.animate),
    "labels": Entry("how labels change as answers come in: at most one earlier label per answer", labels.figure),
    "maximizer": Entry("regret over evaluations with eight ways to maximize the classifier", recorded_curves.maximizer),
    "density-ratio": Entry("a known density ratio, by classifiers and by density estimates", density_ratio.figure),
    "epochs": Entry("passes over the data in a fit, with a fixed number of gradient steps", epochs.figure),
    "unseen": Entry(
        "regret over evaluations on problems that `auto` was not tuned on", recorded_curves.experiment("unseen")
    ),
}


def entry(name: str) -> Entry:
    """The figure of that name.

    Example:
        >>> entry("epochs").animate is None
        True
    """
    if name not in FIGURES:
        raise AugerError(f"`name` must be a figure of the paper. Got {name!r}. {nearest(name, FIGURES)}")
    return FIGURES[name]
