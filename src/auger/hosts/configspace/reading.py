"""ConfigSpace's spaces as ours.

A part that a Space cannot hold is refused with what to use instead: nothing is dropped or replaced. ConfigSpace 1.x and
0.7, which HpBandSter needs, differ in how a space lists its parts, and hardly in the parts.
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
    """A Space whose members are the configurations of the ConfigurationSpace ``theirs``, value for value.

    Uniform floats and integers become Float and Int, log scales and 0.7's quantization included, categorical and
    ordinal hyperparameters Categorical and Ordinal, a constant a Categorical of one choice; conditions become
    ``when``, forbidden clauses constraints. A Space holds no default values: docs/configspace.md shows how to begin
    with them.

    Raises:
        SpaceError: for normal and beta distributions, weights of choices, and conditions that ``when`` cannot express.
            It names the hyperparameter and what to use instead.

    Example:
        >>> from ConfigSpace import ConfigurationSpace
        >>> from_configspace(ConfigurationSpace({"depth": (1, 12), "act": ["relu", "tanh"]})).parameters["depth"]
        Int(low=1, high=12, log=False, step=1, when={})
    """
    if not isinstance(theirs, ConfigurationSpace):
        raise SpaceError(f"`theirs` must be a ConfigurationSpace of ConfigSpace's. Got {theirs!r}.")
    if not len(theirs):
        raise SpaceError("The ConfigurationSpace must have at least one hyperparameter. Got none.")
    parameters: dict[str, Any] = {each.name: _parameter(each) for each in theirs.values()}
    # ConfigSpace 0.7 has functions in place of these attributes
    conditions = theirs.conditions if hasattr(theirs, "conditions") else theirs.get_conditions()
    clauses = theirs.forbidden_clauses if hasattr(theirs, "forbidden_clauses") else theirs.get_forbiddens()
    when = when_of(conditions, parameters)
    return Space(
        {name: replace(parameter, when=when.get(name, {})) for name, parameter in parameters.items()},
        constraints=[constraint for clause in clauses for constraint in constraints_of(clause, parameters)],
    )


def _parameter(hyperparameter: Any) -> Parameter:
    try:
        return _translated(hyperparameter)
    except SpaceError as error:
        raise SpaceError(f"Hyperparameter {hyperparameter.name!r}: {error}") from error


def _translated(hyperparameter: Any) -> Parameter:
    class_name = type(hyperparameter).__name__
    if class_name in ("UniformFloatHyperparameter", "UniformIntegerHyperparameter"):
        return _range(hyperparameter, getattr(hyperparameter, "q", None))
    if class_name == "OrdinalHyperparameter":
        return Ordinal(tuple(hyperparameter.sequence))
    if class_name == "CategoricalHyperparameter":
        probabilities = [float(probability) for probability in hyperparameter.probabilities]
        if len(set(probabilities)) > 1:
            raise SpaceError(
                f"The choices must have equal weights, because a Space draws all choices alike. Got {probabilities}. "
                "Leave the weights out, and begin with configurations you prefer: `Optimizer.enqueue`."
            )
        return Categorical(tuple(hyperparameter.choices))
    if class_name in CONSTANTS:
        return Categorical((hashable(hyperparameter.value),))
    uniform = "UniformIntegerHyperparameter" if "Integer" in class_name else "UniformFloatHyperparameter"
    raise SpaceError(
        f"It must be uniform, because a Space draws numbers evenly between bounds. Got a {class_name}. "
        f"Use a {uniform}, and begin with configurations you prefer: `Optimizer.enqueue`."
    )


def _range(uniform: Any, step: float | None) -> Parameter:
    """A uniform hyperparameter; ``step`` is the quantization of ConfigSpace 0.7."""
    log = bool(uniform.log)
    if step is not None and log:
        raise SpaceError(f"`q` must be None where `log` is True. Got {step!r}. Use an OrdinalHyperparameter instead.")
    if type(uniform).__name__ == "UniformFloatHyperparameter":
        return Float(float(uniform.lower), float(uniform.upper), log=log, step=None if step is None else float(step))
    return Int(int(uniform.lower), int(uniform.upper), log=log, step=1 if step is None else int(step))
