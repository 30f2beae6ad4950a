"""Writing figures to files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auger.errors import AugerError, nearest
from auger_bench.paper.names import FIGURES, entry
from auger_bench.regret_plot import save

#: The kinds of file; a GIF is there of what moves.
FORMATS = ("png", "svg", "gif")


def formats_of(name: str) -> tuple[str, ...]:
    """The kinds of file there are of a figure.

    Example:
        >>> formats_of("steps"), formats_of("teaser")
        (('png', 'svg', 'gif'), ('png', 'svg'))
    """
    return FORMATS if entry(name).animate else FORMATS[:2]


def check_formats(formats: Sequence[str]) -> None:
    """Refuse kinds of file that we do not write."""
    if not formats:
        raise AugerError(f"At least one format must be given, of {', '.join(FORMATS)}. Got none.")
    for kind in formats:
        if kind not in FORMATS:
            raise AugerError(f"A format must be a known one. Got {kind!r}. {nearest(kind, FORMATS)}")


def write(name: str, folder: str | Path, *, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure as ``<name>.<format>``, in those of the formats that there are of it.

    Args:
        name: one of `FIGURES`.
        folder: where to; it is made if need be, and a file there is replaced.
        formats: some of `FORMATS`.

    Returns:
        The paths.

    Raises:
        AugerError: an unknown name or format, or none of the formats.
        MissingLibraryError: matplotlib is not installed.
    """
    check_formats(formats)
    found, kinds = entry(name), [kind for kind in formats_of(name) if kind in formats]
    if not kinds:
        moving = ", ".join(other for other in FIGURES if FIGURES[other].animate)
        raise AugerError(f"Figure {name!r} does not move, so there is no GIF of it. There is one of: {moving}.")
    drawn = found.figure() if kinds != ["gif"] else None  # before the folder is made: it says what is not installed
    paths = {kind: Path(folder) / f"{name}.{kind}" for kind in kinds}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for kind, path in paths.items():
        if kind == "gif" and found.animate is not None:
            found.animate(path)
        elif drawn is not None:
            save(drawn, path)
    return list(paths.values())
