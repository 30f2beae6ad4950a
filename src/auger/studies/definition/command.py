"""The command of a trial: an argument list with ``{parameter}`` placeholders, never a shell.

A placeholder becomes text inside the argument it stands in, and that argument stays one argument whatever the value
holds. Text is filled in as it is, everything else as JSON writes it: 0.1, 1e-05, 3, true, [1, 2]. ``{{`` and ``}}``
are braces. An argument that mentions an inactive parameter is left out; a group, a list inside the list, is left out
whole: ``["--degree", "{degree}"]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auger.errors import StudyError, nearest
from auger.space import Space
from auger.text import toml_value, written
from auger.types import Config

# Environment variables that every program gets; their names are placeholders, too.
VARIABLES = ("AUGER_CONFIG", "AUGER_TRIAL", "AUGER_STUDY", "AUGER_FOLDER", "AUGER_REPEAT")

# The slot of the trial, where the study has slots; likewise.
SLOT = "AUGER_SLOT"

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

Argument = str | tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """What runs for a trial: either a program with its arguments, or a Python function.

    Args:
        run: the program and its arguments; a tuple inside is a group.
        function: ``"package.module:name"``, called with the config, returns the value.
        environment: variables to set, placeholders allowed.
        config: whether the program reads its settings from AUGER_CONFIG; not every parameter then needs a placeholder.

    Example:
        >>> command = Command(("train", "--C={C}", ("--degree", "{degree}")))
        >>> command.arguments({"C": 0.5})
        ['train', '--C=0.5']
        >>> command.arguments({"C": 0.5, "degree": 3})
        ['train', '--C=0.5', '--degree', '3']
    """

    run: tuple[Argument, ...] = ()
    function: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    config: bool = False

    def __post_init__(self) -> None:
        if bool(self.run) == (self.function is not None):
            raise StudyError(
                "must have either `run`, a list of arguments, or `function`, such as 'package.module:name'.", "command"
            )
        if self.function is None:
            _check_run(self.run)
        elif not isinstance(self.function, str) or not is_function_name(self.function):
            raise StudyError(
                f"must name a function, such as 'package.module:name'. Got {toml_value(self.function)}.",
                "command.function",
            )
        _check_environment(self.environment)
        if not isinstance(self.config, bool):
            raise StudyError(f"must be true or false. Got {toml_value(self.config)}.", "command.config")

    def arguments(self, values: Mapping[str, Any]) -> list[str]:
        """The program and its arguments, filled with the active parameters and VARIABLES in ``values``."""
        filled = []
        for group in self._groups():
            parts = [fill(part, values) for part in group]
            if None not in parts:
                filled += parts
        return [part for part in filled if part is not None]

    def variables(self, values: Mapping[str, Any]) -> dict[str, str | None]:
        """The variables to set; None for a variable to remove, because it mentions an inactive parameter."""
        return {name: fill(value, values) for name, value in self.environment.items()}

    def check(self, space: Space, *, has_slots: bool = False) -> None:
        """Refuse placeholders without a parameter, parameters that are never passed, and options without a value."""
        _check_names(space)
        texts = [("command.run", part) for group in self._groups() for part in group]
        texts += [("command.environment", text) for text in self.environment.values()]
        names, used = [*space.names, *VARIABLES, *([SLOT] if has_slots else [])], set()
        for key, text in texts:
            for name in placeholders(text, key):
                if name == SLOT and not has_slots:
                    raise StudyError(
                        f"{text!r} mentions {{{SLOT}}}, but the study has neither `slots` nor `gpus`.", key
                    )
                if name not in names:
                    raise StudyError(
                        f"{text!r} mentions {{{name}}}, which is not a parameter. {nearest(name, names)} "
                        "For a literal brace write two.",
                        key,
                    )
                used.add(name)
        self._check_options(space)
        if self.function is None and not self.config and "AUGER_CONFIG" not in used:
            _check_all_used(used, space)

    def _check_options(self, space: Space) -> None:
        """Refuse an option that stays when its argument is left out: "--degree", "{degree}"."""
        for option, argument in zip(self.run[:-1], self.run[1:], strict=True):
            if not isinstance(option, str) or not isinstance(argument, str):
                continue
            inactive = [name for name in placeholders(argument) if name in space.names and space.parameters[name].when]
            if inactive and option.startswith("-") and "=" not in option and not placeholders(option):
                raise StudyError(
                    f"{argument!r} is left out when {inactive[0]!r} is inactive, but {option!r} before it is not. "
                    f"Write [{_toml(option)}, {_toml(argument)}] inside the list to leave out both, or "
                    f"[{_toml(argument)}] to leave out the argument only.",
                    "command.run",
                )

    def _groups(self) -> list[tuple[str, ...]]:
        return [(item,) if isinstance(item, str) else item for item in self.run]

    def to_json(self) -> dict[str, Any]:
        """The command as JSON types."""
        run = [item if isinstance(item, str) else list(item) for item in self.run]
        return {"run": run, "function": self.function, "environment": dict(self.environment), "config": self.config}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Command:
        """Undo `to_json`."""
        run = tuple(tuple(item) if isinstance(item, list) else item for item in data["run"])
        return cls(run, data["function"], dict(data["environment"]), data["config"])


def is_function_name(text: str) -> bool:
    """Whether a text names a Python function: ``package.module:name``."""
    return _FUNCTION.fullmatch(text) is not None


def placeholders(text: str, key: str = "command.run") -> list[str]:
    """The names in braces. Raises a StudyError about ``key`` where a brace has no partner.

    Example:
        >>> placeholders("--lr={lr} {{literal}}")
        ['lr']
    """
    names = []
    for piece in _PIECE.finditer(text):
        if piece[0] in ("{", "}"):
            raise StudyError(
                f"{text!r} has a {piece[0]!r} without its partner. For a literal brace write {piece[0] * 2!r}.", key
            )
        if piece[1] is not None:
            names.append(piece[1])
    return names


def fill(text: str, values: Mapping[str, Any]) -> str | None:
    """The text with every placeholder replaced by its value; None when a parameter in it is inactive.

    Example:
        >>> fill("--lr={lr}", {"lr": 1e-05}), fill("{degree}", {}), fill("{{{lr}}}", {"lr": 1e-05})
        ('--lr=1e-05', None, '{1e-05}')
    """
    if not all(name in values for name in placeholders(text)):
        return None
    return _PIECE.sub(lambda piece: piece[0][0] if piece[1] is None else written(values[piece[1]]), text)


def trial_variables(study: str, number: int, folder: str, config: Config, repeat: int = 0) -> dict[str, str]:
    """The VARIABLES of one run of a trial, name -> text."""
    return dict(zip(VARIABLES, (written(config), str(number), study, folder, str(repeat)), strict=True))


def _check_run(run: Any) -> None:
    if not isinstance(run, tuple) or not isinstance(run[0], str) or not run[0]:
        raise StudyError(
            f'must be a list that begins with a program, as in ["python", "train.py"]. Got {toml_value(run)}.',
            "command.run",
        )
    for item in run:
        for part in item if isinstance(item, tuple) and item else (item,):
            if not isinstance(part, str) or "\0" in part:
                raise StudyError(
                    'must be a list of texts in quotes, such as "10", or of lists of texts that are left out together. '
                    f"Got {toml_value(part)} in it.",
                    "command.run",
                )


def _check_environment(environment: Any) -> None:
    if not isinstance(environment, Mapping):
        raise StudyError(
            f'must be a table such as {{ THREADS = "2" }}. Got {toml_value(environment)}.', "command.environment"
        )
    for name, text in environment.items():
        if not name or "=" in name or "\0" in name:
            raise StudyError(
                f"the name of a variable must not be empty and must not hold a '='. Got {name!r}.",
                "command.environment",
            )
        if not isinstance(text, str) or "\0" in text:
            raise StudyError(f"{name} must be text in quotes. Got {toml_value(text)}.", "command.environment")


def _check_names(space: Space) -> None:
    for name, parameter in space.parameters.items():
        if name in (*VARIABLES, SLOT) or re.search(r"[{}\0]", name):
            raise StudyError(
                f"a parameter needs another name: it must hold no brace and no zero byte, and must not be one of "
                f"{', '.join((*VARIABLES, SLOT))}.",
                f"space.{name}",
            )
        # no system passes a zero byte to a program
        if any(isinstance(choice, str) and "\0" in choice for choice in getattr(parameter, "choices", ())):
            raise StudyError("a choice must not hold a zero byte.", f"space.{name}")


def _check_all_used(used: set[str], space: Space) -> None:
    # a parameter that decides which arguments are left out reaches the program through them
    parents = {parent for name in used if name in space.parameters for parent in space.parameters[name].when}
    for name in space.names:
        if name not in used | parents:
            raise StudyError(
                f"the parameter {name!r} never reaches the program. Put {{{name}}} in an argument or a variable, or "
                "set `config = true` if the program reads its settings from the variable AUGER_CONFIG.",
                "command.run",
            )


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
