"""The figures by name, and their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auger.errors import AugerError, nearest
from auger_bench.canvas import save
from auger_bench.paper import (
    density_ratio,
    epochs,
    fidelity,
    labels,
    outlook,
    recorded_curves,
    singularities,
    steps,
    teaser,
)

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


#: The kinds of file; only an animation has a GIF.
FORMATS = ("png", "svg", "gif")

#: The figures, in the order of the paper; then those of its methods alone; the last five are our own.
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
    "maximizer": Entry("regret over evaluations with many ways to maximize the classifier", recorded_curves.maximizer),
    "density-ratio": Entry("a known density ratio, by classifiers and by density estimates", density_ratio.figure),
    "epochs": Entry("passes over the data in a fit, with a fixed number of gradient steps", epochs.figure),
    **{
        f"{name}-paper": Entry(f"{name} with the methods of the paper alone", recorded_curves.of_paper(name))
        for name in ("fcnet", "nas201", "robot-pushing", "racing")
    },
    "calibration-paper": Entry(
        "calibration as the paper has it: not at all, and in two ways", recorded_curves.calibration_of_paper
    ),
    "maximizer-paper": Entry(
        "maximizer with the limits of the paper alone, without repeats", recorded_curves.maximizer_of_paper
    ),
    "horizon": Entry(
        "regret over 500 evaluations, of methods that were run so long", recorded_curves.experiment("horizon")
    ),
    "robot-pushing-long": Entry(
        "value over 10,000 evaluations: robot pushing", recorded_curves.experiment("robot-pushing-long")
    ),
    "outlook": Entry("what the paper suggests for later, beside the recipes that it changes", outlook.figure),
    "fidelity": Entry("regret of methods that stop trials early, at the same cost", fidelity.figure),
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


def formats_of(name: str) -> tuple[str, ...]:
    """The kinds of file of a figure.

    Example:
        >>> formats_of("steps"), formats_of("teaser")
        (('png', 'svg', 'gif'), ('png', 'svg'))
    """
    return FORMATS if entry(name).animate else FORMATS[:2]


def check_formats(formats: Sequence[str]) -> None:
    """Refuse kinds of file that we do not write."""
    if not formats:
        raise AugerError(f"At least one format is needed, of {', '.join(FORMATS)}. Got none.")
    for name in formats:
        if name not in FORMATS:
            raise AugerError(f"A format must be one of {', '.join(FORMATS)}. Got {name!r}.")


def write(name: str, folder: str | Path, *, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure as ``<name>.<format>``, in each of the formats that it has.

    Args:
        name: a name in `FIGURES`.
        folder: the folder of the files; it is created if it does not exist, and files in it are replaced.
        formats: some of `FORMATS`.

    Returns:
        The paths.

    Raises:
        AugerError: an unknown name or format, or none of the formats.
        MissingLibraryError: matplotlib is not installed.
    """
    check_formats(formats)
    listed, suffixes = entry(name), [suffix for suffix in formats_of(name) if suffix in formats]
    if not suffixes:
        animated = ", ".join(other for other in FIGURES if FIGURES[other].animate)
        raise AugerError(f"Figure {name!r} is no animation, so it has no GIF. Animations: {animated}.")
    # drawn before the folder is created: this raises if a library is missing
    figure = listed.figure() if suffixes != ["gif"] else None
    paths = {suffix: Path(folder) / f"{name}.{suffix}" for suffix in suffixes}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for suffix, path in paths.items():
        if suffix == "gif" and listed.animate is not None:
            listed.animate(path)
        elif figure is not None:
            save(figure, path)
    return list(paths.values())
