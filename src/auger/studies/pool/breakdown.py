"""Whether the program of a study is broken: nothing has succeeded, and the defaults or the first trials failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial

from auger.hosts.optuna.trials import ending, runs_of
from auger.studies.trial import last_lines
from auger.text.causes import cause

#: So many trials that failed alike, before any success, are no accident.
N_ALIKE = 5

# The most lines of the program's output that are shown.
_N_LINES = 10


@dataclass(frozen=True)
class Breakdown:
    """Why a study is stopped before its budget is used up.

    Attributes:
        number: of the trial that shows the failure.
        is_defaults: whether that trial had the settings of [defaults], which worked for the user before; otherwise the
            first trials have failed alike.
        n_failed: failures so far.
        error: of the trial; `exit_code` is None where no program ran.
        stream: "stderr", or "stdout" where nothing was printed to stderr.
        lines: the last ones of that stream.
        folder: of the trial.
    """

    number: int
    is_defaults: bool
    n_failed: int
    error: str | None
    exit_code: int | None
    stream: str
    lines: tuple[str, ...]
    folder: str


def breakdown_of(failures: Iterable[FrozenTrial], defaults: Mapping[str, Any] | None, folder: Path) -> Breakdown | None:
    """What the failures of a study without any success tell; None while they may be accidents.

    Args:
        failures: of the program, all of them.
        defaults: the settings of [defaults] in Optuna's values; None where there are none.
        folder: of the trial folders.
    """
    by_end = sorted(failures, key=lambda frozen: (frozen.datetime_complete or frozen.datetime_start, frozen.number))
    for frozen in by_end:
        if frozen.params == defaults:
            return _breakdown(frozen, len(by_end), folder, is_defaults=True)
    first = by_end[:N_ALIKE]
    if len(first) == N_ALIKE and len({_kind(frozen) for frozen in first}) == 1:
        return _breakdown(first[-1], len(by_end), folder, is_defaults=False)
    return None


def _kind(frozen: FrozenTrial) -> tuple[Any, str]:
    """What makes two failures alike: the exit code, and the error without its numbers."""
    facts = ending(frozen)
    return facts.get("exit_code"), cause(facts.get("error"))


def _breakdown(frozen: FrozenTrial, n_failed: int, folder: Path, *, is_defaults: bool) -> Breakdown:
    facts, own_folder = ending(frozen), folder / str(frozen.number)
    run = own_folder / str(len(runs_of(frozen)))  # the run that failed, if a trial has several
    own_folder = run if run.is_dir() else own_folder
    stream, lines = "stderr", last_lines(own_folder / "stderr", _N_LINES)
    if not lines:
        stream, lines = "stdout", last_lines(own_folder / "stdout", _N_LINES)
    cause_of_end = (facts.get("error"), facts.get("exit_code"))
    return Breakdown(frozen.number, is_defaults, n_failed, *cause_of_end, stream, lines, str(own_folder))
