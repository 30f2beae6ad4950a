"""Our exceptions. Each also inherits the built-in a caller would expect to catch."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AugerError(Exception):
    """Base of every exception that auger raises on purpose."""


class SpaceError(AugerError, ValueError):
    """The search space itself is wrong: bounds, choices, conditions or constraints."""


class ConfigError(AugerError, ValueError):
    """A configuration is not a member of its space."""


class TrialError(AugerError, ValueError):
    """A trial that is unknown, already finished, or told a value that is not a number."""


class RecipeError(AugerError, ValueError):
    """An unknown recipe, or a recipe whose parts do not fit together."""


class ClassifierError(AugerError, ValueError):
    """A classifier that cannot do what is asked of it."""


class ScoringError(AugerError, ValueError):
    """Several scores, and nothing that says which of them to optimize."""


class FileFormatError(AugerError, ValueError):
    """A saved file that is truncated, foreign, or of another version."""


class StudyError(AugerError, ValueError):
    """A study that cannot be run as it is described: in its file, or where it is stored.

    ``key`` is the place in a study file, such as ``"command.run"``, where it is about one.
    """

    def __init__(self, message: str, key: str | None = None) -> None:
        table, _, name = (key or "").partition(".")
        place = f"[{table}]{name and f' {name}'}: " if key else ""
        super().__init__(f"{place}{message}")
        self.key = key


class StorageError(AugerError, ValueError):
    """Text that names no storage, or a file that is none."""


class StorageUnreachableError(AugerError, ConnectionError):
    """A storage that does not answer: a server that is down, a wrong password, a folder that cannot be written."""


class NoCompletedTrialError(AugerError, RuntimeError):
    """Every trial failed, so there is nothing to return. The trials are in ``.trials``."""

    def __init__(self, message: str, trials: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.trials = list(trials)


class SearchError(AugerError, RuntimeError):
    """A run ended in the middle, through no fault of the objective. What was found is in ``.optimizer``."""

    def __init__(self, message: str, optimizer: object) -> None:
        super().__init__(message)
        self.optimizer = optimizer


def nearest(name: object, known: Iterable[str]) -> str:
    """End an "unknown name" message: the closest known name, then all of them.

    Example:
        >>> nearest("bore-fr", ["auto", "bore-rf"])
        "Did you mean 'bore-rf'? Known: 'auto', 'bore-rf'."
    """
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"{hint}Known: {', '.join(map(repr, names))}."
