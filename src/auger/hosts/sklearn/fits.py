"""The candidates of a search, their results on each fold, and the table of them.

scikit-learn fits and scores. It returns one *outcome* per candidate and fold: a dict with the scores, the times and the
traceback of a fit that failed.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning

from auger.errors import ScoringError
from auger.hosts.sklearn.targets import measured
from auger.types import Array

Outcome = dict[str, Any]

# The message of scikit-learn when no fit of a batch succeeded.
_ALL_FAILED = re.compile(r"\s*All the \d+ fits failed")


@dataclass(eq=False)
class Candidate:
    """One configuration and its fits.

    Attributes:
        number: of its trial.
        params: the parameters that the estimator gets.
        origin: where the suggestion came from.
        why: why it was suggested.
        outcomes: one per fold that was run; None where all that is known is that its batch failed.
        scores: of what is optimized, one tuple per outcome, with one number per objective.
        failure: what is known of a failure of the whole batch.
        why_stopped: why folds were left out; empty where none were.
        estimate: the predicted mean score over all folds of a stopped candidate; NaN when it failed.
    """

    number: int
    params: dict[str, Any]
    origin: str
    why: str
    outcomes: list[Outcome | None] = field(default_factory=list)
    scores: list[tuple[float, ...]] = field(default_factory=list)
    failure: str = ""
    why_stopped: str = ""
    estimate: float = math.nan

    def reset(self) -> None:
        """Forget the fits, which were interrupted."""
        self.outcomes, self.scores, self.failure, self.why_stopped, self.estimate = [], [], "", "", math.nan

    def stop(self, why: str, estimate: float = math.nan) -> None:
        """Leave out the remaining folds."""
        self.why_stopped, self.estimate = why, estimate

    @property
    def is_stopped(self) -> bool:
        """Whether folds were left out."""
        return bool(self.why_stopped)

    @property
    def reason(self) -> str:
        """Why it was tried, and why it was stopped."""
        return f"{self.why}; {self.why_stopped}" if self.is_stopped else self.why

    @property
    def means(self) -> tuple[float, ...]:
        """The mean score per objective, as in ``cv_results_``; NaN when a fold failed."""
        columns = zip(*self.scores, strict=True)
        with np.errstate(invalid="ignore"):  # infinities of both signs
            return tuple(float(np.average(np.array([column]), axis=1)[0]) for column in columns)

    @property
    def mean(self) -> float:
        """That of the first objective."""
        return self.means[0]

    @property
    def values(self) -> tuple[float, ...]:
        """What the search learns: the means, of a stopped candidate the predicted one. One not finite: it failed."""
        return (self.estimate,) if self.is_stopped else self.means

    @property
    def is_failed(self) -> bool:
        """Whether a score is not finite."""
        return not all(map(math.isfinite, self.values))

    @property
    def is_complete(self) -> bool:
        """Whether it ran on all folds, and has a finite score."""
        return not self.is_stopped and not self.is_failed

    @property
    def error(self) -> str:
        """The last line of the first traceback, or what else is known of the failure."""
        tracebacks = [outcome["fit_error"] for outcome in self.outcomes if outcome and outcome["fit_error"]]
        if tracebacks:
            return str(tracebacks[0]).strip().splitlines()[-1]
        wrong = [score for scores in self.scores for score in scores if not math.isfinite(score)]
        return self.failure or f"its score is {'NaN' if math.isnan(wrong[0]) else wrong[0]}"

    @property
    def seconds(self) -> float:
        """What its fits and scores took in total, as far as it is known."""
        return float(sum(outcome["fit_time"] + outcome["score_time"] for outcome in self.outcomes if outcome))


class Fits:
    """Runs candidates through scikit-learn and collects their outcomes.

    Args:
        evaluate: scikit-learn's function that fits a list of parameters, and returns its results so far.
        error_score: the score of a failed fit, or "raise".
        choose_metrics: returns what is optimized, from the names of all metrics.
        failed: what is learned of a candidate whose whole batch failed, one number per objective.
        example: an outcome of the fit that is continued, which new ones must look like.
    """

    def __init__(
        self,
        evaluate: Callable[..., dict[str, Any]],
        error_score: Any,
        choose_metrics: Callable[[Sequence[str]], tuple[str | None, ...]],
        failed: tuple[float, ...],
        example: Outcome | None = None,
    ) -> None:
        self._evaluate = evaluate
        self._error_score = error_score
        self._choose_metrics = choose_metrics
        self._failed = failed
        self._example = example
        self._n_outcomes = 0
        #: The last error of a batch in which every fit failed.
        self.last_error: ValueError | None = None
        #: How many candidates failed before scikit-learn warned of it; None before a failure.
        self.n_reported: int | None = None
        #: The dict that ``evaluate`` returned last. scikit-learn makes this very object its ``cv_results_``.
        self.results: dict[str, Any] = {}

    def run(self, candidates: Sequence[Candidate], cv: Any) -> None:
        """Fit the candidates on all folds of ``cv`` (None: scikit-learn's own) and add the outcomes to them."""
        try:
            with warnings.catch_warnings() if self.n_reported is not None else nullcontext():
                if self.n_reported is not None:  # a warning with a traceback for each batch would be a flood
                    warnings.simplefilter("ignore", FitFailedWarning)
                self.results = self._evaluate([candidate.params for candidate in candidates], cv=cv)
        except ValueError as error:
            # scikit-learn raises when no fit of a batch succeeds. Here a batch may be one candidate, and others may
            # succeed.
            if self._error_score == "raise" or not _ALL_FAILED.match(str(error)):
                raise
            self._fail(candidates, error)
            return
        new: list[Outcome] = self.results["out"][self._n_outcomes :]
        self._check(new[0])
        self._n_outcomes += len(new)
        n_folds = len(new) // len(candidates)
        for i, candidate in enumerate(candidates):
            outcomes = new[i * n_folds : (i + 1) * n_folds]
            candidate.outcomes += outcomes
            candidate.scores += [self._scores(outcome) for outcome in outcomes]
        n_failed = sum(any(outcome and outcome["fit_error"] for outcome in c.outcomes) for c in candidates)
        if n_failed and self.n_reported is None:
            self.n_reported = n_failed

    def _fail(self, candidates: Sequence[Candidate], error: ValueError) -> None:
        if self.n_reported is None:
            warnings.warn(str(error), FitFailedWarning, stacklevel=2)
            self.n_reported = len(candidates)
        self.last_error = error
        line = str(error).strip().splitlines()[-1]
        failure = line if len(candidates) == 1 else f"all fits of its batch failed, the last with {line}"
        for candidate in candidates:
            candidate.outcomes.append(None)
            candidate.scores.append(self._failed)
            candidate.failure = failure

    def _check(self, outcome: Outcome) -> None:
        """Refuse outcomes that do not fit into one table with those of the fit that is continued."""
        if self._example is not None and _columns(outcome) != _columns(self._example):
            raise ScoringError(
                "A search that `warm_start` continues must have the same metrics, and the same `return_train_score`. "
                f"It had {', '.join(_columns(self._example))}. Got {', '.join(_columns(outcome))}."
            )

    def _scores(self, outcome: Outcome) -> tuple[float, ...]:
        scores = outcome["test_scores"]
        metrics = list(scores) if isinstance(scores, Mapping) else []
        return tuple(measured(outcome, name) for name in self._choose_metrics(metrics))


def example_of(candidates: Sequence[Candidate]) -> Outcome | None:
    """The first outcome that scikit-learn returned; None if it returned none because all fits failed."""
    return next((outcome for candidate in candidates for outcome in candidate.outcomes if outcome), None)


def metrics_of(outcome: Outcome) -> list[str]:
    """The names of the metrics, as in the columns of ``cv_results_``: "score" for a single one without a name."""
    scores = outcome["test_scores"]
    return list(scores) if isinstance(scores, Mapping) else ["score"]


def _columns(outcome: Outcome) -> list[str]:
    parts = [part for part in ("test", "train") if f"{part}_scores" in outcome]
    return [f"{part}_{metric}" for part in parts for metric in sorted(metrics_of(outcome))]


def padded(candidates: Sequence[Candidate], n_folds: int, error_score: Any) -> list[Outcome]:
    """The outcomes of all candidates on all folds in one list."""
    example = example_of(candidates)
    assert example is not None
    missing, failed = _blank(example, math.nan), _blank(example, error_score)
    outcomes = []
    for candidate in candidates:
        rest = [missing if candidate.is_stopped else failed] * (n_folds - len(candidate.outcomes))
        outcomes += [*(outcome or failed for outcome in candidate.outcomes), *rest]
    return outcomes


def without_infinities(outcome: Outcome) -> Outcome:
    """The outcome with NaN in place of an infinite score: scikit-learn ranks infinity first, and NaN last."""

    def finite(score: Any) -> Any:
        return score if math.isfinite(score) else math.nan

    scores = outcome["test_scores"]
    is_named = isinstance(scores, Mapping)
    kept = {key: finite(score) for key, score in scores.items()} if is_named else finite(scores)
    return {**outcome, "test_scores": kept}


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
