"""`auger report`: a study as one HTML file, once or for as long as it runs."""

from __future__ import annotations

import math
import re
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auger import text
from auger.cli.echo import echo
from auger.cli.studies import ANY, NAME, find_study, quiet
from auger.errors import AugerError
from auger.files import read_regular, write_whole

if TYPE_CHECKING:
    from auger.report.page import Page
    from auger.studies.storage import Storage

# Of the time between two looks at a study, at most this share goes into looking and writing: the run needs the rest.
_MAX_SHARE = 0.2

# File systems take no longer names than this, with ".html".
_MAX_BYTES = 200


def report(
    where: Annotated[str, ANY],
    study: Annotated[str | None, NAME] = None,
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
    """Write a study as one HTML page that needs no network.

    It shows results, plots, explanations and every trial.
    """
    from auger.report import make_page
    from auger.studies.view import stored_view

    storage, name = _find(where, study)
    path = _path(out, name, Path(where).parent if where.endswith(".toml") else Path())
    if watch:
        _watch(storage, name, path, every, is_opened)
        return
    write_whole(path, make_page(stored_view(storage, name)).html())
    _print_path(path, is_opened)


def _find(where: str, name: str | None) -> tuple[Storage, str]:
    """The storage and the name of a study, of auger or of another program."""
    from auger.studies.storage import open_storage
    from auger.studies.study import load_optuna_study

    if where.endswith(".toml"):
        study = find_study(where, name)
        return study.storage, study.definition.name
    quiet()
    storage = open_storage(where, is_new_ok=False)
    return storage, load_optuna_study(storage, name).study_name


# -- the file ---------------------------------------------------------------------------------------------------


def _path(out: Path | None, name: str, folder: Path) -> Path:
    """The path of the page. A file that is no page is not overwritten."""
    file_name = f"{_file_name(name)}.html"
    path = folder / file_name if out is None else out / file_name if out.is_dir() else out
    if path.exists():
        if not _is_page(path):
            raise AugerError(
                f"{path} exists and is not an HTML page, so it was not overwritten. Name another file with --out."
            )
    elif not path.parent.is_dir():
        raise AugerError(f"The folder {path.parent} does not exist, so {path.name} cannot be written in it.")
    return path


def _is_page(path: Path) -> bool:
    return path.is_file() and read_regular(path, 15, follow=True).lower().startswith(b"<!doctype html")


def _file_name(name: str) -> str:
    """The name of a study as the name of a file.

    Example:
        >>> _file_name("svm on digits"), _file_name("../etc"), _file_name("a/b\\n")
        ('svm on digits', '-etc', 'a-b-')
    """
    plain = re.sub(r"[/\\]", "-", text.replaced(name, lambda _: "-")).lstrip(". ") or "study"
    return plain.encode(errors="replace")[:_MAX_BYTES].decode(errors="ignore")


def _print_path(path: Path, is_opened: bool) -> None:
    echo(str(path))
    if is_opened and not webbrowser.open(path.absolute().as_uri()):
        echo("No browser was found to show it.", err=True)


# -- again and again --------------------------------------------------------------------------------------------


def _watch(storage: Storage, name: str, path: Path, every: float, is_opened: bool) -> None:
    """Write the page whenever the study has changed; the last page does not look for a newer one any more."""
    from auger.report import make_page
    from auger.studies.storage import Outages
    from auger.studies.view import stored_view

    # a storage that does not answer is waited for, until Ctrl-C
    address = storage.address
    wait_out = Outages(
        address,
        threading.Event(),
        on_lost=lambda reason: echo(
            f"The storage {address} does not answer ({reason}). The page stays as it is; trying again.", err=True
        ),
        on_back=lambda seconds: echo(f"The storage {address} is back after {text.duration(seconds)}.", err=True),
    ).wait_out
    page: Page | None = None
    last_mark = None
    try:
        while True:
            begun, view = wait_out(lambda: (time.monotonic(), stored_view(storage, name)))  # an outage is not counted
            mark = [(trial.state, len(trial.intermediate_values)) for trial in view.trials]
            if mark != last_mark or view.is_done:
                is_first, page, last_mark = page is None, make_page(view), mark
                write_whole(path, page.html(refresh=None if view.is_done else _pause(begun, every)))
                if is_first:
                    _print_path(path, is_opened)
            if view.is_done:
                echo(f"{text.shown(name)} is done.", err=True)
                return
            time.sleep(_pause(begun, every))
    except KeyboardInterrupt:
        if page is not None:
            write_whole(path, page.html())
        raise


def _pause(begun: float, every: float) -> float:
    """Seconds to the next look, after one that has taken the time since ``begun``."""
    return max(every, math.ceil((time.monotonic() - begun) / _MAX_SHARE))
