"""Intermediate values of several objectives, which Optuna's own `Trial.report` does not take.

They are stored beside Optuna's, one attribute per step, and `AugerPruner` reads them. With a single objective both
functions do what the trial's own methods do, so that an objective function may use them in any study.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from optuna.trial import Trial

from auger.checks import LARGEST_STEP, is_whole
from auger.errors import TrialError
from auger.hosts.optuna.pruner import AugerPruner
from auger.hosts.optuna.trials import objectives_of
from auger.past_results import minimized_values
from auger.schema import STEP


def report(trial: Trial, values: float | Sequence[float] | Mapping[str, float], step: int) -> None:
    """Report intermediate values of a running trial, one per objective of its study.

    Args:
        trial: of `study.optimize` or `study.ask`.
        values: a list, or a dict by the names that the study has for its objectives (`study.set_metric_names`); one
            number where there is a single objective. NaN and infinity are allowed: such a trial is stopped.
        step: how far it is, a whole number of at least 0, each once.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> from auger.hosts.optuna import AugerSampler
        >>> def objective(trial):
        ...     x, bad = trial.suggest_float("x", 0, 1), trial.suggest_float("bad", 0, 1)
        ...     for epoch in range(1, 9):
        ...         values = x + bad + 1 / epoch, 1 - x + bad + 1 / epoch
        ...         report(trial, values, epoch)
        ...         if should_prune(trial):
        ...             raise optuna.TrialPruned
        ...     return values
        >>> study = optuna.create_study(
        ...     sampler=AugerSampler("bore-rf", seed=0), pruner=AugerPruner(), directions=["minimize", "minimize"]
        ... )
        >>> study.optimize(objective, n_trials=25)
        >>> optuna.trial.TrialState.PRUNED in {trial.state for trial in study.trials}
        True
    """
    study = trial.study
    if len(study.directions) == 1:
        trial.report(values, step)  # type: ignore[arg-type]  # Optuna refuses what is no number
        return
    if not is_whole(step) or not 0 <= step <= LARGEST_STEP:
        raise TrialError(f"A step must be a whole number from 0 to {LARGEST_STEP}. Got {step!r}.")
    objectives = objectives_of(study)
    minimized = minimized_values(objectives, values, trial.number, "intermediate value")
    study._storage.set_trial_system_attr(trial._trial_id, *step_attribute(int(step), objectives.original(minimized)))


def step_attribute(step: int, values: Sequence[float]) -> tuple[str, list[float | str]]:
    """The system attribute that holds the values of several objectives at a step: its name, and what is stored."""
    return f"{STEP}{step}", [value if math.isfinite(value) else str(value) for value in values]


def should_prune(trial: Trial) -> bool:
    """Whether a running trial is better stopped, by what it has reported: see `AugerPruner`."""
    study = trial.study
    if len(study.directions) == 1:
        return trial.should_prune()
    if not isinstance(study.pruner, AugerPruner):
        raise TrialError(
            f"With several objectives, the pruner of the study must be an AugerPruner. Got {study.pruner!r}."
        )
    return study.pruner.prune(study, study._storage.get_trial(trial._trial_id))
