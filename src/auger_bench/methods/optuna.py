"""Optuna's samplers with their defaults: the tree-structured Parzen estimator, and a Gaussian process.

As its documentation would have it: `suggest_float` and `suggest_int` with log and step for numbers,
`suggest_categorical` for choices. Ordinals are `suggest_int` of their index, which keeps their order. A stepped Float
is its index too: Optuna's steps must divide a range in decimals, ours may be 1/3. Conditions are the program itself:
parents are suggested first and inactive parameters never.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from auger.optimizer import Optimizer
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.conditions import is_active, member, parents_first, refuse_constraints
from auger_bench.methods.interface import Entry, Method


class OptunaMethod(Method):
    """A study in memory, through its own ask and tell."""

    def __init__(
        self,
        space: Space,
        name: str,
        sampler: Callable[[Any], Any],
        first: Iterable[Config] = (),
        study_name: str | None = None,
    ) -> None:
        import optuna  # optional library

        refuse_constraints(space, name)
        self._space = space
        self._order = parents_first(space)
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # every new study is announced
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # the GP's, a version long
                self._study = optuna.create_study(sampler=sampler(optuna.samplers), study_name=study_name)
        finally:
            optuna.logging.set_verbosity(verbosity)
        for config in first:
            self._study.enqueue_trial({key: _said(space.parameters[key], value) for key, value in config.items()})
        self._trial: Any = None

    def ask(self) -> Config:
        self._trial = self._study.ask()
        config: Config = {}
        for name in self._order:
            if is_active(self._space, name, config):
                config[name] = _suggest(self._trial, name, self._space.parameters[name])
        return member(self._space, config)

    def tell(self, config: Config, value: float) -> None:
        from optuna.trial import TrialState  # optional library

        if math.isnan(value):
            self._study.tell(self._trial, state=TrialState.FAIL)
        else:
            self._study.tell(self._trial, value)


def _suggest(trial: Any, name: str, kind: Parameter) -> Any:
    if isinstance(kind, Float) and kind.step is None:
        return trial.suggest_float(name, kind.low, kind.high, log=kind.log)
    if isinstance(kind, Int):
        return trial.suggest_int(name, kind.low, kind.high, log=kind.log, step=kind.step)
    assert kind.n_values is not None
    if isinstance(kind, Categorical):  # by code, because Optuna's choices are numbers and strings only
        code = trial.suggest_categorical(name, range(kind.n_values))
    else:
        code = trial.suggest_int(name, 0, kind.n_values - 1)
    return kind.decode(kind.levels()[code : code + 1])[0]


def _said(kind: Parameter, value: Any) -> Any:
    """A value as `_suggest` would return it, before it is decoded."""
    if isinstance(kind, Int) or (isinstance(kind, Float) and kind.step is None):
        return value
    return kind.decode(kind.levels()).index(value)


def _first_of_auto(space: Space, seed: int) -> list[Config]:
    auto = Optimizer(space, "auto", seed=seed)
    return [trial.config for trial in auto.ask(auto.recipe.at(0, n_answers=0).n_initial)]


def _gaussian_process(space: Space, name: str, seed: int, first: Iterable[Config] = ()) -> OptunaMethod:
    # of conditional parameters, which it draws at random, it would tell at every trial
    return OptunaMethod(space, name, lambda them: them.GPSampler(seed=seed, warn_independent_sampling=False), first)


_GP_NEEDS = ("optuna", "torch", "greenlet")  # without greenlet it works, several times slower
_GP_INSTALL = 'pip install "auger[bench]" torch greenlet'

ENTRIES = (
    Entry(
        "optuna-tpe",
        "tree-structured Parzen estimator of Optuna",
        lambda space, seed, n_evals: OptunaMethod(space, "optuna-tpe", lambda them: them.TPESampler(seed=seed)),
        modules=("optuna",),
        distributions=("optuna",),
    ),
    Entry(
        "optuna-gp",
        "Gaussian process of Optuna, expected improvement",
        lambda space, seed, n_evals: _gaussian_process(space, "optuna-gp", seed),
        modules=_GP_NEEDS,
        distributions=_GP_NEEDS,
        install=_GP_INSTALL,
    ),
    Entry(
        "optuna-gp-auto",
        "the same from the first points of auto, for comparing what comes after them",
        lambda space, seed, n_evals: _gaussian_process(space, "optuna-gp-auto", seed, _first_of_auto(space, seed)),
        modules=_GP_NEEDS,
        distributions=_GP_NEEDS,
        install=_GP_INSTALL,
    ),
)
