"""Constraints: rules between parameters that every proposed configuration must satisfy.

A constraint is either an expression over parameter names, such as ``"heads * 8 <= width"``, which can be saved,
or any Python function of a config that returns True or False.
An expression that mentions an inactive parameter does not apply and counts as satisfied.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auger.errors import SpaceError, nearest
from auger.types import Config, Mask

Constraint = str | Callable[[Config], bool]

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,  # 9**9**9 is an error instead of a hang, (-1)**0.5 instead of a complex number
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

# Each part of an expression becomes a function of a config.
_Meaning = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Expression:
    """A parsed constraint: arithmetic, comparisons, ``and``/``or``/``not``, ``in``, abs, min, max. Nothing else runs.

    Example:
        >>> Expression.parse("a + b <= 1 or mode == 'wide'", ["a", "b", "mode"]).holds({"a": 1, "b": 2, "mode": "wide"})
        True
    """

    text: str
    names: frozenset[str]
    meaning: _Meaning = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, parameters: Sequence[str]) -> Expression:
        """Read an expression over these parameters, or raise a SpaceError that quotes it."""
        names: set[str] = set()
        try:
            body = ast.parse(text.strip(), mode="eval").body
            meaning = _meaning(body, text, names)
        except SpaceError:
            raise
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SpaceError(
                f"Constraint {text!r} must be a Python expression such as 'a + b <= 1'. {error}."
            ) from error
        for name in sorted(names):
            if name not in parameters:
                hint = nearest(name, parameters)
                raise SpaceError(f"Constraint {text!r} names {name!r}, which is not a parameter. {hint}")
        is_truth = isinstance(body, (ast.Compare, ast.BoolOp, ast.Name)) or (
            isinstance(body, ast.UnaryOp) and isinstance(body.op, ast.Not)
        )
        if not is_truth:  # "a <= 1, b <= 2" is a tuple, which counts as true
            raise SpaceError(
                f"Constraint {text!r} must be true or false, such as 'a + b <= 1' or 'a <= 1 and b <= 2'. "
                "Got a value that is neither."
            )
        return cls(text, frozenset(names), meaning)

    def __reduce__(self) -> tuple[Any, ...]:
        return Expression.parse, (self.text, sorted(self.names))  # a meaning cannot be pickled, its text can

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Whether ``config`` satisfies it; True when a parameter it mentions is inactive."""
        if not self.names <= config.keys():
            return True
        try:
            return bool(self.meaning(config))
        except Exception as error:
            raise SpaceError(
                f"Constraint {self.text!r} could not be evaluated for {dict(config)!r}: {error}."
            ) from error


def prepare(constraint: Constraint, parameters: Sequence[str]) -> Expression | Callable[[Config], bool]:
    """Check one constraint of a space of these parameters, and parse it if it is text."""
    if isinstance(constraint, str):
        return Expression.parse(constraint, parameters)
    if not callable(constraint):
        raise SpaceError(f"A constraint must be an expression (str) or a function of a config. Got {constraint!r}.")
    return constraint


def holds(constraint: Expression | Callable[[Config], bool], configs: list[Config]) -> Mask:
    """Which of the configs satisfy the constraint, shape (n,)."""
    if isinstance(constraint, Expression):
        return np.array([constraint.holds(config) for config in configs], dtype=bool)
    return np.array([_call(constraint, config) for config in configs], dtype=bool)


def _call(function: Callable[[Config], bool], config: Config) -> bool:
    name = name_of(function)
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


def name_of(constraint: Expression | Callable[[Config], bool]) -> str:
    """How messages and files name a constraint."""
    if isinstance(constraint, Expression):
        return repr(constraint.text)
    return str(getattr(constraint, "__name__", repr(constraint)))


def to_json(constraint: Expression | Callable[[Config], bool]) -> str | dict[str, str]:
    """The text of an expression, or the name of a function."""
    return constraint.text if isinstance(constraint, Expression) else {"function": name_of(constraint)}


def from_json(saved: Any, functions: Sequence[Callable[[Config], bool]]) -> list[Constraint]:
    """Undo `to_json` for a list of constraints; the functions among them are passed again, in the same order."""
    if not isinstance(saved, list) or not all(isinstance(rule, (str, Mapping)) for rule in saved):
        raise SpaceError(f"The 'constraints' of a saved space must be a list of rules. Got {saved!r}.")
    names = [str(rule.get("function")) for rule in saved if isinstance(rule, Mapping)]
    if len(functions) != len(names):
        raise SpaceError(
            f"The space was saved with {len(names)} constraints that are Python functions ({', '.join(names)}), "
            f"which a file cannot hold. Pass all of them again. Got {len(functions)}."
        )
    for name, function in zip(names, functions, strict=True):
        if name_of(function) != name:
            raise SpaceError(f"The space was saved with the constraint {name}. Got {name_of(function)} instead.")
    remaining = iter(functions)
    return [next(remaining) if isinstance(rule, Mapping) else rule for rule in saved]


def _meaning(node: ast.expr, text: str, names: set[str]) -> _Meaning:
    """Turn a node into a function of a config, and collect the parameters it mentions.

    Only the types of node listed here get a meaning, so nothing else can ever run.
    """

    def of(part: ast.expr) -> _Meaning:
        return _meaning(part, text, names)

    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
            return lambda config: value
        case ast.Name(id=name):
            names.add(name)
            return operator.itemgetter(name)
        case ast.BoolOp(op=op, values=parts):
            return _joined(list(map(of, parts)), stop_at=isinstance(op, ast.Or))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):  # choices are tuples too
            elements = list(map(of, parts))
            return lambda config: tuple(element(config) for element in elements)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            operand = of(part)
            return lambda config: not operand(config)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            operand = of(part)
            return lambda config: -operand(config)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _arithmetic(_ARITHMETIC[type(op)], of(left), of(right))
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(type(op) in _COMPARE for op in ops):
            sides = [of(left), *map(of, rest)]
            links = [_compared(_COMPARE[type(op)], a, b) for op, a, b in zip(ops, sides[:-1], sides[1:], strict=True)]
            return links[0] if len(links) == 1 else _joined(links, stop_at=False)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            function, arguments = _FUNCTIONS[name], list(map(of, args))
            return lambda config: function(*(argument(config) for argument in arguments))
    raise SpaceError(
        f"Constraint {text!r} may use numbers, text, parameter names, arithmetic, comparisons, and/or/not, in, "
        f"abs, min and max. Got {ast.unparse(node)!r}."
    )


def _joined(parts: list[_Meaning], *, stop_at: bool) -> _Meaning:
    """``and`` (stops at the first false part) or ``or`` (at the first true one); its value is that part."""

    def meaning(config: Mapping[str, Any]) -> Any:
        for part in parts:
            value = part(config)
            if bool(value) is stop_at:
                break
        return value

    return meaning


def _compared(compare: Callable[[Any, Any], Any], left: _Meaning, right: _Meaning) -> _Meaning:
    return lambda config: compare(left(config), right(config))


def _arithmetic(apply: Callable[[Any, Any], Any], left: _Meaning, right: _Meaning) -> _Meaning:
    def meaning(config: Mapping[str, Any]) -> Any:
        a, b = left(config), right(config)
        # no 'x' * 10_000_000_000, no '%9999999999d' % x
        if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
            raise TypeError(f"arithmetic needs numbers, got {a!r} and {b!r}")
        return apply(a, b)

    return meaning
