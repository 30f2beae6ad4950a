"""Problems by name, for command lines and benchmarks."""

from __future__ import annotations

from auger.errors import AugerError, nearest
from auger.problems.interface import Problem
from auger.problems.racing import TRACKS, racing
from auger.problems.robot_pushing import robot_pushing
from auger.problems.synthetic import SYNTHETIC
from auger.problems.tabular import TABULAR, tabular

#: The names that `problem` knows.
PROBLEMS = (*SYNTHETIC, *TABULAR, "robot-pushing", *(f"racing-{track}" for track in TRACKS))


def problem(name: str) -> Problem:
    """The problem of that name.

    Raises:
        AugerError: no such problem.
        DataError: a library or data file that it needs is not on this machine; the message says what provides it.

    Example:
        >>> round(problem("branin").optimum, 6)
        0.397887
    """
    if name in SYNTHETIC:
        return SYNTHETIC[name]()
    if name in TABULAR:
        return tabular(name)
    if name == "robot-pushing":
        return robot_pushing()
    if name in PROBLEMS:
        return racing(name.removeprefix("racing-"))
    raise AugerError(f"`name` must be a known problem. Got {name!r}. {nearest(name, PROBLEMS)}")
