"""Translates our spaces to ConfigSpace's."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import ConfigSpace
import numpy as np
from ConfigSpace import ConfigurationSpace

from auger.errors import SpaceError
from auger.hosts.configspace.expressions import terms_of
from auger.hosts.configspace.forbidden import CLAUSES, RELATIONS, Comparison, Term
from auger.hosts.configspace.when import MAX_LISTED
from auger.space import Categorical, Float, Int, Ordinal, Parameter, Space, as_space

# A bound may move by this share of the range or, on a log scale, of the lower bound.
_TOLERANCE = 1e-9


def to_configspace(space: Space | Mapping[str, Any]) -> ConfigurationSpace:
    """A ConfigurationSpace with the same configurations, value for value.

    A number with steps becomes an ordinal hyperparameter of its values, up to 1,000. ``when`` becomes conditions, and
    constraints become forbidden clauses. With constraints, the default values are those of a member drawn from the
    space, because ConfigSpace does not allow forbidden defaults.

    Raises:
        SpaceError: for constraints that are functions or calculate, more than 1,000 steps, and numbers or choices that
            ConfigSpace cannot hold exactly. It names the parameter or the constraint.

    Example:
        >>> theirs = to_configspace({"depth": (1, 12), "act": ["relu", "tanh"]})
        >>> sorted(theirs)
        ['act', 'depth']
    """
    space = as_space(space)
    terms = [term for constraint in space.constraints for term in terms_of(constraint, space.parameters)]
    default = space.decode(space.sample(1, np.random.default_rng(0)))[0] if terms else {}
    theirs = ConfigurationSpace()
    _add(theirs, "hyperparameters", [_hyperparameter(*item, default) for item in space.parameters.items()])
    _add(theirs, "conditions", [_condition(theirs, space, name) for name in space.names if space.conditions(name)])
    _add(theirs, "forbidden_clauses", [_forbidden(theirs, term) for term in terms])
    return theirs


def _add(theirs: ConfigurationSpace, what: str, parts: list[Any]) -> None:
    add = theirs.add if hasattr(theirs, "add") else getattr(theirs, f"add_{what}")  # the latter in ConfigSpace 0.7
    add(parts)


def _hyperparameter(name: str, parameter: Parameter, default: Mapping[str, Any]) -> Any:
    settings = {"default_value": default[name]} if name in default else {}
    try:
        with np.errstate(over="raise", invalid="raise"):
            return _translated(name, parameter, settings)
    except (ValueError, TypeError, FloatingPointError) as error:
        version = ConfigSpace.__version__
        raise SpaceError(f"Parameter {name!r} cannot be translated to ConfigSpace {version}: {error}") from error


def _translated(name: str, parameter: Parameter, settings: dict[str, Any]) -> Any:
    if isinstance(parameter, (Categorical, Ordinal)):
        _check_choices(parameter.choices)
        class_name = f"{type(parameter).__name__}Hyperparameter"  # both have the same names as ours
        return getattr(ConfigSpace, class_name)(name, list(parameter.choices), **settings)
    assert isinstance(parameter, (Float, Int))
    if isinstance(parameter, Int) and parameter.step == 1:
        return ConfigSpace.UniformIntegerHyperparameter(
            name, parameter.low, parameter.high, log=parameter.log, **settings
        )
    if parameter.n_values is None:
        assert isinstance(parameter, Float)
        return _real(name, parameter, settings)
    if parameter.n_values <= MAX_LISTED:
        return ConfigSpace.OrdinalHyperparameter(name, parameter.decode(parameter.levels()), **settings)
    raise SpaceError(
        f"It must have at most {MAX_LISTED:,} values, because ConfigSpace has no steps and lists the values. "
        f"Got {parameter.n_values:,} values. Use wider steps, or none."
    )


def _real(name: str, parameter: Float, settings: dict[str, Any]) -> Any:
    """A range of ConfigSpace's, which keeps 13 decimals: bounds with more move inwards, within the tolerance."""
    low, high = _rounded(parameter.low, ROUND_CEILING), _rounded(parameter.high, ROUND_FLOOR)
    tolerance = _TOLERANCE * (parameter.low if parameter.log else parameter.high - parameter.low)
    if low - parameter.low <= tolerance and parameter.high - high <= tolerance:
        hyperparameter = ConfigSpace.UniformFloatHyperparameter(name, low, high, log=parameter.log, **settings)
        if (hyperparameter.lower, hyperparameter.upper) == (low, high):  # NumPy's rounding moves large numbers
            return hyperparameter
        low, high = float(hyperparameter.lower), float(hyperparameter.upper)
    raise SpaceError(
        f"The bounds must not change when ConfigSpace rounds them to 13 decimals. Got {parameter.low!r} and "
        f"{parameter.high!r}, which become {low!r} and {high!r}. Use another unit, or tune the exponent."
    )


def _rounded(bound: float, rounding: str) -> float:
    """A bound with 13 decimals."""
    if round(bound, 13) == bound:  # also true of large numbers, which have no decimals
        return bound
    return float(Decimal(repr(bound)).quantize(Decimal("1e-13"), rounding))


def _check_choices(choices: Any) -> None:
    """Refuse choices that change in a NumPy array, where ConfigSpace keeps them: all become floats if one is."""
    if not all(isinstance(choice, (bool, int, float)) for choice in choices):
        return
    for choice, kept in zip(choices, np.asarray(choices).tolist(), strict=True):
        if choice != kept:
            raise SpaceError(
                f"The choice {choice!r} would become {kept!r} beside the others. Write the choices as text."
            )


def _condition(theirs: ConfigurationSpace, space: Space, name: str) -> Any:
    parts = [
        ConfigSpace.InCondition(theirs[name], theirs[parent], values)
        for parent, values in space.conditions(name).items()
    ]
    return parts[0] if len(parts) == 1 else ConfigSpace.AndConjunction(*parts)


def _forbidden(theirs: ConfigurationSpace, term: Term) -> Any:
    parts = [_clause(theirs, comparison) for comparison in term]
    return parts[0] if len(parts) == 1 else ConfigSpace.ForbiddenAndConjunction(*parts)


def _clause(theirs: ConfigurationSpace, comparison: Comparison) -> Any:
    left = theirs[comparison.left]
    if comparison.is_relation:
        return getattr(ConfigSpace, RELATIONS[comparison.sign])(left, theirs[comparison.right])
    clause = getattr(ConfigSpace, CLAUSES[comparison.sign], None)
    if clause is None:  # ConfigSpace 0.7 has == and `in` only
        raise SpaceError(
            f"A constraint that forbids '{comparison}' needs ConfigSpace 1.2 or later. Got {ConfigSpace.__version__}."
        )
    return clause(left, list(comparison.right) if comparison.sign == "in" else comparison.right)
