"""The figures by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auger.errors import AugerError, nearest
from auger_bench.paper import density_ratio, epochs, labels, recorded, singularities, steps, teaser

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """A figure as it is listed.

    Attributes:
        summary: what it shows, in one line.
        figure: makes it.
        animate: writes it as a GIF, if it moves.
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
    "fcnet": Entry("regret over evaluations: tuning a network", recorded.experiment("fcnet")),
    "nas201": Entry("regret over evaluations: neural architecture search", recorded.experiment("nas201")),
    "robot-pushing": Entry("value over evaluations: robot pushing", recorded.experiment("robot-pushing")),
    "racing": Entry("lap time over evaluations: racing lines", recorded.experiment("racing")),
    "calibration": Entry("lap time over evaluations with calibrated classifiers", recorded.calibration),
    "steps": Entry("the algorithm step by step, six iterations of it", steps.figure, steps.animate),
    "labels": Entry("how labels change as answers come in: at most one old one a time", labels.figure),
    "maximizer": Entry("regret over evaluations with eight ways to maximize the classifier", recorded.maximizer),
    "density-ratio": Entry("a known density ratio, by classifiers and by density estimates", density_ratio.figure),
    "epochs": Entry("passes over the data in a fit, with a fixed number of gradient steps", epochs.figure),
    "unseen": Entry("regret over evaluations on problems that `auto` was not made with", recorded.experiment("unseen")),
}


def entry(name: str) -> Entry:
    """The figure of that name.

    Example:
        >>> entry("epochs").animate is None
        True
    """
    if name not in FIGURES:
        raise AugerError(f"`name` must be a known figure. Got {name!r}. {nearest(name, FIGURES)}")
    return FIGURES[name]
