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
from optuna.study.study import _SYSTEM_ATTR_METRIC_NAMES
from optuna.trial import FrozenTrial

from auger import text
from auger.checks import is_number, is_whole
from auger.errors import StudyError, nearest
from auger.hosts.optuna import AugerPruner, AugerSampler
from auger.hosts.optuna.parameters import Column, columns_of
from auger.hosts.optuna.study_history import Proposal
from auger.hosts.optuna.trials import is_forgotten, state_of, trial_of
from auger.objectives import Objectives
from auger.schema import DEFINITION, FORGOTTEN, OUTCOMES, SURPLUS
from auger.studies.definition import Definition, is_other_program, updated
from auger.studies.definition.printed_numbers import plain_number
from auger.studies.pool.breakdown import Breakdown, breakdown_of
from auger.studies.pool.owners import running_owners
from auger.studies.pool.progress import Progress
from auger.studies.storage import Storage, readable_refusals
from auger.trial import State, Trial
from auger.types import Config


@dataclass(frozen=True)
class Study:
    """A definition and the Optuna study that holds its trials.

    Attributes:
        notes: what the user must know of changes since the last run, in words.
        forgotten: failures of trials with a lower number do not count: not for the model, not in a budget, and their
            configurations may be tried again. They stay in the storage.
    """

    definition: Definition
    storage: Storage
    optuna: optuna.Study
    notes: tuple[str, ...] = ()
    forgotten: int = 0

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        return columns_of(self.definition.space)

    @property
    def key(self) -> int:
        """The number of the study in its storage."""
        return int(self.optuna._study_id)

    @property
    def objectives(self) -> Objectives:
        """The objectives and their directions."""
        return self.definition.objectives

    def excess(self, numbers: Sequence[float]) -> dict[str, float]:
        """How far what the program gave is beyond each outcome constraint; at most 0 where it satisfies it."""
        return self.definition.excess(numbers)

    def outcomes(self, frozen: FrozenTrial) -> dict[str, float]:
        """What the program gave for each outcome constraint; without those that nobody stored."""
        stored: Any = frozen.user_attrs.get(OUTCOMES)
        names = self.definition.limited
        numbers = stored if isinstance(stored, Mapping) else {}
        return {name: plain_number(numbers[name]) for name in names if is_number(numbers.get(name))}

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
        return Progress(self.definition.retries, self.translate, self.forgotten)

    def breakdown(self, failures: Iterable[FrozenTrial]) -> Breakdown | None:
        """What the failures of this study tell, as long as no trial has succeeded: see `breakdown_of`."""
        defaults = self.definition.defaults
        return breakdown_of(
            failures, None if defaults is None else self.params(defaults), self.definition.trials_folder
        )


def _param(column: Column, name: str, value: Any) -> Any:
    entry = column.parameter.encode([value], name)
    return float(value) if column.is_exact else column.decode(entry)[0]


def open_study(
    definition: Definition, storage: Storage, *, widen: bool = False, forget: bool = False, keep_going: bool = True
) -> Study:
    """Create the study, or load it and update its definition, as far as `definition.updated` allows.

    Failures of another command, other limits, or another rule for the value are forgotten: see `Study.forgotten`.

    Args:
        definition: of the study file as it is now.
        storage: of the study.
        widen: whether to accept a space that contains the old one.
        forget: whether to forget all failures so far.
        keep_going: False forgets the failures of a study in which nothing has succeeded because its program is broken.
    """
    with readable_refusals(storage.address), storage.turn(definition.name) as turn:
        directions = [optuna.study.StudyDirection[d.name] for d in definition.objectives.directions]
        try:
            storage.optuna.create_new_study(directions, definition.name)
            is_new = True
        except optuna.exceptions.DuplicatedStudyError:
            is_new = False
        optuna_study = optuna.load_study(study_name=definition.name, storage=storage.optuna, sampler=RandomSampler())
        stored = optuna_study.user_attrs.get(DEFINITION)
        notes: tuple[str, ...] = ()
        is_other = False
        if stored is not None:
            old = Definition.from_json(stored, storage=definition.storage)
            n_values = sum(frozen.values is not None for frozen in optuna_study.get_trials(deepcopy=False))
            definition, notes = updated(old, definition, widen=widen, n_values=n_values)
            is_other = is_other_program(old, definition)
        elif not is_new and (optuna_study.directions != directions or optuna_study.get_trials(deepcopy=False)):
            raise StudyError(
                f"The study {definition.name!r} in {storage.address} was not created by auger. Choose another name, or "
                f"use auger.hosts.optuna.AugerSampler in the program that created it."
            )
        if definition.seed is None:  # one seed for all workers, and for the next run
            definition = replace(definition, seed=random.SystemRandom().randrange(2**31))
        if stored != definition.to_json():
            optuna_study.set_user_attr(DEFINITION, definition.to_json())
        names = list(definition.objectives.names)
        if names != list(Objectives().names) and names != optuna_study.metric_names:
            storage.optuna.set_study_system_attr(optuna_study._study_id, _SYSTEM_ATTR_METRIC_NAMES, names)
        study = _with_sampler(definition, storage)
        if forget or is_other or (not keep_going and _is_broken(study)):
            n_forgotten = _forget_failures(study)
            notes += (text.forgotten(n_forgotten),) if n_forgotten else ()
            study = _with_sampler(definition, storage)
    if not turn.has_locks:
        notes += (text.no_locks(str(storage.address)),)
    return replace(study, notes=notes)


def _forget_failures(study: Study) -> int:
    """Store that the failures so far do not count any more. Returns how many did until now."""
    frozen_trials = study.trials()
    counted = [frozen for frozen in frozen_trials if not is_forgotten(frozen, study.forgotten)]
    n_failures = sum(state_of(frozen) is State.FAILED and SURPLUS not in frozen.user_attrs for frozen in counted)
    if n_failures:
        study.optuna.set_user_attr(FORGOTTEN, len(frozen_trials))
    return n_failures


def _is_broken(study: Study) -> bool:
    """Whether the program was broken when the study ran last. While somebody is at work, nobody can tell."""
    progress = study.progress()
    progress.read(study.trials())
    is_at_work = any(not owner.is_gone for owner, _ in running_owners(progress.running).values())
    return not is_at_work and not progress.has_success and study.breakdown(progress.failures) is not None


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
        with readable_refusals(storage.address):
            return optuna.load_study(
                study_name=name or _only_name(storage), storage=storage.optuna, sampler=RandomSampler()
            )
    except KeyError:
        raise StudyError(
            f"There is no study {name!r} in {storage.address}. {nearest(name, names_of(storage))}"
        ) from None


def names_of(storage: Storage) -> list[str]:
    """The names of all studies of a storage, of auger or not."""
    return sorted(study.study_name for study in storage.optuna.get_all_studies())


def _only_name(storage: Storage) -> str:
    names = names_of(storage)
    if len(names) != 1:
        if not names:
            raise StudyError(f"The storage {storage.address} holds no study yet.")
        raise StudyError(
            f"The storage {storage.address} holds several studies. Add the name of one: {', '.join(map(repr, names))}."
        )
    return names[0]


def _with_sampler(definition: Definition, storage: Storage) -> Study:
    study = optuna.load_study(
        study_name=definition.name,
        storage=storage.optuna,
        sampler=RandomSampler(),  # until it is known what is forgotten
        pruner=_pruner(definition.pruner),
    )
    stored: Any = study.user_attrs.get(FORGOTTEN)
    forgotten = stored if is_whole(stored) and stored >= 0 else 0
    study.sampler = AugerSampler(
        definition.recipe,
        space=definition.space,
        seed=definition.seed,
        preload=False,  # without its libraries: most commands only read
        forget_failures_before=forgotten,
    )
    return Study(definition, storage, study, forgotten=forgotten)


def _pruner(name: str) -> Any:
    pruner_types = {
        "auger": AugerPruner,
        "none": pruners.NopPruner,
        "median": pruners.MedianPruner,
        "hyperband": pruners.HyperbandPruner,
        "asha": pruners.SuccessiveHalvingPruner,
    }
    return pruner_types[name]()
