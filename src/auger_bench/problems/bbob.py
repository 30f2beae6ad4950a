"""COCO's test functions: 24 noise-free functions of real numbers (bbob), and the same with whole numbers (bbob-mixint).

A name has the number of the function, the dimension and the instance, which places the optimum and turns the axes:
``bbob-f8-d10-i2``. In bbob-mixint four fifths of the parameters are whole numbers, with 2, 4, 8 and 16 values in turn.

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
from typing import Any

import numpy as np

from auger.errors import AugerError
from auger.space import Float, Int, Space
from auger.types import Array, Config
from auger_bench.problems.interface import Problem, import_library

_NAME = re.compile(r"bbob(-mixint)?-f([1-9][0-9]?)-d([1-9][0-9]{0,2})-i([1-9][0-9]?)")
_N_FUNCTIONS = 24
_MOST_INSTANCES = 15
_MIXED_DIMENSIONS = (5, 10, 20, 40, 80, 160)
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
            f"A function of COCO must be named as in 'bbob-f8-d10-i2' or 'bbob-mixint-f8-d10-i2'. Got {name!r}."
        )
    is_mixed, (function, dimension, instance) = bool(match[1]), map(int, match.groups()[1:])
    if function > _N_FUNCTIONS or instance > _MOST_INSTANCES:
        raise AugerError(
            f"COCO has the functions 1 to {_N_FUNCTIONS}, and instances 1 to {_MOST_INSTANCES} of each. Got {name!r}."
        )
    return _mixed(name, function, dimension, instance) if is_mixed else _real(name, function, dimension, instance)


def _real(name: str, function: int, dimension: int, instance: int) -> Problem:
    if not 2 <= dimension <= _MOST_DIMENSIONS:
        raise AugerError(f"The dimension of a bbob function must be from 2 to {_MOST_DIMENSIONS}. Got {name!r}.")
    inner = _coco().BareProblem("bbob", function, dimension, instance)
    return _problem(name, (), dimension, inner, np.asarray(inner.best_parameter()), float(inner.best_value()))


def _mixed(name: str, function: int, dimension: int, instance: int) -> Problem:
    if dimension not in _MIXED_DIMENSIONS:
        allowed = ", ".join(map(str, _MIXED_DIMENSIONS))
        raise AugerError(f"The dimension of a bbob-mixint function must be one of {allowed}. Got {name!r}.")
    inner = _suite().get_problem_by_function_dimension_instance(function, dimension, instance)
    tops = inner.upper_bounds[: inner.number_of_integer_variables].astype(int).tolist()
    best = _best_of(inner)
    return _problem(name, tops, dimension, inner, best, float(inner(best)))


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
def _suite() -> Any:
    return _coco().Suite("bbob-mixint", "", "")


def _coco() -> Any:
    return import_library("cocoex", "A function of COCO needs coco-experiment")
