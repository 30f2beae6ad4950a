"""Optuna's samplers with their defaults: Parzen estimator, Gaussian process, and two evolution strategies for fronts.

The space is written as Optuna's documentation recommends: `suggest_float` and `suggest_int` with log and step for
numbers, `suggest_categorical` for choices. Ordinals are `suggest_int` of their index, which keeps their order. A
stepped Float is its index too: Optuna's steps must divide a range in decimals, ours may be 1/3. Conditions are in the
program: parents are suggested first, and inactive parameters not at all. Outcome constraints are told by
`Trial.set_constraint`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from auger.optimizer import Optimizer
from auger.space import Categorical, Float, Int, Parameter, Space
from auger.types import Config
from auger_bench.methods.interface import Entry, Method, of_code, refuse_constraints
from auger_bench.outcome import Outcome


class OptunaMethod(Method):
    """A study in memory, through its own ask and tell."""

    def __init__(
        self,
        space: Space,
        name: str,
        sampler: Callable[[Any], Any],
        first: Iterable[Config] = (),
        study_name: str | None = None,
        n_objectives: int = 1,
    ) -> None:
        import optuna  # optional library

        refuse_constraints(space, name)
        self._space = space
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it logs every new study
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # of the GP's sampler
                self._study = optuna.create_study(
                    sampler=sampler(optuna.samplers), study_name=study_name, directions=["minimize"] * n_objectives
                )
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
        self.tell_outcome(config, Outcome((value,)))

    def tell_outcome(self, config: Config, outcome: Outcome) -> None:
        from optuna.trial import TrialState  # optional library

        if any(map(math.isnan, outcome.values)):
            self._study.tell(self._trial, state=TrialState.FAIL)
            return
        for number, constraint in enumerate(outcome.constraints):
            self._trial.set_constraint(f"c{number}", constraint)
        self._study.tell(self._trial, list(outcome.values))


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


def _entry(
    name: str,
    summary: str,
    sampler: Callable[[Any, int], Any],
    *,
    first: Callable[[Space, int], Iterable[Config]] = lambda space, seed: (),
    needs_torch: bool = False,
) -> Entry:
    """A sampler as a method, for one objective or several; ``sampler`` makes it of `optuna.samplers` and a seed."""

    def make(space: Space, seed: int, n_evals: int, n_objectives: int = 1, n_constraints: int = 0) -> OptunaMethod:
        return OptunaMethod(
            space,
            name,
            lambda samplers: sampler(samplers, seed),
            first(space, seed),
            n_objectives=n_objectives,
        )

    entry = Entry(name, summary, make, ("optuna",), ("optuna",), make_several=make)
    if not needs_torch:
        return entry
    libraries = ("optuna", "torch", "greenlet")  # without greenlet it works, several times slower
    return replace(
        entry, modules=libraries, distributions=libraries, install='pip install "auger[bench]" torch greenlet'
    )


def _gaussian_process(samplers: Any, seed: int) -> Any:
    # it draws conditional parameters at random, and would warn of that at every trial
    return samplers.GPSampler(seed=seed, warn_independent_sampling=False)


ENTRIES = (
    _entry(
        "optuna-tpe",
        "tree-structured Parzen estimator of Optuna",
        lambda samplers, seed: samplers.TPESampler(seed=seed),
    ),
    _entry(
        "optuna-nsga2",
        "NSGA-II of Optuna, population 50",
        lambda samplers, seed: samplers.NSGAIISampler(seed=seed),
    ),
    _entry(
        "optuna-nsga3",
        "NSGA-III of Optuna, population 50",
        lambda samplers, seed: samplers.NSGAIIISampler(seed=seed),
    ),
    _entry("optuna-gp", "Gaussian process of Optuna, expected improvement", _gaussian_process, needs_torch=True),
    _entry(
        "optuna-gp-auto",
        "optuna-gp from the first configs of auto, to compare what follows them",
        _gaussian_process,
        first=_first_of_auto,
        needs_torch=True,
    ),
)
