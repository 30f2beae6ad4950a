"""The sampler: Optuna's study on one side, `suggest` on the other."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from auger.checks import check_seed
from auger.hosts.optuna.columns import columns_of
from auger.hosts.optuna.ledger import Frame, Ledger
from auger.recipes import Recipe, Turns
from auger.recipes import recipe as named_recipe
from auger.space import Space
from auger.suggest import suggest

ORIGIN, REASON = "auger:origin", "auger:reason"

# Storages may keep no more of an attribute than this.
_MAX_TEXT = 2000


@dataclass(frozen=True)
class Proposal:
    """Parameters to try, in Optuna's values; who proposes them, and why."""

    params: dict[str, Any]
    origin: str
    reason: str


class AugerSampler(BaseSampler):
    """Proposes the parameters of any Optuna study.

    Every trial it proposes tells its origin and the reason in the user attributes ``auger:origin`` and
    ``auger:reason``.

    Args:
        recipe: the name of a recipe (see `auger.RECIPES`), or a Recipe or Turns of your own.
        space: what to search, with its conditions and constraints, when it is known beforehand; the objective then
            asks for it with `suggest_config`.
        seed: a whole number >= 0. Same seed, same trials, in any process; a trial's random stream depends on the seed
            and its number only, so that workers with the same seed do not draw the same. None draws one.
        constraints_func: outcome constraints of a finished trial, each satisfied when <= 0, as for Optuna's own
            samplers. ``trial.set_constraint`` in the objective does the same.
    """

    def __init__(
        self,
        recipe: str | Recipe | Turns = "auto",
        *,
        space: Space | None = None,
        seed: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self._recipe = named_recipe(recipe)
        self._space = space
        self._seed = check_seed(seed)
        self._constraints_func = constraints_func
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.RLock()
        self._ledgers: WeakKeyDictionary[BaseStorage, dict[int, Ledger]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("_lock", "_ledgers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Do nothing: a trial's random stream follows from its number, so copies never draw the same."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._lock:
            columns = self._ledger(study).frame.columns
        return {name: column.distribution for name, column in columns.items() if not column.distribution.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        made = self.propose(study, trial.number)
        study._storage.set_trial_user_attr(trial._trial_id, ORIGIN, made.origin)
        study._storage.set_trial_user_attr(trial._trial_id, REASON, made.reason)
        return {name: value for name, value in made.params.items() if name in search_space}

    def propose(self, study: Study, number: int) -> Proposal:
        """What the trial ``number`` of a study should try; nothing is stored. For those who make it afterwards."""
        with self._lock:
            ledger = self._ledger(study)
            running = ledger.update(study.get_trials(deepcopy=False), study.directions)
            others = [other.params for other in running if other.number != number and other.params]
            with ledger.history.pending(ledger.frame.encode(others)):
                made = suggest(ledger.history, self._recipe, seed=self._seed, number=number, memory=ledger.memory)
            return Proposal(ledger.frame.decode(made.row), made.origin.value, made.reason[:_MAX_TEXT])

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        stream = np.random.SeedSequence([self._seed, trial.number, zlib.crc32(param_name.encode())])
        drawn = RandomSampler(seed=int(stream.generate_state(1)[0]))
        return drawn.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)

    def _ledger(self, study: Study) -> Ledger:
        ledgers = self._ledgers.setdefault(study._storage, {})
        if study._study_id not in ledgers:
            assert self._space is not None
            ledgers[study._study_id] = Ledger(Frame(columns_of(self._space), self._space))
        return ledgers[study._study_id]
