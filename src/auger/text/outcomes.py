"""What a trial of several objectives gave, and where a study of them stands, in words."""

from __future__ import annotations

from collections.abc import Mapping

from auger.characters import shown
from auger.text.format import count, number


def numbers(by_name: Mapping[str, float]) -> str:
    """What a trial gave, in one line.

    Example:
        >>> numbers({"size": 1254670.0, "seconds": 0.123456789})
        'size 1,254,670, seconds 0.123457'
    """
    return ", ".join(f"{shown(name)} {number(value)}" for name, value in by_name.items())


def front(n_members: int, n_infeasible: int = 0, n_complete: int = 0) -> str:
    """The trials that no other beats, and how many do not satisfy the outcome constraints.

    Example:
        >>> front(5, 3, 12), front(1)
        ('5 trials that no other beats; 3 of 12 miss a constraint', '1 trial that no other beats')
    """
    members = f"{count(n_members, 'trial')} that no other beats"
    return f"{members}; {infeasible(n_infeasible, n_complete)}" if n_infeasible else members


def infeasible(n_infeasible: int, n_complete: int) -> str:
    """How many of the complete trials do not satisfy the outcome constraints.

    Example:
        >>> infeasible(3, 12)
        '3 of 12 miss a constraint'
    """
    return f"{n_infeasible} of {n_complete} miss a constraint"


def none_satisfies(name: str, n_complete: int) -> str:
    """That no trial satisfies the outcome constraints.

    Example:
        >>> none_satisfies("nets", 12)
        'No trial of nets satisfies the outcome constraints yet; 12 are complete.'
    """
    are = "1 is" if n_complete == 1 else f"{n_complete} are"
    return f"No trial of {shown(name)} satisfies the outcome constraints yet; {are} complete."


def choice(prefer: str | None) -> str:
    """Why a trial of the front is the one to use.

    Example:
        >>> choice("accuracy >= 0.9, size"), choice(None)
        ("chosen by 'accuracy >= 0.9, size'", 'a compromise, for which all objectives count alike')
    """
    return "a compromise, for which all objectives count alike" if prefer is None else f"chosen by {shown(prefer)!r}"


def equal_outcomes(by_name: Mapping[str, float], n: int) -> str:
    """That all trials of a study had the same values of several objectives.

    Example:
        >>> equal_outcomes({"size": 3.0, "seconds": 1.5}, 5)[:75]
        'All 5 different settings so far had exactly the same values: size 3, second'
    """
    return (
        f"All {n} different settings so far had exactly the same values: {numbers(by_name)}. Perhaps they do not reach "
        "the program, or the numbers that are read are not its results: `auger try` shows the command and their lines."
    )
