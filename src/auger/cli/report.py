"""`auger report`: a study as one HTML file, once or for as long as it runs."""

from __future__ import annotations

import math
import re
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text as words
from auger.cli.studies import find_study, quiet
from auger.errors import AugerError
from auger.files import write_whole

if TYPE_CHECKING:
    from auger.report.page import Page
    from auger.studies.storage import Storage
    from auger.studies.study import Study

# Of the time between two versions of the page, at most this share goes into making one: the run needs the rest.
_MAX_SHARE = 0.2

# File systems take no longer names than this, with ".html".
_MAX_BYTES = 200


def report(
    where: Annotated[
        str, typer.Argument(metavar="WHERE", help="The study file, or a storage: ours, or any of Optuna's.")
    ],
    study: Annotated[
        str | None,
        typer.Argument(metavar="[STUDY]", help="Its name, where the storage holds several.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write it.  [default: STUDY.html beside the study file, or here]"),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep it up to date until the study is done, or Ctrl-C.")
    ] = False,
    every: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="With --watch: how often to look.")] = 10.0,
    is_opened: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
) -> None:
    """Write a study as one HTML page that needs no network: results, plots, explanations, every trial."""
    subject = _find(where, study)
    path = _path(out, subject.name, Path(where).parent if where.endswith(".toml") else Path())
    if watch:
        _watch(subject, path, every, is_opened)
        return
    write_whole(path, subject.page().html())
    _say_where(path, is_opened)


# -- what the page is about -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Subject:
    """A study, ours or not, that can be looked at again and again.

    Attributes:
        name: of the study.
        storage: where it is.
        page: all that there is to say about it now.
        mark: something that is equal as long as nothing has changed.
        is_done: whether nothing more will come, as far as can be told.
    """

    name: str
    storage: Storage
    page: Callable[[], Page]
    mark: Callable[[], object]
    is_done: Callable[[], bool]


def _find(where: str, name: str | None) -> _Subject:
    from auger.report import make_page
    from auger.studies.storage import open_storage
    from auger.studies.study import DEFINITION, load_optuna_study, load_study
    from auger.studies.view import stored_view

    if where.endswith(".toml"):
        return _ours(find_study(where, name))
    quiet()
    storage = open_storage(where, is_new_ok=False)
    found = load_optuna_study(storage, name)
    if DEFINITION in found.user_attrs:
        return _ours(load_study(storage, found.study_name))
    return _Subject(
        found.study_name,
        storage,
        lambda: make_page(stored_view(storage, found.study_name)),
        lambda: _mark(storage, found._study_id),
        lambda: False,
    )


def _ours(study: Study) -> _Subject:
    from auger.report import make_page
    from auger.report.overview import is_done

    return _Subject(
        study.definition.name,
        study.storage,
        lambda: make_page(study),
        lambda: _mark(study.storage, study.key),
        lambda: is_done(study, study.trials()),
    )


def _mark(storage: Storage, key: int) -> object:
    trials = storage.optuna.get_all_trials(key, deepcopy=False)
    return [(trial.state, len(trial.intermediate_values)) for trial in trials]


# -- the file ---------------------------------------------------------------------------------------------------


def _path(out: Path | None, name: str, folder: Path) -> Path:
    """Where to write, which must not be something else already."""
    named = f"{_file_name(name)}.html"
    path = folder / named if out is None else out / named if out.is_dir() else out
    if path.exists():
        with path.open("rb") as file:
            if not file.read(15).lower().startswith(b"<!doctype html"):
                raise AugerError(f"{path} exists, is no HTML page, and is left as it is. Name another file with --out.")
    elif not path.parent.is_dir():
        raise AugerError(f"The folder {path.parent} does not exist, so {path.name} cannot be written in it.")
    return path


def _file_name(name: str) -> str:
    """The name of a study as that of a file.

    Example:
        >>> _file_name("svm on digits"), _file_name("../etc"), _file_name("a/b\\n")
        ('svm on digits', '-etc', 'a-b-')
    """
    plain = re.sub(r"[/\\\x00-\x1f\x7f]", "-", name).lstrip(". ") or "study"
    return plain.encode(errors="replace")[:_MAX_BYTES].decode(errors="ignore")


def _say_where(path: Path, is_opened: bool) -> None:
    typer.echo(str(path))
    if is_opened and not webbrowser.open(path.absolute().as_uri()):
        typer.echo("No browser was found to show it.", err=True)


# -- again and again --------------------------------------------------------------------------------------------


def _watch(subject: _Subject, path: Path, every: float, is_opened: bool) -> None:
    """Write the page whenever the study has changed; the last one does not look for a newer one any more."""
    from auger.studies.storage import Outages

    # a storage that does not answer is waited for, until Ctrl-C
    address = subject.storage.address
    wait_out = Outages(
        address,
        threading.Event(),
        on_lost=lambda reason: typer.echo(
            f"The storage {address} does not answer ({reason}). The page stays as it is; trying again.", err=True
        ),
        on_back=lambda seconds: typer.echo(f"The storage {address} is back after {words.duration(seconds)}.", err=True),
    ).wait_out
    page, seen, pause = None, None, every
    try:
        while True:
            # both before the page is made: what happens meanwhile is seen the next time
            is_done, mark = wait_out(subject.is_done), wait_out(subject.mark)
            if page is None or is_done or mark != seen:
                begun = time.monotonic()
                is_first, page, seen = page is None, wait_out(subject.page), mark
                pause = max(every, math.ceil((time.monotonic() - begun) / _MAX_SHARE))
                write_whole(path, page.html(refresh=None if is_done else pause))
                if is_first:
                    _say_where(path, is_opened)
            if is_done:
                typer.echo(f"{subject.name} is done.", err=True)
                return
            time.sleep(pause)
    except KeyboardInterrupt:
        if page is not None:
            write_whole(path, page.html())
        raise
