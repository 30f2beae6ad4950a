"""The definition of a study: space, command, rules and limits. Stored as JSON in the study, for every worker."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from auger.characters import is_shown
from auger.checks import is_whole
from auger.errors import AugerError, ClassifierError, StudyError, nearest
from auger.objectives import Objectives, as_objectives
from auger.old_formats import recipe_name
from auger.outcome_constraints import OutcomeConstraint, as_outcome_constraints
from auger.recipes import as_recipe
from auger.schema import MAX_TEXT
from auger.space import Float, Space
from auger.studies.definition.checks import check_bytes, check_choice, check_count, check_seconds, check_text
from auger.studies.definition.command import SLOT, Command
from auger.studies.definition.location import errors_at
from auger.studies.definition.parameter_tables import check_settings
from auger.studies.definition.reservation import Reservation
from auger.studies.definition.slots import check_gpus, check_slots, check_workers
from auger.studies.definition.value_rules import BY_NAME, ReportRule, ValueRule, function_rule
from auger.text import toml_value
from auger.types import Config

PRUNERS = ("none", "auger", "median", "hyperband", "asha")
# With 1, `bore-mlp` was another recipe. Only a study of several numbers per trial needs 3, so that earlier versions can
# go on with the others.
FORMAT, FORMAT_OF_SEVERAL = 2, 3
# So many numbers fit into one attribute of any storage (`auger.schema.MAX_TEXT`): the values of all runs of a trial.
MAX_RUNS = 50


# Bytes of a name: file systems take names of 255, and Optuna's lock of a journal adds 56 in its longest one.
MAX_NAME = 199


@dataclass(frozen=True)
class Limits:
    """What one trial may use: seconds, and bytes of address space. None: no limit."""

    time: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        check_seconds(self.time, "command.time_limit")
        check_bytes(self.memory, "command.memory_limit")


@dataclass(frozen=True)
class Definition:
    """A study, as its file describes it.

    Attributes:
        name: of the study.
        space: the parameters, with conditions and constraints.
        command: what runs for each trial.
        home: the folder of the study file, absolute; programs run there.
        storage: the address of the storage: the path of a journal (the default: one named after the study, in `home`),
            or a URL. Not in the JSON: it may hold a password.
        folder: the folder of the trial folders, named after the study by default; relative to `home`, or absolute.
        objectives: what is optimized, by name; "value" where the study file names none.
        outcome_constraints: of other numbers that the program gives.
        trials: how many to run in all; None for no limit.
        time: seconds for the whole study; None for no limit.
        workers: how many trials run at once.
        slots: names of what only one running trial may use at a time. Each gets one, in the variable AUGER_SLOT.
        gpus: slots that are GPUs: the trial sees its GPU only, by CUDA_VISIBLE_DEVICES. Not together with `slots`.
        seed: of the suggestions; None draws one.
        recipe: the name of the recipe that suggests configurations, and options.
        defaults: the settings in use today: tried first, and the baseline of the best.
        initial: configurations to try before any suggestion.
        value: how the value is read of an objective that the study file does not name; a function returns it.
        values: how the others are read, by the names of objectives and outcome constraints. Those that are left out are
            read by name.
        report: how intermediate values are read; None where there are none.
        pruner: the rule that ends trials early, by their intermediate values.
        limits: of each trial.
        retries: how often a trial runs again after its worker died.
        repeats: how often a trial runs its program; its value is the mean.
        confirm: how often the best settings, and those they are compared with, run again at the end; 0 for not at all.
        ray: what a trial reserves on a Ray cluster; ignored where trials run elsewhere.
    """

    name: str
    space: Space
    command: Command
    home: str
    storage: str = field(default="", repr=False)
    folder: str = ""
    objectives: Objectives = field(default_factory=Objectives)
    outcome_constraints: tuple[OutcomeConstraint, ...] = ()
    trials: int | None = None
    time: float | None = None
    workers: int = 1
    slots: tuple[str, ...] = ()
    gpus: tuple[int | str, ...] = ()
    seed: int | None = None
    recipe: str = "auto"
    defaults: Config | None = None
    initial: tuple[Config, ...] = ()
    value: ValueRule = field(default_factory=ValueRule)
    values: Mapping[str, ValueRule] = field(default_factory=dict)
    report: ReportRule | None = None
    pruner: str = "none"
    limits: Limits = field(default_factory=Limits)
    retries: int = 1
    repeats: int = 1
    confirm: int = 0
    ray: Reservation = field(default_factory=Reservation)

    def __post_init__(self) -> None:
        _check_name(self.name)
        check_choice(self.pruner, PRUNERS, "study.pruner")
        self._check_names()
        _check_recipe(self.recipe)
        for key, least in (("trials", 1), ("workers", 1), ("seed", 0), ("retries", 0)):
            if getattr(self, key) is not None or key not in ("trials", "seed"):
                check_count(getattr(self, key), least, f"study.{key}")
        for key, least in (("repeats", 1), ("confirm", 0)):
            runs = getattr(self, key)
            if not is_whole(runs) or not least <= runs <= MAX_RUNS:
                raise StudyError(
                    f"must be a whole number from {least} to {MAX_RUNS}: how often a program runs with the same "
                    f"settings. Got {runs!r}.",
                    f"study.{key}",
                )
        self._check_several()
        check_seconds(self.time, "study.time")
        if self.pruner != "none" and self.report is None:
            raise StudyError("needs a [report] table that says where the intermediate values are.", "study.pruner")
        check_text(self.folder, "command.folder")
        check_slots(self.slots)
        check_gpus(self.gpus, self.slots)
        check_workers(self.workers, self.slot_names)
        self.command.check(self.space, has_slots=bool(self.slot_names))
        self._fill_in()

    def _check_names(self) -> None:
        """Refuse names of objectives and outcome constraints that are not told apart, or cannot be shown."""
        keys = [(name, "study.objectives") for name in self.objectives.names]
        keys += [(name, "study.constraints") for name in self.limited]
        for i, (name, key) in enumerate(keys):
            if not isinstance(name, str) or not name or name != name.strip() or not is_shown(name):
                raise StudyError(f"a name must be printable text. Got {toml_value(name)}.", key)
            if re.search(r"[,<>=]", name):  # `auger best --prefer` has limits and lists of names
                raise StudyError(f"a name must have none of , < > =. Got {toml_value(name)}.", key)
            if name in [earlier for earlier, _ in keys[:i]]:
                raise StudyError(f"the names of objectives and constraints must differ. Twice: {name!r}.", key)
            if name in self.space.parameters and not self._is_plain:
                raise StudyError(f"must have other names than the parameters. Got {name!r}, which is one.", key)
        if len(keys) > MAX_RUNS:
            raise StudyError(f"there must be at most {MAX_RUNS} in all. Got {len(keys)}.", keys[-1][1])
        if len(json.dumps(dict.fromkeys(self.names, -sys.float_info.max))) > MAX_TEXT:
            raise StudyError(f"the names are too long to be stored, by {len(keys)} names.", keys[-1][1])
        for name in self.values:
            if name not in self.names:
                raise StudyError(f"is no objective and no constraint. {nearest(name, self.names)}", f"value.{name}")

    def _check_several(self) -> None:
        """Refuse what has no meaning yet, or none at all, with several numbers per trial."""
        n, several = len(self.objectives), f"the study has {len(self.objectives)} objectives"
        if n > 1 and self.pruner not in ("none", "auger"):
            raise StudyError(
                f'must be "auger" with several objectives: the others compare one number, and {several}. '
                f"Got {toml_value(self.pruner)}.",
                "study.pruner",
            )
        if self.report is not None:
            self._check_report(self.report)
        if n > 1 and self.confirm:
            raise StudyError(
                f"is for a single objective: it runs the best settings again, and {several}, of which no trial is best "
                "in all. `repeats` runs each trial several times.",
                "study.confirm",
            )
        is_last_number = n == 1 and self.rules[self.objectives.names[0]] == ValueRule()
        is_unnamed = self.objectives.names == Objectives().names and not self.values.keys() & set(Objectives().names)
        if self.outcome_constraints and is_unnamed and is_last_number and self.command.function is None:
            raise StudyError(
                "the last number that the program prints may be that of a constraint, and not the value. Name the "
                'objective, too, as in `objectives = { loss = "minimize" }` or `--objective loss=minimize`.',
                "study.constraints",
            )
        for key in ("repeats", "confirm"):
            runs, most = getattr(self, key), MAX_RUNS // len(self.names)
            if runs > most:
                raise StudyError(
                    f"must be at most {most} with {len(self.names)} numbers per run. Got {runs}.", f"study.{key}"
                )

    def _check_report(self, report: ReportRule) -> None:
        """Refuse a rule of intermediate values that does not fit the objectives."""
        is_unnamed = self.objectives.names == Objectives().names
        if report.read == "json" and report.key is None and len(self.objectives) == 1 and is_unnamed:
            raise StudyError('`read = "json"` needs a `key`.', "report.read")
        for key in ("key", "pattern") if len(self.objectives) > 1 else ():
            if getattr(report, key) is not None:
                listed = ", ".join(map(toml_value, self.objectives.names))
                raise StudyError(
                    "must be left out with several objectives: intermediate values are read from JSON lines that have "
                    f"all of their names as keys: {listed}.",
                    f"report.{key}",
                )

    def _fill_in(self) -> None:
        """Set the defaults that depend on other fields, and write configurations as the space does."""
        filled: dict[str, Any] = {
            "storage": self.storage or str(Path(self.home, f"{self.name}.journal")),
            "folder": self.folder or f"{self.name}.trials",
            "value": self.value if self.command.function is None else function_rule(),
            "values": self._filled_rules(),
        }
        if self.report is not None and self.report.read == "json" and len(self.objectives) == 1:
            filled["report"] = replace(self.report, key=self.report.key or self.objectives.names[0])
        filled["defaults"] = None if self.defaults is None else _member(self.defaults, self.space, "defaults")
        filled["initial"] = tuple(_member(config, self.space, "study.initial") for config in self.initial)
        for key, value in filled.items():
            object.__setattr__(self, key, value)

    def _filled_rules(self) -> dict[str, ValueRule]:
        """A rule for each number but that of an objective without a name."""
        unnamed = () if len(self.objectives) > 1 else Objectives().names
        names = [name for name in self.names if name in self.values or name not in unnamed]
        if self.command.function is not None:
            return {name: function_rule(name) for name in names}
        return {name: self.values.get(name) or ValueRule(BY_NAME, key=name) for name in names}

    @property
    def _is_plain(self) -> bool:
        """Whether a trial has a single number, without a name."""
        return self.names == Objectives().names and not self.values

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that the program gives: of the objectives, then of the outcome constraints."""
        return (*self.objectives.names, *self.limited)

    @property
    def limited(self) -> dict[str, str]:
        """The limits of each number that has any, as users write them."""
        limits: dict[str, list[str]] = {}
        for constraint in self.outcome_constraints:
            limits.setdefault(constraint.name, []).append(constraint.limit)
        return {name: ", ".join(several) for name, several in limits.items()}

    @property
    def constraint_names(self) -> list[str]:
        """A name for each outcome constraint: that of its number, with the limit if the number has another one."""
        names = [constraint.name for constraint in self.outcome_constraints]
        return [
            constraint.name if names.count(constraint.name) == 1 else f"{constraint.name} {constraint.limit}"
            for constraint in self.outcome_constraints
        ]

    def excess(self, numbers: Sequence[float]) -> dict[str, float]:
        """How far numbers are beyond the limit of each outcome constraint, at most 0 within it; by `constraint_names`.

        Args:
            numbers: one for each name in `limited`.
        """
        by_name = dict(zip(self.limited, numbers, strict=True))
        excess = [constraint.excess(by_name[constraint.name]) for constraint in self.outcome_constraints]
        return dict(zip(self.constraint_names, excess, strict=True))

    @property
    def n_numbers(self) -> tuple[int, int]:
        """How many values, and how many constraints, a complete trial has."""
        return len(self.objectives), len(self.limited)

    @property
    def rules(self) -> dict[str, ValueRule]:
        """How each of these numbers is read."""
        return {name: self.values.get(name, self.value) for name in self.names}

    @property
    def trials_folder(self) -> Path:
        """The folder of the trial folders, absolute."""
        return Path(self.home, self.folder)

    def folder_of(self, number: int, repeat: int | None = None) -> Path:
        """The folder of a trial, absolute; of one of its runs, where it has several."""
        folder = self.trials_folder / str(number)
        return folder if repeat is None else folder / str(repeat)

    @property
    def slot_names(self) -> tuple[str, ...]:
        """The slots as AUGER_SLOT names them; empty where trials need none."""
        return self.slots or tuple(map(str, self.gpus))

    def slot_variables(self, slot: str | None = None) -> dict[str, str]:
        """The variables of a trial in a slot, by default the first one; none where trials need no slot."""
        if not self.slot_names:
            return {}
        name = self.slot_names[0] if slot is None else slot
        return {SLOT: name, "CUDA_VISIBLE_DEVICES": name} if self.gpus else {SLOT: name}

    @property
    def first(self) -> tuple[Config, ...]:
        """The configurations to try before any suggestion: the defaults, then the initial ones, none twice."""
        configs: list[Config] = [] if self.defaults is None else [self.defaults]
        for config in self.initial:
            if config not in configs:
                configs.append(config)
        return tuple(configs)

    def to_json(self) -> dict[str, Any]:
        """Everything but the storage, as JSON types."""
        return {
            **self._objectives_to_json(),
            **{key: getattr(self, key) for key in (*_PLAIN, *_LATER)},
            "recipe": self.recipe,
            "space": self.space.to_json(),
            "command": self.command.to_json(),
            "slots": list(self.slots),
            "gpus": list(self.gpus),
            "initial": list(self.initial),
            "value": asdict(self.value),
            "report": None if self.report is None else asdict(self.report),
            "limits": asdict(self.limits),
            "ray": asdict(self.ray),
        }

    def _objectives_to_json(self) -> dict[str, Any]:
        if self._is_plain:
            return {"format": FORMAT, "direction": self.objectives.directions[0].value}
        return {
            "format": FORMAT_OF_SEVERAL,
            "objectives": self.objectives.to_json(),
            "outcome_constraints": [[constraint.name, constraint.limit] for constraint in self.outcome_constraints],
            "values": {name: asdict(rule) for name, rule in self.values.items()},
        }

    @classmethod
    def from_json(cls, data: Any, *, storage: str) -> Definition:
        """Undo `to_json`, for a study in ``storage``."""
        version = data.get("format") if isinstance(data, Mapping) else data
        if version not in (1, FORMAT, FORMAT_OF_SEVERAL):
            raise StudyError(
                f"The stored definition of a study must have a format from 1 to {FORMAT_OF_SEVERAL}. Got {version!r}."
            )
        try:
            return cls(
                **{key: data[key] for key in _PLAIN},
                **_objectives_from_json(data),
                recipe=recipe_name(data["recipe"]) if version == 1 else data["recipe"],
                **{key: data[key] for key in _LATER if key in data},
                space=Space.from_json(data["space"]),
                command=Command.from_json(data["command"]),
                storage=storage,
                slots=tuple(data.get("slots", ())),  # older studies have none, here and below
                gpus=tuple(data.get("gpus", ())),
                initial=tuple(data["initial"]),
                value=ValueRule(**data["value"]),
                report=None if data["report"] is None else ReportRule(**data["report"]),
                limits=Limits(**data["limits"]),
                ray=Reservation(**data.get("ray", {})),
            )
        except AugerError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
            raise StudyError(
                f"The stored definition of the study is damaged: {type(error).__name__}: {error}."
            ) from error


# The fields that JSON holds as they are.
_PLAIN = (
    *("name", "home", "folder", "trials", "time", "workers", "seed"),
    *("defaults", "pruner", "retries"),
)
# Likewise, and older studies do not have them.
_LATER = ("repeats", "confirm")


def _objectives_from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say what is optimized."""
    if data["format"] != FORMAT_OF_SEVERAL:
        return {"objectives": as_objectives(data["direction"])}
    return {
        "objectives": Objectives.from_json(data["objectives"]),
        "outcome_constraints": tuple(
            constraint
            for name, limit in data["outcome_constraints"]
            for constraint in as_outcome_constraints({name: limit})
        ),
        "values": {name: ValueRule(**rule) for name, rule in data["values"].items()},
    }


def _member(config: Any, space: Space, key: str) -> Config:
    """A configuration in the types of the space: 1 becomes 1.0 for a Float. Raises a StudyError for others."""
    check_settings(config, space, key)
    X = space.encode([config])
    if not space.allowed(X)[0]:
        raise StudyError(f"must satisfy the constraints. Got {toml_value(config)}.", key)
    # a Float keeps the number as the user wrote it: decoding would move its last digits
    exact = {
        name: float(config[name])
        for name, parameter in space.parameters.items()
        if isinstance(parameter, Float) and name in config
    }
    return {**space.decode(X)[0], **exact}


def _check_recipe(text: Any) -> None:
    check_text(text, "study.recipe")
    # where trials only run, or are only looked at, a library of the classifier may be missing
    with errors_at("study.recipe"), suppress(ClassifierError):
        as_recipe(text)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or not is_shown(name) or re.search(r"[/\\]", name):
        raise StudyError(
            f"must be printable text without a slash, because files are named after it. Got {toml_value(name)}.",
            "study.name",
        )
    if len(name.encode()) > MAX_NAME:
        raise StudyError(
            f"must have at most {MAX_NAME} bytes, because files are named after it. Got {toml_value(name)}.",
            "study.name",
        )
