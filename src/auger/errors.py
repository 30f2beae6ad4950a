"""Our exceptions. Each also inherits the built-in a caller would expect to catch."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from auger.characters import shown, shown_lines

# Characters of a message, a screen full: a value that it quotes may be a file of megabytes.
_LONGEST = 2000


class AugerError(Exception):
    """Base of every exception that auger raises on purpose.

    A message quotes names and files of other people; what a terminal would obey in them is written as an escape.
    """

    def __init__(self, *message: object) -> None:
        super().__init__(*(_fit(part) if isinstance(part, str) else part for part in message))


def _fit(message: str) -> str:
    """A message to show; where it quotes too much, without its middle: what is wrong comes first, the way out last."""
    if len(message) > 4 * _LONGEST:  # a part of a file of megabytes: the rest need not be escaped
        message = f"{message[: 2 * _LONGEST]}{message[-2 * _LONGEST :]}"
    message = shown_lines(message)
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]} ... {message[-_LONGEST // 4 :]}"


class SpaceError(AugerError, ValueError):
    """The search space itself is wrong: bounds, choices, conditions or constraints."""


class ConfigError(AugerError, ValueError):
    """A configuration is not a member of its space."""


class TrialError(AugerError, ValueError):
    """A trial that does not exist, is already finished, or is told a value that is not a number."""


class ObjectiveError(AugerError, ValueError):
    """A direction that is neither 'minimize' nor 'maximize', several where one is optimized, or a wrong limit."""


class RecipeError(AugerError, ValueError):
    """An unknown recipe, or a recipe whose parts do not fit together."""


class ClassifierError(AugerError, ValueError):
    """A classifier with wrong settings, or one that cannot be used here."""


class ScoringError(AugerError, ValueError):
    """Several scores, and no choice of the one to optimize."""


class FileFormatError(AugerError, ValueError):
    """A saved file that is cut, was not written by auger, or has another version."""


class StudyError(AugerError, ValueError):
    """A study that cannot be run as its study file, or its storage, describes it.

    ``key`` is the key of the study file that the message is about, such as ``"command.run"``; None for no key.
    ``reason`` is the message without the key.
    """

    def __init__(self, message: str, key: str | None = None) -> None:
        table, _, name = (key or "").partition(".")
        location = f"[{shown(table)}]{name and f' {shown(name)}'}: " if key else ""
        super().__init__(f"{location}{message}")
        self.key = key
        self.reason = message


class StorageError(AugerError, ValueError):
    """A storage with a wrong name, or a file that is not a storage."""


class StorageUnreachableError(AugerError, ConnectionError):
    """A storage that does not answer: a server that is down, a wrong password, a folder that cannot be written."""


class NoCompletedTrialError(AugerError, RuntimeError):
    """Every trial failed, so there is nothing to return. The trials are in ``.trials``."""

    def __init__(self, message: str, trials: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.trials = list(trials)


class StopSearch(AugerError):
    """Raise it in a callback of `minimize` to end the run early: no new trial starts, and the result is returned."""


class SearchError(AugerError, RuntimeError):
    """A run ended early because something other than the objective failed. The trials are in ``.optimizer``."""

    def __init__(self, message: str, optimizer: object) -> None:
        super().__init__(message)
        self.optimizer = optimizer


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """The end of a message about a name that is none of ``names``: the closest of them; empty where none is close.

    Example:
        >>> did_you_mean("bore-fr", ["auto", "bore-rf"])
        " Did you mean 'bore-rf'?"
    """
    close = difflib.get_close_matches(str(name)[:100], list(names), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def nearest(name: object, names: Iterable[str]) -> str:
    """The same, followed by all names.

    Example:
        >>> nearest("bore-fr", ["auto", "bore-rf"])
        "Did you mean 'bore-rf'? Known: 'auto', 'bore-rf'."
    """
    names = list(names)
    return f"{did_you_mean(name, names)} Known: {', '.join(map(repr, names))}.".lstrip()
