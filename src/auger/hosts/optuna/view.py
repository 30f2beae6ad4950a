"""Any study of Optuna's as a `View`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from optuna.distributions import CategoricalDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial

from auger.errors import SpaceError
from auger.history import History
from auger.hosts.optuna.sampler import AugerSampler
from auger.hosts.optuna.search_space import SearchSpace, declared_search_space
from auger.hosts.optuna.study_history import StudyHistory
from auger.hosts.optuna.trials import objectives_of, trial_of
from auger.objectives import Objectives
from auger.provenance import Origin
from auger.recipes import as_recipe
from auger.space import Categorical, Space
from auger.types import Index
from auger.view import View, first_complete


def view_of(study: Study) -> View:
    """What a study holds by now."""
    frozen_trials = study.get_trials(deepcopy=False)
    objectives = Objectives(objectives_of(study).directions, tuple(study.metric_names or ()))
    sampler = study.sampler if isinstance(study.sampler, AugerSampler) else None
    history, numbers = learned(frozen_trials, objectives, None if sampler is None else sampler.search_space)
    trials = tuple(trial_of(frozen, objectives) for frozen in frozen_trials)
    return View(
        study.study_name,
        objectives,
        trials,
        history,
        numbers,
        as_recipe("auto") if sampler is None else sampler.recipe,
        sampler is not None or any(trial.origin is not Origin.OTHER for trial in trials),
        baseline=first_complete(trials, objectives),
    )


def learned(
    trials: Sequence[FrozenTrial],
    objectives: Objectives,
    declared: SearchSpace | Space | None = None,
    forgotten: int = 0,
) -> tuple[History | None, Index]:
    """The trials that can be learned from, in the order they finished, and their numbers."""
    search_space = declared_search_space(declared) if isinstance(declared, Space) else declared
    known = StudyHistory(search_space, objectives, forgotten)
    known.update(trials)
    if known.history is None or known.search_space is None:
        return None, np.empty(0, dtype=np.intp)
    numbers = np.array([trial.number for trial in known.answers], dtype=np.intp)
    if search_space is not None:
        return known.history, numbers
    return known.history.in_space(_as_named(known.search_space), known.history.X), numbers


def _as_named(search_space: SearchSpace) -> Space:
    """An inferred space with the study's own choices in place of their numbers."""
    names: dict[str, tuple[Any, ...]] = {}
    for name, column in search_space.columns.items():
        if isinstance(column.distribution, CategoricalDistribution):
            names[name] = _distinct(column.distribution.choices)
    renamed: dict[str, Any] = {}
    parameters: dict[str, Any] = dict(search_space.space.parameters)
    for name, parameter in parameters.items():
        when = {
            parent: [names[parent][code] for code in codes] if parent in names else list(codes)
            for parent, codes in parameter.when.items()
        }
        renamed[name] = Categorical(names[name], when=when) if name in names else replace(parameter, when=when)
    return Space(renamed)


def _distinct(choices: Sequence[Any]) -> tuple[Any, ...]:
    """Choices that differ from each other, as texts where two are equal to Python: 1, 1.0 and True are."""
    try:
        Categorical(choices)
    except SpaceError:
        return tuple(f"{choice!r}" for choice in choices)
    return tuple(choices)
