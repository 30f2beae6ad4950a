"""Our own recipes as methods, the variants that the paper's appendix G compares, and `auto` without its ingredients."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auger.classifiers import GaussianProcess
from auger.maximizers import Evolution, LocalSearch, Maximizer, RandomSearch
from auger.optimizer import Optimizer
from auger.recipes import RECIPES, Recipe, Turns, as_recipe
from auger.space import Space
from auger.trial import Trial
from auger.types import Config
from auger_bench.methods.interface import Entry, Method

# Appendix G.1: how hard to maximize the score.
_LIMITS = (50, 100, 200, 500)

# Part of a recipe's name -> modules it imports, and what `pip` calls those that are not always there.
_LIBRARIES = {
    "xgb": (("xgboost",), ("xgboost-cpu",)),
    "rf": (("sklearn.tree",), ("scikit-learn",)),
    "auto": (("scipy.optimize", "scipy.stats"), ()),
    "svm": (("sklearn.svm",), ("scikit-learn",)),
    "mlp": (("scipy.optimize",), ()),
}


class RecipeMethod(Method):
    """An Optimizer; a NaN is told as a failure.

    With a batch size, so many trials are asked for before the first of them is told, as with so many workers.
    """

    def __init__(self, space: Space, made: Recipe | Turns, seed: int, n_batch: int = 1) -> None:
        self._optimizer = Optimizer(space, made, seed=seed)
        self._n_batch = n_batch
        self._asked: list[Trial] = []
        self._trial: Trial | None = None

    def ask(self) -> Config:
        if not self._asked:
            self._asked = self._optimizer.ask(self._n_batch)
        self._trial = self._asked.pop(0)
        return self._trial.config

    def tell(self, config: Config, value: float) -> None:
        assert self._trial is not None and self._trial.config == config
        if math.isnan(value):
            self._optimizer.tell(self._trial, error="the evaluation failed")
        else:
            self._optimizer.tell(self._trial, value)


def _entry(name: str, summary: str, made: Callable[[], Recipe | Turns], n_batch: int = 1) -> Entry:
    # what the parts import when they are first used, which is not to count as the first suggestion's time
    family = next((key for key in _LIBRARIES if key in name), "")
    modules, distributions = _LIBRARIES.get(family, ((), ()))
    return Entry(
        name,
        summary,
        lambda space, seed, n_evals: RecipeMethod(space, made(), seed, n_batch),
        modules=modules,
        distributions=distributions,
    )


def written(text: str) -> Entry:
    """A recipe with options, as a method; its name is the recipe's."""
    made = as_recipe(text)
    return _entry(made.name, f"auger's recipe {made.name}", lambda: made)


def _named(name: str, summary: str, text: str) -> Entry:
    """A recipe with options that has a name of its own; made when it is used: it may need a library."""
    return _entry(name, summary, lambda: as_recipe(text))


def _variants(family: str) -> list[Entry]:
    """One recipe with another maximizer (appendix G.1) or a calibrated classifier (appendix G.2)."""

    def with_maximizer(suffix: str, summary: str, maximizer: Maximizer) -> Entry:
        def made() -> Recipe:
            plain = as_recipe(family)
            assert isinstance(plain, Recipe)
            return replace(plain, maximizer=maximizer)

        return _entry(f"{family}-{suffix}", summary, made)

    return [
        *(with_maximizer(f"rs{n}", f"{family}, random search of {n}", RandomSearch(n)) for n in _LIMITS),
        *(with_maximizer(f"de{n}", f"{family}, differential evolution of {n}", Evolution(n)) for n in _LIMITS),
        *(
            _named(f"{family}-{method}", f"{family} with {method} calibration", f"{family} calibration={method}")
            for method in ("platt", "isotonic")
        ),
    ]


def _without(ingredient: str, summary: str, change: Callable[[Recipe, Recipe], Recipe | Turns]) -> Entry:
    """`auto` with its two halves, process and trees, changed."""
    auto = as_recipe("auto")
    assert isinstance(auto, Turns)
    process, trees = auto.recipes
    return _entry(f"auto-{ingredient}", f"auto, {summary}", lambda: change(process, trees))


def _process_turns(process: Recipe, trees: Recipe, **changed: Any) -> Turns:
    """The process changed."""
    return Turns("auto, changed", (replace(process, **changed), trees))


_WITHOUT = (
    _without("process", "the Gaussian process alone", lambda process, trees: process),
    _without("trees", "the trees alone", lambda process, trees: trees),
    _named("auto-random", "auto, random start", "auto initial=random"),
    _without(
        "flat",
        "process without a trend",
        lambda process, trees: _process_turns(process, trees, classifier=GaussianProcess(trend=False)),
    ),
    _without(
        "pool",
        "process that climbs no gradient",
        lambda process, trees: _process_turns(process, trees, maximizer=LocalSearch()),
    ),
    _named("auto-labels", "auto, trees with hard labels", "auto weights=none"),
    _named("auto-third", "auto, trees with gamma 1/3", "auto gamma=1/3"),
    _without(
        "argmax",
        "trees take the best",
        lambda process, trees: Turns("auto, changed", (process, replace(trees, maximizer=LocalSearch()))),
    ),
)

#: `auto` without each of its ingredients, by name.
INGREDIENTS = tuple(entry.name for entry in _WITHOUT)


ENTRIES = (
    *(_named(name, f"auger's recipe {name}", name) for name in RECIPES),
    *_WITHOUT,
    _entry("auto-batch8", "auto, eight trials at a time", lambda: as_recipe("auto"), n_batch=8),
    *_variants("bore-rf"),
    *_variants("bore-xgb"),
)
