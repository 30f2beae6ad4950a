"""Black boxes to minimize: test functions with known optima, and the problems of the paper.

>>> from auger_bench.problems import problem
>>> problem("hartmann6").space.names
['x0', 'x1', 'x2', 'x3', 'x4', 'x5']
"""

from auger_bench.outcome import Outcome
from auger_bench.problems.interface import DataError, EvaluationError, Problem
from auger_bench.problems.names import PROBLEMS, SEVERAL, SYNTHETIC, problem
from auger_bench.problems.wrappers import crashing, idle, noisy, shifted

__all__ = [
    "PROBLEMS",
    "SEVERAL",
    "SYNTHETIC",
    "DataError",
    "EvaluationError",
    "Outcome",
    "Problem",
    "crashing",
    "idle",
    "noisy",
    "problem",
    "shifted",
]
