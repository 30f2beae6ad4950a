"""The ranges of parameters, as far as an objective has shown them.

An objective may change a range from trial to trial. Rows are encoded on the union of all ranges a parameter had, so
that old results keep their meaning; proposals keep to the latest one once so many trials in a row have agreed on it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

#: Trials in a row that must have had the same range for it to be taken as settled.
SETTLED = 10


@dataclass
class Range:
    """What was seen of one parameter.

    Attributes:
        union: the smallest distribution that holds all that were seen, as far as they are of a kind.
        latest: the one of the last trial to finish, and `n_agree` how many before it, itself included, had the same.
    """

    union: BaseDistribution
    latest: BaseDistribution
    n_agree: int = 0

    @property
    def settled(self) -> BaseDistribution | None:
        """The range that proposals have to keep, where it is not the whole union."""
        return self.latest if self.n_agree >= SETTLED and self.latest != self.union else None


class Ranges:
    """Every parameter that was seen, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, Range] = {}

    def widen(self, distributions: Mapping[str, BaseDistribution]) -> set[str]:
        """Take in the ranges of a trial, running or not. Returns the names of those that are new or wider now."""
        changed = set()
        for name, distribution in distributions.items():
            known = self.by_name.get(name)
            if known is None:
                self.by_name[name] = Range(distribution, distribution)
                changed.add(name)
            elif not same(known.union, distribution):
                union = unite(known.union, distribution)
                if not same(union, known.union):
                    known.union = union
                    changed.add(name)
        return changed

    def settle(self, distributions: Mapping[str, BaseDistribution]) -> None:
        """Count the ranges of a finished trial as the latest."""
        for name, distribution in distributions.items():
            known = self.by_name[name]
            known.n_agree = known.n_agree + 1 if same(distribution, known.latest) else 1
            known.latest = distribution


def same(a: BaseDistribution, b: BaseDistribution) -> bool:
    """Whether two distributions are equal; at the speed of dicts where they plainly are, which is the usual case."""
    return (type(a) is type(b) and vars(a) == vars(b)) or bool(a == b)


def unite(old: BaseDistribution, new: BaseDistribution) -> BaseDistribution:
    """The smallest distribution with the values of both; the new one where they are of different kinds.

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
    """The common grid, where they have one."""
    if old.step is None or old.step != new.step:
        return None
    offset = (new.low - old.low) / old.step
    if abs(offset - round(offset)) > 1e-8:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that high was cut to the grid, which we look at ourselves
        made = FloatDistribution(low, high, step=old.step)
    return made if made.high == high else None
