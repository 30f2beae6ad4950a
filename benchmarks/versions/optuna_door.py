"""The Optuna door: `AugerSampler` and `AugerPruner`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from auger import Space
from auger.hosts.optuna import AugerPruner, AugerSampler, suggest_config
from versions.exact import Cases, Records, exact
from versions.native import FEW, need
from versions.spaces import conditional, constrained, mixed, value_of

Objective = Callable[[optuna.Trial], Any]

# So many trials per study.
_LENGTH = 24

# Fits with the first take longest.
_LENGTHS = {"bore-rf": 18, "bore-mlp": 20}


def optuna_cases() -> Cases:
    """Studies of every kind."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    cases: Cases = {}
    for recipe in FEW:
        for name, study in _studies().items():
            cases[f"{name}, {recipe}"] = partial(study, recipe)
    cases |= {f"pruner alone, {direction}": partial(_pruner, direction) for direction in ("minimize", "maximize")}
    return cases


def _studies() -> dict[str, Callable[[str], Records]]:
    given = {"mixed": mixed(), "conditional": conditional(), "constrained": constrained()}
    studies: dict[str, Callable[[str], Records]] = {
        **{f"given {name} space": partial(_given, space) for name, space in given.items()},
        "found space": partial(_optimized, _flat),
        "conditional, define by run": partial(_optimized, _by_run),
        "maximized": partial(_optimized, lambda trial: -_flat(trial), directions=["maximize"]),
        "two objectives": partial(_optimized, _two, directions=["minimize", "maximize"]),
        "two objectives, define by run": partial(_optimized, _two_by_run, directions=["minimize", "minimize"]),
        "three objectives": partial(_optimized, _three, directions=["minimize", "maximize", "minimize"]),
        "changing ranges": partial(_optimized, _changing),
        "parameters that come later": partial(_optimized, _later),
        "failures": partial(_optimized, _failing, is_caught=True),
        "pruned by AugerPruner": partial(_optimized, _curve, pruner=AugerPruner),
        "pruned by Hyperband": partial(_optimized, _curve, pruner=partial(optuna.pruners.HyperbandPruner, 1, 27)),
        "pruned by the median, maximized": partial(
            _optimized, _rising_curve, directions=["maximize"], pruner=optuna.pruners.MedianPruner
        ),
        "constraints_func": _constraints_func,
        "two objectives, constraints_func": _two_with_constraints,
        "enqueued": _enqueued,
        "several running": _running,
        "several running, ranges given": _asked,
        "a new sampler for each trial": _resumed,
        "past trials added": _added,
    }
    return studies


# -- objectives ---------------------------------------------------------------------------------------------


def _flat(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5.0, 5.0)
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    n = trial.suggest_int("n", 1, 40)
    units = trial.suggest_int("units", 4, 512, log=True)
    drop = trial.suggest_float("drop", 0.0, 0.5, step=0.1)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    return float((x - 1) ** 2 + (math.log10(rate) + 3) ** 2 + n / 40 + abs(units - 64) / 64 + drop + (kind != "b"))


def _by_run(trial: optuna.Trial) -> float:
    shared = trial.suggest_float("shared", 0.0, 1.0)
    if trial.suggest_categorical("model", ["svm", "net"]) == "svm":
        cost = trial.suggest_float("C", 1e-3, 1e3, log=True)
        extra = (
            trial.suggest_int("degree", 2, 5) if trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly" else 1
        )
        return shared + abs(math.log10(cost) - 1) + 0.1 * extra
    layers = trial.suggest_int("layers", 1, 3)
    sizes = [trial.suggest_int(f"units{i}", 8, 256, log=True) for i in range(layers)]
    return shared + 0.5 + sum(abs(math.log2(size) - 6) for size in sizes) / 10


def _two(trial: optuna.Trial) -> tuple[float, float]:
    value = _flat(trial)
    return value, -abs(trial.params["x"] + 2) - trial.params["n"] / 20


def _two_by_run(trial: optuna.Trial) -> tuple[float, float]:
    return _by_run(trial), abs(trial.params["shared"] - 0.8) + (trial.params["model"] == "svm")


def _three(trial: optuna.Trial) -> tuple[float, float, float]:
    first, second = _two(trial)
    return first, second, trial.params["drop"] + trial.params["units"] / 100


def _changing(trial: optuna.Trial) -> float:
    wide = trial.number % 3
    x = trial.suggest_float("x", -1.0 - wide, 1.0 + 2 * wide)
    n = trial.suggest_int("n", 1, 10 + 5 * wide)
    return (x - 0.5) ** 2 + abs(n - 7)


def _later(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0.0, 1.0)
    if trial.number >= 6:
        x += trial.suggest_float("y", 0.0, 1.0)
    if trial.number >= 14:
        x += trial.suggest_categorical("z", [0, 1, 2])
    return abs(x - 0.7)


def _failing(trial: optuna.Trial) -> float:
    value = _flat(trial)
    if trial.number % 4 == 1:
        raise ArithmeticError("no")
    return math.nan if trial.number % 7 == 3 else value


def _curve(trial: optuna.Trial) -> float:
    final = _by_run(trial)
    for step in range(1, 28):
        trial.report(final + (1 + trial.params["shared"]) / step, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return final


def _rising_curve(trial: optuna.Trial) -> float:
    final = -_flat(trial)
    for step in range(9):
        trial.report(final - 3 / (step + 1), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return final


# -- studies ------------------------------------------------------------------------------------------------


def _study(sampler: Any, directions: Any = ("minimize",), pruner: Any = optuna.pruners.NopPruner) -> Any:
    # Hyperband shares out trials by the study's name
    return optuna.create_study(study_name="compared", sampler=sampler, directions=directions, pruner=pruner())


def _records(study: Any) -> Records:
    """What was proposed for each trial, and what became of it."""
    return [
        {
            "config": exact(trial.params),
            "origin": {**trial.user_attrs, **trial.system_attrs}.get("auger:origin"),
            "state": trial.state.name,
            "steps": len(trial.intermediate_values),
        }
        for trial in study.get_trials(deepcopy=False)
    ]


def _length(recipe: str) -> int:
    return _LENGTHS.get(recipe, _LENGTH)


def _optimized(objective: Objective, recipe: str, *, is_caught: bool = False, **settings: Any) -> Records:
    need(recipe)
    study = _study(AugerSampler(recipe, seed=11), **settings)
    study.optimize(objective, n_trials=_length(recipe), catch=(ArithmeticError,) if is_caught else ())
    return _records(study)


def _given(space: Space, recipe: str) -> Records:
    study = _study(AugerSampler(recipe, space=space, seed=12))
    study.optimize(lambda trial: value_of(space, suggest_config(trial, space)), n_trials=_length(recipe))
    return _records(study)


def _constraints_func(recipe: str) -> Records:
    study = _study(AugerSampler(recipe, seed=13, constraints_func=lambda trial: [trial.params["x"], -1.0]))
    study.optimize(_flat, n_trials=_length(recipe))
    return _records(study)


def _two_with_constraints(recipe: str) -> Records:
    sampler = AugerSampler(recipe, seed=14, constraints_func=lambda trial: [trial.params["n"] - 25.0])
    study = _study(sampler, ["minimize", "maximize"])
    study.optimize(_two, n_trials=_length(recipe))
    return _records(study)


def _enqueued(recipe: str) -> Records:
    """Some trials have all or a part of their parameters fixed."""
    study = _study(AugerSampler(recipe, seed=15))
    study.enqueue_trial({"x": 0.5, "rate": 1e-3, "n": 7, "units": 32, "drop": 0.2, "kind": None})
    for i in range(_length(recipe) // 3):
        study.enqueue_trial({"x": -4.0 + i, "kind": "a"} if i % 2 else {"n": 5 + i})
        study.optimize(_flat, n_trials=3)
    return _records(study)


def _running(recipe: str) -> Records:
    """Three at once; parameters are asked for one by one, in turns, and answers come in another order."""
    study = _study(AugerSampler(recipe, seed=16))
    for _ in range(_length(recipe) // 3):
        trials = [study.ask() for _ in range(3)]
        values = [_by_run(trial) for trial in trials]
        for i in (2, 0, 1):
            study.tell(trials[i], values[i])
    return _records(study)


def _asked(recipe: str) -> Records:
    ranges = {
        "x": FloatDistribution(-1.0, 1.0),
        "n": IntDistribution(1, 64, log=True),
        "kind": CategoricalDistribution(["a", "b", "c"]),
    }
    study, waiting = _study(AugerSampler(recipe, seed=17)), []
    for i in range(_length(recipe)):
        trial = study.ask(ranges)
        waiting.append((trial, trial.params["x"] ** 2 + trial.params["n"] / 64 + (trial.params["kind"] == "b")))
        if len(waiting) == 4:
            study.tell(*waiting.pop(i % 4))
    return _records(study)


def _resumed(recipe: str) -> Records:
    """As another process would go on: nothing is remembered but the study."""
    study = _study(AugerSampler(recipe, seed=18))
    for _ in range(_length(recipe)):
        study.sampler = AugerSampler(recipe, seed=18)
        study.optimize(_by_run, n_trials=1)
    return _records(study)


def _added(recipe: str) -> Records:
    """Trials of another sampler, then ours."""
    other = _study(optuna.samplers.RandomSampler(seed=19))
    other.optimize(_by_run, n_trials=15)
    study = _study(AugerSampler(recipe, seed=20))
    study.add_trials(other.trials)
    study.optimize(_by_run, n_trials=8)
    return _records(study)


def _pruner(direction: str) -> Records:
    """`AugerPruner` with a random sampler: the states, and how far each trial came."""
    study = _study(optuna.samplers.RandomSampler(seed=21), [direction], AugerPruner)
    study.optimize(_curve if direction == "minimize" else _rising_curve, n_trials=60)
    return _records(study)
