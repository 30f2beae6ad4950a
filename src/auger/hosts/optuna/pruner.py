"""The pruner: Optuna's study on one side, `auger.curves` on the other."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from optuna.pruners import BasePruner
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial

from auger.checks import check_settings
from auger.curves import Prospect, Prospects, stage_of
from auger.errors import RecipeError
from auger.history import History
from auger.hosts.optuna.study_history import StudyHistories, StudyHistory
from auger.hosts.optuna.trials import objectives_of, trial_of
from auger.threads import one_thread
from auger.trial import State


class AugerPruner(BasePruner):
    """Ends trials early for which the chance to become the best is not worth the rest of their cost.

    The chance is learned from the trials that have finished, by a model that sees configurations and the values by step
    (`auger.curves.final_values`); `auger.curves.early_stopping` weighs it against the price. Works with any sampler.
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
        self._histories = StudyHistories()
        self._memory = _Memory()

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether to end a trial, by what it has reported so far."""
        prospect = self.prospect(study, trial)
        return prospect is not None and not prospect.is_worth_it

    def prospect(self, study: Study, trial: FrozenTrial) -> Prospect | None:
        """What is to be expected of a trial; None while too little is known, and where it comes to no new stage."""
        if not trial.intermediate_values or not trial.params:
            return None
        with self._histories.lock:
            if not self._memory.is_new(study, trial):
                return None
            known, trials = self._histories.find(study)
            known.update(trials)
            history, searched = known.history, known.search_space
            if history is None or searched is None:
                return None
            is_complete = history.has_state(State.COMPLETE) & (history.violation == 0) & np.isfinite(history.y)
            if np.count_nonzero(is_complete) < self.n_startup:
                return None
            row = searched.encode([trial.params])[0]
            curve = trial_of(trial, objectives_of(study)).intermediate_values
            with one_thread():
                return self._memory.prospects(known, history).of(row, curve)


class _Memory:
    """The prospects of each study when it was last asked about, and when each trial was judged. A copy starts empty."""

    def __init__(self) -> None:
        self._prospects: WeakKeyDictionary[StudyHistory, tuple[History, int, Prospects]] = WeakKeyDictionary()
        self._judged: WeakKeyDictionary[BaseStorage, dict[int, int]] = WeakKeyDictionary()  # trial -> at which step

    def __reduce__(self) -> tuple[type[_Memory], tuple[()]]:
        return _Memory, ()

    def is_new(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether a trial has come to a stage, by its last report, in which it was not judged at another step."""
        judged, step = self._judged.setdefault(study._storage, {}), max(trial.intermediate_values)
        last = judged.get(trial._trial_id)
        if last is not None and last != step and stage_of(float(last)) == stage_of(float(step)):
            return False
        judged[trial._trial_id] = step
        return True

    def prospects(self, known: StudyHistory, history: History) -> Prospects:
        """Those of a study's history as it is now."""
        last = self._prospects.get(known)
        if last is None or last[0] is not history or last[1] != len(history):
            last = self._prospects[known] = history, len(history), Prospects(history)
        return last[2]
