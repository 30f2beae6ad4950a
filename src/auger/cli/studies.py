"""Commands about existing studies: best, import, dashboard. What other commands find studies with."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text
from auger.cli.completion import study_places
from auger.cli.echo import echo, echo_data, echo_json
from auger.cli.front import FrontOf
from auger.errors import AugerError, StudyError

if TYPE_CHECKING:
    from auger.studies.study import Study
    from auger.types import Config
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
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Of several objectives: the best in this one.")] = None,
    prefer: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Of several objectives: limits and an order, such as 'accuracy >= 0.9, size'."
        ),
    ] = None,
    is_front: Annotated[
        bool, typer.Option("--front", help="Of several objectives: all trials that no other beats.")
    ] = False,
    is_csv: Annotated[bool, typer.Option("--csv", help="With --front: as CSV.")] = False,
) -> None:
    """Print the best settings as TOML, JSON or a command line.

    With several objectives: the trials that no other beats, as a table in comments, and the settings of one of them,
    by --by, by --prefer, or as a compromise. Exit code 1 when there are none yet.
    """
    from auger.best import best_settings

    view, opened = find_view(where, study)
    _check_choices(view, by=by, prefer=prefer, is_front=is_front, is_csv=is_csv, is_command=command)
    front = FrontOf(view, opened)
    if is_front:
        _print_front(front, is_json=is_json, is_csv=is_csv)
        return
    if len(view.objectives) > 1:
        _print_choice(front, by=by, prefer=prefer, is_json=is_json, is_command=command)
        return
    best = best_settings(view)
    if best is None:
        raise _none(view)
    numbers = front.numbers(view.by_number[best.number])
    measured = {name: numbers[name] for name in front.limits if name in numbers}
    if is_json:
        echo_json({**best.to_json(), **({"constraints": measured} if measured else {})})
    elif command:
        echo(_command(front, best.number, best.config))
    else:
        echo(f"# {text.shown(view.name)}, trial {best.number}: {best.headline}")
        echo(f"# {best.reason}" + ("" if best.comparison is None else f"; {best.comparison}"))
        for name, number in measured.items():
            echo(f"# {text.shown(name)} {text.number(number)}, {front.limits[name]}")
        echo(text.toml(best.config))


def _check_choices(
    view: View, *, by: str | None, prefer: str | None, is_front: bool, is_csv: bool, is_command: bool
) -> None:
    """Refuse options that do not go together, and those for several objectives with a single one."""
    several = {"--by": by, "--prefer": prefer, "--front": is_front or None}
    options = [option for option, value in several.items() if value is not None]
    if len(view.objectives) == 1 and is_csv:
        raise StudyError("--csv is for the front of several objectives. `auger trials --csv` prints all trials.")
    if len(view.objectives) == 1 and options:
        raise StudyError(f"{options[0]} is for several objectives. {text.shown(view.name)} has a single one.")
    if len(options) > 1:
        raise StudyError(f"{' and '.join(options)}: one of them must be left out.")
    if is_csv and not is_front:
        raise StudyError("--csv needs --front. `auger trials --csv` prints all trials.")
    if is_command and is_front:
        raise StudyError("--command is for one trial. Choose it with --by or --prefer in place of --front.")
    if by is not None:
        view.objectives.index(by)


def _none(view: View) -> typer.Exit:
    echo(no_best(view), err=True)
    return typer.Exit(1)


def _print_front(front: FrontOf, *, is_json: bool, is_csv: bool) -> None:
    """Print all trials that no other beats."""
    from auger.studies.results import to_csv

    if not front.view.front:
        raise _none(front.view)
    if is_json:
        echo_json(front.to_json())
    elif is_csv:
        echo_data(to_csv(replace(front.view, trials=tuple(front.view.front)), front.study))
    else:
        echo(f"# {text.shown(front.view.name)}: {text.front(len(front.view.front))}")
        echo(front.to_toml())


def _print_choice(front: FrontOf, *, by: str | None, prefer: str | None, is_json: bool, is_command: bool) -> None:
    """Print the trial to use of several that no other beats."""
    is_compromise = by is None and prefer is None
    chosen = front.choose(by if prefer is None else prefer)
    if chosen is None:
        raise _none(front.view)
    reason = text.choice(prefer) if by is None else _extreme(front.view, by)
    if is_command:
        echo(_command(front, chosen.number, chosen.config))
    elif is_json:
        echo_json(front.to_json() if is_compromise else {**front.member(chosen), "reason": reason})
    else:
        name, n_members = text.shown(front.view.name), len(front.view.front)
        if is_compromise:
            echo("\n".join(f"# {line}" for line in [f"{name}: {text.front(n_members)}", *front.lines(chosen)]))
        echo(f"# {name}, trial {chosen.number}: {text.numbers(front.numbers(chosen))}")
        echo(f"# {reason}")
        echo(text.toml(chosen.config))


def _extreme(view: View, name: str) -> str:
    """Why a trial is the one to use, if it is the best in one objective."""
    objectives = view.objectives
    return f"the {text.extreme(objectives.directions[objectives.index(name)])} {text.shown(name)}"


def _command(front: FrontOf, number: int, config: Config) -> str:
    from auger.studies.results import command_line

    if front.study is None:
        raise StudyError(f"--command is for studies of `auger tune`; another program ran {front.view.name!r}.")
    return command_line(front.study, number, config)


def no_best(view: View) -> str:
    """Why a run has no best settings."""
    if view.complete and not any(trial.is_feasible for trial in view.complete):
        return text.none_satisfies(view.name, len(view.complete))
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
    """Bring results of other runs into a study, to learn from. They are checked row by row first.

    Several objectives and outcome constraints have a column each, which is called as they are.
    """
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
