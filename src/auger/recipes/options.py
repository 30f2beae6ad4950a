"""The options that may follow the name of a recipe: ``"bore-rf gamma=0.25 calibration=isotonic"``.

One table for everything that takes a recipe by name: Python, hosts, study files, the command line, saved runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from auger.classifiers import (
    MLP,
    Boosting,
    Calibrated,
    Classifier,
    Ensemble,
    Forest,
    OnlineBoosting,
    OnlineForest,
)
from auger.classifiers.losses import LOSSES
from auger.classifiers.members import ACQUISITIONS, POSTERIORS
from auger.classifiers.networks import ACTIVATIONS
from auger.errors import RecipeError, did_you_mean, nearest
from auger.maximizers import Evolution, Exhaustive, Gradient, LocalSearch, Maximizer, MeanShift, RandomSearch
from auger.recipes.schedules import SCHEDULES

Value = str | float

_MAXIMIZERS: dict[str, Maximizer] = {
    "random": RandomSearch(),
    "evolution": Evolution(),
    "local": LocalSearch(),
    "gradient": Gradient(),
    "exhaustive": Exhaustive(),
    "mean-shift": MeanShift(),
}


def _instead(value: Any, old: object) -> Any:
    return value


# Another word of the option `calibration` -> the method, where it is the mean over two folds that scikit-learn makes.
_FOLDS = {"platt-folds": "platt", "isotonic-folds": "isotonic"}


def _calibrated(method: str, classifier: Classifier) -> Classifier:
    if method in _FOLDS:
        return Calibrated(classifier, _FOLDS[method], n_folds=2, averages_folds=True)
    return classifier if method == "none" else Calibrated(classifier, method)


def _relaxed(value: str, maximizer: Maximizer) -> Maximizer:
    if isinstance(maximizer, Gradient):
        return replace(maximizer, relaxed=value == "true")
    if value == "true":
        raise RecipeError("`relaxed` is for climbs along a gradient: bore-mlp, lfbo-mlp or maximizer=gradient.")
    return maximizer


def _with_loss(name: str, classifier: Classifier) -> Classifier:
    if isinstance(classifier, (MLP, Boosting)):
        return replace(classifier, loss=name)
    raise RecipeError(f"`loss` is for networks and XGBoost. Got it with {type(classifier).__name__}.")


def _online(word: str, classifier: Classifier) -> Classifier:
    if isinstance(classifier, (Forest, Boosting)):
        if word == "false":
            return classifier
        return OnlineForest(classifier) if isinstance(classifier, Forest) else OnlineBoosting(classifier)
    raise RecipeError(
        "`online` is for forests and XGBoost; networks follow the answers as they are. "
        f"Got it with {type(classifier).__name__}."
    )


def _acquiring(name: str, classifier: Classifier) -> Classifier:
    if isinstance(classifier, (MLP, Ensemble)):
        return replace(classifier, acquisition=name)
    raise RecipeError(
        f"`acquisition` is for networks and for ensembles, such as ensemble=5. Got it with {type(classifier).__name__}."
    )


def _of_networks(field: str, option: str) -> Callable[[Value, Classifier], Classifier]:
    """Changes a field of networks, whose value is the number or word, or whether the word is "true"."""

    def change(word: Value, classifier: Classifier) -> Classifier:
        if isinstance(classifier, MLP):
            value: Any = word == "true" if word in ("true", "false") else word
            return replace(classifier, **{field: value})
        raise RecipeError(f"`{option}` is for networks. Got it with {type(classifier).__name__}.")

    return change


def _share(text: str) -> float:
    above, is_fraction, below = text.partition("/")
    share = float(above) / float(below) if is_fraction else float(above)
    if not 0 < share < 1:
        raise ValueError
    return share


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if int(text) < least:
            raise ValueError
        return int(text)

    return read


def _emphasis(text: str) -> float:
    if not 1 <= float(text) < math.inf:
        raise ValueError
    return float(text)


@dataclass(frozen=True)
class Option:
    """One option of a recipe: what its text may be, and what it changes.

    Attributes:
        field: the field of the Recipe that it changes.
        change: takes the value of the option and the old value of the field, returns the new value of the field.
        words: the values that are words.
        number: turns text into a value that is a number, or raises a ValueError.
        number_is: what such a number must be, in words.
        is_of_last: whether it changes only the last of several recipes that take turns.
    """

    field: str
    change: Callable[[Any, Any], Any] = _instead
    words: tuple[str, ...] = ()
    number: Callable[[str], float] | None = None
    number_is: str = ""
    is_of_last: bool = False

    @property
    def must_be(self) -> str:
        """What the value must be, in words."""
        words = f"one of {', '.join(map(repr, self.words))}" if self.words else ""
        return ", or ".join(filter(None, [self.number_is, words]))

    def read(self, text: str) -> Value:
        """The value that the text stands for; ``str`` of it is how auger writes it."""
        if text in self.words:
            return text
        if self.number is None:
            raise ValueError
        return self.number(text)


#: Every option, in the order in which they apply and are written.
OPTIONS = {
    "gamma": Option(
        "gamma",
        change=lambda value, old: SCHEDULES.get(value, value),
        words=tuple(SCHEDULES),
        number=_share,
        number_is="a number strictly between 0 and 1",
        is_of_last=True,
    ),
    "weights": Option("weights", words=("none", "improvement"), is_of_last=True),
    "loss": Option("classifier", change=_with_loss, words=tuple(LOSSES)),
    "activation": Option("classifier", change=_of_networks("activation", "activation"), words=tuple(ACTIVATIONS)),
    "online": Option("classifier", change=_online, words=("false", "true")),
    "emphasis": Option(
        "classifier",
        change=_of_networks("emphasis", "emphasis"),
        number=_emphasis,
        number_is="a number of at least 1",
    ),
    "patience": Option(
        "classifier",
        change=_of_networks("patience", "patience"),
        number=_at_least(0),
        number_is="a whole number of at least 0",
    ),
    "posterior": Option("classifier", change=_of_networks("posterior", "posterior"), words=tuple(POSTERIORS)),
    "varied": Option("classifier", change=_of_networks("is_varied", "varied"), words=("false", "true")),
    "ensemble": Option(
        "classifier",
        change=lambda n, classifier: classifier.ensemble(n) or Ensemble(classifier, n),
        number=_at_least(2),
        number_is="a whole number of at least 2",
        is_of_last=True,
    ),
    "acquisition": Option("classifier", change=_acquiring, words=tuple(ACQUISITIONS), is_of_last=True),
    "calibration": Option("classifier", change=_calibrated, words=("none", "platt", "isotonic", *_FOLDS)),
    "maximizer": Option("maximizer", change=lambda name, old: _MAXIMIZERS[name], words=tuple(_MAXIMIZERS)),
    "relaxed": Option("maximizer", change=_relaxed, words=("false", "true")),
    "repeats": Option("repeats", change=lambda value, old: value == "true", words=("false", "true")),
    "n_initial": Option("n_initial", number=_at_least(2), number_is="a whole number of at least 2"),
    "initial": Option("initial", words=("random", "sobol")),
}

# (recipe, option) -> why the recipe does not have it
_REFUSED = {
    ("auto", "calibration"): "every other suggestion comes from a Gaussian process, whose score is no probability",
    ("bore-svm", "calibration"): "it uses Platt scaling already",
}


def read_options(name: str, words: Iterable[str]) -> dict[str, Value]:
    """The options that follow the name of a recipe, each a word such as ``"gamma=0.25"``, in the order of the table.

    Example:
        >>> read_options("bore-rf", ["weights=improvement", "gamma=1/4"])
        {'gamma': 0.25, 'weights': 'improvement'}
    """
    values: dict[str, Value] = {}
    for word in words:
        key, is_assigned, text = word.partition("=")
        if not is_assigned:
            raise RecipeError(
                f"An option of the recipe {name!r} must be written name=value without spaces, such as gamma=0.25. "
                f"Got {word!r}."
            )
        if key not in OPTIONS:
            raise RecipeError(f"The recipe {name!r} has no option {key!r}. {nearest(key, OPTIONS)}")
        if key in values:
            raise RecipeError(f"The recipe {name!r} must have the option `{key}` only once. Got {word!r} as well.")
        if (name, key) in _REFUSED:
            raise RecipeError(f"The recipe {name!r} has no option `{key}`: {_REFUSED[name, key]}. Got {word!r}.")
        option = OPTIONS[key]
        try:
            values[key] = option.read(text)
        except (ValueError, ZeroDivisionError):
            hint = did_you_mean(text, option.words)
            raise RecipeError(f"`{key}` of the recipe {name!r} must be {option.must_be}. Got {text!r}.{hint}") from None
    return {key: values[key] for key in OPTIONS if key in values}
