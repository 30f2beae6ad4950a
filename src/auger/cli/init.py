"""`auger init`: write a study file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from auger.cli.program import program_of
from auger.errors import StudyError


def init(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write.  [default: study.toml]")
    ] = None,
) -> None:
    """Write a commented study file to start from."""
    path = path or Path("study.toml")
    template = resources.files("auger.studies.definition").joinpath("template.toml").read_text(encoding="utf-8")
    _write(path, template)
    typer.echo(f"{path} is there. Say in it what to run and what to tune, then: auger tune {path}", err=True)


def _write(path: Path, content: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        raise StudyError(f"{path} already exists and was not overwritten. Name another file.") from None
