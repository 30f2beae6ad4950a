"""The sampler: Optuna's study on one side, `suggest` on the other."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from auger import text
from auger.checks import check_seed, check_whole
from auger.errors import SpaceError
from auger.hosts.optuna.keywords import unknown_keyword
from auger.hosts.optuna.search_space import SearchSpace, declared_search_space, fit
from auger.hosts.optuna.study_history import Proposal, StudyHistories, StudyHistory
from auger.hosts.optuna.trials import attributes_of
from auger.provenance import Origin, Provenance
from auger.recipes import Recipe, Turns, as_recipe
from auger.schema import MAX_TEXT, PROPOSAL
from auger.space import Space, as_space
from auger.suggest import Suggestion, suggest

_KEYWORDS = ("recipe", "space", "seed", "constraints_func", "preload", "forget_failures_before")

# The random stream of single values, beside those of `suggest`.
_DRAWN = 3


class AugerSampler(BaseSampler):
    """Proposes the parameters of any Optuna study.

    Every trial it proposes tells where it came from in the system attributes ``auger:origin`` and ``auger:provenance``.

    Args:
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        space: what to search, with its conditions and constraints, when it is known beforehand; the objective then
            asks for it with `suggest_config`. If it asks for another range or other choices, that is an error. None:
            the space is found from what trials have asked for.
        seed: a whole number >= 0. Same seed, same trials, in any process; a trial's random stream depends on the seed
            and its number only, so that workers with the same seed do not draw the same. None draws one.
        constraints_func: outcome constraints of a finished trial, each satisfied when <= 0, as for Optuna's own
            samplers. ``trial.set_constraint`` in the objective does the same.
        preload: import the libraries of the recipe at once, 0.4 s or more in a new process, so that no trial of a study
            with a ``timeout`` waits for it. False: the first trial that a model suggests imports them.
        forget_failures_before: learn nothing from failed trials with a lower number, and propose their configurations
            again, as after the objective was mended.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> study = optuna.create_study(sampler=AugerSampler(seed=0))
        >>> study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=15)
        >>> study.trials[-1].system_attrs["auger:origin"]
        'model'
    """

    def __init__(
        self,
        recipe: str | Recipe | Turns = "auto",
        *,
        space: Space | Mapping[str, Any] | None = None,
        seed: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        preload: bool = True,
        forget_failures_before: int = 0,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise unknown_keyword(unknown, _KEYWORDS)
        self._recipe = as_recipe(recipe)
        self._declared = None if space is None else declared_search_space(as_space(space))
        self._seed = check_seed(seed)
        self._constraints_func = constraints_func
        self._histories = StudyHistories(
            self._declared, check_whole(forget_failures_before, 0, "`forget_failures_before`")
        )
        if preload:
            self._recipe.load()

    @property
    def recipe(self) -> Recipe | Turns:
        """How it proposes."""
        return self._recipe

    @property
    def search_space(self) -> SearchSpace | None:
        """The space that the user passed, as it is searched."""
        return self._declared

    def reseed_rng(self) -> None:
        """Do nothing: a trial's random stream follows from its number, so copies never draw the same."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Every parameter that any trial has had."""
        searched = self._declared
        if searched is None:
            with self._histories.lock:
                searched = self._update(study)[0].search_space
        return {} if searched is None else {name: column.distribution for name, column in searched.columns.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A proposal for all of them together; without those that are not active in it."""
        if not search_space:
            return {}
        with self._histories.lock:
            known, running = self._update(study, search_space)
            if known.search_space is None:
                return {}
            proposal = self._propose(known, running, trial.number, _fixed(study, trial))
            known.proposals[trial.number] = proposal
        params = {name: value for name, value in proposal.params.items() if name in search_space}
        _explain(study, trial, proposal)
        if len(running) > 1:  # others are at work, this trial is one of them
            _publish(study, trial, params, search_space)
        # Optuna would use these without telling what is asked for; the values of a declared space wait to be asked for
        return params if self._declared is None else {}

    def propose(self, study: Study, trials: Sequence[FrozenTrial]) -> Proposal:
        """What the next trial should try, after all ``trials`` of the study. The sampler must know its space.

        Nothing is stored, or read again: a caller that then creates the trial whole needs one write, instead of one per
        parameter.
        """
        with self._histories.lock:
            return self._propose(*self._update(study, trials=trials), len(trials), {})

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """One value: of the proposal for a declared space; else asked of the model once more, or drawn."""
        with self._histories.lock:
            if self._declared is not None:
                self._declared.check_asked(param_name, param_distribution)
                proposal = self._histories.proposal(study, trial.number)
                if proposal is not None and param_name in proposal.params:
                    return proposal.params[param_name]
            known, _ = self._update(study)
            value, provenance = self._ask_again(study, trial, known, param_name, param_distribution)
            proposal = known.proposals.setdefault(trial.number, Proposal({}, Provenance(provenance.origin)))
            proposal.params[param_name] = value
            note = f"{param_name}: {text.reason(provenance)}"
            proposal.provenance = replace(proposal.provenance, notes=(*proposal.provenance.notes, note))
        _explain(study, trial, proposal)
        return value

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Refuse what contradicts a declared space; store outcome constraints where there is a function for them."""
        if self._declared is not None:  # a fixed or a single value was not asked of the sampler
            for name, distribution in trial.distributions.items():
                self._declared.check_asked(name, distribution)
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)

    def _update(
        self,
        study: Study,
        asked: Mapping[str, BaseDistribution] | None = None,
        trials: Sequence[FrozenTrial] | None = None,
    ) -> tuple[StudyHistory, list[FrozenTrial]]:
        """What is known of the study by now, and its running trials."""
        known, trials = self._histories.find(study, trials)
        return known, known.update(trials, asked)

    def _propose(
        self, known: StudyHistory, running: Sequence[FrozenTrial], number: int, fixed: Mapping[str, Any]
    ) -> Proposal:
        assert known.search_space is not None
        ranges = known.settled_ranges()
        suggestion = self._suggest(known, running, number, fixed, ranges)
        params = known.search_space.decode(suggestion.row)
        params.update({name: fit(ranges[name], params[name]) for name in ranges.keys() & params.keys()})
        return Proposal(params, suggestion.provenance)

    def _suggest(
        self,
        known: StudyHistory,
        running: Sequence[FrozenTrial],
        number: int,
        fixed: Mapping[str, Any],
        ranges: Mapping[str, BaseDistribution],
        space: Space | None = None,
    ) -> Suggestion:
        """A suggestion with the fixed values, within the ranges; from the study's space unless another is passed."""
        assert known.search_space is not None and known.history is not None
        limits = known.search_space.limits(fixed, ranges)
        ask = partial(
            suggest, known.history, self._recipe, seed=self._seed, number=number, space=space, memory=known.memory
        )
        with known.history.pending(known.pending(running, number)):
            try:
                return ask(within=limits)
            except SpaceError:  # the space's own constraints leave nothing there
                if limits is None:
                    raise
                suggestion = ask()
        provenance = suggestion.provenance
        notes = (*provenance.notes, "no member of the space has the values that are fixed")
        return replace(suggestion, provenance=replace(provenance, notes=notes))

    def _ask_again(
        self, study: Study, trial: FrozenTrial, known: StudyHistory, name: str, distribution: BaseDistribution
    ) -> tuple[Any, Provenance]:
        """One value, to go with those that the trial has and will have; and where it came from."""
        if known.search_space is None or name not in known.search_space.columns:
            return self._draw(study, trial, name, distribution, "never asked for before")
        known, running = self._update(study, {name: distribution})
        searched = known.search_space
        assert searched is not None
        proposal = known.proposals.get(trial.number)
        fixed = {**(proposal.params if proposal else {}), **_fixed(study, trial)}
        fixed.pop(name, None)
        ranges = {**known.settled_ranges(), name: distribution}
        column, j = searched.columns[name], list(searched.columns).index(name)
        suggestion = self._suggest(known, running, trial.number, fixed, ranges)
        if np.isnan(suggestion.row[j]) and self._declared is None:
            space = searched.without_conditions_of(name)
            suggestion = self._suggest(known, running, trial.number, fixed, ranges, space)
        if np.isnan(suggestion.row[j]):
            return self._draw(study, trial, name, distribution, "not active in the declared space")
        return fit(distribution, column.decode(suggestion.row[j : j + 1])[0]), suggestion.provenance

    def _draw(
        self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution, why: str
    ) -> tuple[Any, Provenance]:
        """A value drawn from its distribution, by a random stream of its own."""
        stream = np.random.SeedSequence([self._seed, _DRAWN, trial.number, zlib.crc32(name.encode())])
        sampler = RandomSampler(seed=int(stream.generate_state(1)[0]))
        value = sampler.sample_independent(study, trial, name, distribution)
        return value, Provenance(Origin.RANDOM, notes=(f"{why}, drawn from its range",))


def _fixed(study: Study, trial: FrozenTrial) -> dict[str, Any]:
    """The params that a trial has already, was enqueued with, or gets from a PartialFixedSampler around this one."""
    partial_fixed = study.sampler if isinstance(study.sampler, PartialFixedSampler) else None
    values: Mapping[str, Any] = getattr(partial_fixed, "_fixed_params", {})
    return {**values, **trial.system_attrs.get("fixed_params", {}), **trial.params}


def _explain(study: Study, trial: FrozenTrial, proposal: Proposal) -> None:
    """Store where a trial came from, as far as it is not stored yet."""
    for name, value in attributes_of(proposal.provenance).items():
        if proposal.stored.get(name) != value:
            study._storage.set_trial_system_attr(trial._trial_id, name, value)
            proposal.stored[name] = value


def _publish(
    study: Study, trial: FrozenTrial, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
) -> None:
    """Let other processes know what the objective has not asked for yet, as far as a storage can hold it."""
    values = {name: float(distributions[name].to_internal_repr(value)) for name, value in params.items()}
    while len(json.dumps(values)) > MAX_TEXT:
        values.popitem()
    study._storage.set_trial_system_attr(trial._trial_id, PROPOSAL, values)
