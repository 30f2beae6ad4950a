"""A study of `auger tune`, or any other in a storage, as `auger.insight` looks at it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from auger.recipes import as_recipe
from auger.schema import SURPLUS
from auger.studies.pool.owners import claim_of
from auger.studies.pool.progress import ending
from auger.studies.results import seconds, state
from auger.studies.storage import Storage
from auger.studies.study import DEFINITION, Study, load_optuna_study, load_study
from auger.view import Row, View

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial


def stored_view(storage: Storage, name: str | None = None) -> View:
    """A study of a storage, ours or anybody's; by name where there are several."""
    found = load_optuna_study(storage, name)
    if DEFINITION in found.user_attrs:
        return view_of(load_study(storage, found.study_name))
    from auger.hosts.optuna.view import view_of as view_of_optuna

    return replace(view_of_optuna(found), facts={"storage": str(storage.address)})


def view_of(study: Study) -> View:
    """What a study holds by now: every trial that was run."""
    from auger.hosts.optuna.view import learned, row_of

    definition = study.definition
    trials = [trial for trial in study.trials() if SURPLUS not in trial.user_attrs]
    configs = study.configs([trial.params for trial in trials])
    now = datetime.now()
    history, numbers = learned(study.trials(), study.optuna.directions, definition.space)
    facts = {"storage": str(study.storage.address), "seed": str(definition.seed), "recipe": definition.recipe}
    if definition.pruner != "none":
        facts["pruner"] = definition.pruner
    return View(
        definition.name,
        (definition.direction,),
        ("value",),
        tuple(_complete(row_of(trial, config), trial, now) for trial, config in zip(trials, configs, strict=True)),
        history,
        numbers,
        as_recipe(definition.recipe),
        facts=facts,
    )


def _complete(row: Row, trial: FrozenTrial, now: datetime) -> Row:
    """A row with what only our own trials know."""
    claim = claim_of(trial.user_attrs)
    return replace(
        row,
        state=state(trial),
        error=str(ending(trial)[1].get("error") or ""),
        worker="" if claim is None else str(claim),
        seconds=seconds(trial, now),
    )
