"""The ranges of parameters, as far as the trials of a study show them.

An objective may change a range from trial to trial. Rows are encoded on the union of all ranges that a parameter had,
so that old results keep their meaning. Proposals keep to the latest range once ten trials in a row had the same.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

#: So many trials in a row must have the same range before it is settled.
SETTLED = 10


@dataclass
class Range:
    """The distributions that one parameter had.

    Attributes:
        union: the smallest distribution that holds all of the same type as the last one.
        latest: the distribution of the last trial to finish.
        n_agree: how many trials in a row had it, that trial included.
    """

    union: BaseDistribution
    latest: BaseDistribution
    n_agree: int = 0

    @property
    def settled(self) -> BaseDistribution | None:
        """The range that proposals must keep to; None while it is not settled, or is the whole union."""
        return self.latest if self.n_agree >= SETTLED and self.latest != self.union else None


class Ranges:
    """The range of every parameter that a trial had, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, Range] = {}

    def widen(self, distributions: Mapping[str, BaseDistribution]) -> set[str]:
        """Take in the ranges of a trial, running or not. Returns the names of parameters that are new or wider now."""
        changed = set()
        for name, distribution in distributions.items():
            old = self.by_name.get(name)
            if old is None:
                self.by_name[name] = Range(distribution, distribution)
                changed.add(name)
            elif not same(old.union, distribution):
                union = unite(old.union, distribution)
                if not same(union, old.union):
                    old.union = union
                    changed.add(name)
        return changed

    def settle(self, distributions: Mapping[str, BaseDistribution]) -> None:
        """Count the ranges of a finished trial as the latest."""
        for name, distribution in distributions.items():
            own = self.by_name[name]
            own.n_agree = own.n_agree + 1 if same(distribution, own.latest) else 1
            own.latest = distribution


def same(a: BaseDistribution, b: BaseDistribution) -> bool:
    """Whether two distributions are equal; as fast as comparing dicts where they are, which is the usual case."""
    return (type(a) is type(b) and vars(a) == vars(b)) or bool(a == b)


def unite(old: BaseDistribution, new: BaseDistribution) -> BaseDistribution:
    """The smallest distribution with the values of both; the new one where their types or scales differ.

    Example:
        >>> unite(IntDistribution(0, 10, step=5), IntDistribution(2, 8, step=2))
        IntDistribution(high=10, log=False, low=0, step=1)
    """
    if isinstance(old, IntDistribution) and isinstance(new, IntDistribution) and old.log == new.log:
        step = 1 if old.log else math.gcd(old.step, new.step, old.low - new.low)
        return IntDistribution(min(old.low, new.low), max(old.high, new.high), log=old.log, step=step)
    if isinstance(old, FloatDistribution) and isinstance(new, FloatDistribution) and old.log == new.log:
        low, high = min(old.low, new.low), max(old.high, new.high)
        return _stepped(low, high, old, new) or FloatDistribution(low, high, log=old.log)
    return new


def _stepped(low: float, high: float, old: FloatDistribution, new: FloatDistribution) -> FloatDistribution | None:
    """The common grid; None where there is none."""
    if old.step is None or old.step != new.step:
        return None
    offset = (new.low - old.low) / old.step
    if abs(offset - round(offset)) > 1e-8:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna warns that it cut `high` to the grid, which is checked here
        union = FloatDistribution(low, high, step=old.step)
    return union if union.high == high else None
