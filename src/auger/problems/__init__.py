"""Black boxes to minimize: test functions with known optima, and the problems of the paper.

>>> from auger.problems import problem
>>> problem("hartmann6").space.names
['x0', 'x1', 'x2', 'x3', 'x4', 'x5']
"""

from auger.problems.interface import DataError, EvaluationError, Problem
from auger.problems.names import PROBLEMS, SYNTHETIC, problem
from auger.problems.wrappers import crashing, noisy, shifted

__all__ = [
    "PROBLEMS",
    "SYNTHETIC",
    "DataError",
    "EvaluationError",
    "Problem",
    "crashing",
    "noisy",
    "problem",
    "shifted",
]
