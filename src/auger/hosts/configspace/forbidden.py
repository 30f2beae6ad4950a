"""ConfigSpace's forbidden clauses as constraints.

A clause is read into a list of *terms*, and none of them may hold. A term is a tuple of comparisons, and holds when all
of them do. A comparison with an inactive parameter does not hold, in ConfigSpace and here.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from auger.errors import SpaceError
from auger.space import Ordinal, Parameter, hashable
from auger.types import Config

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}

#: Sign -> the class of ConfigSpace that forbids it between a hyperparameter and a value.
CLAUSES = {
    "==": "ForbiddenEqualsClause",
    "in": "ForbiddenInClause",
    "<": "ForbiddenLessThanClause",
    ">": "ForbiddenGreaterThanClause",
    "<=": "ForbiddenLessThanEqualsClause",
    ">=": "ForbiddenGreaterThanEqualsClause",
}
#: Sign -> the class of ConfigSpace that forbids it between two hyperparameters.
RELATIONS = {"==": "ForbiddenEqualsRelation", "<": "ForbiddenLessThanRelation", ">": "ForbiddenGreaterThanRelation"}

_SIGNS = {name: sign for table in (CLAUSES, RELATIONS) for sign, name in table.items()}


@dataclass(frozen=True)
class Comparison:
    """A parameter compared with a value, or with another parameter.

    Attributes:
        left: the name of the parameter.
        sign: ``==``, ``<``, ``<=``, ``>``, ``>=`` or ``in``.
        right: a value, a tuple of values for ``in``, or the name of another parameter.
        is_relation: whether ``right`` is a name.
    """

    left: str
    sign: str
    right: Any
    is_relation: bool = False

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right if self.is_relation else repr(self.right)}"

    @property
    def names(self) -> tuple[str, ...]:
        return (self.left, self.right) if self.is_relation else (self.left,)

    def holds(self, config: Config) -> bool:
        """Whether it holds; False where one of its parameters is inactive."""
        if not all(name in config for name in self.names):
            return False
        right = config[self.right] if self.is_relation else self.right
        return bool(OPERATORS[self.sign](config[self.left], right))


Term = tuple[Comparison, ...]


def any_of(parts: Iterable[list[Term]]) -> list[Term]:
    """The terms for: one of the parts holds."""
    return [term for terms in parts for term in terms]


def all_of(parts: Iterable[list[Term]]) -> list[Term]:
    """The terms for: all parts hold."""
    return [tuple(comparison for term in terms for comparison in term) for terms in product(*parts)]


@dataclass(frozen=True)
class Forbidden:
    """A constraint on names that an expression cannot contain, such as ``svm:C``: its term must not hold."""

    term: Term

    @property
    def __name__(self) -> str:  # a saved space lists it by this name
        return f"not ({' and '.join(map(str, self.term))})"

    def __call__(self, config: Config) -> bool:
        return not all(comparison.holds(config) for comparison in self.term)


def constraints_of(clause: Any, parameters: Mapping[str, Parameter]) -> list[str | Forbidden]:
    """One constraint per term of a clause: an expression where all its names are identifiers."""
    constraints: list[str | Forbidden] = []
    for term in _terms(clause, parameters):
        names = {name for comparison in term for name in comparison.names}
        forbidden = Forbidden(term)
        is_plain = all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
        constraints.append(forbidden.__name__ if is_plain else forbidden)
    return constraints


def _terms(clause: Any, parameters: Mapping[str, Parameter]) -> list[Term]:
    class_name = type(clause).__name__
    if class_name == "ForbiddenOrConjunction":
        return any_of(_terms(part, parameters) for part in clause.components)
    if class_name == "ForbiddenAndConjunction":
        return all_of(_terms(part, parameters) for part in clause.components)
    if class_name not in _SIGNS:
        raise SpaceError(
            f"The forbidden clause {clause!r} must be a ForbiddenAndConjunction, ForbiddenOrConjunction, "
            f"{', '.join(_SIGNS)}. Got a {class_name}. Use a constraint of a Space instead."
        )
    return [(_comparison(clause, _SIGNS[class_name], parameters),)]


def _comparison(clause: Any, sign: str, parameters: Mapping[str, Parameter]) -> Comparison:
    if type(clause).__name__ in RELATIONS.values():
        return Comparison(clause.left.name, sign, clause.right.name, is_relation=True)
    name = clause.hyperparameter.name
    if sign == "in":
        return Comparison(name, sign, tuple(map(hashable, clause.values)))
    value, parameter = hashable(clause.value), parameters[name]
    if isinstance(parameter, Ordinal) and sign != "==":  # the order is that of the list, not of the values
        bound = parameter.choices.index(value)
        return Comparison(name, "in", tuple(v for i, v in enumerate(parameter.choices) if OPERATORS[sign](i, bound)))
    return Comparison(name, sign, value)
