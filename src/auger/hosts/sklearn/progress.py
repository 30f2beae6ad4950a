"""What a search says of each candidate with ``verbose``: one plain line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auger.hosts.sklearn.fits import Candidate


def line(
    candidate: Candidate, number: int, n_candidates: int | None, leader: str, seconds: float, names: Sequence[str]
) -> str:
    """One line about a candidate.

    Args:
        candidate: with its scores.
        number: of the candidate, from 1.
        n_candidates: how many there will be; None if only time limits them.
        leader: what leads, see `best_so_far` and `on_the_front`.
        seconds: since the search began.
        names: what is optimized.

    Example:
        >>> candidate = Candidate(2, {"C": 1.0}, "initial", "", [], [(0.5,), (0.75,)])
        >>> line(candidate, 3, 50, best_so_far(0.9), 12.0, ["score"])
        '3 of 50: score 0.625, best so far 0.9, 0.0 s (12 s in total)'
    """
    position = f"{number}" if n_candidates is None else f"{number} of {n_candidates}"
    return f"{position}: {_result(candidate, names)}, {leader}, {candidate.seconds:.1f} s ({seconds:.0f} s in total)"


def best_so_far(best: float) -> str:
    """The best mean score so far in words; NaN before there is one."""
    return "none so far" if math.isnan(best) else f"best so far {best:.4g}"


def on_the_front(n: int) -> str:
    """How many candidates no other beats in all objectives."""
    return f"{n} on the front"


def _result(candidate: Candidate, names: Sequence[str]) -> str:
    if candidate.is_failed:
        return f"failed ({candidate.error})"
    if candidate.is_stopped:
        return f"stopped after {len(candidate.scores)} folds, predicted score {candidate.estimate:.4g}"
    return ", ".join(f"{name} {mean:.4g}" for name, mean in zip(names, candidate.means, strict=True))
