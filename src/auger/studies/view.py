"""A study of `auger tune`, or any other study in a storage, as a `View`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from optuna.trial import FrozenTrial

from auger import text
from auger.confirmation import unconfirmed
from auger.hosts.optuna.trials import is_forgotten, sorted_constraints
from auger.hosts.optuna.view import learned
from auger.hosts.optuna.view import view_of as view_of_optuna
from auger.recipes import as_recipe
from auger.schema import DEFINITION, IMPORTED, SURPLUS
from auger.studies.definition import Definition
from auger.studies.pool.progress import Progress, superseded
from auger.studies.results import command_line
from auger.studies.storage import Storage
from auger.studies.study import Study, load_optuna_study, load_study
from auger.trial import Trial
from auger.types import Config
from auger.view import View, first_complete


def stored_view(storage: Storage, name: str | None = None) -> View:
    """The view of a study in a storage, of `auger tune` or of any program; by name where there are several."""
    return stored_run(storage, name)[0]


def stored_run(storage: Storage, name: str | None = None) -> tuple[View, Study | None]:
    """The view of a study in a storage, likewise; and the study itself, if it is one of `auger tune`."""
    stored = load_optuna_study(storage, name)
    if DEFINITION not in stored.user_attrs:
        return replace(view_of_optuna(stored), facts={"storage": str(storage.address)}), None
    study = load_study(storage, stored.study_name)
    return view_of(study), study


def view_of(study: Study) -> View:
    """What a study holds by now: all but surplus trials, which never ran, and forgotten failures."""
    definition, now = study.definition, datetime.now()
    stored, progress = study.trials(), study.progress()
    progress.read(stored)
    history, numbers = learned(stored, study.objectives, definition.space, study.forgotten)
    frozen_trials = [frozen for frozen in stored if not _is_left_out(frozen, study.forgotten)]
    trials = study.translate(frozen_trials)
    facts = {"storage": str(study.storage.address), "seed": str(definition.seed), "recipe": definition.recipe}
    if definition.pruner != "none":
        facts["pruner"] = definition.pruner
    if definition.limited:
        facts["constraints"] = ", ".join(f"{name} {limits}" for name, limits in definition.limited.items())
    if definition.repeats > 1:
        facts["repeats"] = str(definition.repeats)
    compared = _compared(study, frozen_trials, trials)
    baseline = first_complete(compared, study.objectives)
    view = View(
        definition.name,
        study.objectives,
        tuple(trials),
        history,
        numbers,
        as_recipe(definition.recipe),
        facts=facts,
        baseline=None if baseline is None else replace(baseline, name=baseline_name(definition)),
        is_default_infeasible=definition.defaults is not None
        and baseline is None
        and not all(trial.is_feasible for trial in compared),
        budget=definition.trials,
        seconds=progress.seconds_spent(now),
        counted=progress.standing,
        superseded=superseded(stored),
        named_constraints=_named_constraints(definition),
        command=None if definition.command.function is not None else lambda *trial: _command(study, *trial),
    )
    is_done = _is_done(study, progress, now) and not (definition.confirm and unconfirmed(view))
    return replace(view, is_done=is_done)


def _named_constraints(definition: Definition) -> tuple[str, ...]:
    """The outcome constraints with their limits, in the order that trials have them."""
    pairs = zip(definition.constraint_names, definition.outcome_constraints, strict=True)
    labels = {name: f"{constraint.name} {constraint.limit}" for name, constraint in pairs}
    return tuple(labels[name] for name in sorted_constraints(labels))


def _is_left_out(frozen: FrozenTrial, forgotten: int) -> bool:
    return SURPLUS in frozen.user_attrs or is_forgotten(frozen, forgotten)


def _compared(study: Study, frozen_trials: Sequence[FrozenTrial], trials: Sequence[Trial]) -> list[Trial]:
    """The trials that may be the baseline: of the defaults; without them of the first initial configuration.

    Without one, all trials of the study itself.
    """
    definition = study.definition
    own = [pair for pair in zip(frozen_trials, trials, strict=True) if IMPORTED not in pair[0].user_attrs]
    if definition.first:
        params = study.params(definition.first[0])
        own = [(frozen, trial) for frozen, trial in own if frozen.params == params]
    return [trial for _, trial in own]


def baseline_name(definition: Definition) -> str:
    """What to call the settings that the best ones are compared with."""
    if not definition.first:
        return "the first feasible trial" if definition.outcome_constraints else "the first trial"
    return "the first initial configuration" if definition.defaults is None else "the defaults"


def _is_done(study: Study, progress: Progress, now: datetime) -> bool:
    """Whether a study has used up its budget, and no trial is running or to be run again."""
    definition = study.definition
    is_spent = definition.trials is not None and progress.n_finished >= definition.trials
    if definition.time is not None:
        is_spent |= progress.seconds_spent(now) >= definition.time
    return is_spent and not progress.running and not progress.due


def _command(study: Study, number: int, config: Config) -> str:
    return text.mask(command_line(study, number, config, is_for_others=True))
