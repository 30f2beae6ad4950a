"""Named combinations of the parts.

The ``bore-*`` presets are the paper's settings and stay so; ``lfbo-*`` differ from them in the weights only.
``auto`` is ours and only has to win. Any of them takes options, behind its name: see `auger.recipes.options`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from auger.checks import check_settings
from auger.classifiers import KDE, MLP, SVM, Boosting, Classifier, ExtraTrees, Forest, GaussianProcess
from auger.errors import AugerError, RecipeError, nearest
from auger.labels import Gamma, Weights, check_gamma, check_weights
from auger.maximizers import ByDomain, Evolution, Gradient, LocalSearch, Maximizer, RandomSearch, Tolerance
from auger.recipes.options import OPTIONS, Value
from auger.recipes.options import read as read_options


@dataclass(frozen=True)
class Recipe:
    """How to come to a suggestion.

    Args:
        name: what trials call it in their reasons.
        classifier: tells good from the rest.
        maximizer: finds where its score is best.
        gamma: the share of good answers, in (0, 1), or a function of how many there are.
        weights: ``"none"`` (the paper: probability of improvement), ``"improvement"`` (LFBO: expected
            improvement), or a function of the good values and tau.
        n_initial: answers to collect before the first fit.
        initial: how the first configurations are drawn, ``"random"`` or ``"sobol"``.

    Example:
        >>> Recipe("mine", Forest(n_trees=200), RandomSearch(), gamma=0.2).gamma
        0.2
    """

    name: str
    classifier: Classifier
    maximizer: Maximizer
    gamma: Gamma = 1 / 3
    weights: Weights = "none"
    n_initial: int = 10
    initial: str = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.classifier, Classifier):
            raise RecipeError(
                f"`classifier` must be an auger Classifier. Got {self.classifier!r}; "
                "wrap a scikit-learn estimator in SklearnClassifier."
            )
        if not isinstance(self.maximizer, Maximizer):
            raise RecipeError(f"`maximizer` must be an auger Maximizer. Got {self.maximizer!r}.")
        check_gamma(self.gamma)
        check_weights(self.weights)
        _check_name(self)
        check_settings(self, RecipeError, n_initial=2)  # one for each class
        if self.initial not in ("random", "sobol"):
            raise RecipeError(f"`initial` must be 'random' or 'sobol'. Got {self.initial!r}.")
        if self.maximizer.needs_gradient and not self.classifier.has_gradient:
            raise RecipeError(
                f"{type(self.maximizer).__name__} needs a classifier with a gradient, such as MLP. "
                f"Got {type(self.classifier).__name__}; use RandomSearch, Evolution or LocalSearch with it."
            )
        self.classifier.check(is_weighted=self.weights != "none")

    def at(self, number: int, n_answers: int) -> Recipe:
        """The recipe for trial ``number`` with so many answers: this one."""
        return self


@dataclass(frozen=True)
class Turns:
    """Recipes that take turns, trial by trial, while there are few answers; then the last one goes on alone.

    Models that fail in different places make up for each other, and none has to be right about which is better.

    Args:
        name: of the whole; in their reasons, trials name the recipe whose turn it was.
        recipes: two or more that begin a run in the same way (``n_initial`` and ``initial``), none with a classifier
            that learns from fit to fit.
        until: with more answers than this the last one goes on alone.

    Example:
        >>> process = Recipe("process", GaussianProcess(), LocalSearch())
        >>> forest = Recipe("forest", ExtraTrees(), LocalSearch(pick=Tolerance()))
        >>> turns = Turns("mine", (process, forest), until=100)
        >>> [turns.at(number, n_answers=number).name for number in (10, 11, 12, 102)]
        ['process', 'forest', 'process', 'forest']
    """

    name: str
    recipes: tuple[Recipe, ...]
    until: int = 200

    def __post_init__(self) -> None:
        _check_name(self)
        members = self.recipes
        if not isinstance(members, tuple) or len(members) < 2 or not all(isinstance(each, Recipe) for each in members):
            raise RecipeError(f"`recipes` of Turns must be a tuple of two Recipes or more. Got {members!r}.")
        if len({(each.n_initial, each.initial) for each in members}) > 1:
            begins = ", ".join(f"{each.name!r} with {each.n_initial} {each.initial}" for each in members)
            raise RecipeError(f"The recipes of Turns must have the same `n_initial` and `initial`. Got {begins}.")
        for each in members:
            if each.classifier.is_warm:
                raise RecipeError(
                    "A classifier of Turns must not learn from fit to fit, as it would miss the others' turns. "
                    f"Got {each.name!r} with {each.classifier!r}."
                )
        check_settings(self, RecipeError, until=0)

    def at(self, number: int, n_answers: int) -> Recipe:
        """The recipe whose turn it is in trial ``number``, with so many answers."""
        return self.recipes[-1] if n_answers > self.until else self.recipes[number % len(self.recipes)]


def _check_name(made: Recipe | Turns) -> None:
    if not isinstance(made.name, str) or not made.name:
        raise RecipeError(f"`name` of a {type(made).__name__} must be a non-empty string. Got {made.name!r}.")


def _auto() -> Turns:
    """docs/auto.md has what each ingredient gains."""
    apart = LocalSearch(pick=Tolerance(0.4))
    process = Recipe("auto, Gaussian process", GaussianProcess(), LocalSearch(n_climbs=1), initial="sobol")
    trees = Recipe("auto, trees", ExtraTrees(), apart, gamma=0.1, weights="improvement", initial="sobol")
    return Turns("auto", (process, trees))


# Section 5 of the paper: random search of 500 on discrete domains, differential evolution of 2,000 on others.
_TREES = ByDomain(discrete=RandomSearch(500), continuous=Evolution(2000))
_CLIMB = Gradient(n_starts=3)

_RECIPES: dict[str, Callable[[], Recipe | Turns]] = {
    "auto": _auto,
    "bore-rf": lambda: Recipe("bore-rf", Forest(), _TREES),
    "bore-xgb": lambda: Recipe("bore-xgb", Boosting(), _TREES),
    "bore-mlp": lambda: Recipe("bore-mlp", MLP(), _CLIMB),
    "bore-svm": lambda: Recipe("bore-svm", SVM(), _TREES),
    "lfbo-rf": lambda: Recipe("lfbo-rf", Forest(), _TREES, weights="improvement"),
    "lfbo-xgb": lambda: Recipe("lfbo-xgb", Boosting(), _TREES, weights="improvement"),
    "lfbo-mlp": lambda: Recipe("lfbo-mlp", MLP(), _CLIMB, weights="improvement"),
    "tpe": lambda: Recipe("tpe", KDE(), RandomSearch(500)),
}

#: The names that `as_recipe` takes.
RECIPES = tuple(_RECIPES)


def as_recipe(name: str | Recipe | Turns) -> Recipe | Turns:
    """The recipe of that name, with the options that follow it; a Recipe, or Turns of some, is returned as it is.

    Its own name is what was given, spelled in one way: options in the order of `auger.recipes.options.OPTIONS`,
    without those that change nothing. So that name, alone, brings the same recipe back.

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
        close = nearest(first or name, RECIPES)
        raise RecipeError(f"`recipe` must be a Recipe or the name of one. Got {name!r}. {close}")
    options = read_options(first, words)
    try:
        return _with(_RECIPES[first](), options)
    except RecipeError as error:
        raise RecipeError(f"The parts of the recipe {name!r} do not go together. {error}") from error


def is_named(made: Recipe | Turns) -> bool:
    """Whether its name alone brings it back."""
    try:
        return as_recipe(made.name) == made
    except AugerError:
        return False


def _with(made: Recipe | Turns, options: dict[str, Value]) -> Recipe | Turns:
    """A recipe changed by options, and named after those that make a difference."""
    parts = made.recipes if isinstance(made, Turns) else (made,)
    changed: list[dict[str, Any]] = [{} for _ in parts]
    words = [made.name]
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
    return replace(made, name=name, recipes=recipes) if isinstance(made, Turns) else replace(recipes[0], name=name)
