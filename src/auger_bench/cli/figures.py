"""`auger figures`: the figures of the paper, drawn from our own code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_NAMES = typer.Argument(metavar="NAME", help="Names of figures.  [default: all]", show_default=False)
_OUT = typer.Option("--out", metavar="DIR", help="Folder of the figures; files of the same names are replaced.")
_FORMAT = typer.Option(
    "--format",
    metavar="FORMAT",
    help="png, svg, or gif for animations; repeated or comma-separated.  [default: all]",
    show_default=False,
)


def figures(
    names: Annotated[list[str] | None, _NAMES] = None,
    out: Annotated[Path, _OUT] = Path("figures"),
    format: Annotated[list[str] | None, _FORMAT] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the figures and draw none.")] = False,
) -> None:
    """Draw the figures of the paper with our own code.

    Figures of its experiments come from our recorded runs.
    """
    from auger_bench import paper  # not needed for --help

    if list_:
        for name, entry in paper.FIGURES.items():
            typer.echo(f"{name:19} {entry.summary}")
        return
    formats = [name.strip() for part in format or paper.FORMATS for name in part.split(",") if name.strip()]
    paper.check_formats(formats)
    # by default all figures that have one of the formats; a figure that the user names must have one
    chosen = list(
        dict.fromkeys(names or [name for name in paper.FIGURES if set(paper.formats_of(name)) & set(formats)])
    )
    for name in chosen:
        paper.entry(name)  # raises for a wrong name, before any figure is drawn
    for number, name in enumerate(chosen, start=1):
        typer.echo(f"drawing {name} ({number} of {len(chosen)})", err=True)
        for path in paper.write(name, out, formats=formats):
            typer.echo(str(path))
