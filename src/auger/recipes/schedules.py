"""Schedules: gammas that depend on the number of answers, by name.

n              answers so far
gamma(n)       the share of them that counts as good, in (0, 1)

A fixed share of many answers is many: of 3,000 answers, a gamma of 1/3 calls 1,000 good. A schedule becomes stricter as
answers come in. `auger.labels` rounds the number of good answers up, and leaves each class at least one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

# HyperOpt and Optuna never call more answers good.
_MOST = 25


def linear(n: int) -> float:
    """A tenth, at most 25 answers: the default of Optuna's TPE.

    Example:
        >>> [round(n * linear(n)) for n in (2, 10, 11, 100, 250, 1000)]
        [1, 1, 2, 10, 25, 25]
    """
    return _share(math.ceil(n / 10), n)


def sqrt(n: int) -> float:
    """A quarter of the square root, at most 25 answers: the default of HyperOpt's TPE.

    Example:
        >>> [round(n * sqrt(n)) for n in (2, 16, 17, 100, 1000, 100_000)]
        [1, 1, 2, 3, 8, 25]
    """
    return _share(math.ceil(0.25 * math.sqrt(n)), n)


def decay(n: int) -> float:
    """1/2 up to ten answers, then ever less: section 3.1 of the paper suggests a perfect balance to begin with.

    The paper does not say what comes then. Here the share falls with the root of n, so that the number of good answers
    still grows: the paper warns that few of them make a classifier unstable.

    Example:
        >>> [round(n * decay(n), 1) for n in (2, 10, 40, 1000)]
        [1.0, 5.0, 10.0, 50.0]
    """
    return 0.5 * math.sqrt(10 / max(n, 10))


def _share(n_good: int, n: int) -> float:
    return min(n_good, _MOST) / max(n, 2)  # of a single answer, the share would be 1, which is not below 1


#: Every schedule by its name.
SCHEDULES: dict[str, Callable[[int], float]] = {"linear": linear, "sqrt": sqrt, "decay": decay}
