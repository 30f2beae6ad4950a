"""Whether a candidate is worth another fold.

`auger.curves.early_stopping` predicts where a learning curve ends, from the steps of its trial. Folds are no such
curve: their order means nothing, and all candidates run on the same ones, so candidates are compared fold by fold.

Scores S (n, K) of n candidates on K folds, higher is better, are taken as candidate + fold + noise. The noise is
estimated from the better half of the candidates that ran on all folds: the residuals after row and column means.

The rival of a candidate is the last of the best third. The candidate's mean lag behind its rival over j folds differs
from the lag over all K folds by noise with the variance

    2 sigma^2 (1 / j - 1 / K)

which is 0 for j = K. The candidate is hopeless when its lag is larger than this noise explains. Why the best third and
not the best? A search learns from all good candidates, and a stopped candidate ranks behind all others: a candidate
that might still belong to the best third runs on all folds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from auger.types import Array

# The probability to stop a candidate that on all folds would be no worse than its rival.
_CHANCE = 0.05


@dataclass(frozen=True)
class Lag:
    """How far a candidate is behind its rival.

    Attributes:
        mean: the mean lag over the folds the candidate ran on; negative when it is ahead.
        bound: the largest lag that noise explains; NaN where too few candidates ran on all folds.
        estimate: the predicted mean score over all folds.
    """

    mean: float
    bound: float
    estimate: float

    @property
    def is_hopeless(self) -> bool:
        """Whether noise does not explain the lag."""
        return self.mean > self.bound


def lag(partial: Array, complete: Array, n_candidates: int) -> Lag:
    """Compare a candidate with those that ran on all folds.

    Args:
        partial: shape (j,), its scores on the first j folds.
        complete: shape (n, K), finite scores of the candidates that ran on all folds.
        n_candidates: the number of candidates so far, including the stopped and the failed ones.

    Example:
        >>> complete = np.array([[0.9, 0.8, 0.9], [0.9, 0.7, 0.9], [0.8, 0.7, 0.8], [0.7, 0.7, 0.7]])
        >>> lag(np.array([0.3]), complete, n_candidates=4).is_hopeless
        True
    """
    n, n_folds = complete.shape
    if n < 4:
        return Lag(math.nan, math.nan, float(np.mean(partial)))
    best_first = complete[np.argsort(-complete.mean(axis=1), kind="stable")]
    rival = best_first[min(math.ceil(n_candidates / 3), n) - 1]
    j = len(partial)
    mean = float(np.mean(rival[:j] - partial))
    better = best_first[: math.ceil(n / 2)]
    residuals = better - better.mean(axis=1, keepdims=True) - better.mean(axis=0, keepdims=True) + better.mean()
    freedom = max((len(better) - 1) * (n_folds - 1), 1)
    sigma = math.sqrt(float(np.sum(residuals**2)) / freedom)
    # a candidate is compared K - 1 times, and the comparisons share the probability
    quantile = stats.t.ppf(1 - _CHANCE / max(n_folds - 1, 1), freedom)
    bound = float(quantile) * sigma * math.sqrt(2 * (1 / j - 1 / n_folds))
    return Lag(mean, bound, float(rival.mean()) - mean)
