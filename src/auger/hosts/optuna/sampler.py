"""The sampler: Optuna's study on one side, `suggest` on the other."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from auger.checks import check_seed
from auger.errors import SpaceError
from auger.history import Origin
from auger.hosts.optuna.search_space import Frame, fit, given_frame
from auger.hosts.optuna.study_history import PROPOSAL, Ledger, Proposal, Shelf
from auger.recipes import Recipe, Turns, as_recipe
from auger.schema import MAX_TEXT, ORIGIN, REASON
from auger.space import Space, as_space
from auger.suggest import Suggestion, suggest

# The random stream of single values, beside those of `suggest`.
_DRAWN = 3


class AugerSampler(BaseSampler):
    """Proposes the parameters of any Optuna study.

    Every trial it proposes tells its origin and the reason in the user attributes ``auger:origin`` and
    ``auger:reason``.

    Args:
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        space: what to search, with its conditions and constraints, when it is known beforehand; the objective then
            asks for it with `suggest_config`. None: it is found from what trials have asked for.
        seed: a whole number >= 0. Same seed, same trials, in any process; a trial's random stream depends on the seed
            and its number only, so that workers with the same seed do not draw the same. None draws one.
        constraints_func: outcome constraints of a finished trial, each satisfied when <= 0, as for Optuna's own
            samplers. ``trial.set_constraint`` in the objective does the same.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> study = optuna.create_study(sampler=AugerSampler(seed=0))
        >>> study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, n_trials=15)
        >>> study.trials[-1].user_attrs["auger:origin"]
        'model'
    """

    def __init__(
        self,
        recipe: str | Recipe | Turns = "auto",
        *,
        space: Space | Mapping[str, Any] | None = None,
        seed: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self._recipe = as_recipe(recipe)
        self._given = None if space is None else given_frame(as_space(space))
        self._seed = check_seed(seed)
        self._constraints_func = constraints_func
        self._shelf = Shelf(self._given)

    @property
    def recipe(self) -> Recipe | Turns:
        """How it proposes."""
        return self._recipe

    @property
    def frame(self) -> Frame | None:
        """The space that was given, as it is searched."""
        return self._given

    def reseed_rng(self) -> None:
        """Do nothing: a trial's random stream follows from its number, so copies never draw the same."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Every parameter that was seen, in whatever trial."""
        frame = self._given
        if frame is None:
            with self._shelf.lock:
                frame = self._ledger(study)[0].frame
        return {} if frame is None else {name: column.distribution for name, column in frame.columns.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A proposal for all of them together; without those that are not active in it."""
        if not search_space:
            return {}
        with self._shelf.lock:
            ledger, running = self._ledger(study, search_space)
            if ledger.frame is None:
                return {}
            proposal = self._propose(ledger, running, trial.number, _given(trial))
            ledger.proposals[trial.number] = proposal
        params = {name: value for name, value in proposal.params.items() if name in search_space}
        _explain(study, trial, proposal)
        if len(running) > 1:  # others are at work, this trial is one of them
            _publish(study, trial, params, search_space)
        return params

    def propose(self, study: Study, trials: Sequence[FrozenTrial]) -> Proposal:
        """What the next trial should try, after all ``trials`` of the study, for those who make it afterwards.

        Nothing is stored, or read again. A trial that then appears whole takes one write, instead of one for each of
        its parameters. The sampler must have been given its space.
        """
        with self._shelf.lock:
            return self._propose(*self._ledger(study, trials=trials), len(trials), {})

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value that the proposal does not hold: asked of the model once more, or drawn where nothing is known."""
        with self._shelf.lock:
            ledger, _ = self._ledger(study)
            value, made = self._ask_again(study, trial, ledger, param_name, param_distribution)
            proposal = ledger.proposals.setdefault(trial.number, Proposal({}, made.origin, ""))
            proposal.params[param_name] = value
            proposal.reason = "; ".join(filter(None, [proposal.reason, f"{param_name}: {made.reason}"]))
        _explain(study, trial, proposal)
        return value

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Store the outcome constraints, when there is a function for them."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)

    def _ledger(
        self,
        study: Study,
        asked: Mapping[str, BaseDistribution] | None = None,
        trials: Sequence[FrozenTrial] | None = None,
    ) -> tuple[Ledger, list[FrozenTrial]]:
        """What is known of the study by now, and its running trials."""
        ledger, trials = self._shelf.find(study, trials)
        return ledger, ledger.update(trials, asked)

    def _propose(
        self, ledger: Ledger, running: Sequence[FrozenTrial], number: int, given: Mapping[str, Any]
    ) -> Proposal:
        assert ledger.frame is not None
        ranges = ledger.settled_ranges()
        made = self._suggest(ledger, running, number, given, ranges)
        params = ledger.frame.decode(made.row)
        params.update({name: fit(ranges[name], params[name]) for name in ranges.keys() & params.keys()})
        return Proposal(params, made.origin, made.reason)

    def _suggest(
        self,
        ledger: Ledger,
        running: Sequence[FrozenTrial],
        number: int,
        given: Mapping[str, Any],
        ranges: Mapping[str, BaseDistribution],
        space: Space | None = None,
    ) -> Suggestion:
        """A suggestion with the values that are given, within the ranges; in another space than the ledger's if so."""
        assert ledger.frame is not None and ledger.history is not None
        history = copy(ledger.history)  # shares all but its space
        history.space = space or history.space
        within = ledger.frame.limits(given, ranges)
        settings: dict[str, Any] = {"seed": self._seed, "number": number, "memory": ledger.memory}
        with history.pending(ledger.pending(running, number)):
            try:
                return suggest(history, self._recipe, within=within, **settings)
            except SpaceError:  # the space's own constraints leave nothing there
                if within is None:
                    raise
                made = suggest(history, self._recipe, **settings)
                return replace(made, reason=f"{made.reason}; no member of the space has the values that are given")

    def _ask_again(
        self, study: Study, trial: FrozenTrial, ledger: Ledger, name: str, made: BaseDistribution
    ) -> tuple[Any, Suggestion]:
        """One value, given those the trial has and will have; and the suggestion behind it."""
        if ledger.frame is None or name not in ledger.frame.columns:
            return self._draw(study, trial, name, made, "never asked for before")
        ledger, running = self._ledger(study, {name: made})
        assert ledger.frame is not None
        proposal = ledger.proposals.get(trial.number)
        given = {**(proposal.params if proposal else {}), **_given(trial)}
        given.pop(name, None)
        ranges = {**ledger.settled_ranges(), name: made}
        column, j = ledger.frame.columns[name], list(ledger.frame.columns).index(name)
        found = self._suggest(ledger, running, trial.number, given, ranges)
        if np.isnan(found.row[j]) and self._given is None:
            space = ledger.frame.without_conditions_of(name)
            found = self._suggest(ledger, running, trial.number, given, ranges, space)
        if np.isnan(found.row[j]):
            return self._draw(study, trial, name, made, "not active in the space that was given")
        return fit(made, column.decode(found.row[j : j + 1])[0]), found

    def _draw(
        self, study: Study, trial: FrozenTrial, name: str, made: BaseDistribution, why: str
    ) -> tuple[Any, Suggestion]:
        """A value drawn from its distribution, by a stream of its own."""
        stream = np.random.SeedSequence([self._seed, _DRAWN, trial.number, zlib.crc32(name.encode())])
        sampler = RandomSampler(seed=int(stream.generate_state(1)[0]))
        value = sampler.sample_independent(study, trial, name, made)
        return value, Suggestion(np.empty(0), Origin.RANDOM, f"{why}, drawn from its range")


def _given(trial: FrozenTrial) -> dict[str, Any]:
    """What a trial has already, or was enqueued with."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def _explain(study: Study, trial: FrozenTrial, proposal: Proposal) -> None:
    study._storage.set_trial_user_attr(trial._trial_id, ORIGIN, proposal.origin.value)
    study._storage.set_trial_user_attr(trial._trial_id, REASON, proposal.reason[:MAX_TEXT])


def _publish(
    study: Study, trial: FrozenTrial, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
) -> None:
    """Let other processes know what the objective has not asked for yet, as far as a storage can hold it."""
    values = {name: float(distributions[name].to_internal_repr(value)) for name, value in params.items()}
    while len(json.dumps(values)) > MAX_TEXT:
        values.popitem()
    study._storage.set_trial_system_attr(trial._trial_id, PROPOSAL, values)
