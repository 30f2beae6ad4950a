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
