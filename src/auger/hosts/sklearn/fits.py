"""The candidates of a search, their results on each fold, and the table of them.

scikit-learn fits and scores. It returns one *outcome* per candidate and fold: a dict with the scores, the times and the
traceback of a fit that failed.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning

from auger.errors import ScoringError
from auger.types import Array

Outcome = dict[str, Any]

# The message of scikit-learn when no fit of a batch succeeded.
_ALL_FAILED = re.compile(r"\s*All the \d+ fits failed")


@dataclass
class Candidate:
    """One configuration and its fits.

    Attributes:
        params: the parameters that the estimator gets.
        origin, reason: where the suggestion came from, and why it was made.
        outcomes: one per fold that was run; None where all that is known is that its batch failed.
        scores: of the metric to optimize, one per outcome.
        is_stopped: whether folds were left out.
        estimate: the predicted mean score over all folds of a stopped candidate; NaN when it failed.
    """

    params: dict[str, Any]
    origin: str
    reason: str
    outcomes: list[Outcome | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    is_stopped: bool = False
    estimate: float = math.nan

    def stop(self, why: str, estimate: float = math.nan) -> None:
        """Leave out the remaining folds."""
        self.is_stopped, self.estimate, self.reason = True, estimate, f"{self.reason}; {why}"

    @property
    def mean(self) -> float:
        """The mean score, as in ``cv_results_``; NaN when a fold failed."""
        return float(np.average(np.array([self.scores]), axis=1)[0])

    @property
    def error(self) -> str:
        """The last line of the first traceback, or what else is known of the failure."""
        tracebacks = [outcome["fit_error"] for outcome in self.outcomes if outcome and outcome["fit_error"]]
        if tracebacks:
            return str(tracebacks[0]).strip().splitlines()[-1]
        return "all fits of its batch failed" if None in self.outcomes else "its score is NaN"


class Fits:
    """Runs candidates through scikit-learn and collects their outcomes.

    Args:
        evaluate: scikit-learn's function that fits a list of parameters, and returns its results so far.
        error_score: the score of a failed fit, or "raise".
        choose_metric: returns the metric to optimize from the names of all metrics.
    """

    def __init__(
        self,
        evaluate: Callable[..., dict[str, Any]],
        error_score: Any,
        choose_metric: Callable[[Sequence[str]], str | None],
    ) -> None:
        self._evaluate = evaluate
        self._error_score = error_score
        self._choose_metric = choose_metric
        self._n_outcomes = 0
        self._last_error: ValueError | None = None
        #: The dict that ``evaluate`` returned last. scikit-learn makes this very object its ``cv_results_``.
        self.results: dict[str, Any] = {}

    def run(self, candidates: Sequence[Candidate], cv: Any) -> None:
        """Fit the candidates on all folds of ``cv`` (None: scikit-learn's own) and add the outcomes to them."""
        try:
            self.results = self._evaluate([candidate.params for candidate in candidates], cv=cv)
        except ValueError as error:
            # scikit-learn raises when no fit of a batch succeeds. Here a batch may be one candidate, and others may
            # succeed.
            if self._error_score == "raise" or not _ALL_FAILED.match(str(error)):
                raise
            warnings.warn(str(error), FitFailedWarning, stacklevel=2)
            self._last_error = error
            for candidate in candidates:
                candidate.outcomes.append(None)
                candidate.scores.append(self._error_score)
            return
        new: list[Outcome] = self.results["out"][self._n_outcomes :]
        self._n_outcomes += len(new)
        n_folds = len(new) // len(candidates)
        for i, candidate in enumerate(candidates):
            outcomes = new[i * n_folds : (i + 1) * n_folds]
            candidate.outcomes += outcomes
            candidate.scores += [float(self._score(outcome["test_scores"])) for outcome in outcomes]

    def _score(self, scores: Any) -> Any:
        if isinstance(scores, Mapping):
            return scores[self._choose_metric(list(scores))]
        self._choose_metric([])
        return scores

    def padded(self, candidates: Sequence[Candidate], n_folds: int) -> list[Outcome]:
        """The outcomes of all candidates on all folds in one list; scikit-learn's error when every fit failed."""
        if not self.results:
            assert self._last_error is not None
            raise self._last_error
        example = self.results["out"][0]
        missing, failed = _blank(example, math.nan), _blank(example, self._error_score)
        outcomes = []
        for candidate in candidates:
            rest = [missing if candidate.is_stopped else failed] * (n_folds - len(candidate.outcomes))
            outcomes += [*(outcome or failed for outcome in candidate.outcomes), *rest]
        return outcomes


def metric_to_optimize(target: str | None, refit: Any, metrics: Sequence[str]) -> str | None:
    """The name of the metric to optimize: the only one, or the one that ``target``, or else ``refit``, names.

    No ``metrics`` means a single metric without a name, and the result is None.

    Example:
        >>> metric_to_optimize(None, "recall", ["precision", "recall"])
        'recall'
    """
    if target is not None:
        if target not in metrics:
            listed = ", ".join(map(repr, metrics)) or "`scoring` has one metric, without a name"
            raise ScoringError(f"`target` must be one of several metrics: {listed}. Got {target!r}.")
        return target
    if not metrics:
        return None
    if isinstance(refit, str) and refit in metrics:
        return refit
    if len(metrics) == 1:
        return metrics[0]
    raise ScoringError(
        f"`refit` must name the metric to optimize when there are several: {', '.join(map(repr, metrics))}. "
        f"Got {refit!r}. To keep this `refit`, name the metric with `target`."
    )


def _blank(example: Outcome, score: Any) -> Outcome:
    """An outcome with the keys of the example, the same ``score`` for every metric, and no times."""

    def filled(scores: Any) -> Any:
        return dict.fromkeys(scores, score) if isinstance(scores, Mapping) else score

    scores: Outcome = {key: filled(example[key]) for key in ("test_scores", "train_scores") if key in example}
    return {**example, "fit_error": None, "fit_time": math.nan, "score_time": math.nan, **scores}


def times(outcomes: Sequence[Outcome], n_folds: int) -> dict[str, Array]:
    """Columns of ``cv_results_``: mean and deviation of the times over the folds that were run; NaN without any."""
    columns = {}
    for key in ("fit_time", "score_time"):
        seconds = np.ma.masked_invalid(np.array([outcome[key] for outcome in outcomes]).reshape(-1, n_folds))
        columns[f"mean_{key}"] = seconds.mean(axis=1).filled(np.nan)
        columns[f"std_{key}"] = seconds.std(axis=1).filled(np.nan)
    return columns
