"""Constraints as what they forbid, in comparisons that ConfigSpace knows.

An expression is denied, piece by piece, until only comparisons are left: ``a <= 1 or b != 2`` forbids ``a > 1``
together with ``b == 2``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from auger.checks import is_number
from auger.errors import ConfigError, SpaceError
from auger.hosts.configspace.forbidden import OPERATORS, Comparison, Forbidden
from auger.hosts.configspace.when import MAX_LISTED
from auger.space import Categorical, Float, Int, Ordinal, Parameter
from auger.space.constraints import Expression

Terms = list[tuple[Comparison, ...]]

_SIGNS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SIGNS |= {ast.In: "in", ast.NotIn: "not in"}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

# Between two parameters ConfigSpace knows three signs; the others are two of these.
_RELATIONS = {
    "<": ("<",),
    ">": (">",),
    "==": ("==",),
    "<=": ("<", "=="),
    ">=": (">", "=="),
    "!=": ("<", ">"),
}


def terms_of(rule: Any, kinds: Mapping[str, Parameter]) -> Terms:
    """What a constraint of a space forbids, as far as ConfigSpace can say it; a SpaceError otherwise."""
    if isinstance(rule, Forbidden):
        return [rule.term]
    if not isinstance(rule, Expression):
        name = getattr(rule, "__name__", repr(rule))
        raise SpaceError(
            f"ConfigSpace has no place for a function as a constraint. Got {name}; write it as an expression such as "
            "'a <= 1 or b != 2', or search the space with `Optimizer`."
        )
    terms = _Reader(rule.text, kinds).terms(ast.parse(rule.text.strip(), mode="eval").body, True)
    # where one of its parameters is inactive, an expression does not apply, and a term only if it is one of its own
    doubtful = {name for name in rule.names if kinds[name].when}
    for term in terms:
        missing = doubtful - {name for comparison in term for name in comparison.names}
        if missing or not term:
            why = f"it does not apply where {min(missing)!r} is inactive" if missing else "it allows nothing"
            raise _unspeakable(rule.text, why)
    return terms


class _Reader:
    def __init__(self, text: str, kinds: Mapping[str, Parameter]) -> None:
        self._text = text
        self._kinds = kinds

    def terms(self, node: ast.expr, is_denied: bool) -> Terms:
        """The terms of which one must hold for the node to be true or, if denied, for it to be false."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return self.terms(part, not is_denied)
            case ast.BoolOp(op=op, values=nodes):
                parts = [self.terms(part, is_denied) for part in nodes]
                return _any(parts) if isinstance(op, ast.And) == is_denied else _all(parts)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                sides = [left, *rest]
                signs = [_DENIED[_SIGNS[type(op)]] if is_denied else _SIGNS[type(op)] for op in ops]
                links = [self._link(*link) for link in zip(sides[:-1], signs, rest, strict=True)]
                return _any(links) if is_denied else _all(links)  # a < b < c: both
        raise self._unspeakable(node)

    def _link(self, left: ast.expr, sign: str, right: ast.expr) -> Terms:
        if isinstance(right, ast.Name) and not isinstance(left, ast.Name) and sign in _MIRRORED:
            left, sign, right = right, _MIRRORED[sign], left
        if not isinstance(left, ast.Name):
            raise self._unspeakable(left)
        if isinstance(right, ast.Name):
            return self._relation(left.id, sign, right.id)
        try:
            value = ast.literal_eval(right)
        except ValueError:
            raise self._unspeakable(right) from None
        listed = _listed(self._kinds[left.id])
        if listed is not None:
            return self._choice(left.id, sign, value, listed)
        return self._number(left.id, sign, value)

    def _relation(self, left: str, sign: str, right: str) -> Terms:
        numbers = all(isinstance(self._kinds[name], (Float, Int)) for name in (left, right))
        if sign not in _RELATIONS or (sign == "!=" and not numbers):  # text may differ without an order
            raise _unspeakable(self._text, f"got '{left} {sign} {right}'")
        return [(Comparison(left, part, right, is_relation=True),) for part in _RELATIONS[sign]]

    def _choice(self, name: str, sign: str, value: Any, listed: tuple[Any, ...]) -> Terms:
        """A parameter with few values: those that fit, one by one."""
        holds = _holding(sign)
        try:
            fitting = tuple(own for own in listed if holds(own, value))
        except TypeError:  # such as 'a' < 1
            raise _unspeakable(self._text, f"{name!r} cannot be compared with {value!r}") from None
        if len(fitting) == len(listed) and not self._kinds[name].when:
            return [()]
        return [(Comparison(name, "in", fitting),)] if fitting else []

    def _number(self, name: str, sign: str, value: Any) -> Terms:
        if sign in ("in", "not in"):
            values = value if isinstance(value, (tuple, list)) else (value,)
            parts = [self._number(name, "==" if sign == "in" else "!=", each) for each in values]
            return _any(parts) if sign == "in" else _all(parts)
        if not is_number(value):
            raise _unspeakable(self._text, f"{name!r} is compared with {value!r}, which is no number")
        kind = self._kinds[name]
        assert isinstance(kind, (Float, Int))
        if sign == "!=":
            return _any([self._number(name, part, value) for part in "<>"])
        if sign == "==":
            return [(Comparison(name, sign, value),)] if _is_value(kind, value) else []
        holds = OPERATORS[sign]
        if holds(kind.low, value) and holds(kind.high, value):
            return _any([self._number(name, part, kind.low) for part in ("==", ">")]) if kind.when else [()]
        if not holds(kind.low, value) and not holds(kind.high, value):
            return []
        # ConfigSpace 1.2 samples what it forbids by <=, and prints what it compares by >=: neither is used
        if isinstance(kind, Int):
            at = math.ceil(value) if sign in ("<", ">=") else math.floor(value)
            strict = {"<=": ("<", at + 1), ">=": (">", at - 1)}
            return [(Comparison(name, *strict.get(sign, (sign, at))),)]
        return [
            (Comparison(name, part, float(value)),) for part in {"<=": ("<", "=="), ">=": (">", "==")}.get(sign, sign)
        ]

    def _unspeakable(self, node: ast.expr) -> SpaceError:
        return _unspeakable(self._text, f"got {ast.unparse(node)!r}")


def _any(parts: Iterable[Terms]) -> Terms:
    return [term for terms in parts for term in terms]


def _all(parts: Iterable[Terms]) -> Terms:
    return [tuple(comparison for term in terms for comparison in term) for terms in product(*parts)]


def _holding(sign: str) -> Callable[[Any, Any], Any]:
    if sign in OPERATORS:
        return OPERATORS[sign]
    return lambda own, value: not OPERATORS[_DENIED[sign]](own, value)


def _listed(kind: Parameter) -> tuple[Any, ...] | None:
    """The values of a parameter that ConfigSpace holds as a list; None for a plain range."""
    if isinstance(kind, (Categorical, Ordinal)):
        return tuple(kind.choices)
    if (isinstance(kind, Int) and kind.step == 1) or kind.n_values is None or kind.n_values > MAX_LISTED:
        return None
    return tuple(kind.decode(kind.levels()))


def _is_value(kind: Parameter, value: Any) -> bool:
    try:
        kind.encode([value], "it")
    except ConfigError:
        return False
    return True


def _unspeakable(text: str, why: str) -> SpaceError:
    return SpaceError(
        f"ConfigSpace cannot say the constraint {text!r}: {why}. It knows comparisons of a parameter with values or "
        "with another parameter, joined by `and`, `or` and `not`; for others, search the space with `Optimizer`."
    )
