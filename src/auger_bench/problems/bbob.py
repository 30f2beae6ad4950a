"""COCO's test functions: noise-free functions of real numbers and variants of them.

``bbob``: 24 functions of real numbers. ``bbob-mixint``: the same with whole numbers. ``bbob-constrained``: nine of them
with 1 to 54 outcome constraints, numbered 1 to 54. ``bbob-biobj``: two of them at once, as two objectives.

A name has the number of the function, the dimension and the instance, which places the optimum and turns the axes:
``bbob-f8-d10-i2``. In bbob-mixint four fifths of the parameters are whole numbers, with 2, 4, 8 and 16 values in turn.
In bbob-constrained the reference value is ten times as far from the optimum as COCO's own feasible solution to start
from. Of bbob-biobj there are the functions whose best hypervolume was searched for, `BIOBJECTIVE`; their reference
point is about as bad as random configs.

They come with the package ``coco-experiment`` (Hansen et al., 2021).
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from auger.errors import AugerError, nearest
from auger.space import Float, Int, Space
from auger.types import Array, Config
from auger_bench.outcome import Outcome
from auger_bench.problems.interface import SEARCHED, Problem, front_problem, import_library

_NAME = re.compile(r"bbob(-mixint|-constrained|-biobj)?-f([1-9][0-9]?)-d([1-9][0-9]{0,2})-i([1-9][0-9]?)")
_N_FUNCTIONS = {"": 24, "-mixint": 24, "-constrained": 54}
_MOST_INSTANCES = 15
_MIXED_DIMENSIONS = (5, 10, 20, 40, 80, 160)
_CONSTRAINED_DIMENSIONS = (2, 3, 5, 10, 20, 40)
_MOST_DIMENSIONS = 40

# COCO writes the optimum of a mixed function into the current folder, which belongs to the whole process.
_FOLDER = threading.Lock()


def bbob(name: str) -> Problem:
    """The function of that name; its optimum is known.

    Raises:
        AugerError: no such function, dimension or instance.
        DataError: COCO is not installed.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise AugerError(
            "A function of COCO must be named as in 'bbob-f8-d10-i2', 'bbob-mixint-f8-d10-i2', "
            f"'bbob-constrained-f8-d10-i2' or 'bbob-biobj-f1-d5-i3'. Got {name!r}."
        )
    suite, (function, dimension, instance) = match[1] or "", map(int, match.groups()[1:])
    if suite == "-biobj":
        return _biobjective(name, function, dimension, instance)
    if function > _N_FUNCTIONS[suite] or instance > _MOST_INSTANCES:
        raise AugerError(
            f"COCO has the functions 1 to {_N_FUNCTIONS[suite]}, and instances 1 to {_MOST_INSTANCES} of each. Got "
            f"{name!r}."
        )
    make = {"": _real, "-mixint": _mixed, "-constrained": _constrained}[suite]
    return make(name, function, dimension, instance)


def _real(name: str, function: int, dimension: int, instance: int) -> Problem:
    if not 2 <= dimension <= _MOST_DIMENSIONS:
        raise AugerError(f"The dimension of a bbob function must be from 2 to {_MOST_DIMENSIONS}. Got {name!r}.")
    inner = _coco().BareProblem("bbob", function, dimension, instance)
    return _problem(name, (), dimension, inner, np.asarray(inner.best_parameter()), float(inner.best_value()))


def _mixed(name: str, function: int, dimension: int, instance: int) -> Problem:
    if dimension not in _MIXED_DIMENSIONS:
        allowed = ", ".join(map(str, _MIXED_DIMENSIONS))
        raise AugerError(f"The dimension of a bbob-mixint function must be one of {allowed}. Got {name!r}.")
    inner = _suite("bbob-mixint").get_problem_by_function_dimension_instance(function, dimension, instance)
    tops = inner.upper_bounds[: inner.number_of_integer_variables].astype(int).tolist()
    best = _best_of(inner)
    return _problem(name, tops, dimension, inner, best, float(inner(best)))


def _constrained(name: str, function: int, dimension: int, instance: int) -> Problem:
    if dimension not in _CONSTRAINED_DIMENSIONS:
        allowed = ", ".join(map(str, _CONSTRAINED_DIMENSIONS))
        raise AugerError(f"The dimension of a bbob-constrained function must be one of {allowed}. Got {name!r}.")
    inner = _suite("bbob-constrained").get_problem_by_function_dimension_instance(function, dimension, instance)
    names = [f"x{j}" for j in range(dimension)]

    def outcome(x: Array) -> Outcome:
        return Outcome((float(inner(x)),), tuple(inner.constraint(x).tolist()))

    best = _best_of(inner)
    optimum, start = outcome(best).value, outcome(inner.initial_solution).value
    return Problem(
        name,
        Space(dict.fromkeys(names, Float(-5.0, 5.0))),
        lambda config: outcome(np.array([config[name] for name in names], dtype=np.float64)),
        optimum=optimum,
        minimizer=dict(zip(names, best.tolist(), strict=True)),
        constraints=tuple(f"c{i}" for i in range(1, inner.number_of_constraints + 1)),
        reference=(optimum + 10 * (start - optimum),),
    )


class _Front(NamedTuple):
    """A reference point, and the largest hypervolume that `benchmarks/best_fronts.py` found."""

    reference: tuple[float, float]
    hypervolume: float


_FRONTS = {
    "bbob-biobj-f1-d5-i3": _Front((-950.0, 30.0), 2885.34056),
    "bbob-biobj-f16-d10-i3": _Front((1e7, 500.0), 5.6938101e9),
    "bbob-biobj-f25-d5-i3": _Front((250_000.0, 90.0), 5006381.2),
    "bbob-biobj-f33-d10-i3": _Front((130_000.0, 55_000.0), 7.1564442e9),
    "bbob-biobj-f42-d5-i3": _Front((-100.0, 70.0), 4887.88265),
    "bbob-biobj-f50-d10-i3": _Front((140.0, 95.0), 423.113504),
}

#: The names of the functions with two objectives.
BIOBJECTIVE = tuple(_FRONTS)


def _biobjective(name: str, function: int, dimension: int, instance: int) -> Problem:
    if name not in _FRONTS:
        raise AugerError(f"The best front of {name!r} is not recorded. {nearest(name, _FRONTS)}")
    inner = _suite("bbob-biobj").get_problem_by_function_dimension_instance(function, dimension, instance)
    return front_problem(
        name,
        lambda x: Outcome(tuple(inner(x).tolist())),
        [Float(-5.0, 5.0)] * dimension,
        reference=_FRONTS[name].reference,
        hypervolume=_FRONTS[name].hypervolume,
        source=SEARCHED,
    )


def _problem(
    name: str, tops: Sequence[int], dimension: int, function: Callable[[Array], float], best: Array, optimum: float
) -> Problem:
    """The problem of a function of x (dimension,), whose first parameters are whole numbers from 0 to ``tops``."""
    whole = {f"n{j}": Int(0, top) for j, top in enumerate(tops)}
    real = {f"x{j}": Float(-5.0, 5.0) for j in range(len(tops), dimension)}
    names = [*whole, *real]

    def value(config: Config) -> float:
        return float(function(np.array([config[name] for name in names], dtype=np.float64)))

    minimizer = {key: int(x) if key in whole else x for key, x in zip(names, best.tolist(), strict=True)}
    return Problem(name, Space({**whole, **real}), value, optimum, minimizer)


def _best_of(inner: Any) -> Array:
    """Where the optimum of a function of a suite is: COCO tells it through a file only."""
    with _FOLDER, tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            inner._best_parameter("print")
            [path] = Path().iterdir()
            return np.loadtxt(path)
        finally:
            os.chdir(before)


@cache
def _suite(name: str) -> Any:
    return _coco().Suite(name, "", "")


def _coco() -> Any:
    return import_library("cocoex", "A function of COCO needs coco-experiment")
