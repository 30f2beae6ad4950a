"""The native doors: `Optimizer`, `minimize`, `recommend`, `suggest` and `relative_density_ratio`."""

from __future__ import annotations

import importlib.util
import math
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from auger import (
    RECIPES,
    History,
    Optimizer,
    Recipe,
    Space,
    Trial,
    Turns,
    minimize,
    recommend,
    relative_density_ratio,
    suggest,
)
from auger.classifiers import KDE, MLP, SVM, Boosting, Calibrated, ExtraTrees, Forest, GaussianProcess
from auger.maximizers import Evolution, Gradient, LocalSearch, RandomSearch
from auger.types import Config
from versions.exact import AbsentError, Cases, Records, exact, suggested
from versions.spaces import conditional, constrained, mixed, position, spaces, value_of

OPTIONS = (
    "auto gamma=decay n_initial=5",
    "auto ensemble=2 initial=random",
    "bore-rf gamma=0.25 calibration=isotonic",
    "bore-rf gamma=linear weights=improvement maximizer=local n_initial=6",
    "bore-xgb calibration=platt maximizer=random",
    "bore-mlp gamma=sqrt ensemble=2",
    "bore-svm gamma=1/5 initial=sobol",
    "tpe weights=improvement maximizer=evolution",
)

# A few that are unlike each other, for what does not depend on the recipe.
FEW = ("auto", "bore-rf", "bore-mlp", "tpe")

# Trials per run by the beginning of the recipe's name: fits of forests and boosted trees take longest.
_LENGTHS = {"bore-rf": 22, "lfbo-rf": 22, "bore-xgb": 24, "lfbo-xgb": 24, "bore-mlp": 28, "lfbo-mlp": 24}
_LENGTH = 40


def need(recipe: str) -> None:
    """Raise AbsentError where a recipe needs a library that is not there."""
    if "xgb" in recipe and importlib.util.find_spec("xgboost") is None:
        raise AbsentError("xgboost")


def length(recipe: str) -> int:
    """How many trials to run."""
    return _LENGTHS.get(recipe.split(maxsplit=1)[0], _LENGTH)


# -- every recipe on every space ----------------------------------------------------------------------------


def recipes() -> Cases:
    """All recipes, and some with options, on all spaces."""
    return {
        f"{recipe} on {name}": partial(_plain, recipe, space)
        for recipe in (*RECIPES, *OPTIONS)
        for name, space in spaces().items()
    }


def _plain(recipe: str, space: Space) -> Records:
    need(recipe)
    optimizer = Optimizer(space, recipe, seed=1)
    return run(optimizer, length(recipe), lambda trial: optimizer.tell(trial, value_of(space, trial.config)))


def run(optimizer: Optimizer, n: int, answer: Callable[[Trial], object]) -> Records:
    """Ask n times, one at a time, and record what was suggested."""
    records = []
    for _ in range(n):
        trial = optimizer.ask()
        records.append(suggested(trial.config, trial.origin))
        answer(trial)
    return records


def long_runs() -> Cases:
    """Suggestions after many answers, where models learn from a part of them."""
    sizes = {"auto": (150, 250, 1500), "tpe": (250, 1500), "bore-rf": (300,), "lfbo-xgb": (300,), "bore-svm": (300,)}
    return {
        f"{recipe} after {n}": partial(_after_many, recipe, n) for recipe, many in sizes.items() for n in (60, *many)
    }


def _after_many(recipe: str, n: int) -> Records:
    need(recipe)
    space = mixed()
    optimizer = Optimizer(space, recipe, seed=2)
    configs = sampled(space, n)
    optimizer.add(configs, [value_of(space, config) for config in configs])
    return run(optimizer, 6, lambda trial: optimizer.tell(trial, value_of(space, trial.config)))


def sampled(space: Space, n: int) -> list[Config]:
    """Configurations drawn at random, the same each time."""
    return space.decode(space.sample(n, np.random.default_rng(5)))


# -- answers of every kind ----------------------------------------------------------------------------------


def answers() -> Cases:
    """Answers other than a finite number at once."""
    ways: dict[str, Callable[[Optimizer], Records]] = {
        "batches out of order": _batches,
        "failures": partial(_answered, answer=_sometimes_failed),
        "all failed": partial(_answered, answer=lambda optimizer, trial: optimizer.tell(trial, error="no")),
        "NaN and infinity": partial(_answered, answer=_not_finite),
        "all NaN": partial(_answered, answer=lambda optimizer, trial: optimizer.tell(trial, math.nan)),
        "equal values": partial(_answered, answer=lambda optimizer, trial: optimizer.tell(trial, 1.0)),
        "outcome constraints": partial(_answered, answer=_constrained),
        "all infeasible": partial(_answered, answer=_infeasible),
        "pruned": partial(_answered, answer=_pruned),
        "pruned, some failed and infeasible": partial(_answered, answer=_everything),
        "all pruned": partial(_answered, answer=_always_pruned),
        "past results": _past,
        "saved and loaded": _saved,
    }
    where = {"mixed": mixed, "conditional": conditional, "constrained": constrained}
    return {
        f"{way}, {recipe} on {name}": partial(_way, how, make, recipe)
        for way, how in ways.items()
        for recipe in FEW
        for name, make in where.items()
        if name != "constrained" or way in ("batches out of order", "past results", "saved and loaded")
    }


def _way(how: Callable[[Optimizer], Records], make: Callable[[], Space], recipe: str) -> Records:
    return how(Optimizer(make(), recipe, seed=3))


def _answered(optimizer: Optimizer, *, answer: Callable[[Optimizer, Trial], object]) -> Records:
    return run(optimizer, 22, lambda trial: answer(optimizer, trial))


def _value(optimizer: Optimizer, trial: Trial) -> float:
    return value_of(optimizer.space, trial.config)


def _first(optimizer: Optimizer, trial: Trial) -> float:
    """The position of the first parameter."""
    name, kind = next(iter(optimizer.space.parameters.items()))
    return position(kind, trial.config[name])


def _batches(optimizer: Optimizer) -> Records:
    """Four at a time, told in another order; the last one of each batch is told after the next is asked."""
    records: Records = []
    left: list[Trial] = []
    for _ in range(7):
        trials = optimizer.ask(4)
        records += [suggested(trial.config, trial.origin) for trial in trials]
        for trial in [*left, trials[2], trials[0], trials[1]]:
            optimizer.tell(trial.number, _value(optimizer, trial))
        left = [trials[3]]
    return records


def _sometimes_failed(optimizer: Optimizer, trial: Trial) -> None:
    if trial.number % 3 == 1:
        optimizer.tell(trial, error="out of memory")
    elif trial.number % 7 == 2:
        optimizer.tell(trial, error=ValueError("no"))
    else:
        optimizer.tell(trial, _value(optimizer, trial))


def _not_finite(optimizer: Optimizer, trial: Trial) -> None:
    odd = {1: math.nan, 3: math.inf, 5: -math.inf}
    optimizer.tell(trial, odd.get(trial.number % 8, _value(optimizer, trial)))


def _constrained(optimizer: Optimizer, trial: Trial) -> None:
    bounds = [_first(optimizer, trial) - 0.6, -1.0]
    optimizer.tell(trial, _value(optimizer, trial), constraints=bounds)


def _infeasible(optimizer: Optimizer, trial: Trial) -> None:
    optimizer.tell(trial, _value(optimizer, trial), constraints=[1.0 + _first(optimizer, trial), math.inf])


def _report(optimizer: Optimizer, trial: Trial, steps: tuple[int, ...]) -> float:
    """Report a learning curve. Returns the final value."""
    value = _value(optimizer, trial)
    for step in steps:
        optimizer.report(trial, step, value + 1.0 / step)
    return value


def _pruned(optimizer: Optimizer, trial: Trial) -> None:
    if trial.number % 3 == 0 or trial.number < 2:
        optimizer.tell(trial, _report(optimizer, trial, (1, 3, 9, 27)))
    elif trial.number % 3 == 1:
        _report(optimizer, trial, (1, 3, 9)[: 1 + trial.number % 2 + trial.number % 4 // 2])
        optimizer.tell(trial, pruned=True)
    else:
        value = _report(optimizer, trial, (1, 3))
        optimizer.tell(trial, value + 1 / 3, pruned=True)


def _everything(optimizer: Optimizer, trial: Trial) -> None:
    if trial.number % 6 == 4:
        _report(optimizer, trial, (1, 2))
        optimizer.tell(trial, error="lost")
    elif trial.number % 6 == 5:
        optimizer.tell(trial, _report(optimizer, trial, (1, 3, 9, 27)), constraints=[0.5])
    elif trial.number % 12 == 1:
        optimizer.report(trial, 1, math.nan)
        optimizer.tell(trial, pruned=True)
    else:
        _pruned(optimizer, trial)


def _always_pruned(optimizer: Optimizer, trial: Trial) -> None:
    _report(optimizer, trial, (1, 3, 9)[: 1 + trial.number % 3])
    optimizer.tell(trial, pruned=True)


def _past(optimizer: Optimizer) -> Records:
    """Results of another run, in two portions."""
    configs = sampled(Space(dict(optimizer.space.parameters)), 24)
    values = [value_of(optimizer.space, config) for config in configs]
    optimizer.add(configs[:4], values[:4])
    records = run(optimizer, 4, lambda trial: optimizer.tell(trial, _value(optimizer, trial)))
    optimizer.add(configs[4:], values[4:])
    return records + run(optimizer, 8, lambda trial: optimizer.tell(trial, _value(optimizer, trial)))


def _saved(optimizer: Optimizer) -> Records:
    """Saved and loaded four times, with trials running and pruned; the last part without an interruption."""
    records = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.json")
        for _ in range(4):
            waiting = optimizer.ask(2)
            records += [suggested(trial.config, trial.origin) for trial in waiting]
            optimizer.save(path)
            optimizer = Optimizer.load(path)
            records += run(optimizer, 4, partial(_everything, optimizer))
            for trial in reversed(waiting):
                optimizer.tell(trial.number, _value(optimizer, trial))
    return records + run(optimizer, 4, partial(_everything, optimizer))


# -- functions ----------------------------------------------------------------------------------------------


def functions() -> Cases:
    """`minimize`, `recommend`, `suggest`, `relative_density_ratio`, and recipes of one's own."""
    cases: Cases = {f"minimize, {recipe}": partial(_minimize, recipe) for recipe in FEW}
    cases |= {f"recommend, noise {noise}": partial(_recommend, noise) for noise in (0.0, 0.05, 0.5)}
    cases |= {f"suggest, {recipe}": partial(_suggest, recipe) for recipe in FEW}
    for name in ("KDE", "Forest", "ExtraTrees", "MLP", "SVM", "Boosting"):
        cases |= {f"density ratio, {name}, {d} columns": partial(_density_ratio, name, d) for d in (1, 3)}
    cases |= {f"own recipe, {name}": partial(_own, name) for name in ("forest", "turns", "gradient", "schedule")}
    return cases


def _minimize(recipe: str) -> Records:
    space = mixed()

    def objective(config: Config) -> float:
        if config["kind"] == "b" and config["n"] % 2:
            raise ArithmeticError("odd")
        return math.nan if config["n"] % 11 == 0 else value_of(space, config)

    result = minimize(objective, space, n_trials=24, recipe=recipe, seed=4)
    records = [suggested(trial.config, trial.origin) for trial in result.trials]
    return [*records, {"config": exact(result.config), "value": exact(result.value)}]


def _recommend(noise: float) -> Records:
    """What to use after 20, 40 and 60 noisy values, some of them repeats."""
    space, records = mixed(), []
    rng = np.random.default_rng(6)
    history = History(space)
    for i, config in enumerate([*sampled(space, 40), *sampled(space, 20)]):
        trial = history.start(config)
        history.finish(trial.number, value=value_of(space, config) + noise * float(rng.normal()))
        if (i + 1) % 20 == 0:
            found = recommend(history)
            assert found is not None
            records.append({"number": found.trial.number, "estimate": exact([found.estimate, found.error])})
    return records


def _suggest(recipe: str) -> Records:
    """Suggestions by the numbers and seeds of a host."""
    space, records = conditional(), []
    history = History(space)
    for i, config in enumerate(sampled(space, 18)):
        trial = history.start(config)
        if i % 5:
            history.finish(trial.number, value=value_of(space, config))
        for seed, number in ((0, None), (7, 100 + i)):
            found = suggest(history, recipe, seed=seed, number=number)
            proposed = space.decode(found.row[np.newaxis])[0]
            records.append({**suggested(proposed, found.origin), "row": exact(found.row)})
    return records


def _density_ratio(name: str, d: int) -> Records:
    need("xgb" if name == "Boosting" else "")
    made: dict[str, Any] = {"KDE": KDE, "Forest": Forest, "ExtraTrees": ExtraTrees, "MLP": MLP, "SVM": SVM}
    classifier = {**made, "Boosting": Boosting}[name]()
    rng = np.random.default_rng(7)
    good, rest = rng.normal(1.0, 0.5, size=(40, d)), rng.normal(0.0, 1.0, size=(90, d))
    points = rng.normal(0.5, 1.5, size=(25, d))
    ratios = [
        relative_density_ratio(good, rest, classifier=classifier, gamma=gamma, rng=8)(points) for gamma in (None, 0.2)
    ]
    return [exact(ratio) for ratio in ratios]


def _own(name: str) -> Records:
    process = Recipe("process", GaussianProcess(), LocalSearch())
    made: dict[str, Recipe | Turns] = {
        "forest": Recipe("mine", Calibrated(Forest(n_trees=30), "platt"), Evolution(500), gamma=0.2),
        "turns": Turns("mine", (process, Recipe("trees", ExtraTrees(), LocalSearch())), until=20),
        "gradient": Recipe("mine", MLP(), Gradient(n_starts=2), weights="improvement", n_initial=4, initial="sobol"),
        "schedule": Recipe("mine", KDE(), RandomSearch(200), gamma=lambda n: 1 / math.sqrt(n + 4)),
    }
    space = mixed()
    optimizer = Optimizer(space, made[name], seed=9)
    return run(optimizer, 24, lambda trial: optimizer.tell(trial, value_of(space, trial.config)))
