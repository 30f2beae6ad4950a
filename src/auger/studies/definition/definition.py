"""What a worker must know of a study: space, command, rules and limits. Kept as JSON in the study itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auger.checks import is_whole
from auger.errors import ClassifierError, ConfigError, StudyError
from auger.recipes import as_recipe
from auger.space import Float, Space
from auger.studies.definition.checks import check_choice, check_seconds, check_text, check_whole
from auger.studies.definition.command import Command
from auger.studies.definition.location import about
from auger.studies.definition.reservation import Reservation
from auger.studies.definition.value_rules import FUNCTION_VALUE, ReportRule, ValueRule
from auger.types import Config

DIRECTIONS = ("minimize", "maximize")
PRUNERS = ("none", "auger", "median", "hyperband", "asha")
FORMAT = 1


@dataclass(frozen=True)
class Limits:
    """What one trial may use: seconds, and bytes of address space. None: as much as it wants."""

    time: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        check_seconds(self.time, "command.time_limit")
        if self.memory is not None and not (is_whole(self.memory) and self.memory > 0):
            raise StudyError(f"must be a number of bytes above 0. Got {self.memory!r}.", "command.memory_limit")


@dataclass(frozen=True)
class Definition:
    """A study, as its file describes it.

    Attributes:
        name: of the study.
        space: what can be set, with conditions and constraints.
        command: what is run for each trial.
        home: the folder of the study file, absolute; programs run there.
        storage: where the study is kept: the path of a journal (the default: one named after the study, in `home`), or
            a URL. Not in the JSON: it may hold a password.
        folder: where the trials' own folders are, named after the study by default; relative to `home`, or absolute.
        direction: "minimize" or "maximize".
        trials: how many to run in all; None for no limit.
        time: seconds for the whole study; None for no limit.
        workers: how many trials run at once.
        seed: of the proposals; None for others each time.
        recipe: how configurations are proposed: the name of a recipe, and options if wanted.
        defaults: what is used today: tried first, and what the best is compared with.
        initial: configurations to try before any is proposed.
        value: how the value is read; a function returns it.
        report: how the values on the way are read; None where there are none.
        pruner: which trials are ended early, by the values on the way.
        limits: of each trial.
        retries: how often a trial is run again whose worker died.
        ray: what a trial reserves on a Ray cluster; nothing where trials run elsewhere.
    """

    name: str
    space: Space
    command: Command
    home: str
    storage: str = field(default="", repr=False)
    folder: str = ""
    direction: str = "minimize"
    trials: int | None = None
    time: float | None = None
    workers: int = 1
    seed: int | None = None
    recipe: str = "auto"
    defaults: Config | None = None
    initial: tuple[Config, ...] = ()
    value: ValueRule = field(default_factory=ValueRule)
    report: ReportRule | None = None
    pruner: str = "none"
    limits: Limits = field(default_factory=Limits)
    retries: int = 1
    ray: Reservation = field(default_factory=Reservation)

    def __post_init__(self) -> None:
        _check_name(self.name)
        for key, known in (("direction", DIRECTIONS), ("pruner", PRUNERS)):
            check_choice(getattr(self, key), known, f"study.{key}")
        _check_recipe(self.recipe)
        for key, least in (("trials", 1), ("workers", 1), ("seed", 0), ("retries", 0)):
            if getattr(self, key) is not None or key not in ("trials", "seed"):
                check_whole(getattr(self, key), least, f"study.{key}")
        check_seconds(self.time, "study.time")
        if self.pruner != "none" and self.report is None:
            raise StudyError("needs a [report] table that says where the values on the way are.", "study.pruner")
        check_text(self.folder, "command.folder")
        self.command.check(self.space)
        self._fill_in()

    def _fill_in(self) -> None:
        """The defaults that depend on other fields, and configurations as the space has them."""
        filled: dict[str, Any] = {
            "storage": self.storage or str(Path(self.home, f"{self.name}.journal")),
            "folder": self.folder or f"{self.name}.trials",
            "value": self.value if self.command.function is None else FUNCTION_VALUE,
        }
        with about("defaults"):
            filled["defaults"] = None if self.defaults is None else _member(self.defaults, self.space)
        with about("study.initial"):
            filled["initial"] = tuple(_member(config, self.space) for config in self.initial)
        for key, value in filled.items():
            object.__setattr__(self, key, value)

    @property
    def trials_folder(self) -> Path:
        """Where the trials' folders are, absolute."""
        return Path(self.home, self.folder)

    @property
    def first(self) -> tuple[Config, ...]:
        """What is tried before anything is proposed: the defaults, then the initial configurations."""
        configs: list[Config] = [] if self.defaults is None else [self.defaults]
        for config in self.initial:
            if config not in configs:
                configs.append(config)
        return tuple(configs)

    def to_json(self) -> dict[str, Any]:
        """Everything but the storage, as JSON types."""
        plain = {key: getattr(self, key) for key in _PLAIN}
        return {
            "format": FORMAT,
            **plain,
            "space": self.space.to_json(),
            "command": self.command.to_json(),
            "initial": list(self.initial),
            "value": asdict(self.value),
            "report": None if self.report is None else asdict(self.report),
            "limits": asdict(self.limits),
            "ray": asdict(self.ray),
        }

    @classmethod
    def from_json(cls, data: Any, *, storage: str) -> Definition:
        """Undo `to_json`, for a study found in ``storage``."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, Mapping) else data
            raise StudyError(f"The definition of a study must be of format {FORMAT}. Got {found!r}.")
        try:
            return cls(
                **{key: data[key] for key in _PLAIN},
                space=Space.from_json(data["space"]),
                command=Command.from_json(data["command"]),
                storage=storage,
                initial=tuple(data["initial"]),
                value=ValueRule(**data["value"]),
                report=None if data["report"] is None else ReportRule(**data["report"]),
                limits=Limits(**data["limits"]),
                ray=Reservation(**data.get("ray", {})),  # which the first studies did not have
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise StudyError(f"The definition of the study is damaged: {type(error).__name__}: {error}.") from error


# The fields that JSON holds as they are.
_PLAIN = (
    *("name", "home", "folder", "direction", "trials", "time", "workers", "seed", "recipe"),
    *("defaults", "pruner", "retries"),
)


def _member(config: Any, space: Space) -> Config:
    """A configuration with the values as the space has them: 1 is 1.0 where a Float is wanted."""
    X = space.encode([config])
    if not space.allowed(X)[0]:
        raise ConfigError(f"The configuration must satisfy the constraints. Got {dict(config)!r}.")
    # a Float keeps the number as it is given, which its grid would move by the last digits
    exact = {
        name: float(config[name])
        for name, kind in space.parameters.items()
        if isinstance(kind, Float) and name in config
    }
    return {**space.decode(X)[0], **exact}


def _check_recipe(text: Any) -> None:
    check_text(text, "study.recipe")
    # a library that a classifier needs may be missing where trials are only run or looked at
    with about("study.recipe"), suppress(ClassifierError):
        as_recipe(text)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or re.search(r"[/\\]", name):
        raise StudyError(f"must be text without a slash: files are named after it. Got {name!r}.", "study.name")
