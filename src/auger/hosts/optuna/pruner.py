"""The pruner: Optuna's study on one side, `auger.curves.early_stopping` on the other."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
from optuna.pruners import BasePruner
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial

from auger.checks import check_settings
from auger.curves.early_stopping import Prospect, Prospects
from auger.curves.stages import stage_of
from auger.errors import RecipeError
from auger.history import History, State
from auger.hosts.optuna.study_history import Ledger, Shelf
from auger.threads import one_thread


class AugerPruner(BasePruner):
    """Ends trials early for which the chance to become the best is not worth the rest of their cost.

    The chance is learned from the trials that have finished, by a model that sees configurations and the values by step
    (`auger.curves.final_values`); `auger.curves.early_stopping` has what it is weighed against. Works with any sampler.
    What it says depends on the finished trials and on the trial itself, and on nothing else: another process would say
    the same.

    Args:
        n_startup: no trial is pruned before so many are complete.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> def objective(trial):
        ...     x = trial.suggest_float("x", 0, 1)
        ...     for epoch in range(1, 28):
        ...         trial.report(x + 1 / epoch, epoch)
        ...         if trial.should_prune():
        ...             raise optuna.TrialPruned
        ...     return x
        >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), pruner=AugerPruner())
        >>> study.optimize(objective, n_trials=30)
        >>> optuna.trial.TrialState.PRUNED in {trial.state for trial in study.trials}
        True
    """

    def __init__(self, *, n_startup: int = 2) -> None:
        self.n_startup = n_startup
        check_settings(self, RecipeError, n_startup=1)
        self._shelf = Shelf()
        self._known = _Memory()

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether to end a trial, by what it has reported so far."""
        prospect = self.prospect(study, trial)
        return prospect is not None and not prospect.is_worth_it

    def prospect(self, study: Study, trial: FrozenTrial) -> Prospect | None:
        """What is to be expected of a trial; None while too little is known, and where it comes to no new stage."""
        if not trial.intermediate_values or not trial.params:
            return None
        with self._shelf.lock:
            if not self._known.is_new(study, trial):
                return None
            ledger, trials = self._shelf.find(study)
            ledger.update(trials)
            history, frame = ledger.history, ledger.frame
            if history is None or frame is None:
                return None
            is_complete = history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y)
            if np.count_nonzero(is_complete) < self.n_startup:
                return None
            row = frame.encode([trial.params])[0]
            with one_thread():
                prospects = self._known.of(ledger, history)
                return prospects.of(row, _minimized(trial.intermediate_values, study.direction))


class _Memory:
    """The prospects that each ledger had when it was last asked, and who was looked at. A copy starts without any."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Ledger, tuple[History, int, Prospects]] = WeakKeyDictionary()
        self._looks: WeakKeyDictionary[BaseStorage, dict[int, int]] = (
            WeakKeyDictionary()
        )  # trial -> the last, at a step

    def __reduce__(self) -> tuple[type[_Memory], tuple[()]]:
        return _Memory, ()

    def is_new(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether a trial comes to a stage, by its last report, in which it was not looked at yet at another step."""
        looks, step = self._looks.setdefault(study._storage, {}), max(trial.intermediate_values)
        last = looks.get(trial._trial_id)
        if last is not None and last != step and stage_of(float(last)) == stage_of(float(step)):
            return False
        looks[trial._trial_id] = step
        return True

    def of(self, ledger: Ledger, history: History) -> Prospects:
        """Those of a ledger's history as it is now."""
        known = self._made.get(ledger)
        if known is None or known[0] is not history or known[1] != len(history):
            known = self._made[ledger] = history, len(history), Prospects(history)
        return known[2]


def _minimized(values: Mapping[int, float], direction: StudyDirection) -> list[tuple[float, float]]:
    sign = -1.0 if direction is StudyDirection.MAXIMIZE else 1.0
    return [(float(step), sign * values[step]) for step in sorted(values)]
