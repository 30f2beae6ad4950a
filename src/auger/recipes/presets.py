"""The recipes by name.

The ``bore-*`` presets are the paper's settings and stay so. ``lfbo-rf`` and ``lfbo-xgb`` differ from them in the
weights only; ``lfbo-mlp`` also climbs from good members of the space. ``auto`` is ours and only has to win. Options may
follow each name: see `auger.recipes.options`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auger.classifiers import (
    KDE,
    KLIEP,
    MLP,
    SVM,
    Boosting,
    ExtraTrees,
    Forest,
    GaussianProcess,
    KernelMeanMatching,
    LeastSquaresRatio,
)
from auger.errors import AugerError, RecipeError, nearest
from auger.maximizers import AroundBest, ByDomain, Evolution, Gradient, LocalSearch, MeanShift, RandomSearch, Tolerance
from auger.recipes.options import OPTIONS, Value, read_options
from auger.recipes.recipe import Recipe, Turns


def _auto() -> Turns:
    """docs/auto.md has what each ingredient gains."""
    begin: dict[str, Any] = {"n_initial": 5, "initial": "sobol"}
    climbing, apart = AroundBest(LocalSearch(n_climbs=1)), LocalSearch(pick=Tolerance(0.4))
    process = Recipe("auto, Gaussian process", GaussianProcess(), climbing, **begin)
    trees = Recipe("auto, trees", ExtraTrees(), apart, gamma=0.1, weights="improvement", **begin)
    return Turns("auto", (process, trees), second_chance=5, skill=0.9)


# Section 5 of the paper: random search of 500 on discrete domains, differential evolution of 2,000 on others.
_TREES = ByDomain(discrete=RandomSearch(500), continuous=Evolution(2000))
_CLIMB = Gradient(n_starts=3)
# Section 5: "categorical inputs are one-hot encoded, while ordinal inputs are handled by simply rounding"; appendix
# J.3: "multi-started L-BFGS with three random restarts". Whether a config may come again it does not say; with repeats
# the network stalls (docs/benchmarks.md).
_RELAXED = Gradient(n_starts=3, relaxed=True)

_RECIPES: dict[str, Callable[[], Recipe | Turns]] = {
    "auto": _auto,
    "bore-rf": lambda: Recipe("bore-rf", Forest(), _TREES),
    "bore-xgb": lambda: Recipe("bore-xgb", Boosting(), _TREES),
    "bore-mlp": lambda: Recipe("bore-mlp", MLP(), _RELAXED),
    "bore-svm": lambda: Recipe("bore-svm", SVM(), _TREES),
    "bore-rulsif": lambda: Recipe("bore-rulsif", LeastSquaresRatio(), MeanShift()),
    "bore-ulsif": lambda: Recipe("bore-ulsif", LeastSquaresRatio(is_relative=False), MeanShift()),
    "bore-kliep": lambda: Recipe("bore-kliep", KLIEP(), MeanShift()),
    "bore-kmm": lambda: Recipe("bore-kmm", KernelMeanMatching(), MeanShift()),
    "lfbo-rf": lambda: Recipe("lfbo-rf", Forest(), _TREES, weights="improvement"),
    "lfbo-xgb": lambda: Recipe("lfbo-xgb", Boosting(), _TREES, weights="improvement"),
    "lfbo-mlp": lambda: Recipe("lfbo-mlp", MLP(), _CLIMB, weights="improvement"),
    "tpe": lambda: Recipe("tpe", KDE(), RandomSearch(500)),
}

#: The names that `as_recipe` takes.
RECIPES = tuple(_RECIPES)


def as_recipe(name: str | Recipe | Turns) -> Recipe | Turns:
    """The recipe of that name, with the options that follow it; a Recipe or Turns is returned as it is.

    The name of the recipe spells the same options in one way: in the order of `auger.recipes.options.OPTIONS`, without
    those that change nothing. That name alone gives the same recipe again.

    Example:
        >>> as_recipe("lfbo-rf").at(10, n_answers=10).weights
        'improvement'
        >>> as_recipe("bore-rf calibration=isotonic gamma=1/4 weights=none").name
        'bore-rf gamma=0.25 calibration=isotonic'
    """
    if isinstance(name, (Recipe, Turns)):
        return name
    first, *words = (name.split() if isinstance(name, str) else []) or [""]
    if first not in _RECIPES:
        hint = nearest(first or name, RECIPES)
        raise RecipeError(f"`recipe` must be a Recipe or the name of a recipe. Got {name!r}. {hint}")
    options = read_options(first, words)
    try:
        return _with(_RECIPES[first](), options)
    except RecipeError as error:
        raise RecipeError(f"The parts of the recipe {name!r} do not fit together. {error}") from error


def is_named(recipe: Recipe | Turns) -> bool:
    """Whether `as_recipe` of its name gives the same recipe."""
    try:
        return as_recipe(recipe.name) == recipe
    except AugerError:
        return False


def _with(recipe: Recipe | Turns, options: dict[str, Value]) -> Recipe | Turns:
    """A recipe changed by options, and named after those that make a difference."""
    parts = recipe.recipes if isinstance(recipe, Turns) else (recipe,)
    changed: list[dict[str, Any]] = [{} for _ in parts]
    words = [recipe.name]
    for key, value in options.items():
        option, is_same = OPTIONS[key], True
        for part, fields in list(zip(parts, changed, strict=True))[-1 if option.is_of_last else 0 :]:
            old = fields.get(option.field, getattr(part, option.field))
            new = option.change(value, old)
            fields[option.field], is_same = new, is_same and new == old
        if not is_same:
            words.append(f"{key}={value}")
    # all at once: a classifier and a maximizer may fit together only when both have changed
    recipes = tuple(replace(part, **fields) for part, fields in zip(parts, changed, strict=True))
    name = " ".join(words)
    return replace(recipe, name=name, recipes=recipes) if isinstance(recipe, Turns) else replace(recipes[0], name=name)
