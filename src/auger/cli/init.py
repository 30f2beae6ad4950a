"""`auger init`: write a study file to start from."""

from __future__ import annotations

import shlex
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from auger import text
from auger.cli.echo import echo
from auger.cli.program import program_of
from auger.errors import StudyError


def init(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="The file to write.  [default: study.toml, or a name like the program's]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a commented study file to start from.

    With a program after --, such as: auger init -- python train.py, the file has the options that its --help lists,
    with ranges guessed from their names and defaults. The program is run with --help only.
    """
    words = program_of(context)
    if words:
        _draft(words, path)
        return
    path = path or Path("study.toml")
    template = resources.files("auger.studies.definition").joinpath("template.toml").read_text(encoding="utf-8")
    _write(path, template)
    echo(f"{path} is there. Say in it what to run and what to tune, then: auger try {path}", err=True)


def _draft(words: tuple[str, ...], path: Path | None) -> None:
    from auger.studies.definition.without_file import program_name
    from auger.studies.draft import guesses_of, help_text, read_options, study_text

    path = path or Path(f"{program_name(words)}.toml")
    _check_is_new(path)
    printed = help_text(words, Path.cwd())
    options = read_options(printed)
    if not options:
        last_line = text.quoted(([line for line in printed.splitlines() if line.strip()] or [""])[-1])
        raise StudyError(
            f"{shlex.join([*words, '--help'])} lists no options, so nothing was written. Its last line is {last_line}. "
            "`auger init` without a program writes an example."
        )
    guesses = guesses_of(options, words)
    _write(path, study_text(words, guesses, shlex.quote(str(path))))
    n_tuned = sum(guess.parameter is not None for guess in guesses)
    proposal = f"proposes to tune {n_tuned} of {text.count(len(options), 'option')}. Check the ranges"
    if not n_tuned:
        proposal = f"lists {text.count(len(options), 'option')}, none with a range to guess. Say in it what to tune"
    echo(f"{path} {proposal}, then: auger try {path}", err=True)
    silent = [guess.option.flags[-1] for guess in guesses if guess.lacks_default]
    if silent and all(option.default is None for option in options):
        listed = ", ".join(silent[:5]) + (", ..." if len(silent) > 5 else "")
        echo(
            f"The help shows no default of {listed}. If the program uses argparse, "
            "formatter_class=argparse.ArgumentDefaultsHelpFormatter makes it show them; then run this again.",
            err=True,
        )


def _check_is_new(path: Path) -> None:
    if path.exists():
        raise StudyError(f"{path} already exists and was not overwritten. Delete it, or name another file.")


def _write(path: Path, content: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        _check_is_new(path)
        raise
