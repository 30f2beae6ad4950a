"""What a worker must know of a study: space, command, rules and limits. Kept as JSON in the study itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auger.checks import is_whole
from auger.errors import StudyError, nearest
from auger.space import Space
from auger.studies.command import Command
from auger.studies.values import ReportRule, ValueRule
from auger.types import Config

DIRECTIONS = ("minimize", "maximize")
PRUNERS = ("none", "median", "hyperband", "asha")
FORMAT = 1


@dataclass(frozen=True)
class Limits:
    """What one trial may use: seconds, and bytes of address space. None: as much as it wants."""

    time: float | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Definition:
    """A study, as its file describes it.

    Attributes:
        name: of the study.
        space: what can be set, with conditions and constraints.
        command: what is run for each trial.
        storage: where the study is kept: the path of a journal, or a URL. Not in the JSON: it may hold a password.
        home: the folder of the study file, absolute; programs run there, and other paths are relative to it.
        folder: where the trials' own folders are; relative to `home`, or absolute.
        direction: "minimize" or "maximize".
        trials: how many to run in all; None for no limit.
        time: seconds for the whole study; None for no limit.
        workers: how many trials run at once.
        seed: of the proposals; None for others each time.
        recipe: how configurations are proposed.
        defaults: what is used today: tried first, and what the best is compared with.
        initial: configurations to try before any is proposed.
        value: how the value is read.
        report: how the values on the way are read; None where there are none.
        pruner: which trials are ended early, by the values on the way.
        limits: of each trial.
        retries: how often a trial is run again whose worker died.
    """

    name: str
    space: Space
    command: Command
    storage: str
    home: str
    folder: str
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

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise StudyError(f"`direction` must be 'minimize' or 'maximize'. {nearest(self.direction, DIRECTIONS)}")
        if self.pruner not in PRUNERS:
            raise StudyError(f"`pruner` must be one of {', '.join(map(repr, PRUNERS))}. Got {self.pruner!r}.")
        for name, least in (("trials", 1), ("workers", 1), ("seed", 0), ("retries", 0)):
            value = getattr(self, name)
            if value is None and name in ("trials", "seed"):
                continue
            if not is_whole(value) or value < least:
                raise StudyError(f"`{name}` must be a whole number of at least {least}. Got {value!r}.")

    @property
    def trials_folder(self) -> Path:
        """Where the trials' folders are, absolute."""
        return Path(self.home, self.folder)

    @property
    def first(self) -> tuple[Config, ...]:
        """What is tried before anything is proposed: the defaults, then the initial configurations."""
        configs: list[Config] = [] if self.defaults is None else [self.defaults]
        configs += [config for config in self.initial if config not in configs]
        return tuple(configs)

    def to_json(self) -> dict[str, Any]:
        """Everything but the storage, as JSON types."""
        return {
            "format": FORMAT,
            "name": self.name,
            "space": self.space.to_json(),
            "command": self.command.to_json(),
            "home": self.home,
            "folder": self.folder,
            "direction": self.direction,
            "trials": self.trials,
            "time": self.time,
            "workers": self.workers,
            "seed": self.seed,
            "recipe": self.recipe,
            "defaults": self.defaults,
            "initial": list(self.initial),
            "value": asdict(self.value),
            "report": None if self.report is None else asdict(self.report),
            "pruner": self.pruner,
            "limits": asdict(self.limits),
            "retries": self.retries,
        }

    @classmethod
    def from_json(cls, data: Any, *, storage: str) -> Definition:
        """Undo `to_json`, for a study found in ``storage``."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise StudyError(f"The definition of a study must be of format {FORMAT}. Got {str(data)[:80]}.")
        rest = {key: value for key, value in data.items() if key != "format"}
        try:
            return cls(
                **{
                    **rest,
                    "space": Space.from_json(data["space"]),
                    "command": Command.from_json(data["command"]),
                    "initial": tuple(data["initial"]),
                    "value": ValueRule(**data["value"]),
                    "report": None if data["report"] is None else ReportRule(**data["report"]),
                    "limits": Limits(**data["limits"]),
                },
                storage=storage,
            )
        except (KeyError, TypeError) as error:
            raise StudyError(f"The definition of the study is damaged: {type(error).__name__}: {error}.") from error
