"""The pruner: Optuna's study on one side, `auger.curves` on the other."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from optuna.pruners import BasePruner
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial

from auger.checks import check_settings
from auger.curves import Judge, Prospect, Stages
from auger.errors import RecipeError
from auger.hosts.optuna.sampler import AugerSampler
from auger.hosts.optuna.study_history import StudyHistories, StudyHistory
from auger.hosts.optuna.trials import objectives_of, trial_of


class AugerPruner(BasePruner):
    """Ends trials early for which the chance to become the best is not worth the rest of their cost.

    The chance is learned from the trials that have finished, by a model that sees configurations and the values by step
    (`auger.curves.final_values`); `auger.curves.early_stopping` weighs it against the price. Works with any sampler.
    What it says depends on the finished trials, on the trial itself, and on the ``space`` of an `AugerSampler` that was
    passed one, and on nothing else: another process would say the same.

    With several objectives, the chance is that of joining the front. Optuna's `Trial.report` and `Trial.should_prune`
    take a single one: use `auger.hosts.optuna.report` and `should_prune` instead.

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
        self._memory = _Memory(n_startup)

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Whether to end a trial, by what it has reported so far."""
        prospect = self.prospect(study, trial)
        return prospect is not None and not prospect.is_worth_it

    def prospect(self, study: Study, trial: FrozenTrial) -> Prospect | None:
        """What is to be expected of a trial; None while too little is known, and where it comes to no new stage."""
        curve = trial_of(trial, objectives_of(study)).intermediate_values if trial.params else ()
        if not curve:
            return None
        with self._histories.lock:
            if not self._memory.is_new(study, trial, curve[-1][0]):
                return None
            # a space that was passed has conditions and orders that trials do not tell
            declared = study.sampler.search_space if isinstance(study.sampler, AugerSampler) else None
            known, trials = self._histories.find(study, declared=declared)
            known.update(trials)
            history, searched = known.history, known.search_space
            if history is None or searched is None:
                return None
            row = searched.encode([trial.params])[0]
            return self._memory.judge(known).prospect(history, row, curve)


class _Memory:
    """The judge of each study, and the stages in which trials were judged. A copy starts empty."""

    def __init__(self, n_startup: int) -> None:
        self._n_startup = n_startup
        self._judges: WeakKeyDictionary[StudyHistory, Judge] = WeakKeyDictionary()
        self._stages: WeakKeyDictionary[BaseStorage, Stages] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[_Memory], tuple[int]]:
        return _Memory, (self._n_startup,)

    def is_new(self, study: Study, trial: FrozenTrial, step: float) -> bool:
        """Whether a trial has come to a stage, by its last step, in which it was not judged at another step."""
        stages = self._stages.setdefault(study._storage, Stages())
        return stages.is_new(trial._trial_id, step)

    def judge(self, known: StudyHistory) -> Judge:
        """That of a study."""
        return self._judges.setdefault(known, Judge(self._n_startup))
