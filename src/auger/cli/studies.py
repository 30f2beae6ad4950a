"""Commands about existing studies: status, best, trials, import, dashboard; and `auger init`."""

from __future__ import annotations

import importlib.util
import json
import math
import os
from collections import Counter
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auger import text
from auger.errors import AugerError, StudyError

if TYPE_CHECKING:
    from auger.best import Best
    from auger.insight.report_card import ReportCard
    from auger.studies.study import Study

_WHERE = typer.Argument(metavar="WHERE", help="The study file, or the storage of the study.")
NAME = typer.Argument(metavar="[STUDY]", help="Its name, where the storage holds several.", show_default=False)
# With so few trials judged, a score says nothing yet.
_N_JUDGED = 10

_JSON = typer.Option("--json", help="As JSON.")


def init(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("study.toml"),
) -> None:
    """Write a commented study file to start from."""
    template = resources.files("auger.studies.definition").joinpath("template.toml").read_text(encoding="utf-8")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template)
    except FileExistsError:
        raise StudyError(f"{path} already exists and was not overwritten. Name another file.") from None
    typer.echo(f"{path} is there. Say in it what to run and what to tune, then: auger tune {path}", err=True)


def status(
    where: Annotated[str, _WHERE],
    study: Annotated[str | None, NAME] = None,
    is_json: Annotated[bool, _JSON] = False,
) -> None:
    """Show where a study stands: trials, the best so far, how good the model is, the rate, and who is at work."""
    from auger.best import best_settings
    from auger.insight.report_card import report_card
    from auger.studies.view import view_of

    opened = find_study(where, study)
    facts, view = _facts(opened), view_of(opened)
    best, card = best_settings(view), report_card(view)
    if is_json:
        typer.echo(json.dumps({**facts, "best": None if best is None else best.to_json(), "model": _card_json(card)}))
        return
    for name, line in _status_lines(facts, best, card):
        typer.echo(f"{name:8} {line}".rstrip())


def best(
    where: Annotated[str, _WHERE],
    study: Annotated[str | None, NAME] = None,
    is_json: Annotated[bool, _JSON] = False,
    command: Annotated[bool, typer.Option("--command", help="As the command line with the settings.")] = False,
) -> None:
    """Print the best settings: as TOML, as JSON, or as a command line. Exit code 1 when there are none yet."""
    from auger.best import best_settings
    from auger.studies.results import command_line
    from auger.studies.view import view_of

    opened = find_study(where, study)
    name, best = opened.definition.name, best_settings(view_of(opened))
    if best is None:
        typer.echo(f"No trial of {name} has succeeded yet.", err=True)
        raise typer.Exit(1)
    if is_json:
        typer.echo(json.dumps(best.to_json()))
    elif command:
        typer.echo(command_line(opened, best.number, best.config))
    else:
        typer.echo(f"# {name}, trial {best.number}: {text.number(best.value)}")
        typer.echo(f"# {best.reason}" + ("" if best.comparison is None else f"; {best.comparison}"))
        typer.echo(text.toml(best.config))


def trials(
    where: Annotated[str, _WHERE],
    study: Annotated[str | None, NAME] = None,
    is_csv: Annotated[bool, typer.Option("--csv", help="As CSV, which `auger import` understands.")] = False,
) -> None:
    """List every trial: its state, value, time, settings, and what went wrong."""
    from auger.studies.results import COLUMNS, to_csv, trial_rows
    from auger.studies.view import view_of

    view = view_of(find_study(where, study))
    if is_csv:
        typer.echo(to_csv(view), nl=False)
        return
    for row in trial_rows(view):
        config = {name: value for name, value in row.items() if name not in COLUMNS}
        value = "" if row["value"] is None else text.number(row["value"])
        seconds = "" if row["seconds"] is None else text.duration(row["seconds"])
        error = f"  {text.clean(row['error'])}" if row["error"] else ""
        typer.echo(f"{row['number']:>5}  {row['state']:8}  {value:>12}  {seconds:>10}  {text.settings(config)}{error}")


def import_(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A CSV file: one column per parameter, and one with the value.")
    ],
    where: Annotated[str, _WHERE],
    study: Annotated[str | None, NAME] = None,
    value: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the value.")] = "value",
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Import the good rows in spite of bad ones.")] = False,
) -> None:
    """Bring results of other runs into a study, to learn from. They are checked row by row first."""
    from auger.studies.importing import import_results, read_results

    opened = find_study(where, study, is_new_ok=True)
    table = read_results(results, opened, value=value)
    for row in table.bad:
        typer.echo(f"{results}, {row}", err=True)
    if table.ignored:
        typer.echo(f"Ignored columns: {', '.join(table.ignored)}", err=True)
    if table.bad and not skip_bad:
        raise StudyError(
            f"{len(table.bad)} of {len(table.bad) + len(table.good)} rows of {results} are bad, so none was imported. "
            f"--skip-bad imports the others."
        )
    n_new = import_results(opened, table.good, source=results.name)
    notes = [f"{len(table.good) - n_new} were there already"] if n_new < len(table.good) else []
    notes += [f"{len(table.bad)} bad ones left out"] if table.bad else []
    notes += [f"{table.n_skipped} without a value left out"] if table.n_skipped else []
    typer.echo(f"Imported {n_new} results" + "".join(f", {note}" for note in notes) + ".", err=True)


def dashboard(
    where: Annotated[str, _WHERE],
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Of the page.")] = 8080,
) -> None:
    """Look at a storage in the browser, with optuna-dashboard. Only this machine can reach it."""
    from auger.studies.storage import open_storage

    if importlib.util.find_spec("optuna_dashboard") is None:
        raise AugerError('The dashboard needs optuna-dashboard. Install it with: pip install "auger[dashboard]"')
    storage = find_study(where).storage if where.endswith(".toml") else open_storage(where, is_new_ok=False)
    from optuna_dashboard import run_server

    typer.echo(f"http://127.0.0.1:{port} shows {storage.address}. Ctrl-C ends it.", err=True)
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


def print_notes(study: Study) -> None:
    """Print on stderr what the user must know of a study before anything else."""
    storage = study.storage
    if storage.torn:
        cut = f"The last line of {storage.address} was cut after {text.count(storage.torn, 'byte')}; "
        typer.echo(f"{cut}all before it is there. The next write moves it to {storage.address}.torn.", err=True)
    for note in study.notes:
        typer.echo(note, err=True)


def quiet() -> None:
    """Keep Optuna from printing what it does, which auger tells in its own words. Raises an error on Windows."""
    if os.name != "posix":
        raise AugerError("Studies need a POSIX system: Linux, macOS, or WSL on Windows.")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)


# -- what they print ------------------------------------------------------------------------------------


def _facts(study: Study) -> dict[str, Any]:
    """Where a study stands, as JSON types."""
    from auger.studies.pool.owners import running_owners

    progress, definition = study.progress(), study.definition
    progress.read(study.trials())
    owners = [owner for owner, _ in running_owners(progress.running).values()]
    workers = Counter((owner.host, owner.process, owner.is_gone) for owner in owners)
    return {
        "study": definition.name,
        "storage": str(study.storage.address),
        "direction": definition.direction,
        "trials": definition.trials,
        "finished": progress.n_finished,
        "complete": progress.n_complete,
        "failed": progress.n_failed,
        "pruned": progress.n_pruned,
        "running": len(progress.running),
        "due": len(progress.due),
        "imported": progress.n_imported,
        "seconds": round(progress.seconds_spent(datetime.now()), 3),
        "workers": [
            {"host": host, "process": process, "trials": n, "is_gone": is_gone}
            for (host, process, is_gone), n in workers.items()
        ],
    }


def _card_json(card: ReportCard) -> dict[str, Any] | None:
    """How good the model is, as JSON types; None before it was judged."""
    if not card.n:
        return None
    models = {name: _scores(part) for name, part in card.by_model().items()}
    return {**_scores(card), "gamma": card.gamma, "models": models, "note": card.note}


def _scores(card: ReportCard) -> dict[str, Any]:
    scores = {name: getattr(card, name) for name in ("skill", "auc", "log_loss", "brier", "base_rate")}
    return {"trials": card.n, **{name: None if math.isnan(score) else score for name, score in scores.items()}}


def _card_text(card: ReportCard) -> str:
    auc = "" if math.isnan(card.auc) else f", AUC {card.auc:.2f}"
    skill = f"skill {card.skill:.2f} against the base rate{auc} over {text.count(card.n, 'trial')}"
    parts = card.by_model()
    skills = "; ".join(f"{name} {part.skill:.2f}" for name, part in parts.items())
    return f"{skill} ({skills})" if len(parts) > 1 else f"{skill} ({next(iter(parts))})"


def _status_lines(facts: dict[str, Any], best: Best | None, card: ReportCard) -> list[tuple[str, str]]:
    """The lines of `auger status`: a name and a text."""
    of = "" if facts["trials"] is None else f" of {facts['trials']}"
    counts = [(facts[name], name) for name in ("complete", "failed", "pruned", "running", "imported")]
    parts = ", ".join(f"{n} {name}" for n, name in [*counts, (facts["due"], "to be run again")] if n)
    lines = [("study", f"{facts['study']}, to be {facts['direction']}d, in {facts['storage']}")]
    lines.append(("trials", f"{facts['finished']}{of} done" + (f": {parts}" if parts else "")))
    if best is not None:
        comparison = "" if best.comparison is None else f", {best.comparison}"
        lines.append(("best", f"{text.number(best.value)}, trial {best.number}{comparison}"))
        lines.append(("", text.settings(best.config)))
    if card.n >= _N_JUDGED:
        lines.append(("model", _card_text(card)))
    if facts["finished"] and facts["seconds"]:
        lines.append(("rate", _rate(facts)))
    for worker in facts["workers"]:
        running = f"{worker['trials']} running" + (", but the process is gone" if worker["is_gone"] else "")
        lines.append(("worker", f"{text.worker(worker['process'], worker['host'])}: {running}"))
    return lines


def _rate(facts: dict[str, Any]) -> str:
    seconds_per_trial = facts["seconds"] / facts["finished"]
    rate = f"a trial every {text.duration(seconds_per_trial)}, {text.duration(facts['seconds'])} in all"
    left = 0 if facts["trials"] is None else facts["trials"] - facts["finished"]
    return f"{rate}; about {text.duration(left * seconds_per_trial)} for the {left} left" if left > 0 else rate
