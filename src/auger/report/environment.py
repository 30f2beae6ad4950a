"""What the run was made with: versions, storage, recipe, seed, space."""

from __future__ import annotations

import platform
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import auger
from auger import text as words
from auger.report.figures import missing
from auger.report.markup import Markup, element, joined, table
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.text import mask, written
from auger.view import View

# The most choices of a parameter that are listed.
_MAX_CHOICES = 30

_PACKAGES = ("optuna", "numpy", "scipy", "scikit-learn", "xgboost", "plotly")


def environment(seen: View, made: datetime) -> Markup:
    """Facts of the run, its space, and the versions this page was made with."""
    given = dict(seen.facts)
    facts = {
        "study": seen.name,
        "objectives": ", ".join(f"{n} ({d})" for n, d in zip(seen.objectives, seen.directions, strict=True)),
        "storage": mask(given.pop("storage", "in memory")),
        "recipe": given.pop("recipe", seen.recipe.name if seen.is_ours else "another program's"),
        **given,
        "run": _times(seen),
        "page made": f"{made:%Y-%m-%d %H:%M:%S %Z}",
        "versions": ", ".join(f"{name} {number}" for name, number in _versions().items()),
    }
    listed = [joined(element("dt", name), element("dd", text)) for name, text in facts.items()]
    return joined(element("dl", *listed, class_="facts"), element("h3", "Space"), _space(seen))


def _times(seen: View) -> str:
    began = [row.started for row in seen.rows if row.started is not None]
    ended = [row.finished for row in seen.rows if row.finished is not None]
    if not began or not ended:
        return "times are not known"
    return f"{min(began):%Y-%m-%d %H:%M:%S} to {max(ended):%Y-%m-%d %H:%M:%S}"


def _versions() -> dict[str, str]:
    found = {"auger": auger.__version__, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _space(seen: View) -> Markup:
    if seen.history is None:
        return missing("No parameter is known yet.")
    space = seen.history.space
    rows: list[list[object]] = [
        [name, type(kind).__name__.lower(), _range(kind), _condition(kind)] for name, kind in space.parameters.items()
    ]
    listed = table(["parameter", "type", "values", "exists when"], rows, label="Space")
    rules = [element("li", element("code", _rule(rule))) for rule in space.to_json()["constraints"]]
    return joined(listed, element("p", "Constraints:") if rules else None, element("ul", *rules) if rules else None)


def _rule(rule: Any) -> str:
    return rule if isinstance(rule, str) else f"the function {rule['function']}"


def _range(kind: Parameter) -> str:
    if isinstance(kind, (Categorical, Ordinal)):
        listed = [written(choice) for choice in kind.choices[:_MAX_CHOICES]]
        more = len(kind.choices) - len(listed)
        return ", ".join(listed) + (f", and {more} more" if more else "")
    assert isinstance(kind, (Float, Int))
    extras = (", on a logarithmic scale" if kind.log else "") + (
        f", in steps of {kind.step}" if kind.step not in (None, 1) else ""
    )
    return f"{_bound(kind.low)} to {_bound(kind.high)}{extras}"


def _bound(value: float) -> str:
    return words.number(value) if isinstance(value, float) else str(value)


def _condition(kind: Parameter) -> str:
    return " and ".join(f"{parent} is {_one_of(values)}" for parent, values in kind.when.items())


def _one_of(values: Any) -> str:
    listed = list(values) if isinstance(values, (list, tuple, set, frozenset)) else [values]
    return " or ".join(written(value) for value in listed)
