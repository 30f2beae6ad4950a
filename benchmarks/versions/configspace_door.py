"""The ConfigSpace door: spaces that were read, and what is searched in them."""

from __future__ import annotations

from functools import partial
from typing import Any

import ConfigSpace as CS

from auger import Optimizer
from auger.hosts.configspace import from_configspace, to_configuration
from versions.exact import Cases, Records, exact, suggested
from versions.native import FEW
from versions.spaces import value_of


def theirs() -> Any:
    """A space of ConfigSpace's with conditions, a constant and forbidden combinations; versions 0.7 and 1."""
    kind = CS.CategoricalHyperparameter("kind", ["svm", "forest", "none"])
    cost = CS.UniformFloatHyperparameter("svm:C", 1e-3, 1e3, log=True)
    depth = CS.UniformIntegerHyperparameter("depth", 1, 21)
    size = CS.OrdinalHyperparameter("size", ["s", "m", "l"])
    share = CS.UniformFloatHyperparameter("share", 0.0, 1.0)
    fixed = CS.Constant("fixed", "f")
    conditions: list[Any] = [CS.EqualsCondition(cost, kind, "svm"), CS.InCondition(depth, kind, ["forest"])]
    clauses = [CS.ForbiddenEqualsClause(size, "l"), CS.ForbiddenEqualsClause(kind, "forest")]
    space = CS.ConfigurationSpace(seed=0)
    if hasattr(space, "add"):
        space.add(kind, cost, depth, size, share, fixed)
        space.add(*conditions)
        space.add(CS.ForbiddenAndConjunction(*clauses))
    else:
        space.add_hyperparameters([kind, cost, depth, size, share, fixed])
        space.add_conditions(conditions)
        space.add_forbidden_clause(CS.ForbiddenAndConjunction(*clauses))
    return space


def configspace_cases() -> Cases:
    """The space as it was read, and a search with each of a few recipes."""
    return {"space": _space, **{f"search, {recipe}": partial(_search, recipe) for recipe in FEW}}


def _space() -> Records:
    return [exact(from_configspace(theirs()).to_json())]


def _search(recipe: str) -> Records:
    space, original, records = from_configspace(theirs()), theirs(), []
    optimizer = Optimizer(space, recipe, seed=40)
    for _ in range(20):
        trial = optimizer.ask()
        records.append(suggested(dict(to_configuration(trial.config, original)), trial.origin))
        value = value_of_known(space, trial.config)
        optimizer.tell(trial, value)
    return records


def value_of_known(space: Any, config: dict[str, Any]) -> float:
    """The value of the parameters that have a choice; a constant has none."""
    free = {name: kind for name, kind in space.parameters.items() if name != "fixed"}
    return value_of(_Named(free), {name: value for name, value in config.items() if name != "fixed"})  # type: ignore[arg-type]


class _Named:
    """Parameters by name, as a space has them."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters
