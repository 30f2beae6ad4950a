"""Our constraints as the terms that they forbid, in comparisons that ConfigSpace knows.

An expression is negated, part by part, until only comparisons are left: ``a <= 1 or b != 2`` forbids ``a > 1``
together with ``b == 2``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError
from auger.hosts.configspace.forbidden import OPERATORS, Comparison, Forbidden, Term, all_of, any_of
from auger.hosts.configspace.when import MAX_LISTED
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.space.constraints import Expression

_SIGNS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SIGNS |= {ast.In: "in", ast.NotIn: "not in"}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

# Between two parameters ConfigSpace knows three signs; each other sign is two of these.
_SPLIT = {"<": ("<",), ">": (">",), "==": ("==",), "<=": ("<", "=="), ">=": (">", "=="), "!=": ("<", ">")}


def terms_of(constraint: Any, parameters: Mapping[str, Parameter]) -> list[Term]:
    """The terms that a constraint forbids. Raises a SpaceError where ConfigSpace has no clause for one of them."""
    if isinstance(constraint, Forbidden):
        return [constraint.term]
    if not isinstance(constraint, Expression):
        name = getattr(constraint, "__name__", repr(constraint))
        raise SpaceError(
            f"A constraint must be an expression such as 'a <= 1 or b != 2', because ConfigSpace takes no functions. "
            f"Got the function {name}. To keep it, search the space with `Optimizer`."
        )
    terms = _Reader(constraint.text, parameters).terms(ast.parse(constraint.text.strip(), mode="eval").body, True)
    # An expression does not apply where any of its parameters is inactive; a term, where one of the term's own is.
    conditional = {name for name in constraint.names if parameters[name].when}
    for term in terms:
        missing = conditional - {name for comparison in term for name in comparison.names}
        if missing or not term:
            why = f"it does not apply where {min(missing)!r} is inactive" if missing else "it allows no configuration"
            raise _refused(constraint.text, why)
    return terms


class _Reader:
    def __init__(self, text: str, parameters: Mapping[str, Parameter]) -> None:
        self._text = text
        self._parameters = parameters

    def terms(self, node: ast.expr, is_negated: bool) -> list[Term]:
        """The terms, at least one of which holds where the node is true or, if negated, where it is false."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return self.terms(part, not is_negated)
            case ast.BoolOp(op=op, values=nodes):
                parts = [self.terms(part, is_negated) for part in nodes]
                return any_of(parts) if isinstance(op, ast.And) == is_negated else all_of(parts)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                sides = [left, *rest]
                signs = [_NEGATED[_SIGNS[type(op)]] if is_negated else _SIGNS[type(op)] for op in ops]
                links = [self._link(*link) for link in zip(sides[:-1], signs, rest, strict=True)]
                return any_of(links) if is_negated else all_of(links)  # a < b < c: both
        raise self._refused(node)

    def _link(self, left: ast.expr, sign: str, right: ast.expr) -> list[Term]:
        if isinstance(right, ast.Name) and not isinstance(left, ast.Name) and sign in _MIRRORED:
            left, sign, right = right, _MIRRORED[sign], left
        if not isinstance(left, ast.Name):
            raise self._refused(left)
        if isinstance(right, ast.Name):
            return self._relation(left.id, sign, right.id)
        try:
            value = ast.literal_eval(right)
        except ValueError:
            raise self._refused(right) from None
        choices = _choices(self._parameters[left.id])
        if choices is not None:
            return self._choice(left.id, sign, value, choices)
        return self._number(left.id, sign, value)

    def _relation(self, left: str, sign: str, right: str) -> list[Term]:
        numbers = all(isinstance(self._parameters[name], (Float, Int)) for name in (left, right))
        if sign not in _SPLIT or (sign == "!=" and not numbers):  # text may differ without an order
            raise _refused(self._text, f"it forbids '{left} {sign} {right}', which no clause does")
        return [(Comparison(left, part, right, is_relation=True),) for part in _SPLIT[sign]]

    def _choice(self, name: str, sign: str, value: Any, choices: tuple[Any, ...]) -> list[Term]:
        """A parameter with few values: the list of those for which the comparison holds."""
        try:
            holding = tuple(choice for choice in choices if OPERATORS[sign](choice, value))
        except TypeError:  # such as 'a' < 1
            raise _refused(self._text, f"{name!r} cannot be compared with {value!r}") from None
        if len(holding) == len(choices) and not self._parameters[name].when:
            return [()]
        return [(Comparison(name, "in", holding),)] if holding else []

    def _number(self, name: str, sign: str, value: Any) -> list[Term]:
        if sign in ("in", "not in"):
            values = value if isinstance(value, (tuple, list)) else (value,)
            parts = [self._number(name, "==" if sign == "in" else "!=", part) for part in values]
            return any_of(parts) if sign == "in" else all_of(parts)
        if not is_number(value):
            raise _refused(self._text, f"{name!r} is compared with {value!r}, which is not a number")
        parameter = self._parameters[name]
        assert isinstance(parameter, (Float, Int))
        if sign == "!=":
            return any_of(self._number(name, part, value) for part in _SPLIT[sign])
        if sign == "==":
            return [(Comparison(name, sign, value),)] if _is_value(parameter, value) else []
        holds = OPERATORS[sign]
        low, high = parameter.low, parameter.high
        if holds(low, value) and holds(high, value):
            return any_of(self._number(name, part, low) for part in ("==", ">")) if parameter.when else [()]
        if not holds(low, value) and not holds(high, value):
            return []
        # <= and >= are not used: ConfigSpace 1.2 samples values that it forbids by <=, and prints during a check of >=
        if isinstance(parameter, Int):
            bound = math.ceil(value) if sign in ("<", ">=") else math.floor(value)
            strict = {"<=": ("<", bound + 1), ">=": (">", bound - 1)}
            return [(Comparison(name, *strict.get(sign, (sign, bound))),)]
        return [(Comparison(name, part, float(value)),) for part in _SPLIT[sign]]

    def _refused(self, node: ast.expr) -> SpaceError:
        return _refused(self._text, f"it contains {ast.unparse(node)!r}")


def _choices(parameter: Parameter) -> tuple[Any, ...] | None:
    """The values of a parameter that is a list in ConfigSpace; None for one that is a range."""
    if isinstance(parameter, (Categorical, Ordinal)):
        return tuple(parameter.choices)
    n_values = parameter.n_values
    if (isinstance(parameter, Int) and parameter.step == 1) or n_values is None or n_values > MAX_LISTED:
        return None
    return tuple(parameter.decode(parameter.levels()))


def _is_value(parameter: Parameter, value: Any) -> bool:
    try:
        parameter.encode([value], "value")
    except ConfigError:
        return False
    return True


def _refused(text: str, why: str) -> SpaceError:
    return SpaceError(
        f"The constraint {text!r} cannot be translated to ConfigSpace: {why}. It must be made of comparisons of a "
        "parameter with values or with another parameter, joined by `and`, `or` and `not`. To keep it as it is, search "
        "the space with `Optimizer`."
    )
