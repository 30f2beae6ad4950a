"""The command of a trial: an argument list with ``{parameter}`` placeholders, never a shell.

A placeholder becomes text inside the argument it stands in, and that argument stays one argument whatever the value
holds. Text is filled in as it is, everything else as JSON writes it: 0.1, 1e-05, 3, true, [1, 2]. ``{{`` and ``}}``
are braces. An argument that mentions an inactive parameter is left out; a group, a list inside the list, is left out
whole: ``["--degree", "{degree}"]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from auger.errors import StudyError, nearest
from auger.types import Config

# What a program finds in its environment; the names are placeholders, too.
VARIABLES = ("AUGER_CONFIG", "AUGER_TRIAL", "AUGER_STUDY", "AUGER_FOLDER")

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")

Argument = str | tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """What is run: either a program with its arguments, or a Python function.

    Args:
        run: the program and its arguments; a tuple inside is a group.
        function: ``"package.module:name"``, called with the config, returns the value.
        environment: variables to set, placeholders allowed.
        config: the program reads its settings from AUGER_CONFIG, so placeholders are not needed.
    """

    run: tuple[Argument, ...] = ()
    function: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    config: bool = False

    def arguments(self, values: Mapping[str, Any]) -> list[str]:
        """The program and its arguments for the active parameters and VARIABLES in ``values``."""
        filled = []
        for argument in self.run:
            group = (argument,) if isinstance(argument, str) else argument
            parts = [fill(part, values) for part in group]
            filled += [] if None in parts else [part for part in parts if part is not None]
        return filled

    def variables(self, values: Mapping[str, Any]) -> dict[str, str | None]:
        """The variables to set; None for those to remove, because they mention an inactive parameter."""
        return {name: fill(value, values) for name, value in self.environment.items()}

    def check(self, names: Iterable[str], conditional: Iterable[str]) -> None:
        """Refuse placeholders that are no parameter, and options that would lose their value."""
        known, may_be_inactive = [*names, *VARIABLES], set(conditional)
        for text in self._texts():
            for name in placeholders(text):
                if name not in known:
                    raise StudyError(
                        f"{text!r} mentions {{{name}}}, which is no parameter (a brace itself is written twice). "
                        f"{nearest(name, known)}"
                    )
        for option, argument in zip(self.run[:-1], self.run[1:], strict=True):
            if not isinstance(option, str) or not isinstance(argument, str):
                continue
            inactive = [name for name in placeholders(argument) if name in may_be_inactive]
            if inactive and option.startswith("-") and "=" not in option and not placeholders(option):
                raise StudyError(
                    f"{argument!r} is left out when {inactive[0]!r} is inactive, but {option!r} before it is not. "
                    f"Write [{json.dumps(option)}, {json.dumps(argument)}] inside the list to leave out both, "
                    f"or [{json.dumps(argument)}] to leave out the one."
                )

    def mentioned(self) -> set[str]:
        """Every name in a placeholder."""
        return {name for text in self._texts() for name in placeholders(text)}

    def _texts(self) -> list[str]:
        parts = [part for item in self.run for part in ((item,) if isinstance(item, str) else item)]
        return [*parts, *self.environment.values()]

    def to_json(self) -> dict[str, Any]:
        """The command as JSON types."""
        run = [item if isinstance(item, str) else list(item) for item in self.run]
        return {"run": run, "function": self.function, "environment": dict(self.environment), "config": self.config}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Command:
        """Undo `to_json`."""
        run = tuple(item if isinstance(item, str) else tuple(item) for item in data["run"])
        return cls(run, data["function"], dict(data["environment"]), data["config"])


def placeholders(text: str) -> list[str]:
    """The names in braces, or a StudyError about a brace that has no partner.

    Example:
        >>> placeholders("--lr={lr} {{literal}}")
        ['lr']
    """
    names = []
    for piece in _PIECE.finditer(text):
        if piece[0] in ("{", "}"):
            raise StudyError(f"{text!r} has a {piece[0]!r} without its partner; write {piece[0] * 2!r} for a brace.")
        if piece[1] is not None:
            names.append(piece[1])
    return names


def fill(text: str, values: Mapping[str, Any]) -> str | None:
    """Put the values in the places of their names; None when one of them is inactive.

    Example:
        >>> fill("--lr={lr}", {"lr": 1e-05}), fill("{degree}", {}), fill("{{{lr}}}", {"lr": 1e-05})
        ('--lr=1e-05', None, '{1e-05}')
    """
    if not all(name in values for name in placeholders(text)):
        return None
    return _PIECE.sub(lambda piece: piece[0][0] if piece[1] is None else written(values[piece[1]]), text)


def written(value: Any) -> str:
    """A value as a program gets it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def surroundings(study: str, number: int, folder: str, config: Config) -> dict[str, str]:
    """The VARIABLES of one trial."""
    texts = (json.dumps(config, ensure_ascii=False), str(number), study, folder)
    return dict(zip(VARIABLES, texts, strict=True))
