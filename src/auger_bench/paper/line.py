"""Problems of one parameter, x: the function along the whole range, and observations of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auger.history import History
from auger.types import Array, Config
from auger_bench.problems import Problem

# Points of a drawn curve: finer than the pixels.
_N_POINTS = 601


@dataclass(frozen=True)
class Line:
    """A problem along its whole range.

    Attributes:
        X: encoded rows, shape (m, 1).
        x: the parameter, shape (m,).
        value: the noise-free function there, shape (m,).
    """

    X: Array
    x: Array
    value: Array


def line(problem: Problem) -> Line:
    """The noise-free function at even steps over the whole range of x."""
    X = np.linspace(0.0, 1.0, _N_POINTS)[:, None]
    configs = problem.space.decode(X)
    return Line(X, np.array([config["x"] for config in configs]), np.array([problem(config) for config in configs]))


def evaluate(problem: Problem, history: History, config: Config, rng: np.random.Generator) -> None:
    """Add a trial to the history, with the value observed there."""
    assert problem.observe is not None
    history.finish(history.start(config).number, value=problem.observe(config, rng))


def xs(history: History) -> Array:
    """The x of all observations, shape (n,)."""
    return np.array([trial.config["x"] for trial in history])
