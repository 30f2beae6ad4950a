"""What became of the candidates, fold by fold, and the table of it.

The host fits and scores. It hands back an *outcome* for each candidate and fold, a dict with its scores, times and the
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

# How the host says that not one fit of a batch succeeded.
_ALL_FAILED = re.compile(r"\s*All the \d+ fits failed")


@dataclass
class Candidate:
    """One configuration and its fits.

    Attributes:
        params: what the estimator is given.
        origin, reason: who proposed it, and why.
        outcomes: one a fold, as far as it was run; None where the host told no more than that it failed.
        scores: the target's, one an outcome.
        is_stopped: whether folds were left out.
        estimate: where they were, the mean score to expect of all; NaN when it failed.
    """

    params: dict[str, Any]
    origin: str
    reason: str
    outcomes: list[Outcome | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    is_stopped: bool = False
    estimate: float = math.nan

    def stop(self, why: str, estimate: float = math.nan) -> None:
        """Leave out the folds it was not run on."""
        self.is_stopped, self.estimate, self.reason = True, estimate, f"{self.reason}; {why}"

    @property
    def mean(self) -> float:
        """The mean score, as the table will have it; NaN when a fold failed."""
        return float(np.average(np.array([self.scores]), axis=1)[0])

    @property
    def error(self) -> str:
        """What went wrong, in a line."""
        texts = [outcome["fit_error"] for outcome in self.outcomes if outcome and outcome["fit_error"]]
        if texts:
            return str(texts[0]).strip().splitlines()[-1]
        return "all fits of its batch failed" if None in self.outcomes else "its score is NaN"


class Fits:
    """Runs candidates through the host, and remembers what it needs to fill gaps.

    Args:
        evaluate: the host's: fits a list of parameters, and returns its results so far.
        error_score: what a failed fit scores, or "raise".
        goal: names the metric to optimize where there are several, from their names.
    """

    def __init__(
        self, evaluate: Callable[..., dict[str, Any]], error_score: Any, goal: Callable[[Sequence[str]], str | None]
    ) -> None:
        self._evaluate = evaluate
        self._error_score = error_score
        self._goal = goal
        self._n_seen = 0
        self._last_error: ValueError | None = None
        #: What the host returned last, the very dict that will be its ``cv_results_``.
        self.results: dict[str, Any] = {}

    def run(self, candidates: Sequence[Candidate], cv: Any) -> None:
        """Fit them on all folds of ``cv`` (None: the host's) and note the outcomes."""
        try:
            self.results = self._evaluate([candidate.params for candidate in candidates], cv=cv)
        except ValueError as error:
            # The host gives up on a batch of which nothing succeeds. For us that may be a single candidate, and others
            # may do better.
            if self._error_score == "raise" or not _ALL_FAILED.match(str(error)):
                raise
            warnings.warn(str(error), FitFailedWarning, stacklevel=2)
            self._last_error = error
            for candidate in candidates:
                candidate.outcomes.append(None)
                candidate.scores.append(self._error_score)
            return
        new: list[Outcome] = self.results["out"][self._n_seen :]
        self._n_seen += len(new)
        n_folds = len(new) // len(candidates)
        for i, candidate in enumerate(candidates):
            outcomes = new[i * n_folds : (i + 1) * n_folds]
            candidate.outcomes += outcomes
            candidate.scores += [float(self._score(outcome["test_scores"])) for outcome in outcomes]

    def _score(self, scores: Any) -> Any:
        if isinstance(scores, Mapping):
            return scores[self._goal(list(scores))]
        self._goal([])
        return scores

    def padded(self, candidates: Sequence[Candidate], n_folds: int) -> list[Outcome]:
        """The outcomes of all candidates on all folds in one list; the host's error when there is none at all."""
        if not self.results:
            assert self._last_error is not None
            raise self._last_error
        like = self.results["out"][0]
        missing, failed = _blank(like, math.nan), _blank(like, self._error_score)
        return [
            outcome or failed
            for each in candidates
            for outcome in [*each.outcomes, *[missing if each.is_stopped else None] * (n_folds - len(each.outcomes))]
        ]


def goal(target: str | None, refit: Any, metrics: Sequence[str]) -> str | None:
    """The metric to optimize among those there are: the only one, or the one that ``target``, or ``refit``, names.

    Without names there is one metric, which has none.

    Example:
        >>> goal(None, "recall", ["precision", "recall"]), goal("precision", False, ["precision", "recall"])
        ('recall', 'precision')
    """
    if target is not None:
        if target not in metrics:
            known = ", ".join(map(repr, metrics)) or "scoring has one metric, without a name"
            raise ScoringError(f"`target` must be one of several metrics: {known}. Got {target!r}.")
        return target
    if not metrics:
        return None
    if isinstance(refit, str) and refit in metrics:
        return refit
    if len(metrics) == 1:
        return metrics[0]
    known = ", ".join(map(repr, metrics))
    raise ScoringError(
        f"`refit` must name the metric to optimize when there are several: {known}. Got {refit!r}. Where that is what "
        "you want, name the metric with `target`."
    )


def _blank(like: Outcome, score: Any) -> Outcome:
    """An outcome of which only the score is known."""

    def filled(scores: Any) -> Any:
        return dict.fromkeys(scores, score) if isinstance(scores, Mapping) else score

    made = {**like, "fit_error": None, "fit_time": math.nan, "score_time": math.nan}
    made.update({key: filled(like[key]) for key in ("test_scores", "train_scores") if key in like})
    return made


def times(outcomes: Sequence[Outcome], n_folds: int) -> dict[str, Array]:
    """Columns of the table: means and deviations of the times of the folds that were run; NaN where none is known."""
    columns = {}
    for key in ("fit_time", "score_time"):
        known = np.ma.masked_invalid(np.array([outcome[key] for outcome in outcomes]).reshape(-1, n_folds))
        columns[f"mean_{key}"] = known.mean(axis=1).filled(np.nan)
        columns[f"std_{key}"] = known.std(axis=1).filled(np.nan)
    return columns
