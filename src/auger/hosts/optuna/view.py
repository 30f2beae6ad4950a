"""Any study of Optuna's, as `auger.insight` looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from optuna.distributions import CategoricalDistribution
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from auger.errors import SpaceError
from auger.history import History
from auger.hosts.optuna.sampler import AugerSampler
from auger.hosts.optuna.search_space import Frame, given_frame
from auger.hosts.optuna.study_history import Ledger
from auger.insight.view import Row, View
from auger.recipes import as_recipe
from auger.schema import ORIGIN, REASON
from auger.space import Categorical, Space

_STATES = {
    TrialState.COMPLETE: "complete",
    TrialState.FAIL: "failed",
    TrialState.PRUNED: "pruned",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "waiting",
}


def view_of(study: Study) -> View:
    """What a study holds by now."""
    trials = study.get_trials(deepcopy=False)
    sampler = study.sampler
    is_ours = isinstance(sampler, AugerSampler)
    recipe = sampler.recipe if isinstance(sampler, AugerSampler) else as_recipe("auto")
    frame = sampler.frame if isinstance(sampler, AugerSampler) else None
    history, numbers = learned(trials, study.directions, frame)
    return View(
        study.study_name,
        tuple(direction.name.lower() for direction in study.directions),
        tuple(study.metric_names or _names(len(study.directions))),
        tuple(row_of(trial) for trial in trials),
        history,
        numbers,
        recipe,
        is_ours or any(ORIGIN in trial.user_attrs for trial in trials),
    )


def learned(
    trials: Sequence[FrozenTrial], directions: Sequence[StudyDirection], given: Frame | Space | None = None
) -> tuple[History | None, Any]:
    """The trials that can be learned from, in the order they finished, and their numbers."""
    frame = given_frame(given) if isinstance(given, Space) else given
    ledger = Ledger(frame, directions)
    ledger.update(trials)
    if ledger.history is None or ledger.frame is None:
        return None, np.empty(0, dtype=np.intp)
    numbers = np.array([trial.number for trial in ledger.answers], dtype=np.intp)
    if frame is not None:
        return ledger.history, numbers
    return ledger.history.moved(_as_named(ledger.frame), ledger.history.X), numbers


def row_of(trial: FrozenTrial, config: Mapping[str, Any] | None = None) -> Row:
    """A trial, with its own parameters or those of a configuration."""
    start, end = trial.datetime_start, trial.datetime_complete
    return Row(
        trial.number,
        _STATES[trial.state],
        dict(trial.params if config is None else config),
        tuple(trial.values or ()) if trial.state is TrialState.COMPLETE else (),
        all(value <= 0 for value in trial.constraints.values()),
        trial.user_attrs.get(ORIGIN, ""),
        trial.user_attrs.get(REASON, ""),
        started=start,
        finished=end,
        seconds=(end - start).total_seconds() if start and end else None,
        steps=dict(sorted(trial.intermediate_values.items())),
    )


def _names(n: int) -> list[str]:
    return ["value"] if n == 1 else [f"value {i}" for i in range(n)]


def _as_named(frame: Frame) -> Space:
    """The space of a frame that was found, with the study's own choices in place of their numbers."""
    names: dict[str, tuple[Any, ...]] = {}
    for name, column in frame.columns.items():
        if isinstance(column.distribution, CategoricalDistribution):
            names[name] = _distinct(column.distribution.choices)
    made: dict[str, Any] = {}
    kinds: dict[str, Any] = dict(frame.space.parameters)
    for name, kind in kinds.items():
        when = {
            parent: [names[parent][code] for code in codes] if parent in names else list(codes)
            for parent, codes in kind.when.items()
        }
        made[name] = Categorical(names[name], when=when) if name in names else replace(kind, when=when)
    return Space(made)


def _distinct(choices: Sequence[Any]) -> tuple[Any, ...]:
    """Choices that differ from each other, as texts where two are equal to Python: 1, 1.0 and True are."""
    try:
        Categorical(choices)
    except SpaceError:
        return tuple(f"{choice!r}" for choice in choices)
    return tuple(choices)
