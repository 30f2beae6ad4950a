"""The optimizers that the benchmark compares: our recipes, and the optimizers of other libraries."""

from auger_bench.methods.interface import Entry, Method, MissingLibraryError
from auger_bench.methods.names import METHODS, method

__all__ = ["METHODS", "Entry", "Method", "MissingLibraryError", "method"]
