"""`auger tune` and `auger worker`: run the trials of a study, and show how it goes."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auger import text
from auger.cli.completion import study_places
from auger.cli.echo import echo
from auger.cli.program import (
    CHOICE,
    CONSTRAINT,
    FLOAT,
    INT,
    OBJECTIVE,
    ORDINAL,
    STUDY_NAME,
    VALUE_KEY,
    VALUE_PATTERN,
    Program,
    program_of,
)
from auger.cli.source import find_source
from auger.cli.studies import find_study, print_notes, quiet
from auger.errors import StudyError

if TYPE_CHECKING:
    from auger.studies.definition import Definition
    from auger.studies.pool.pool import Stop
    from auger.studies.study import Study

_STORAGE = typer.Option(metavar="TEXT", help="A journal file, sqlite:///file or postgresql://user@host/database.")
_JSON = typer.Option("--json", help="Print what happens on stdout, one JSON object per line.")
_KEEP_GOING = typer.Option("--keep-going", help="Do not stop when the defaults or the first five trials fail.")
_WORKERS = typer.Option(min=1, metavar="N", help="Trials that run at once.")


class Engine(str, Enum):
    """Where trials run."""

    local = "local"
    ray = "ray"


EXIT_CODES = "Exit codes: 0 done, 1 no trial succeeded, 2 bad input, 3 the storage cannot be reached, 130 interrupted."


def tune(
    context: typer.Context,
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY",
            help="A study file, its storage, or a function: package.module:name.",
            show_default=False,
            autocompletion=study_places,
        ),
    ] = None,
    floats: Annotated[list[str] | None, FLOAT] = None,
    ints: Annotated[list[str] | None, INT] = None,
    choices: Annotated[list[str] | None, CHOICE] = None,
    ordinals: Annotated[list[str] | None, ORDINAL] = None,
    maximize: Annotated[
        bool | None, typer.Option("--maximize/--minimize", help="Without a study file: which values are better.")
    ] = None,
    objectives: Annotated[list[str] | None, OBJECTIVE] = None,
    constraints: Annotated[list[str] | None, CONSTRAINT] = None,
    value_key: Annotated[str | None, VALUE_KEY] = None,
    value_pattern: Annotated[str | None, VALUE_PATTERN] = None,
    name: Annotated[str | None, STUDY_NAME] = None,
    space: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For a function: the file with its [space], and more if wanted.")
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, metavar="N", help="How many trials to run in all.")] = None,
    time: Annotated[str | None, typer.Option(metavar="T", help="Time for the whole study: 90s, 30m, 2h.")] = None,
    workers: Annotated[int | None, _WORKERS] = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="Seed of the proposals.")] = None,
    recipe: Annotated[
        str | None, typer.Option(metavar="TEXT", help="How settings are proposed: auto, or 'bore-rf gamma=0.25'.")
    ] = None,
    storage: Annotated[str | None, _STORAGE] = None,
    widen: Annotated[bool, typer.Option("--widen", help="Go on although the space has become wider.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget the failures so far, as after mending the program.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew. The study so far is kept, under another name.")
    ] = False,
    keep_going: Annotated[bool, _KEEP_GOING] = False,
    engine: Annotated[
        Engine, typer.Option(help="Where trials run: on this machine, or on a Ray cluster.")
    ] = Engine.local,
    ray_address: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Of the Ray cluster: auto, local, host:port or ray://host:port.")
    ] = "auto",
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Run a study, or go on with it. Ctrl-C once: running trials finish; twice: they are stopped.

    Without a study file: auger tune --float lr=1e-5:1e-1:log --int depth=1:12 --choice act=relu,tanh --trials 60 --
    python train.py --lr {lr} --depth {depth} --act {act}
    """
    from auger.studies.storage import open_storage
    from auger.studies.study import open_study
    from auger.studies.trial import check_program
    from auger.studies.upkeep import set_aside  # not needed for --help

    quiet()
    of_program = (program_of(context), floats, ints, choices, ordinals, value_key, value_pattern, maximize, name)
    program = Program(*of_program, objectives, constraints)
    source = find_source(study, space, program)
    changes: dict[str, Any] = {
        **{"trials": trials, "workers": workers, "seed": seed},
        **{"recipe": recipe, "storage": storage},
    }
    if time is not None:
        changes["time"] = _seconds(time)
    definition = replace(source.definition, **{key: value for key, value in changes.items() if value is not None})
    if engine is Engine.ray and definition.slot_names:
        raise StudyError(
            "is for trials on this machine. With --engine ray, Ray gives out GPUs: reserve them in the table [ray].",
            "study.slots" if definition.slots else "study.gpus",
        )
    check_program(definition)
    home = Path() if storage is not None else Path(definition.home)
    kept = None if storage is not None else source.storage
    opened_storage = kept or open_storage(definition.storage, folder=home)
    old_name = set_aside(opened_storage, definition.name, home=definition.home) if fresh else None
    opened = open_study(definition, opened_storage, widen=widen, forget=forget, keep_going=keep_going)
    print_notes(opened)
    if old_name is not None:
        command = f"auger best {where(opened)} {shlex.quote(old_name)}"
        echo(f"The study so far is kept as {old_name}: {command}", err=True)
    is_named = source.words is None or storage is not None
    words = f"{where(opened)} {shlex.quote(definition.name)}" if is_named else source.words or ""
    if program.words:
        words = where(opened) if _is_alone(opened) else words
        echo(_about_new_study(opened), err=True)
    with _running(engine, ray_address, opened.definition) as run:
        n_workers = opened.definition.workers
        work(opened, n_workers, words, is_json=json, is_last=True, keep_going=keep_going, run=run)


def _about_new_study(study: Study) -> str:
    """What the study of a program is called, where it is, and how to continue it."""
    definition, address = study.definition, where(study)
    is_endless = definition.trials is None and definition.time is None
    budget = " It runs until Ctrl-C, because there is no --trials and no --time." if is_endless else ""
    return (
        f"The study {definition.name} is stored in {address}. The same command continues it, and so does: "
        f"auger tune {address}{'' if _is_alone(study) else f' --name {shlex.quote(definition.name)}'}.{budget}"
    )


def _is_alone(study: Study) -> bool:
    """Whether its storage is the journal of its own name, and holds no other study."""
    from auger.studies.study import names_of

    name = study.definition.name
    return where(study) == f"{name}.journal" and names_of(study.storage) == [name]


def worker(
    storage: Annotated[
        str,
        typer.Argument(
            metavar="STORAGE", help="Where the study is kept, or its study file.", autocompletion=study_places
        ),
    ],
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="Its name; not needed where there is only one.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Trials that run at once.  [default: the number of slots, or 1]"),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where programs run here.  [default: the folder of the study file]"),
    ] = None,
    keep_going: Annotated[bool, _KEEP_GOING] = False,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Help with a study of `auger tune`, here or on another machine."""
    from auger.studies.definition.slots import check_workers
    from auger.studies.trial import check_program

    opened = find_study(storage, study)
    if home is not None:
        opened = replace(opened, definition=replace(opened.definition, home=str(home.absolute())))
    if not Path(opened.definition.home).is_dir():
        raise StudyError(
            f"The programs of this study run in {text.shown(opened.definition.home)}, which does not exist here. "
            f"Name the folder with --home."
        )
    slots = opened.definition.slot_names
    n_workers = (len(slots) or 1) if workers is None else workers
    check_workers(n_workers, slots)
    check_program(opened.definition)
    source = storage if study is None else f"{where(opened)} {study}"
    work(opened, n_workers, source, is_json=json, is_last=False, keep_going=keep_going)


def where(study: Study) -> str:
    """The storage of a study, as the argument of a command in this folder."""
    address = study.storage.address
    return shlex.quote(text.near(address.path) if address.backend == "journal" and address.path else str(address))


def work(
    study: Study,
    n_workers: int,
    source: str,
    *,
    is_json: bool,
    is_last: bool,
    keep_going: bool = False,
    run: Callable[..., Any] | None = None,
) -> None:
    """Run trials, show how it goes, and exit with the code that tells how it ended.

    Args:
        study: to work on.
        n_workers: how many trials run at once.
        source: the argument of `auger best` that names the study.
        is_json: print events as JSON instead of showing them.
        is_last: stay until the trials of other processes have ended too, and print the best settings.
        keep_going: go on even if nothing succeeds because the program is broken.
        run: runs one trial; None: on this machine.
    """
    from auger.cli.display import shown
    from auger.cli.summary import print_summary
    from auger.studies.pool.pool import Pool, Stop
    from auger.studies.pool.value_checks import ValueChecks

    stop = Stop()
    with shown(study, is_json=is_json) as listener, _signals(stop):
        watched = ValueChecks(study, listener)
        ended = Pool(study, n_workers, watched, stop, is_last=is_last, keep_going=keep_going, run=run).run()
    if not is_json:
        print_summary(study, ended, source, is_last=is_last)
    if ended.reason == "interrupted":
        raise typer.Exit(130)
    if ended.reason == "broken" or (is_last and ended.counts.complete <= ended.counts.infeasible):
        raise typer.Exit(1)


@contextmanager
def _running(engine: Engine, address: str, definition: Definition) -> Iterator[Callable[..., Any] | None]:
    """The function that runs a trial; None for this machine."""
    if engine is Engine.local:
        if definition.ray != type(definition.ray)():
            echo("The table [ray] of the study counts with --engine ray only.", err=True)
        yield None
        return
    from auger.studies.engines.ray import RayEngine  # seconds, and optional

    cluster = RayEngine(address)
    note = cluster.why_waiting(definition.ray)
    if note is not None:
        echo(note, err=True)
    try:
        yield cluster.run_trial
    finally:
        cluster.close()


def _seconds(amount: str) -> float:
    from auger.studies.definition import seconds

    try:
        return seconds(amount)
    except StudyError as error:
        raise StudyError(f"--time {error}") from error


@contextmanager
def _signals(stop: Stop) -> Iterator[None]:
    """Ctrl-C asks the run to stop, step by step; the other signals that end a process ask for both steps at once."""
    handlers = {
        signal.SIGINT: lambda *_: stop.ask(),
        signal.SIGTERM: lambda *_: stop.ask(is_now=True),
        signal.SIGHUP: lambda *_: stop.ask(is_now=True),
    }
    # an ignored signal stays ignored: nohup, and jobs in the background of a script
    before = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
