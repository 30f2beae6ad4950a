"""What may follow the name of a recipe: ``"bore-rf gamma=0.25 calibration=isotonic"``.

One table for every place that takes a recipe by name: Python, hosts, study files, the command line, saved runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from auger.classifiers import Calibrated, Classifier, Ensemble
from auger.errors import RecipeError, nearest
from auger.maximizers import Evolution, Exhaustive, Gradient, LocalSearch, Maximizer, RandomSearch
from auger.recipes.schedules import SCHEDULES

Value = str | float

_KNOWN = "one of the known ones"

_MAXIMIZERS: dict[str, Maximizer] = {
    "random": RandomSearch(),
    "evolution": Evolution(),
    "local": LocalSearch(),
    "gradient": Gradient(),
    "exhaustive": Exhaustive(),
}


def _instead(value: Any, old: object) -> Any:
    return value


def _calibrated(method: str, classifier: Classifier) -> Classifier:
    return classifier if method == "none" else Calibrated(classifier, method)


def _share(text: str) -> float:
    above, is_fraction, below = text.partition("/")
    share = float(above) / float(below) if is_fraction else float(above)
    if not 0 < share < 1:
        raise ValueError
    return share


def _at_least_two(text: str) -> int:
    if int(text) < 2:
        raise ValueError
    return int(text)


@dataclass(frozen=True)
class Option:
    """Something that text can change about a recipe.

    Attributes:
        must_be: what its value must be, in words.
        field: of the Recipe, that it is about.
        change: the value, and what the field holds -> what it is to hold.
        known: values that are words.
        number: text -> a value that is a number, or a ValueError.
        is_of_last: whether, where recipes take turns, it is about the last, the one that goes on alone.
    """

    must_be: str
    field: str
    change: Callable[[Any, Any], Any] = _instead
    known: tuple[str, ...] = ()
    number: Callable[[str], float] | None = None
    is_of_last: bool = False

    def read(self, text: str) -> Value:
        """The value that is written so; ``str`` of it is how we write it."""
        if text in self.known:
            return text
        if self.number is None:
            raise ValueError
        return self.number(text)


#: Every option, in the order in which they apply and are written.
OPTIONS = {
    "gamma": Option(
        "a number strictly between 0 and 1, or the name of a schedule",
        "gamma",
        change=lambda value, old: SCHEDULES.get(value, value),
        known=tuple(SCHEDULES),
        number=_share,
        is_of_last=True,
    ),
    "weights": Option(_KNOWN, "weights", known=("none", "improvement"), is_of_last=True),
    "ensemble": Option(
        "a whole number of at least 2",
        "classifier",
        change=lambda n, classifier: classifier.ensemble(n) or Ensemble(classifier, n),
        number=_at_least_two,
        is_of_last=True,
    ),
    "calibration": Option(_KNOWN, "classifier", change=_calibrated, known=("none", "platt", "isotonic")),
    "maximizer": Option(_KNOWN, "maximizer", change=lambda name, old: _MAXIMIZERS[name], known=tuple(_MAXIMIZERS)),
    "n_initial": Option("a whole number of at least 2", "n_initial", number=_at_least_two),
    "initial": Option(_KNOWN, "initial", known=("random", "sobol")),
}

# (recipe, option) -> why they do not go together
_REFUSED = {
    ("auto", "calibration"): "every other suggestion is its Gaussian process's, whose score is no probability",
    ("bore-svm", "calibration"): "its probabilities come from Platt scaling as it is",
}


def read(name: str, words: Iterable[str]) -> dict[str, Value]:
    """The options that follow a recipe's name, each a word such as ``"gamma=0.25"``, in the order of the table.

    Example:
        >>> read("bore-rf", ["weights=improvement", "gamma=1/4"])
        {'gamma': 0.25, 'weights': 'improvement'}
    """
    found: dict[str, Value] = {}
    for word in words:
        key, is_assigned, text = word.partition("=")
        if not is_assigned:
            raise RecipeError(
                f"An option of the recipe {name!r} must be written as in gamma=0.25, without spaces. Got {word!r}."
            )
        if key not in OPTIONS:
            raise RecipeError(
                f"An option of the recipe {name!r} must be a known one. Got {key!r}. {nearest(key, OPTIONS)}"
            )
        if key in found:
            raise RecipeError(f"`{key}` of the recipe {name!r} must be given once. Got {word!r} as well.")
        if (name, key) in _REFUSED:
            raise RecipeError(f"The recipe {name!r} takes no `{key}`: {_REFUSED[name, key]}. Got {word!r}.")
        option = OPTIONS[key]
        try:
            found[key] = option.read(text)
        except (ValueError, ZeroDivisionError):
            hint = f" {nearest(text, option.known)}" if option.known else ""
            raise RecipeError(f"`{key}` of the recipe {name!r} must be {option.must_be}. Got {text!r}.{hint}") from None
    return {key: found[key] for key in OPTIONS if key in found}
