"""Black boxes with known optima."""

from auger.problems.synthetic import PROBLEMS, Problem, problem

__all__ = ["PROBLEMS", "Problem", "problem"]
