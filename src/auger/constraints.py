"""Rules between parameters that every proposed configuration must satisfy.

A constraint is either an expression over parameter names, such as ``"heads * 8 <= width"``, which can be saved,
or any Python function of a config that returns a truth.
An expression that mentions an inactive parameter does not apply and counts as satisfied.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auger.errors import SpaceError, nearest
from auger.types import Config, Mask

Constraint = str | Callable[[Config], bool]

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max}


@dataclass(frozen=True)
class Expression:
    """A parsed constraint: arithmetic, comparisons, ``and``/``or``/``not``, ``in``, abs, min, max. Nothing else runs.

    Example:
        >>> Expression.parse("a + b <= 1 or mode == 'wide'", ["a", "b", "mode"]).holds({"a": 1, "b": 2, "mode": "wide"})
        True
    """

    text: str
    names: frozenset[str]
    body: ast.expr

    @classmethod
    def parse(cls, text: str, known: list[str]) -> Expression:
        """Read an expression over the parameters ``known``, or raise a SpaceError that quotes it."""
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise SpaceError(
                f"Constraint {text!r} must be a Python expression such as 'a + b <= 1'. {error}."
            ) from error
        names = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()
        for name in sorted(names):
            if name not in known:
                raise SpaceError(f"Constraint {text!r} names {name!r}, which is no parameter. {nearest(name, known)}")
        _check(body, text)
        return cls(text, frozenset(names), body)

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Whether ``config`` satisfies it; True when a parameter it mentions is inactive."""
        if not self.names <= config.keys():
            return True
        try:
            return bool(_evaluate(self.body, config))
        except (TypeError, ZeroDivisionError, OverflowError, ValueError) as error:
            raise SpaceError(
                f"Constraint {self.text!r} could not be evaluated for {dict(config)!r}: {error}."
            ) from error


def prepare(constraint: Constraint, known: list[str]) -> Expression | Callable[[Config], bool]:
    """Check one constraint of a space."""
    if isinstance(constraint, str):
        return Expression.parse(constraint, known)
    if not callable(constraint):
        raise SpaceError(f"A constraint must be an expression (str) or a function of a config. Got {constraint!r}.")
    return constraint


def holds(constraint: Expression | Callable[[Config], bool], configs: list[Config]) -> Mask:
    """Which of the configs satisfy the constraint, shape (n,)."""
    if isinstance(constraint, Expression):
        return np.array([constraint.holds(config) for config in configs], dtype=bool)
    return np.array([_call(constraint, config) for config in configs], dtype=bool)


def _call(function: Callable[[Config], bool], config: Config) -> bool:
    name = getattr(function, "__name__", repr(function))
    try:
        answer = function(dict(config))
    except Exception as error:
        raise SpaceError(
            f"Constraint {name} raised {type(error).__name__} for {config!r}: {error}. "
            "Inactive parameters are missing from the config: use config.get."
        ) from error
    if not isinstance(answer, (bool, np.bool_)):
        raise SpaceError(f"Constraint {name} must return True or False. Got {answer!r} for {config!r}.")
    return bool(answer)


def _check(node: ast.expr, text: str) -> None:
    """Refuse anything but the listed kinds of node, before anything is evaluated."""
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
            return
        case ast.Name():
            return
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            children = parts
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part):
            children = [part]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            children = [left, right]
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(type(op) in _COMPARE for op in ops):
            children = [left, *rest]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            children = args
        case _:
            strange = ast.unparse(node)
            raise SpaceError(
                f"Constraint {text!r} may use numbers, text, parameter names, arithmetic, comparisons, and/or/not, in, "
                f"abs, min and max. Got {strange!r}."
            )
    for child in children:
        _check(child, text)


def _evaluate(node: ast.expr, config: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return config[name]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_evaluate(part, config) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_evaluate(part, config) for part in parts)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_evaluate(part, config) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _evaluate(part, config)
        case ast.UnaryOp(operand=part):
            return -_evaluate(part, config)
        case ast.BinOp(left=left, op=op, right=right):
            return _operate(op, _BINARY[type(op)], _evaluate(left, config), _evaluate(right, config))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            values = [_evaluate(left, config), *(_evaluate(part, config) for part in rest)]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, values[:-1], values[1:], strict=True))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*(_evaluate(arg, config) for arg in args))
    raise AssertionError(ast.dump(node))


def _operate(op: ast.operator, apply: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    # 9 ** 9 ** 9 would hang; as floats it overflows with an error instead
    return apply(float(left), float(right)) if isinstance(op, ast.Pow) else apply(left, right)
