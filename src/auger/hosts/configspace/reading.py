"""ConfigSpace's spaces as ours.

What has no equal here is refused, with what to use instead: nothing is dropped or put in place of something else.
ConfigSpace 1.x and 0.7, which HpBandSter needs, differ in how a space tells its parts, and hardly in the parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ConfigSpace import ConfigurationSpace

from auger.errors import SpaceError
from auger.hosts.configspace.configurations import CONSTANTS
from auger.hosts.configspace.forbidden import constraints_of
from auger.hosts.configspace.when import when_of
from auger.space import Categorical, Float, Int, Ordinal, Parameter, Space, hashable


def from_configspace(theirs: ConfigurationSpace) -> Space:
    """The same space in our words: its members are the configurations of theirs, value for value.

    Uniform floats and integers become Float and Int, log scales and 0.7's quantization included, categorical and
    ordinal hyperparameters Categorical and Ordinal, a constant a Categorical of one choice; conditions become
    ``when``, forbidden clauses constraints. Default values have no place in a space: docs/configspace.md shows how to
    begin with them.

    Raises:
        SpaceError: for normal and beta distributions, weights of choices, and conditions that ``when`` cannot say. It
            names the hyperparameter and what to use instead.

    Example:
        >>> from ConfigSpace import ConfigurationSpace
        >>> from_configspace(ConfigurationSpace({"depth": (1, 12), "act": ["relu", "tanh"]})).parameters["depth"]
        Int(low=1, high=12, log=False, step=1, when={})
    """
    if not isinstance(theirs, ConfigurationSpace):
        raise SpaceError(f"`theirs` must be a ConfigurationSpace of ConfigSpace's. Got {theirs!r}.")
    if not len(theirs):
        raise SpaceError("The ConfigurationSpace must have at least one hyperparameter. Got none.")
    kinds = {own.name: _parameter(own) for own in theirs.values()}
    conditions = when_of(_conditions(theirs), kinds)
    return Space(
        {name: _with_when(kind, conditions.get(name, {})) for name, kind in kinds.items()},
        constraints=[rule for clause in _forbidden(theirs) for rule in constraints_of(clause, kinds)],
    )


def _conditions(theirs: ConfigurationSpace) -> list[Any]:
    return list(theirs.conditions if hasattr(theirs, "conditions") else theirs.get_conditions())


def _forbidden(theirs: ConfigurationSpace) -> list[Any]:
    return list(theirs.forbidden_clauses if hasattr(theirs, "forbidden_clauses") else theirs.get_forbiddens())


def _with_when(kind: Any, when: dict[str, list[Any]]) -> Parameter:
    made: Parameter = replace(kind, when=when)
    return made


def _parameter(own: Any) -> Parameter:
    try:
        return _translated(own)
    except SpaceError as error:
        raise SpaceError(f"Hyperparameter {own.name!r}: {error}") from error


def _translated(own: Any) -> Parameter:
    kind = type(own).__name__
    step = getattr(own, "q", None)
    if step is not None and own.log:
        raise SpaceError("A log scale in steps has no equal here. Use an OrdinalHyperparameter of its values.")
    if kind == "UniformFloatHyperparameter":
        return Float(float(own.lower), float(own.upper), log=bool(own.log), step=None if step is None else float(step))
    if kind == "UniformIntegerHyperparameter":
        return Int(int(own.lower), int(own.upper), log=bool(own.log), step=1 if step is None else int(step))
    if kind == "OrdinalHyperparameter":
        return Ordinal(tuple(own.sequence))
    if kind == "CategoricalHyperparameter":
        if len({float(share) for share in own.probabilities}) > 1:
            raise SpaceError(
                "Choices with weights have no equal here, where all are drawn alike. Leave the weights out, and begin "
                "with configurations you prefer: `Optimizer.add`."
            )
        return Categorical(tuple(own.choices))
    if kind in CONSTANTS:
        return Categorical((hashable(own.value),))
    uniform = "UniformIntegerHyperparameter" if "Integer" in kind else "UniformFloatHyperparameter"
    raise SpaceError(
        f"A {kind} has no equal here, where numbers are drawn evenly between bounds. Use a {uniform}, and begin with "
        "configurations you prefer: `Optimizer.add`."
    )
