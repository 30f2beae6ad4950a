"""Optuna's samplers with their defaults: the tree-structured Parzen estimator, and a Gaussian process.

The space is written as Optuna's documentation recommends: `suggest_float` and `suggest_int` with log and step for
numbers, `suggest_categorical` for choices. Ordinals are `suggest_int` of their index, which keeps their order. A
stepped Float is its index too: Optuna's steps must divide a range in decimals, ours may be 1/3. Conditions are in the
program: parents are suggested first, and inactive parameters not at all.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from auger.optimizer import Optimizer
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, of_code, refuse_constraints


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
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it logs every new study
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # of the GP's sampler
                self._study = optuna.create_study(sampler=sampler(optuna.samplers), study_name=study_name)
        finally:
            optuna.logging.set_verbosity(verbosity)
        for config in first:
            self._study.enqueue_trial(
                {key: _as_suggested(space.parameters[key], value) for key, value in config.items()}
            )
        self._trial: Any = None

    def ask(self) -> Config:
        self._trial = self._study.ask()
        config = self._space.walk(lambda name, parameter: _suggest(self._trial, name, parameter))
        return self._space.decode(self._space.encode([config]))[0]

    def tell(self, config: Config, value: float) -> None:
        from optuna.trial import TrialState  # optional library

        if math.isnan(value):
            self._study.tell(self._trial, state=TrialState.FAIL)
        else:
            self._study.tell(self._trial, value)


def _suggest(trial: Any, name: str, parameter: Parameter) -> Any:
    if isinstance(parameter, Float) and parameter.step is None:
        return trial.suggest_float(name, parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, Int):
        return trial.suggest_int(name, parameter.low, parameter.high, log=parameter.log, step=parameter.step)
    assert parameter.n_values is not None
    if isinstance(parameter, Categorical):  # by code, because Optuna's choices are numbers and strings only
        code = trial.suggest_categorical(name, range(parameter.n_values))
    else:
        code = trial.suggest_int(name, 0, parameter.n_values - 1)
    return of_code(parameter, code)


def _as_suggested(parameter: Parameter, value: Any) -> Any:
    """A value as Optuna suggests it to `_suggest`, before it is decoded."""
    if isinstance(parameter, Int) or (isinstance(parameter, Float) and parameter.step is None):
        return value
    return parameter.decode(parameter.levels()).index(value)


def _first_of_auto(space: Space, seed: int) -> list[Config]:
    auto = Optimizer(space, "auto", seed=seed)
    return [trial.config for trial in auto.ask(auto.recipe.at(0, n_answers=0).n_initial)]


def _gaussian_process(space: Space, name: str, seed: int, first: Iterable[Config]) -> OptunaMethod:
    # it draws conditional parameters at random, and would warn of that at every trial
    return OptunaMethod(
        space, name, lambda samplers: samplers.GPSampler(seed=seed, warn_independent_sampling=False), first
    )


_GP_LIBRARIES = ("optuna", "torch", "greenlet")  # without greenlet it works, several times slower


def _gp_entry(name: str, summary: str, first: Callable[[Space, int], Iterable[Config]]) -> Entry:
    return Entry(
        name,
        summary,
        lambda space, seed, n_evals: _gaussian_process(space, name, seed, first(space, seed)),
        modules=_GP_LIBRARIES,
        distributions=_GP_LIBRARIES,
        install='pip install "auger[bench]" torch greenlet',
    )


ENTRIES = (
    Entry(
        "optuna-tpe",
        "tree-structured Parzen estimator of Optuna",
        lambda space, seed, n_evals: OptunaMethod(space, "optuna-tpe", lambda samplers: samplers.TPESampler(seed=seed)),
        modules=("optuna",),
        distributions=("optuna",),
    ),
    _gp_entry("optuna-gp", "Gaussian process of Optuna, expected improvement", lambda space, seed: ()),
    _gp_entry(
        "optuna-gp-auto", "optuna-gp from the first configs of auto, to compare what follows them", _first_of_auto
    ),
)
