"""Our recipes as methods: all of them, the variants that appendix G compares, and `auto` without each ingredient."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from auger.classifiers import GaussianProcess
from auger.maximizers import AroundBest, Evolution, LocalSearch, Maximizer, RandomSearch
from auger.optimizer import Optimizer
from auger.recipes import RECIPES, Recipe, Turns, as_recipe
from auger.space import Space
from auger.trial import Trial
from auger.types import Config
from auger_bench.methods.interface import Entry, Method
from auger_bench.outcome import Outcome

#: Appendix G.1: how often random search and differential evolution may call the score; 1,000 is ours.
LIMITS = {"rs": (50, 100, 200, 500, 1000), "de": (50, 100, 200, 500)}

#: What follows the name of a method that may repeat itself.
REPEATS = "-repeats"

#: Appendix G.2: ours, and the mean over two folds that scikit-learn makes.
CALIBRATIONS = ("platt", "isotonic", "platt-folds", "isotonic-folds")

#: How many trials run at a time with the methods named `auto-batch...` and `auto-fleet...`.
BATCHES = (8, 32, 100)

# Part of a recipe's name -> modules that it imports, and the distributions of those that are optional.
_LIBRARIES = {
    "xgb": (("xgboost",), ("xgboost-cpu",)),
    "rf": (("sklearn.tree",), ("scikit-learn",)),
    "auto": (("scipy.optimize", "scipy.stats"), ()),
    "svm": (("sklearn.svm",), ("scikit-learn",)),
    "mlp": (("scipy.optimize",), ()),
}


class RecipeMethod(Method):
    """An `Optimizer`; a NaN becomes a failed trial.

    It asks for `n_batch` trials at once, as with that many workers, before it is told the first value of them. The
    workers of a batch wait for each other; those of a *fleet* do not: each value is told before the next trial is
    asked for, while the others run.
    """

    def __init__(
        self,
        space: Space,
        recipe: Recipe | Turns,
        seed: int,
        n_batch: int = 1,
        *,
        n_objectives: int = 1,
        is_fleet: bool = False,
    ) -> None:
        directions = ["minimize"] * n_objectives if n_objectives > 1 else None
        self._optimizer = Optimizer(space, recipe, directions=directions, seed=seed)
        self._n_batch, self._is_fleet = n_batch, is_fleet
        self._asked: list[Trial] = []
        self._trial: Trial | None = None

    def ask(self) -> Config:
        if self._is_fleet or not self._asked:
            self._asked += self._optimizer.ask(self._n_batch - len(self._asked))
        self._trial = self._asked.pop(0)
        return self._trial.config

    def tell(self, config: Config, value: float) -> None:
        self.tell_outcome(config, Outcome((value,)))

    def tell_outcome(self, config: Config, outcome: Outcome) -> None:
        assert self._trial is not None and self._trial.config == config
        if any(map(math.isnan, outcome.values)):
            self._optimizer.tell(self._trial, error="the evaluation failed")
        else:
            value = outcome.value if len(outcome.values) == 1 else outcome.values
            self._optimizer.tell(self._trial, value, constraints=outcome.constraints)


def _entry(
    name: str, summary: str, make: Callable[[], Recipe | Turns], n_batch: int = 1, *, is_fleet: bool = False
) -> Entry:
    # modules that the parts import at their first use: the time of the first suggestion should not include that
    family = next((key for key in _LIBRARIES if key in name), "")
    modules, distributions = _LIBRARIES.get(family, ((), ()))
    return Entry(
        name,
        summary,
        lambda space, seed, n_evals: RecipeMethod(space, make(), seed, n_batch, is_fleet=is_fleet),
        modules=modules,
        distributions=distributions,
        make_several=lambda space, seed, n_evals, n_objectives, n_constraints: RecipeMethod(
            space, make(), seed, n_batch, n_objectives=n_objectives, is_fleet=is_fleet
        ),
    )


def with_options(text: str) -> Entry:
    """A recipe with options as a method, under the name of the recipe."""
    recipe = as_recipe(text)
    return _entry(recipe.name, f"auger's recipe {recipe.name}", lambda: recipe)


def _named(name: str, summary: str, text: str) -> Entry:
    """A recipe with options under another name; made when it is used, as it may need a library."""
    return _entry(name, summary, lambda: as_recipe(text))


def _variants(family: str) -> list[Entry]:
    """One recipe with another maximizer (appendix G.1) or a calibrated classifier (appendix G.2)."""

    def with_maximizer(suffix: str, summary: str, maximizer: Maximizer, *, repeats: bool) -> Entry:
        def make() -> Recipe:
            recipe = as_recipe(family)
            assert isinstance(recipe, Recipe)
            return replace(recipe, maximizer=maximizer, repeats=repeats)

        return _entry(f"{family}-{suffix}", f"{family}, {summary}", make)

    def with_limits(suffix: str, summary: str, *, repeats: bool) -> Iterator[Entry]:
        for n in LIMITS["rs"]:
            yield with_maximizer(f"rs{n}{suffix}", f"random search of {n}{summary}", RandomSearch(n), repeats=repeats)
        for n in LIMITS["de"]:
            yield with_maximizer(
                f"de{n}{suffix}", f"differential evolution of {n}{summary}", Evolution(n), repeats=repeats
            )

    return [
        *with_limits("", "", repeats=False),
        *with_limits(REPEATS, ", which may repeat itself", repeats=True),
        *(
            _named(f"{family}-{method}", f"{family} with {method} calibration", f"{family} calibration={method}")
            for method in CALIBRATIONS
        ),
    ]


def _auto(**changes: Any) -> Turns:
    """`auto` changed."""
    auto = as_recipe("auto")
    assert isinstance(auto, Turns)
    return replace(auto, name="auto, changed", **changes)


def _halves() -> tuple[Recipe, Recipe]:
    """The two recipes of `auto`: the Gaussian process and the trees."""
    process, trees = _auto().recipes
    return process, trees


def _process(**changes: Any) -> Turns:
    """`auto` with its Gaussian process changed."""
    process, trees = _halves()
    return _auto(recipes=(replace(process, **changes), trees))


def _trees(**changes: Any) -> Turns:
    """`auto` with its trees changed."""
    process, trees = _halves()
    return _auto(recipes=(process, replace(trees, **changes)))


_WITHOUT = (
    _entry("auto-process", "auto, the Gaussian process alone", lambda: _halves()[0]),
    _entry("auto-trees", "auto, the trees alone", lambda: _halves()[1]),
    _entry("auto-equal", "auto, always equal turns", lambda: _auto(skill=None)),
    _named("auto-random", "auto, random start", "auto initial=random"),
    _entry("auto-flat", "auto, process without a trend", lambda: _process(classifier=GaussianProcess(trend=False))),
    _entry("auto-pool", "auto, process that climbs no gradient", lambda: _process(maximizer=AroundBest(LocalSearch()))),
    _named("auto-labels", "auto, trees with hard labels", "auto weights=none"),
    _named("auto-third", "auto, trees with gamma 1/3", "auto gamma=1/3"),
    _entry("auto-argmax", "auto, trees take the best", lambda: _trees(maximizer=LocalSearch())),
)

#: `auto` without each of its ingredients, by name.
INGREDIENTS = tuple(entry.name for entry in _WITHOUT)


ENTRIES = (
    *(_named(name, f"auger's recipe {name}", name) for name in RECIPES),
    *_WITHOUT,
    _entry(
        "auto-whole",
        "auto, process that always searches the whole space",
        lambda: _process(maximizer=LocalSearch(n_climbs=1)),
    ),
    *(
        _entry(f"auto-batch{n}", f"auto, {n} trials at a time, all at once", lambda: as_recipe("auto"), n_batch=n)
        for n in BATCHES
    ),
    *(
        _entry(
            f"auto-fleet{n}",
            f"auto, {n} trials at a time, one by one",
            lambda: as_recipe("auto"),
            n_batch=n,
            is_fleet=True,
        )
        for n in BATCHES
    ),
    *_variants("bore-rf"),
    *_variants("bore-xgb"),
)
