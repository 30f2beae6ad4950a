"""Black boxes with known optima."""

from auger.problems.interface import DataError, Problem
from auger.problems.synthetic import PROBLEMS, problem

__all__ = ["PROBLEMS", "DataError", "Problem", "problem"]
