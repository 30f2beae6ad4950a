"""Optuna's importances of parameters, of any history."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.trial import create_trial

from auger.space import Space
from auger.types import Array

# Ordered parameters with up to as many values are whole numbers to Optuna. With more it would go over to a grid itself.
_N_LEVELS = 50


def ped_anova(space: Space, X: Array, y: Array, *, share: float) -> dict[str, float]:
    """How important each parameter was for being among the best share of the values: PED-ANOVA, adding up to 1.

    Args:
        space: of the rows.
        X: shape (n, d), encoded rows, NaN where a parameter is inactive.
        y: shape (n,), finite values to be minimized.
        share: in (0, 1).
    """
    distributions = [_distribution(space, j) for j in range(len(space))]
    with _quiet():
        study = optuna.create_study()
        study.add_trials([_trial(space, distributions, row, value) for row, value in zip(X, y.tolist(), strict=True)])
        importances = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator(target_quantile=share))
    return {name: float(importances.get(name, 0.0)) for name in space.names}


def _distribution(space: Space, column: int) -> BaseDistribution:
    """Of the entries of a column: positions are on the scale of the parameter already."""
    n_values = space.n_values[column]
    if not space.is_ordered[column]:
        return CategoricalDistribution(list(range(n_values or 1)))
    return FloatDistribution(0.0, 1.0) if n_values is None or n_values > _N_LEVELS else IntDistribution(0, n_values - 1)


def _trial(space: Space, distributions: list[BaseDistribution], row: Array, value: float) -> optuna.trial.FrozenTrial:
    active = np.flatnonzero(~np.isnan(row)).tolist()
    params = {space.names[j]: _entry(space, distributions[j], j, float(row[j])) for j in active}
    return create_trial(params=params, distributions={space.names[j]: distributions[j] for j in active}, value=value)


def _entry(space: Space, distribution: BaseDistribution, column: int, entry: float) -> float | int:
    if isinstance(distribution, FloatDistribution):
        return entry
    if isinstance(distribution, IntDistribution):
        levels = space.parameters[space.names[column]].levels()
        return int(np.abs(levels - entry).argmin())
    return int(entry)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Optuna's messages about a study that the user does not know, and its warnings about few trials."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)
