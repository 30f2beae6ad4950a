"""Our spaces as ConfigSpace's."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import ConfigSpace
import numpy as np
from ConfigSpace import ConfigurationSpace

from auger.errors import SpaceError
from auger.hosts.configspace.expressions import terms_of
from auger.hosts.configspace.forbidden import Comparison
from auger.hosts.configspace.when import MAX_LISTED
from auger.space import Categorical, Float, Int, Ordinal, Parameter, Space, as_space

# A bound may move by this share of the range, or with log of the lower bound.
_MEANS_NOTHING = 1e-9

_CLAUSES = {
    "==": "ForbiddenEqualsClause",
    "in": "ForbiddenInClause",
    "<": "ForbiddenLessThanClause",
    ">": "ForbiddenGreaterThanClause",
    "<=": "ForbiddenLessThanEqualsClause",
    ">=": "ForbiddenGreaterThanEqualsClause",
}
_RELATIONS = {"==": "ForbiddenEqualsRelation", "<": "ForbiddenLessThanRelation", ">": "ForbiddenGreaterThanRelation"}


def to_configspace(space: Space | Mapping[str, Any]) -> ConfigurationSpace:
    """The same space in ConfigSpace's words, value for value.

    Numbers in steps become ordinal hyperparameters of their values, up to 1,000 of them; ``when`` becomes conditions,
    and expressions that ConfigSpace can say forbidden clauses. With constraints, the default values are those of a
    member drawn from the space, as ConfigSpace wants its defaults to be allowed.

    Raises:
        SpaceError: for constraints that are functions or calculate, more than 1,000 steps, and numbers or choices that
            ConfigSpace cannot hold exactly. It names the parameter or the constraint.

    Example:
        >>> theirs = to_configspace({"depth": (1, 12), "act": ["relu", "tanh"]})
        >>> sorted(theirs)
        ['act', 'depth']
    """
    space = as_space(space)
    terms = [term for rule in space.constraints for term in terms_of(rule, space.parameters)]
    default = space.decode(space.sample(1, np.random.default_rng(0)))[0] if terms else {}
    theirs = ConfigurationSpace()
    _add(theirs, "hyperparameters", [_hyperparameter(n, kind, default) for n, kind in space.parameters.items()])
    _add(theirs, "conditions", [_condition(theirs, space, name) for name in space.names if space.conditions(name)])
    _add(theirs, "forbidden_clauses", [_forbidden(theirs, term) for term in terms])
    return theirs


def _add(theirs: ConfigurationSpace, what: str, parts: list[Any]) -> None:
    if hasattr(theirs, "add"):
        theirs.add(parts)
    else:  # ConfigSpace 0.7
        getattr(theirs, f"add_{what}")(parts)


def _hyperparameter(name: str, kind: Parameter, default: Mapping[str, Any]) -> Any:
    settings = {"default_value": default[name]} if name in default else {}
    try:
        with np.errstate(over="raise", invalid="raise"):
            made = _translated(name, kind, settings)
    except (ValueError, TypeError, FloatingPointError) as error:
        cause = f": {error}" if isinstance(error, SpaceError) else f" in ConfigSpace {ConfigSpace.__version__}: {error}"
        raise SpaceError(f"Parameter {name!r} cannot be held{cause}") from error
    return made


def _translated(name: str, kind: Parameter, settings: dict[str, Any]) -> Any:
    if isinstance(kind, (Categorical, Ordinal)):
        _check_apart(kind.choices)
        maker = (
            ConfigSpace.CategoricalHyperparameter
            if isinstance(kind, Categorical)
            else ConfigSpace.OrdinalHyperparameter
        )
        return maker(name, list(kind.choices), **settings)
    assert isinstance(kind, (Float, Int))
    if isinstance(kind, Int) and kind.step == 1:
        return ConfigSpace.UniformIntegerHyperparameter(name, kind.low, kind.high, log=kind.log, **settings)
    if kind.n_values is None:
        assert isinstance(kind, Float)
        return _real(name, kind, settings)
    if kind.n_values <= MAX_LISTED:
        return ConfigSpace.OrdinalHyperparameter(name, kind.decode(kind.levels()), **settings)
    raise SpaceError(
        f"ConfigSpace has no steps; an ordinal hyperparameter of at most {MAX_LISTED:,} values stands for them. "
        f"Got {kind.n_values:,}; use wider steps, or none"
    )


def _real(name: str, kind: Float, settings: dict[str, Any]) -> Any:
    """A range of ConfigSpace's, which keeps 13 decimals: bounds with more move inwards, where that means nothing."""
    low, high = _rounded(kind.low, ROUND_CEILING), _rounded(kind.high, ROUND_FLOOR)
    unit = _MEANS_NOTHING * (kind.low if kind.log else kind.high - kind.low)
    if low - kind.low <= unit and kind.high - high <= unit:
        made = ConfigSpace.UniformFloatHyperparameter(name, low, high, log=kind.log, **settings)
        if (made.lower, made.upper) == (low, high):  # NumPy's rounding moves large numbers
            return made
        low, high = float(made.lower), float(made.upper)
    raise SpaceError(
        f"the bounds must survive ConfigSpace's rounding, which keeps 13 decimals. Got {kind.low!r} and "
        f"{kind.high!r}, which become {low!r} and {high!r}; use another unit, or tune the exponent"
    )


def _rounded(bound: float, way: str) -> float:
    """A bound with 13 decimals."""
    if round(bound, 13) == bound:  # large numbers among them, which have no decimals
        return bound
    return float(Decimal(repr(bound)).quantize(Decimal("1e-13"), way))


def _check_apart(choices: Any) -> None:
    """ConfigSpace keeps choices in an array of NumPy's, where whole numbers beside fractions become fractions."""
    if not all(isinstance(choice, (bool, int, float)) for choice in choices):
        return
    for choice, kept in zip(choices, np.asarray(choices).tolist(), strict=True):
        if choice != kept:
            raise SpaceError(f"the choice {choice!r} becomes {kept!r} beside the others; write the choices as text")


def _condition(theirs: ConfigurationSpace, space: Space, name: str) -> Any:
    parts = [
        ConfigSpace.InCondition(theirs[name], theirs[parent], values)
        for parent, values in space.conditions(name).items()
    ]
    return parts[0] if len(parts) == 1 else ConfigSpace.AndConjunction(*parts)


def _forbidden(theirs: ConfigurationSpace, term: tuple[Comparison, ...]) -> Any:
    parts = [_clause(theirs, comparison) for comparison in term]
    return parts[0] if len(parts) == 1 else ConfigSpace.ForbiddenAndConjunction(*parts)


def _clause(theirs: ConfigurationSpace, comparison: Comparison) -> Any:
    left = theirs[comparison.left]
    if comparison.is_relation:
        return getattr(ConfigSpace, _RELATIONS[comparison.sign])(left, theirs[comparison.right])
    maker = getattr(ConfigSpace, _CLAUSES[comparison.sign], None)
    if maker is None:  # ConfigSpace 0.7 knows equal and in
        raise SpaceError(f"This version of ConfigSpace cannot forbid '{comparison}'. ConfigSpace 1.2 can.")
    right = list(comparison.right) if comparison.sign == "in" else comparison.right
    return maker(left, right)
