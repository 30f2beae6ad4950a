"""Commands about existing studies: best, import, dashboard. What other commands find studies with."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text
from auger.cli.completion import study_places
from auger.cli.echo import echo, echo_json
from auger.errors import AugerError, StudyError

if TYPE_CHECKING:
    from auger.studies.study import Study
    from auger.view import View

WHERE = typer.Argument(
    metavar="WHERE", help="The study file, or the storage of the study.", autocompletion=study_places
)
ANY = typer.Argument(
    metavar="WHERE", help="The study file, or a storage: ours, or any of Optuna's.", autocompletion=study_places
)
NAME = typer.Argument(metavar="STUDY", help="Its name, where the storage holds several.", show_default=False)
JSON = typer.Option("--json", help="As JSON.")


# The most bad rows of a CSV file that are listed.
_N_BAD = 50


def best(
    where: Annotated[str, ANY],
    study: Annotated[str | None, NAME] = None,
    is_json: Annotated[bool, JSON] = False,
    command: Annotated[bool, typer.Option("--command", help="As the command line with the settings.")] = False,
) -> None:
    """Print the best settings as TOML, as JSON or as a command line.

    Exit code 1 when there are none yet.
    """
    from auger.best import best_settings
    from auger.studies.results import command_line

    view, opened = find_view(where, study)
    best = best_settings(view)
    if best is None:
        echo(no_best(view), err=True)
        raise typer.Exit(1)
    if is_json:
        echo_json(best.to_json())
    elif command:
        if opened is None:
            raise StudyError(f"--command is for studies of `auger tune`; another program ran {view.name!r}.")
        echo(command_line(opened, best.number, best.config))
    else:
        echo(f"# {text.shown(view.name)}, trial {best.number}: {best.headline}")
        echo(f"# {best.reason}" + ("" if best.comparison is None else f"; {best.comparison}"))
        echo(text.toml(best.config))


def no_best(view: View) -> str:
    """Why a run has no best settings."""
    if len(view.objectives) > 1 and view.front:
        return text.no_single_best(view.name, len(view.objectives), len(view.front))
    return f"No trial of {text.shown(view.name)} has succeeded yet."


def import_(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A CSV file: one column per parameter, and one with the value.")
    ],
    where: Annotated[str, WHERE],
    study: Annotated[str | None, NAME] = None,
    value: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the value.")] = "value",
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Import the good rows in spite of bad ones.")] = False,
) -> None:
    """Bring results of other runs into a study, to learn from. They are checked row by row first."""
    from auger.studies.importing import import_results, read_results

    opened = find_study(where, study, is_new_ok=True)
    table = read_results(results, opened, value=value)
    for row in table.bad[:_N_BAD]:
        echo(f"{results}, {row}", err=True)
    if len(table.bad) > _N_BAD:
        echo(f"{results}: {len(table.bad) - _N_BAD:,} more bad rows", err=True)
    if table.ignored:
        echo(f"Ignored columns: {', '.join(map(text.shown, table.ignored))}", err=True)
    if table.bad and not skip_bad:
        raise StudyError(
            f"{len(table.bad)} of {len(table.bad) + len(table.good)} rows of {results} are bad, so none was imported. "
            f"--skip-bad imports the others."
        )
    n_new = import_results(opened, table.good, source=results.name)
    notes = [f"{len(table.good) - n_new} were there already"] if n_new < len(table.good) else []
    notes += [f"{len(table.bad)} bad ones left out"] if table.bad else []
    notes += [f"{table.n_skipped} without a value left out"] if table.n_skipped else []
    echo(f"Imported {n_new} results" + "".join(f", {note}" for note in notes) + ".", err=True)


def dashboard(
    where: Annotated[str, WHERE],
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Of the page.")] = 8080,
) -> None:
    """Look at a storage in the browser, with optuna-dashboard. Only this machine can reach it."""
    from auger.studies.storage import open_storage

    if importlib.util.find_spec("optuna_dashboard") is None:
        raise AugerError('The dashboard needs optuna-dashboard. Install it with: pip install "auger[dashboard]"')
    storage = find_study(where).storage if where.endswith(".toml") else open_storage(where, is_new_ok=False)
    from optuna_dashboard import run_server

    echo(f"http://127.0.0.1:{port} shows {storage.address}. Ctrl-C ends it.", err=True)
    run_server(storage.optuna, host="127.0.0.1", port=port)


def find_study(where: str, name: str | None = None, *, is_new_ok: bool = False) -> Study:
    """The study of a study file, or of a storage, by name where it holds several.

    Args:
        where: a study file, or a storage.
        name: of the study.
        is_new_ok: whether the study of a study file may be created where there is none yet.
    """
    from auger.studies.definition import read_study_file
    from auger.studies.storage import open_storage
    from auger.studies.study import load_study, open_study

    quiet()
    if where.endswith(".toml"):
        if name is not None:
            raise StudyError(f"{where} is a study file: it names its study itself. Got {name!r} as well.")
        definition = read_study_file(Path(where))
        storage = open_storage(definition.storage, folder=Path(definition.home), is_new_ok=is_new_ok)
        study = open_study(definition, storage) if is_new_ok else load_study(storage, definition.name)
    else:
        study = load_study(open_storage(where, is_new_ok=False), name)
    print_notes(study)
    return study


def find_view(where: str, name: str | None = None) -> tuple[View, Study | None]:
    """A study as it is shown, of `auger tune` or of any program with Optuna; and the study itself, if it is ours."""
    from auger.studies.storage import open_storage
    from auger.studies.view import stored_run, view_of

    if where.endswith(".toml"):
        study = find_study(where, name)
        return view_of(study), study
    quiet()
    view, stored = stored_run(open_storage(where, is_new_ok=False), name)
    if stored is not None:
        print_notes(stored)
    return view, stored


def print_notes(study: Study) -> None:
    """Print on stderr what the user must know of a study before anything else."""
    storage = study.storage
    if storage.torn:
        cut = f"The last line of {storage.address} was cut after {text.count(storage.torn, 'byte')}; "
        echo(f"{cut}all before it is there. The next write moves it to {storage.address}.torn.", err=True)
    for note in study.notes:
        echo(note, err=True)


def quiet() -> None:
    """Keep Optuna from printing what it does, which auger tells in its own words. Raises an error on Windows."""
    if os.name != "posix":
        raise AugerError("Studies need a POSIX system: Linux, macOS, or WSL on Windows.")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
