"""A run in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from auger.text.format import count, number
from auger.types import Config


def trials(states: Iterable[str]) -> str:
    """How many trials there are, and in which states.

    Example:
        >>> trials(["complete", "failed", "complete"]), trials([]), trials(["running"])
        ('3 trials: 2 complete, 1 failed', 'no trials', '1 trial: 1 running')
    """
    counts = Counter(states)
    if not counts:
        return "no trials"
    listed = ", ".join(f"{n} {state}" for state, n in counts.most_common())
    return f"{count(counts.total(), 'trial')}: {listed}"


def ended(n_complete: int, n_failed: int, n_pruned: int) -> str:
    """How the trials of a run have ended.

    Example:
        >>> ended(1200, 2, 0)
        '1,200 complete, 2 failed'
    """
    counts = ((n_complete, "complete"), (n_failed, "failed"), (n_pruned, "pruned"))
    return ", ".join(f"{n:,} {how}" for n, how in counts if n)


def best(value: float, config: Config) -> str:
    """The best value of a run and its configuration.

    Example:
        >>> best(0.123456789, {"x": 0.5})
        "best 0.123457 at {'x': 0.5}"
    """
    return f"best {number(value)} at {config!r}"


def no_locks(storage: str, company: str | None = None) -> str:
    """That files have no locks where a study is stored, and which process works on the study there, if one does.

    Example:
        >>> no_locks("a.journal")[:46]
        'The file system of a.journal has no file locks'
    """
    beside = "" if company is None else f" Here, {company}."
    return (
        f"The file system of {storage} has no file locks: only one process at a time may work on its studies.{beside} "
        "For several, use PostgreSQL or another file system."
    )
