"""A study in its storage: created, loaded, and updated to what its file says now."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import optuna
from optuna import pruners
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial

from auger.errors import StudyError, nearest
from auger.hosts.optuna import AugerPruner, AugerSampler
from auger.hosts.optuna.parameters import Column, columns_of
from auger.hosts.optuna.study_history import Proposal
from auger.hosts.optuna.trials import trial_of
from auger.objectives import Direction, Objectives
from auger.schema import DEFINITION
from auger.studies.definition import Definition, updated
from auger.studies.pool.progress import Progress
from auger.studies.storage import Storage
from auger.trial import Trial
from auger.types import Config


@dataclass(frozen=True)
class Study:
    """A definition and the Optuna study that holds its trials.

    Attributes:
        notes: changes of the study file that make older trials differ from newer ones, in words.
    """

    definition: Definition
    storage: Storage
    optuna: optuna.Study
    notes: tuple[str, ...] = ()

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        return columns_of(self.definition.space)

    @property
    def key(self) -> int:
        """The number of the study in its storage."""
        return int(self.optuna._study_id)

    @property
    def objectives(self) -> Objectives:
        """The objective and its direction."""
        return Objectives((Direction(self.definition.direction),))

    def trials(self) -> list[FrozenTrial]:
        """All trials as Optuna has them, by number. They are not copies: do not change them."""
        trials: list[FrozenTrial] = self.storage.optuna.get_all_trials(self.key, deepcopy=False)
        return trials

    def translate(self, frozen_trials: Sequence[FrozenTrial]) -> list[Trial]:
        """Optuna's trials as Trials, with the user's own values in their configurations."""
        objectives, configs = self.objectives, self.configs([frozen.params for frozen in frozen_trials])
        return [
            trial_of(frozen, objectives, config=config) for frozen, config in zip(frozen_trials, configs, strict=True)
        ]

    def propose(self, frozen_trials: Sequence[FrozenTrial]) -> Proposal:
        """What to try next, after these trials."""
        sampler: Any = self.optuna.sampler
        proposal: Proposal = sampler.propose(self.optuna, frozen_trials)
        return proposal

    def params(self, config: Config) -> dict[str, Any]:
        """A configuration in Optuna's values."""
        return {name: _param(column, name, config[name]) for name, column in self._columns.items() if name in config}

    def distributions(self, names: Iterable[str]) -> dict[str, Any]:
        """Optuna's distributions of the named parameters."""
        return {name: self._columns[name].distribution for name in names}

    def config(self, params: Mapping[str, Any]) -> Config:
        """The configuration behind Optuna's values."""
        return self.configs([params])[0]

    def configs(self, many: Sequence[Mapping[str, Any]]) -> list[Config]:
        """The configurations of many trials. A value outside the space, which Optuna may hold, is left out."""
        configs: list[Config] = [{} for _ in many]
        for name, column in self._columns.items():
            active = [i for i, params in enumerate(many) if name in params]
            entries = column.encode([many[i][name] for i in active])
            is_ours = ~np.isnan(entries)
            values = column.parameter.decode(entries[is_ours])
            for i, value in zip(np.array(active)[is_ours].tolist(), values, strict=True):
                configs[i][name] = many[i][name] if column.is_exact else value
        return configs

    def progress(self) -> Progress:
        """A new Progress, which has read no trial yet."""
        return Progress(self.definition.retries, self.translate)


def _param(column: Column, name: str, value: Any) -> Any:
    entry = column.parameter.encode([value], name)
    return float(value) if column.is_exact else column.decode(entry)[0]


def open_study(definition: Definition, storage: Storage, *, widen: bool = False) -> Study:
    """Create the study, or load it and update its definition, as far as `definition.updated` allows.

    Args:
        definition: of the study file as it is now.
        storage: of the study.
        widen: whether to accept a space that contains the old one.
    """
    with storage.turn(definition.name):
        try:
            directions = [optuna.study.StudyDirection[definition.direction.upper()]]
            storage.optuna.create_new_study(directions, definition.name)
            is_new = True
        except optuna.exceptions.DuplicatedStudyError:
            is_new = False
        optuna_study = optuna.load_study(study_name=definition.name, storage=storage.optuna, sampler=RandomSampler())
        stored = optuna_study.user_attrs.get(DEFINITION)
        notes: tuple[str, ...] = ()
        if stored is not None:
            old = Definition.from_json(stored, storage=definition.storage)
            definition, notes = updated(old, definition, widen=widen)
        elif not is_new and optuna_study.get_trials(deepcopy=False):
            raise StudyError(
                f"The study {definition.name!r} in {storage.address} was not created by auger. Choose another name, or "
                f"use auger.hosts.optuna.AugerSampler in the program that created it."
            )
        if definition.seed is None:  # one seed for all workers, and for the next run
            definition = replace(definition, seed=random.SystemRandom().randrange(2**31))
        if stored != definition.to_json():
            optuna_study.set_user_attr(DEFINITION, definition.to_json())
    return replace(_with_sampler(definition, storage), notes=notes)


def load_study(storage: Storage, name: str | None = None) -> Study:
    """A study of the storage, by name; without a name, its only study."""
    definition = stored_definition(storage, name or _only_name(storage))
    return _with_sampler(definition, storage)


def stored_definition(storage: Storage, name: str) -> Definition:
    """The stored definition of a study."""
    stored = load_optuna_study(storage, name).user_attrs.get(DEFINITION)
    if stored is None:
        raise StudyError(
            f"The study {name!r} in {storage.address} was not created by `auger tune`. "
            "`auger status`, `best`, `trials` and `report` can read it, but nothing can run it."
        )
    return Definition.from_json(stored, storage=str(storage.address))


def load_optuna_study(storage: Storage, name: str | None = None) -> optuna.Study:
    """A study of the storage, of auger or not, by name; without a name, its only study. To read, not to run."""
    try:  # with a sampler that is not asked: the default one takes time to import
        return optuna.load_study(
            study_name=name or _only_name(storage), storage=storage.optuna, sampler=RandomSampler()
        )
    except KeyError:
        raise StudyError(f"There is no study {name!r} in {storage.address}. {nearest(name, _names(storage))}") from None


def _names(storage: Storage) -> list[str]:
    return sorted(study.study_name for study in storage.optuna.get_all_studies())


def _only_name(storage: Storage) -> str:
    names = _names(storage)
    if len(names) != 1:
        if not names:
            raise StudyError(f"The storage {storage.address} holds no study yet.")
        raise StudyError(
            f"The storage {storage.address} holds several studies. Add the name of one: {', '.join(map(repr, names))}."
        )
    return names[0]


def _with_sampler(definition: Definition, storage: Storage) -> Study:
    # without its libraries: most commands only read
    sampler = AugerSampler(definition.recipe, space=definition.space, seed=definition.seed, preload=False)
    study = optuna.load_study(
        study_name=definition.name, storage=storage.optuna, sampler=sampler, pruner=_pruner(definition.pruner)
    )
    return Study(definition, storage, study)


def _pruner(name: str) -> Any:
    pruner_types = {
        "auger": AugerPruner,
        "none": pruners.NopPruner,
        "median": pruners.MedianPruner,
        "hyperband": pruners.HyperbandPruner,
        "asha": pruners.SuccessiveHalvingPruner,
    }
    return pruner_types[name]()
