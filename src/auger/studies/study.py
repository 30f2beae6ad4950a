"""A study in its storage: made, found again, and compared with what its file says now."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from auger.errors import StudyError, nearest
from auger.space import Space
from auger.studies.definition.definition import Definition
from auger.studies.pool.progress import Ledger
from auger.studies.storage.storage import Storage
from auger.types import Config

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

    from auger.hosts.optuna.parameters import Column
    from auger.hosts.optuna.study_history import Proposal

#: User attribute of a study: everything a worker must know.
DEFINITION = "auger:definition"


@dataclass(frozen=True)
class Study:
    """A definition and the Optuna study that holds its trials.

    Attributes:
        notes: what was taken over although it makes older trials differ from newer ones, in words.
    """

    definition: Definition
    storage: Storage
    optuna: optuna.Study
    notes: tuple[str, ...] = ()

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        from auger.hosts.optuna.parameters import columns_of

        return columns_of(self.definition.space)

    @property
    def key(self) -> int:
        """What the storage knows the study by."""
        return int(self.optuna._study_id)

    def trials(self) -> list[FrozenTrial]:
        """All trials, in the order of their numbers. Not copies: look, do not touch."""
        found: list[FrozenTrial] = self.storage.optuna.get_all_trials(self.key, deepcopy=False)
        return found

    def propose(self, trials: Sequence[FrozenTrial]) -> Proposal:
        """What the next trial should try, after all of these."""
        sampler: Any = self.optuna.sampler
        made: Proposal = sampler.propose(self.optuna, trials)
        return made

    def params(self, config: Config) -> dict[str, Any]:
        """A configuration in Optuna's values."""
        return {name: _param(column, name, config[name]) for name, column in self._columns.items() if name in config}

    def distributions(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the named parameters."""
        return {name: self._columns[name].distribution for name in names}

    def config(self, params: Mapping[str, Any]) -> Config:
        """The configuration behind Optuna's values."""
        return self.configs([params])[0]

    def configs(self, many: Sequence[Mapping[str, Any]]) -> list[Config]:
        """The configurations of many trials. What is no value of ours, as Optuna may hold, is left out."""
        made: list[Config] = [{} for _ in many]
        for name, column in self._columns.items():
            having = [i for i, params in enumerate(many) if name in params]
            entries = column.encode([many[i][name] for i in having])
            is_ours = ~np.isnan(entries)
            values = column.kind.decode(entries[is_ours])
            for i, value in zip(np.array(having)[is_ours].tolist(), values, strict=True):
                made[i][name] = many[i][name] if column.is_exact else value
        return made

    def ledger(self) -> Ledger:
        """A new one, with nothing read yet."""
        return Ledger(retries=self.definition.retries, is_maximized=self.definition.direction == "maximize")


def _param(column: Column, name: str, value: Any) -> Any:
    entry = column.kind.encode([value], name)
    return float(value) if column.is_exact else column.decode(entry)[0]


def open_study(definition: Definition, storage: Storage, *, widen: bool = False) -> Study:
    """Make the study, or find it again and take over what may change: everything but the space and the direction.

    Args:
        definition: what the study file says now.
        storage: where the study is kept.
        widen: take over a space that contains the old one.
    """
    import optuna

    with storage.turn(definition.name):
        try:
            directions = [optuna.study.StudyDirection[definition.direction.upper()]]
            storage.optuna.create_new_study(directions, definition.name)
            is_new = True
        except optuna.exceptions.DuplicatedStudyError:
            is_new = False
        known = optuna.load_study(study_name=definition.name, storage=storage.optuna, sampler=_no_sampler())
        stored = known.user_attrs.get(DEFINITION)
        notes: tuple[str, ...] = ()
        if stored is not None:
            old = Definition.from_json(stored, storage=definition.storage)
            definition, notes = _taken_over(old, definition, widen), _notes(old, definition)
        elif not is_new and known.get_trials(deepcopy=False):
            raise StudyError(
                f"The study {definition.name!r} in {storage.place} was not made by auger. Choose another name, or use "
                f"auger.hosts.optuna.AugerSampler in the program that made it."
            )
        if definition.seed is None:  # one for all workers, and for the next time
            definition = replace(definition, seed=random.SystemRandom().randrange(2**31))
        if stored != definition.to_json():
            known.set_user_attr(DEFINITION, definition.to_json())
    return replace(_with_sampler(definition, storage), notes=notes)


def load_study(storage: Storage, name: str | None = None) -> Study:
    """A study that is there, by name; the only one of the storage without."""
    definition = stored_definition(storage, name or _only_name(storage))
    return _with_sampler(definition, storage)


def stored_definition(storage: Storage, name: str) -> Definition:
    """What the storage says about a study."""
    known = optuna_study(storage, name)
    stored = known.user_attrs.get(DEFINITION)
    if stored is None:
        raise StudyError(f"The study {name!r} in {storage.place} was not made by `auger tune`.")
    return Definition.from_json(stored, storage=str(storage.place))


def optuna_study(storage: Storage, name: str | None = None) -> optuna.Study:
    """A study that is there, whoever made it, by name; the only one of the storage without. To look at, not to run."""
    import optuna

    wanted = name or _only_name(storage)
    try:
        return optuna.load_study(study_name=wanted, storage=storage.optuna, sampler=_no_sampler())
    except KeyError:
        raise StudyError(f"There is no study {name!r} in {storage.place}. {nearest(name, _names(storage))}") from None


def _names(storage: Storage) -> list[str]:
    return sorted(study.study_name for study in storage.optuna.get_all_studies())


def _only_name(storage: Storage) -> str:
    names = _names(storage)
    if len(names) != 1:
        listed = f"It holds {', '.join(map(repr, names))}: name one." if names else "It holds none yet."
        raise StudyError(f"Which study of {storage.place}? {listed}")
    return names[0]


def _with_sampler(definition: Definition, storage: Storage) -> Study:
    import optuna

    from auger.hosts.optuna import AugerSampler

    sampler = AugerSampler(definition.recipe, space=definition.space, seed=definition.seed)
    study = optuna.load_study(
        study_name=definition.name, storage=storage.optuna, sampler=sampler, pruner=_pruner(definition.pruner)
    )
    return Study(definition, storage, study)


def _no_sampler() -> Any:
    from optuna.samplers import RandomSampler  # the default one takes time to import

    return RandomSampler()


def _pruner(name: str) -> Any:
    from optuna import pruners

    from auger.hosts.optuna import AugerPruner

    kinds = {
        "auger": AugerPruner,
        "none": pruners.NopPruner,
        "median": pruners.MedianPruner,
        "hyperband": pruners.HyperbandPruner,
        "asha": pruners.SuccessiveHalvingPruner,
    }
    return kinds[name]()


# -- what changed -------------------------------------------------------------------------------------------


def _taken_over(old: Definition, new: Definition, widen: bool) -> Definition:
    """The new definition, or a StudyError that shows what must not change."""
    if old.direction != new.direction:
        raise StudyError(
            f"The study {old.name!r} is there already, and its direction is {old.direction!r}. Got {new.direction!r}. "
            f"Give the study another name."
        )
    changes = differences(old.space, new.space)
    if changes and not (widen and is_wider(old.space, new.space)):
        listed = "\n".join(f"  {change}" for change in changes)
        way_out = (
            "It contains the old one: --widen goes on with it."
            if is_wider(old.space, new.space)
            else "Give the study another name; `auger trials --csv` and `auger import` bring over what still fits."
        )
        raise StudyError(f"The space of the study {old.name!r} is not what it was:\n{listed}\n{way_out}")
    return replace(new, seed=old.seed if new.seed is None else new.seed)


def _notes(old: Definition, new: Definition) -> tuple[str, ...]:
    changed = [name for name in ("command", "value") if getattr(old, name) != getattr(new, name)]
    return tuple(
        f"The {name} of the study {old.name!r} is not what it was; going on with the new one." for name in changed
    )


def differences(old: Space, new: Space) -> list[str]:
    """What is different between two spaces, in words.

    Example:
        >>> differences(Space({"x": (0, 9), "y": (0.0, 1.0)}), Space({"x": (0, 12), "z": ["a", "b"]}))
        ['x: high was 9, is 12', 'y: is gone', 'z: is new']
    """
    before, after = old.to_json(), new.to_json()
    was, now = before["parameters"], after["parameters"]
    found = []
    for name in [*was, *(name for name in now if name not in was)]:
        if name not in now:
            found.append(f"{name}: is gone")
        elif name not in was:
            found.append(f"{name}: is new")
        else:
            found += [f"{name}: {change}" for change in _changes(was[name], now[name])]
    found += [f"constraint {rule!r}: is gone" for rule in before["constraints"] if rule not in after["constraints"]]
    found += [f"constraint {rule!r}: is new" for rule in after["constraints"] if rule not in before["constraints"]]
    return found


def _changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    if was["type"] != now["type"]:
        return [f"was {was['type']}, is {now['type']}"]
    keys = [*was, *(key for key in now if key not in was)]
    return [
        f"{key} was {_shown(was.get(key))}, is {_shown(now.get(key))}" for key in keys if was.get(key) != now.get(key)
    ]


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value)


def is_wider(old: Space, new: Space) -> bool:
    """Whether every configuration of the old space is one of the new, and Optuna can tell the two apart no further.

    Ranges may grow; choices may not, as Optuna numbers them.
    """
    before, after = old.to_json(), new.to_json()
    was, now = before["parameters"], after["parameters"]
    if list(was) != list(now) or any(rule not in before["constraints"] for rule in after["constraints"]):
        return False
    return all(_is_wider_range(was[name], now[name], new, name) for name in was)


def _is_wider_range(was: Mapping[str, Any], now: Mapping[str, Any], new: Space, name: str) -> bool:
    if was == now:
        return True
    same = {key: value for key, value in was.items() if key not in {"low", "high"}}
    if same != {key: value for key, value in now.items() if key not in {"low", "high"}} or "low" not in was:
        return False
    if not now["low"] <= was["low"] <= was["high"] <= now["high"]:
        return False
    try:  # on a grid, the old values must be on the new one
        new.parameters[name].encode([was["low"], was["high"]], name)
    except ValueError:
        return False
    return True
