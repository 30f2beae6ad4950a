"""ConfigSpace's forbidden clauses as constraints.

Inside, what is forbidden is a list of *terms*, of which none may hold; a term is a tuple of comparisons that hold
together. A comparison with an inactive hyperparameter never holds, on either side.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from auger.errors import SpaceError
from auger.space import Ordinal, Parameter, hashable
from auger.types import Config

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
}
_CLAUSES = {
    "ForbiddenEqualsClause": "==",
    "ForbiddenLessThanClause": "<",
    "ForbiddenLessThanEqualsClause": "<=",
    "ForbiddenGreaterThanClause": ">",
    "ForbiddenGreaterThanEqualsClause": ">=",
}
_RELATIONS = {
    "ForbiddenEqualsRelation": "==",
    "ForbiddenLessThanRelation": "<",
    "ForbiddenGreaterThanRelation": ">",
}


@dataclass(frozen=True)
class Comparison:
    """A hyperparameter compared with a value, or with another hyperparameter.

    Attributes:
        left: a name.
        sign: ``==``, ``<``, ``<=``, ``>``, ``>=`` or ``in``.
        right: a value, a tuple of them, or a name.
        is_relation: whether it is a name.
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
        """Whether it holds; not where one of its names is inactive."""
        if not all(name in config for name in self.names):
            return False
        right = config[self.right] if self.is_relation else self.right
        return bool(OPERATORS[self.sign](config[self.left], right))


@dataclass(frozen=True)
class Forbidden:
    """A constraint for names that no expression can hold, such as ``svm:C``: not all comparisons may hold together."""

    term: tuple[Comparison, ...]

    @property
    def __name__(self) -> str:  # what a saved space calls it
        return f"not ({' and '.join(map(str, self.term))})"

    def __call__(self, config: Config) -> bool:
        return not all(comparison.holds(config) for comparison in self.term)


def constraints_of(clause: Any, kinds: Mapping[str, Parameter]) -> list[str | Forbidden]:
    """One constraint for each term of a clause: an expression where its names are identifiers."""
    made: list[str | Forbidden] = []
    for term in _terms(clause, kinds):
        names = {name for comparison in term for name in comparison.names}
        rule = Forbidden(term)
        is_plain = all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
        made.append(rule.__name__ if is_plain else rule)
    return made


def _terms(clause: Any, kinds: Mapping[str, Parameter]) -> list[tuple[Comparison, ...]]:
    kind = type(clause).__name__
    if kind == "ForbiddenOrConjunction":
        return [term for part in clause.components for term in _terms(part, kinds)]
    if kind == "ForbiddenAndConjunction":
        parts = [_terms(part, kinds) for part in clause.components]
        return [tuple(comparison for term in terms for comparison in term) for terms in product(*parts)]
    if kind in _RELATIONS:
        return [(Comparison(clause.left.name, _RELATIONS[kind], clause.right.name, is_relation=True),)]
    if kind == "ForbiddenInClause":
        return [(Comparison(clause.hyperparameter.name, "in", tuple(map(hashable, clause.values))),)]
    if kind in _CLAUSES:
        name, sign, value = clause.hyperparameter.name, _CLAUSES[kind], hashable(clause.value)
        own = kinds[name]
        if isinstance(own, Ordinal) and sign != "==":  # by the order of its values, whatever they are
            at = own.choices.index(value)
            listed = tuple(v for i, v in enumerate(own.choices) if OPERATORS[sign](i, at))
            return [(Comparison(name, "in", listed),)]
        return [(Comparison(name, sign, value),)]
    raise SpaceError(
        f"The forbidden clause {clause!r} is a {kind}, which has no equal here. Use a constraint of the Space."
    )
