"""What a search says of each candidate with ``verbose``: one plain line."""

from __future__ import annotations

import math

from auger.hosts.sklearn.fits import Candidate


def line(candidate: Candidate, number: int, n_candidates: int | None, best: float, seconds: float) -> str:
    """One line about a candidate.

    Args:
        candidate: with its scores.
        number: of the candidate, from 1.
        n_candidates: how many there will be; None if only time limits them.
        best: the best mean score so far; NaN before there is one.
        seconds: since the search began.

    Example:
        >>> candidate = Candidate(2, {"C": 1.0}, "initial", "", [], [0.5, 0.75])
        >>> line(candidate, 3, 50, 0.9, 12.0)
        '3 of 50: score 0.625, best so far 0.9, 0.0 s (12 s in total)'
    """
    position = f"{number}" if n_candidates is None else f"{number} of {n_candidates}"
    leader = "none so far" if math.isnan(best) else f"best so far {best:.4g}"
    return f"{position}: {_result(candidate)}, {leader}, {candidate.seconds:.1f} s ({seconds:.0f} s in total)"


def _result(candidate: Candidate) -> str:
    if candidate.is_failed:
        return f"failed ({candidate.error})"
    if candidate.is_stopped:
        return f"stopped after {len(candidate.scores)} folds, predicted score {candidate.estimate:.4g}"
    return f"score {candidate.mean:.4g}"
