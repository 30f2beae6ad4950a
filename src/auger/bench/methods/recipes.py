"""Our own recipes as methods, and the variants that the paper's appendix G compares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from auger.bench.methods.interface import Entry, Method
from auger.classifiers import Calibrated
from auger.history import Trial
from auger.maximizers import Evolution, Maximizer, RandomSearch
from auger.optimizer import Optimizer
from auger.recipes import RECIPES, Recipe, Turns, recipe
from auger.space import Space
from auger.types import Config

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
    """An Optimizer; a NaN is told as a failure."""

    def __init__(self, space: Space, made: Recipe | Turns, seed: int) -> None:
        self._optimizer = Optimizer(space, made, seed=seed)
        self._trial: Trial | None = None

    def ask(self) -> Config:
        self._trial = self._optimizer.ask()
        return self._trial.config

    def tell(self, config: Config, value: float) -> None:
        assert self._trial is not None and self._trial.config == config
        if math.isnan(value):
            self._optimizer.tell(self._trial, error="the evaluation failed")
        else:
            self._optimizer.tell(self._trial, value)


def _entry(name: str, summary: str, made: Callable[[], Recipe | Turns]) -> Entry:
    # what the parts import when they are first used, which is not to count as the first suggestion's time
    family = next((key for key in _LIBRARIES if key in name), "")
    modules, distributions = _LIBRARIES.get(family, ((), ()))
    return Entry(
        name,
        summary,
        lambda space, seed, n_evals: RecipeMethod(space, made(), seed),
        modules=modules,
        distributions=distributions,
    )


def _variants(family: str) -> list[Entry]:
    """One recipe with another maximizer (appendix G.1) or a calibrated classifier (appendix G.2)."""

    plain = recipe(family)
    assert isinstance(plain, Recipe)

    def with_maximizer(suffix: str, summary: str, maximizer: Maximizer) -> Entry:
        name = f"{family}-{suffix}"
        return _entry(name, summary, lambda: replace(plain, name=name, maximizer=maximizer))

    def calibrated(method: str) -> Entry:
        name = f"{family}-{method}"
        made = replace(plain, name=name, classifier=Calibrated(plain.classifier, method))
        return _entry(name, f"{family} with {method} calibration", lambda: made)

    return [
        *(with_maximizer(f"rs{n}", f"{family}, random search of {n}", RandomSearch(n)) for n in _LIMITS),
        *(with_maximizer(f"de{n}", f"{family}, differential evolution of {n}", Evolution(n)) for n in _LIMITS),
        *(calibrated(method) for method in ("platt", "isotonic")),
    ]


def _preset(name: str) -> Entry:
    return _entry(name, f"auger's recipe {name}", lambda: recipe(name))


ENTRIES = (*map(_preset, RECIPES), *_variants("bore-rf"), *_variants("bore-xgb"))
