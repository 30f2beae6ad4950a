"""Named combinations of the parts.

The ``bore-*`` presets are the paper's settings and stay so; ``lfbo-*`` differ from them in the weights only.
``auto`` is ours and only has to win.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auger.checks import check_settings
from auger.classifiers import KDE, MLP, SVM, Boosting, Classifier, Forest
from auger.errors import RecipeError, nearest
from auger.labels import Gamma, Weights, check_gamma, check_weights
from auger.maximizers import ByDomain, Evolution, Gradient, LocalSearch, Maximizer, RandomSearch, Tolerance


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
        if not isinstance(self.name, str) or not self.name:
            raise RecipeError(f"`name` of a Recipe must be a non-empty string. Got {self.name!r}.")
        check_settings(self, RecipeError, n_initial=2)  # one for each class
        if self.initial not in ("random", "sobol"):
            raise RecipeError(f"`initial` must be 'random' or 'sobol'. Got {self.initial!r}.")
        if self.maximizer.needs_gradient and not self.classifier.has_gradient:
            raise RecipeError(
                f"{type(self.maximizer).__name__} needs a classifier with a gradient, such as MLP. "
                f"Got {type(self.classifier).__name__}; use RandomSearch, Evolution or LocalSearch with it."
            )
        self.classifier.check(is_weighted=self.weights != "none")


# Section 5 of the paper: random search of 500 on discrete domains, differential evolution of 2,000 on others.
_TREES = ByDomain(discrete=RandomSearch(500), continuous=Evolution(2000))
_CLIMB = Gradient(n_starts=3)

_RECIPES: dict[str, Callable[[], Recipe]] = {
    "auto": lambda: Recipe("auto", Forest(), LocalSearch(pick=Tolerance(0.4)), weights="improvement", initial="sobol"),
    "bore-rf": lambda: Recipe("bore-rf", Forest(), _TREES),
    "bore-xgb": lambda: Recipe("bore-xgb", Boosting(), _TREES),
    "bore-mlp": lambda: Recipe("bore-mlp", MLP(), _CLIMB),
    "bore-svm": lambda: Recipe("bore-svm", SVM(), _TREES),
    "lfbo-rf": lambda: Recipe("lfbo-rf", Forest(), _TREES, weights="improvement"),
    "lfbo-xgb": lambda: Recipe("lfbo-xgb", Boosting(), _TREES, weights="improvement"),
    "lfbo-mlp": lambda: Recipe("lfbo-mlp", MLP(), _CLIMB, weights="improvement"),
    "tpe": lambda: Recipe("tpe", KDE(), RandomSearch(500)),
}

#: The names that `recipe` knows.
RECIPES = tuple(_RECIPES)


def recipe(name: str | Recipe) -> Recipe:
    """The recipe of that name; a Recipe is returned as it is.

    Example:
        >>> recipe("lfbo-rf").weights
        'improvement'
    """
    if isinstance(name, Recipe):
        return name
    if not isinstance(name, str) or name not in _RECIPES:
        raise RecipeError(f"`recipe` must be a Recipe or the name of one. Got {name!r}. {nearest(name, RECIPES)}")
    return _RECIPES[name]()
