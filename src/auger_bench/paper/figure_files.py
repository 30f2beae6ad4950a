"""The files of a figure: which kinds there are, and writing them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auger.errors import AugerError
from auger_bench.canvas import save
from auger_bench.paper.names import FIGURES, entry

#: The kinds of file; only an animation has a GIF.
FORMATS = ("png", "svg", "gif")


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
