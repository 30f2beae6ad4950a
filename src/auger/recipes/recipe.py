"""What a recipe is: the parts of a suggestion, put together; and recipes that take turns."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from auger.checks import check_settings, is_number
from auger.classifiers.interface import Classifier, check_is_classifier
from auger.errors import RecipeError
from auger.labels import Gamma, Weights, check_gamma, check_weights
from auger.maximizers import Maximizer
from auger.threads import load_threads

# What `auger.maximizers.climb` imports.
_OF_CLIMBS = ("scipy.optimize",)


@dataclass(frozen=True)
class Recipe:
    """How a suggestion is computed.

    Args:
        name: what the provenance of a trial calls it.
        classifier: tells good from the rest.
        maximizer: finds where its score is best.
        gamma: the share of good answers, in (0, 1), or a function of the number of answers.
        weights: ``"none"`` (the paper: probability of improvement), ``"improvement"`` (LFBO: expected
            improvement), or a function of the good values and tau.
        n_initial: answers to collect before the first fit.
        initial: how the first configurations are drawn, ``"random"`` or ``"sobol"``.
        repeats: whether a configuration that was tried before, or is pending, may be proposed again.
        second_chance: every so many trials, a choice whose trials have failed may be tried again, see
            `auger.second_chance`; 0 for never, as in the paper.

    Example:
        >>> from auger.classifiers import Forest
        >>> from auger.maximizers import RandomSearch
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
    second_chance: int = 0
    repeats: bool = False

    def __post_init__(self) -> None:
        check_is_classifier(self.classifier, "`classifier`", RecipeError)
        if not isinstance(self.maximizer, Maximizer):
            raise RecipeError(f"`maximizer` must be an auger Maximizer. Got {self.maximizer!r}.")
        check_gamma(self.gamma)
        check_weights(self.weights)
        _check_name(self)
        check_settings(self, RecipeError, n_initial=2, second_chance=0)  # one for each class
        if self.initial not in ("random", "sobol"):
            raise RecipeError(f"`initial` must be 'random' or 'sobol'. Got {self.initial!r}.")
        if self.maximizer.needs_gradient and not self.classifier.has_gradient:
            raise RecipeError(
                f"{type(self.maximizer).__name__} needs a classifier with a gradient, such as MLP. "
                f"Got {type(self.classifier).__name__}. Use RandomSearch, Evolution or LocalSearch with it."
            )
        if self.maximizer.needs_relaxation and not self.classifier.has_relaxation:
            raise RecipeError(
                f"A relaxed {type(self.maximizer).__name__} needs a classifier that takes choices as numbers, such as "
                f"MLP. Got {type(self.classifier).__name__}. Leave `relaxed` out."
            )
        if self.maximizer.needs_mean_shift and not self.classifier.has_mean_shift:
            raise RecipeError(
                f"{type(self.maximizer).__name__} needs a classifier that is a mixture of kernels, such as "
                f"LeastSquaresRatio. Got {type(self.classifier).__name__}."
            )
        if not isinstance(self.repeats, bool):
            raise RecipeError(f"`repeats` must be True or False. Got {self.repeats!r}.")
        self.classifier.check(is_weighted=self.weights != "none")

    def load(self) -> None:
        """Import the libraries that a model of this recipe needs, 0.4 s or more in a new process.

        Without it, the first suggestion of a model imports them. Doors load a recipe when they are opened, before a
        user's clock runs.
        """
        for module in (*self.classifier.libraries, *(_OF_CLIMBS if self.maximizer.needs_gradient else ())):
            import_module(module)
        load_threads()

    def at(self, number: int, n_answers: int) -> Recipe:
        """The recipe for trial ``number`` after ``n_answers`` answers: this one."""
        return self


@dataclass(frozen=True)
class Turns:
    """Recipes that take turns, trial by trial.

    Models that fail on different problems make up for each other, and nobody has to know which of them is better.

    Args:
        name: of the whole; the provenance of a trial names the recipe whose turn it was.
        recipes: at least two, with the same ``n_initial`` and ``initial``, none with a classifier that is warm
            (`Classifier.is_warm`).
        until: with more answers than this, only the last recipe is used; None: they take turns to the end.
        second_chance: as in a `Recipe`; the recipes' own settings of it are not used.
        skill: while the classifier of the first recipe predicts answers at least this well, see `Classifier.skill`, it
            takes the turns of the others, too, in spaces with a continuous parameter; None: never.

    Example:
        >>> from auger.classifiers import ExtraTrees, GaussianProcess
        >>> from auger.maximizers import LocalSearch, Tolerance
        >>> process = Recipe("process", GaussianProcess(), LocalSearch())
        >>> forest = Recipe("forest", ExtraTrees(), LocalSearch(pick=Tolerance()))
        >>> turns = Turns("mine", (process, forest), until=100)
        >>> [turns.at(number, n_answers=number).name for number in (10, 11, 12, 102)]
        ['process', 'forest', 'process', 'forest']
    """

    name: str
    recipes: tuple[Recipe, ...]
    until: int | None = None
    second_chance: int = 0
    skill: float | None = None

    def __post_init__(self) -> None:
        _check_name(self)
        recipes = self.recipes
        if not isinstance(recipes, tuple) or len(recipes) < 2 or not all(isinstance(r, Recipe) for r in recipes):
            raise RecipeError(f"`recipes` of Turns must be a tuple of at least two Recipes. Got {recipes!r}.")
        if len({(recipe.n_initial, recipe.initial) for recipe in recipes}) > 1:
            begins = ", ".join(f"{recipe.name!r} with {recipe.n_initial} {recipe.initial}" for recipe in recipes)
            raise RecipeError(f"The recipes of Turns must have the same `n_initial` and `initial`. Got {begins}.")
        for recipe in recipes:
            if recipe.classifier.is_warm:
                raise RecipeError(
                    "A classifier of Turns must not continue from its previous fit: it would miss the trials of the "
                    f"other recipes. Got {recipe.name!r} with {recipe.classifier!r}."
                )
        check_settings(self, RecipeError, second_chance=0)
        if self.until is not None:
            check_settings(self, RecipeError, until=0)
        if self.skill is not None and not (is_number(self.skill) and 0.0 < self.skill <= 1.0):
            raise RecipeError(f"`skill` of Turns must be above 0 and at most 1, or None. Got {self.skill!r}.")

    def load(self) -> None:
        """Import the libraries of all recipes: see `Recipe.load`."""
        for recipe in self.recipes:
            recipe.load()

    def at(self, number: int, n_answers: int) -> Recipe:
        """The recipe whose turn it is in trial ``number``, after ``n_answers`` answers."""
        is_last = self.until is not None and n_answers > self.until
        return self.recipes[-1] if is_last else self.recipes[number % len(self.recipes)]


def _check_name(recipe: Recipe | Turns) -> None:
    if not isinstance(recipe.name, str) or not recipe.name:
        raise RecipeError(f"`name` of a {type(recipe).__name__} must be a non-empty string. Got {recipe.name!r}.")
