"""Trials per CPU second of our sampler in studies whose objective takes (nearly) no time, as a ratio to Optuna's TPE.

    pip install ".[bench]" && python benchmarks/cheap_objectives.py

A Markdown table on stdout, progress on stderr. The objectives are like those of Optuna's own examples. Both samplers
run in turns in one process on one thread; a cell is the median over seeds. Imports are not counted.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import optuna

from auger.hosts.optuna import AugerSampler

SAMPLERS: dict[str, Callable[[int], Any]] = {
    "TPE": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "AugerSampler": lambda seed: AugerSampler(seed=seed),
}


def bowl(trial: optuna.Trial) -> float:
    """A float and a choice."""
    x = float(trial.suggest_float("x", -100, 100))
    return x**2 + float(trial.suggest_categorical("y", [-1, 0, 1]))


def two_floats(trial: optuna.Trial) -> float:
    """Two floats."""
    x, y = trial.suggest_float("x", -10, 10), trial.suggest_float("y", -10, 10)
    return float((x + 5) ** 2 + y)


def two_objectives(trial: optuna.Trial) -> tuple[float, float]:
    """Two floats, two objectives."""
    x, y = trial.suggest_float("x", 0, 5), trial.suggest_float("y", 0, 3)
    return 4 * x**2 + 4 * y**2, (x - 5) ** 2 + (y - 5) ** 2


def constrained(trial: optuna.Trial) -> tuple[float, float]:
    """Two floats, two objectives, two constraints."""
    first, second = two_objectives(trial)
    x, y = trial.params["x"], trial.params["y"]
    trial.set_constraint("inner", (x - 5) ** 2 + y**2 - 25)
    trial.set_constraint("outer", 7.7 - (x - 8) ** 2 - (y + 3) ** 2)
    return first, second


def one_constraint(trial: optuna.Trial) -> float:
    """A float and an int under a constraint."""
    x, y = trial.suggest_float("x", -1, 1), trial.suggest_int("y", -5, 5)
    trial.set_constraint("sum", 1000 - x - y)
    return float(x**2 + 2 * x * y + y**2)


def branches(trial: optuna.Trial) -> float:
    """A choice with two floats of its own."""
    if trial.suggest_categorical("model", ["line", "curve"]) == "line":
        return abs(float(trial.suggest_float("C", 1e-5, 1e5, log=True)) - 3.0)
    return float(trial.suggest_int("depth", 2, 32, log=True)) / 10


@cache
def _tumors() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    data = load_breast_cancer()
    return train_test_split(data.data, data.target, test_size=0.25, random_state=0)


def boosting(trial: optuna.Trial) -> float:
    """XGBoost on a small data set, about 10 ms: five to nine parameters."""
    import xgboost

    train, valid, train_y, valid_y = _tumors()
    settings: dict[str, Any] = {
        **{"verbosity": 0, "nthread": 1, "objective": "binary:logistic"},
        "booster": trial.suggest_categorical("booster", ["gbtree", "gblinear", "dart"]),
        "lambda": trial.suggest_float("lambda", 1e-8, 1.0, log=True),
        "alpha": trial.suggest_float("alpha", 1e-8, 1.0, log=True),
        "subsample": trial.suggest_float("subsample", 0.2, 1.0),
        "colsample_bytree": trial.suggest_float("colsample_bytree", 0.2, 1.0),
    }
    if settings["booster"] == "gblinear":  # which has no samples and no columns of its own
        del settings["subsample"], settings["colsample_bytree"]
    else:
        settings["max_depth"] = trial.suggest_int("max_depth", 3, 9, step=2)
        settings["eta"] = trial.suggest_float("eta", 1e-8, 1.0, log=True)
        settings["gamma"] = trial.suggest_float("gamma", 1e-8, 1.0, log=True)
    if settings["booster"] == "dart":
        settings["rate_drop"] = trial.suggest_float("rate_drop", 1e-8, 1.0, log=True)
    model = xgboost.train(settings, xgboost.DMatrix(train, label=train_y), num_boost_round=10)
    good = model.predict(xgboost.DMatrix(valid)) > 0.5
    return -float(np.mean(good == valid_y))


class Case(NamedTuple):
    """An objective, and how a study of it goes."""

    objective: Callable[[optuna.Trial], Any]
    n_trials: int
    n_objectives: int = 1
    n_added: int = 0
    batch: int = 1


CASES = {
    "a float and a choice": Case(bowl, 100),
    "two floats": Case(two_floats, 100),
    "two floats, 500 trials": Case(two_floats, 500),
    "two floats, 30 trials of another study added": Case(two_floats, 100, n_added=30),
    "two floats, asked for in batches of 30": Case(two_floats, 300, batch=30),
    "a constraint": Case(one_constraint, 100),
    "branches": Case(branches, 100),
    "two objectives": Case(two_objectives, 100, n_objectives=2),
    "two objectives, two constraints": Case(constrained, 32, n_objectives=2),
    "XGBoost, 5 to 9 parameters": Case(boosting, 100),
}


def run(case: Case, sampler: Any) -> float:
    """CPU ms per trial of a study."""
    study = optuna.create_study(sampler=sampler, directions=["minimize"] * case.n_objectives)
    if case.n_added:
        source = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        source.optimize(case.objective, n_trials=case.n_added)
        study.add_trials(source.trials)
    start = time.process_time()
    if case.batch == 1:
        study.optimize(case.objective, n_trials=case.n_trials)
    else:
        for _ in range(case.n_trials // case.batch):
            asked = [study.ask() for _ in range(case.batch)]
            for trial, value in [(trial, case.objective(trial)) for trial in asked]:
                study.tell(trial, value)
    return 1e3 * (time.process_time() - start) / case.n_trials


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=5, metavar="K")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, metavar="CASE")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for make in SAMPLERS.values():
        run(CASES["two floats"]._replace(n_trials=20), make(0))  # imports
    print(f"| CPU ms per trial, {options.seeds} seeds | TPE | AugerSampler | trials per CPU second, to TPE's |")
    print("|---|---:|---:|---:|")
    for name in options.cases:
        print(name, file=sys.stderr)
        times = [[run(CASES[name], make(seed)) for make in SAMPLERS.values()] for seed in range(options.seeds)]
        theirs, ours = map(statistics.median, zip(*times, strict=True))
        ratio = statistics.median(their / our for their, our in times)
        print(f"| {name} | {theirs:.1f} | {ours:.1f} | {ratio:.2f} x |", flush=True)


if __name__ == "__main__":
    main()
