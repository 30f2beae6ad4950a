"""Which candidates are not worth another fold.

Scores S (n, K) of n candidates on K folds, higher is better, are taken as candidate + fold + noise. The noise is
estimated from the better half of those run on all folds, as what is left without the means of rows and columns.

A candidate run on j folds is compared, fold by fold, with one of the best third: the worst of them. Its mean lag d
over j folds differs from that over all K by noise with the variance

    2 sigma^2 (1 / j - 1 / K)

(the K folds are all there are: with j = K nothing is left to chance). It is hopeless when d is more than this explains.
Why the best third, and not the best? A search learns from what is good, not only from the winner, and a stopped
candidate ranks behind all others: who might still belong to the best third is run to the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from auger.types import Array

# The chance to stop a candidate that on all folds would be no worse than the one it is compared with.
_CHANCE = 0.05


@dataclass(frozen=True)
class Lag:
    """How far a candidate is behind.

    Attributes:
        mean: the mean lag over the folds it was run on; negative when it is ahead.
        bound: what noise explains. NaN where nothing is known about it.
        estimate: the mean score to expect over all folds.
    """

    mean: float
    bound: float
    estimate: float

    @property
    def is_hopeless(self) -> bool:
        """Whether noise does not explain it."""
        return self.mean > self.bound


def lag(partial: Array, complete: Array, n_candidates: int) -> Lag:
    """Compare a candidate with what is known.

    Args:
        partial: shape (j,), its scores on the first j folds.
        complete: shape (n, K), finite scores of the candidates that were run on all folds.
        n_candidates: how many candidates there were so far, these and the stopped and failed ones.

    Example:
        >>> known = np.array([[0.9, 0.8, 0.9], [0.9, 0.7, 0.9], [0.8, 0.7, 0.8], [0.7, 0.7, 0.7]])
        >>> lag(np.array([0.3]), known, n_candidates=4).is_hopeless
        True
    """
    n, n_folds = complete.shape
    if n < 4:
        return Lag(math.nan, math.nan, float(np.mean(partial)))
    best_first = complete[np.argsort(-complete.mean(axis=1), kind="stable")]
    rival = best_first[min(math.ceil(n_candidates / 3), n) - 1]
    j = len(partial)
    behind = float(np.mean(rival[:j] - partial))
    sigma, freedom = _noise(best_first[: math.ceil(n / 2)])
    # K - 1 looks at each candidate share the chance
    quantile = stats.t.ppf(1 - _CHANCE / max(n_folds - 1, 1), freedom)
    bound = float(quantile) * sigma * math.sqrt(2 * (1 / j - 1 / n_folds))
    return Lag(behind, bound, float(rival.mean()) - behind)


def _noise(scores: Array) -> tuple[float, int]:
    """The standard deviation of what candidate and fold do not explain, and its degrees of freedom."""
    rows, columns = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    left = scores - rows - columns + scores.mean()
    freedom = (scores.shape[0] - 1) * (scores.shape[1] - 1)
    return math.sqrt(float(np.sum(left**2)) / max(freedom, 1)), max(freedom, 1)
