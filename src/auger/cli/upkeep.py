"""`auger rm` and `auger clean`: remove a study, or only the folders of its trials."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text
from auger.cli.echo import echo
from auger.cli.studies import NAME, WHERE, find_study
from auger.errors import StudyError

if TYPE_CHECKING:
    from auger.studies.study import Study

_YES = typer.Option("--yes", "-y", help="Do not ask.")


def rm(
    where: Annotated[str, WHERE],
    study: Annotated[str | None, NAME] = None,
    yes: Annotated[bool, _YES] = False,
) -> None:
    """Remove a study: its results, and the folders of its trials. Asks first."""
    from auger.studies.upkeep import belongings_of, remove

    opened = _find(where, study)
    belongings = belongings_of(opened)
    name, trials = opened.definition.name, text.count(belongings.n_trials, "trial")
    echo(f"The study {name} in {opened.storage.address}: {trials}.", err=True)
    for path in belongings.files:
        echo(f"  {text.near(path)}", err=True)
    if belongings.folders:
        echo(f"  {_folders(opened, len(belongings.folders), belongings.size)}", err=True)
    _confirm(f"Remove all of it for good, the results of {trials} included?", yes)
    remove(opened, belongings)
    echo(f"Removed the study {name}.", err=True)


def clean(
    where: Annotated[str, WHERE],
    study: Annotated[str | None, NAME] = None,
    yes: Annotated[bool, _YES] = False,
) -> None:
    """Delete the folders of finished trials, except those of the best. The study keeps its results. Asks first."""
    from auger.best import best_settings
    from auger.studies.upkeep import delete_folders, folders_to_clean
    from auger.studies.view import view_of

    opened = _find(where, study)
    view = view_of(opened)
    best = best_settings(view)
    front = [trial.number for trial in view.front] if len(view.objectives) > 1 else []
    belongings = folders_to_clean(opened, keep=front if best is None else [best.number])
    if not belongings.folders:
        echo(f"There are no trial folders to delete in {text.near(opened.definition.trials_folder)}.", err=True)
        return
    exception = "" if best is None else f", without that of the best trial, {best.number}"
    if front:
        exception = f", without those of {text.front(len(front))}"
    echo(f"{_folders(opened, len(belongings.folders), belongings.size)}{exception}.", err=True)
    _confirm("Delete them? The results are kept.", yes)
    delete_folders(opened, belongings)
    n_folders = text.count(len(belongings.folders), "trial folder")
    echo(f"Deleted {n_folders}, {text.size(belongings.size)}. All results are kept.", err=True)


def _find(where: str, name: str | None) -> Study:
    """A study; one that is named by its file has its trial folders beside the file, wherever it was begun."""
    from auger.studies.definition import read_study_file

    study = find_study(where, name)
    if not where.endswith(".toml"):
        return study
    definition = read_study_file(Path(where))
    return replace(study, definition=replace(study.definition, home=definition.home, folder=definition.folder))


def _folders(study: Study, n_folders: int, size: int) -> str:
    folder = text.near(study.definition.trials_folder)
    return f"{text.count(n_folders, 'trial folder')} in {folder} ({text.size(size)})"


def _confirm(question: str, is_sure: bool) -> None:
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise StudyError(f"{question} Nobody can answer here: add --yes to do it.")
    if not typer.confirm(question, err=True):
        echo("Nothing was removed.", err=True)
        raise typer.Exit(1)
