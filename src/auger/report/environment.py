"""What the run was made with: versions, storage, recipe, seed, space."""

from __future__ import annotations

import platform
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import auger
from auger import text
from auger.markup import Markup, element, joined
from auger.report.markup import table
from auger.report.sentences import NOTHING
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.space.constraints import to_json
from auger.view import View

# The most choices of a parameter that are listed.
_MAX_CHOICES = 30

_PACKAGES = ("optuna", "numpy", "scipy", "scikit-learn", "xgboost", "plotly")


def environment(view: View, now: datetime) -> Markup:
    """Facts of the run, its space, and the versions this page was made with."""
    objectives = zip(view.objectives.names, view.objectives.directions, strict=True)
    more = dict(view.facts)
    facts = {
        "study": view.name,
        "objectives": ", ".join(f"{name} ({direction.value})" for name, direction in objectives),
        "storage": text.mask(more.pop("storage", "in memory")),
        "recipe": more.pop("recipe", view.recipe.name if view.is_ours else "another program's"),
        **more,
        "run": _times(view),
        "page made": f"{now:%Y-%m-%d %H:%M:%S %Z}",
        "versions": ", ".join(f"{name} {number}" for name, number in _versions().items()),
    }
    listed = [joined(element("dt", name), element("dd", fact)) for name, fact in facts.items()]
    return joined(element("dl", *listed, class_="facts"), _space(view))


def _times(view: View) -> str:
    began = [trial.started for trial in view.trials if trial.started is not None]
    ended = [trial.finished for trial in view.trials if trial.finished is not None]
    if not began or not ended:
        return "times are not known"
    return f"{min(began):%Y-%m-%d %H:%M:%S} to {max(ended):%Y-%m-%d %H:%M:%S}"


def _versions() -> dict[str, str]:
    versions = {"auger": auger.__version__, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _space(view: View) -> Markup:
    if view.history is None:
        return NOTHING
    space = view.history.space
    rows: list[list[object]] = [
        [name, type(parameter).__name__.lower(), _range(parameter), _condition(parameter)]
        for name, parameter in space.parameters.items()
    ]
    listed = table(["parameter", "type", "values", "exists when"], rows, label="Space")
    rules = [element("li", element("code", _rule(rule))) for rule in map(to_json, space.constraints)]
    constraints = joined(element("p", "Constraints:"), element("ul", *rules)) if rules else None
    return joined(element("h3", "Space"), listed, constraints)


def _rule(rule: Any) -> str:
    return rule if isinstance(rule, str) else f"the function {rule['function']}"


def _range(parameter: Parameter) -> str:
    if isinstance(parameter, (Categorical, Ordinal)):
        listed = [text.written(choice) for choice in parameter.choices[:_MAX_CHOICES]]
        more = len(parameter.choices) - len(listed)
        return ", ".join(listed) + (f", and {more} more" if more else "")
    assert isinstance(parameter, (Float, Int))
    extras = (", on a logarithmic scale" if parameter.log else "") + (
        f", in steps of {parameter.step}" if parameter.step not in (None, 1) else ""
    )
    return f"{_bound(parameter.low)} to {_bound(parameter.high)}{extras}"


def _bound(value: float) -> str:
    return text.number(value) if isinstance(value, float) else str(value)


def _condition(parameter: Parameter) -> str:
    return " and ".join(f"{parent} is {_one_of(values)}" for parent, values in parameter.when.items())


def _one_of(values: Any) -> str:
    listed = list(values) if isinstance(values, (list, tuple, set, frozenset)) else [values]
    return " or ".join(text.written(value) for value in listed)
