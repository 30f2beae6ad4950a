"""The search: an Optimizer suggests, scikit-learn fits and scores."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import Interval

from auger.hosts.sklearn.fits import Candidate, Fits, metric_to_optimize, times
from auger.hosts.sklearn.folds import Folds, OneFold
from auger.hosts.sklearn.spaces import read_space
from auger.hosts.sklearn.stopping import lag
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns
from auger.space import EXHAUSTIVE_LIMIT, Space
from auger.trial import Trial

# The share of their time that jobs should be busy, and not wait for the last fit of a batch.
_BUSY = 0.9


class AugerSearchCV(BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """Search of an estimator's parameters with cross-validation, learning from the scores so far.

    It takes the place of RandomizedSearchCV: the same ways to fit, score, refit and predict, the same attributes
    after a fit (``best_params_``, ``best_score_``, ``best_estimator_``, ``cv_results_`` ...).

    Args:
        estimator: the estimator to tune; pipelines name parameters of their steps as in ``"svc__C"``.
        space: the parameters to search. A `Space`; or a dict of names to `Float`, `Int`, `Categorical`, `Ordinal`,
            ``(low, high)`` pairs, lists of choices (any objects), ranges, or distributions of ``scipy.stats``; or a
            list of such dicts, where each candidate takes its parameters from one dict.
        n_iter: the number of candidates to try. Fewer, with a warning, when the space is smaller.
        scoring: as everywhere in scikit-learn, higher is better. Of several metrics, ``refit`` or ``target`` names the
            one to optimize.
        n_jobs: the number of fits that run at the same time.
        refit: fit the best candidate on all data at the end; the name of the metric to optimize where there are
            several; or a function of ``cv_results_`` that returns the index of the candidate to refit.
        cv: the folds; the same for all candidates, even where a splitter shuffles without a seed.
        target: of several metrics, the one to optimize; None: the one that ``refit`` names.
        recipe: how to suggest: the name of a recipe (see `auger.RECIPES`), with options if wanted
            (``"bore-rf gamma=0.25"``); or a Recipe or Turns of your own.
        batch_size: the number of candidates suggested at a time, without the scores of the others. None: the fewest
            that keep ``n_jobs`` busy. The candidates depend on it: set it to get the same ones on any machine.
            (Without ``early_stopping``, the candidates before the first model, ten with most recipes, are always one
            batch.)
        early_stopping: run candidates fold by fold, and stop a candidate that is clearly worse than the best third.
            Its other folds and its mean score are NaN in ``cv_results_``, and it ranks last.
        verbose, pre_dispatch, error_score, return_train_score: as for RandomizedSearchCV. A candidate that fails (NaN)
            counts as a bad one.
        random_state: for the same candidates every time.

    Beside the usual columns, ``cv_results_`` has ``origin`` and ``reason``, why a candidate was tried, and with
    ``early_stopping`` the column ``is_stopped``.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> from auger import Float
        >>> search = AugerSearchCV(SVC(), {"C": Float(1e-3, 1e3, log=True)}, n_iter=12, random_state=0)
        >>> float(search.fit(*load_iris(return_X_y=True)).best_score_) > 0.95
        True
        >>> str(search.cv_results_["origin"][11])
        'model'
    """

    cv: Any
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "space": [dict, list, tuple, Space],
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "target": [str, None],
        "recipe": [str, Recipe, Turns],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "early_stopping": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        space: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        n_iter: int = 50,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        target: str | None = None,
        recipe: str | Recipe | Turns = "auto",
        batch_size: int | None = None,
        early_stopping: bool = False,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.space = space
        self.n_iter = n_iter
        self.target = target
        self.recipe = recipe
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn takes over many tags of the estimator, but not which targets it accepts
        is_required = tags.target_tags.required
        tags.target_tags = replace(get_tags(self.estimator).target_tags, required=is_required)
        return tags

    def fit(self, X: Any, y: Any = None, **params: Any) -> AugerSearchCV:
        """Search, then refit the best candidate on all data.

        Args:
            X: the data, as the estimator takes it.
            y: the target, where the estimator needs one.
            params: of the estimator's ``fit``, the scorer and the splitter, such as ``sample_weight`` and ``groups``.

        Returns:
            Itself, fitted.
        """
        if not self.early_stopping:
            super().fit(X, y, **params)
            return self
        # scikit-learn asks the splitter how many folds it runs at a time; `Folds` answers one
        cv = self.cv
        folds = Folds(check_cv(cv, y, classifier=is_classifier(self.estimator)))
        self.cv = folds
        try:
            super().fit(X, y, **params)
        finally:
            self.cv = cv
        self.n_splits_ = len(folds.pairs)
        folds.pairs = []
        return self

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        """Suggest, evaluate and learn until there are enough candidates. scikit-learn's `fit` calls this."""
        choose_metric = partial(metric_to_optimize, self.target, self.refit)
        if not callable(self.scoring):  # the metrics of a function are known after the first fit only
            is_many = isinstance(self.scoring, list | tuple | dict)
            choose_metric(list(self.scoring) if is_many else [])  # raises before the first fit, not after it
        fits = Fits(evaluate_candidates, self.error_score, choose_metric)
        search_space = read_space(self.space)
        optimizer = Optimizer(search_space.space, self.recipe, seed=_seed(self.random_state))
        n_candidates = self._n_candidates(search_space.space)
        candidates: list[Candidate] = []
        # Before the first model, suggestions do not depend on scores, so they are one batch. Early stopping needs
        # complete candidates to compare with, so it starts with small batches.
        n_next = self._batch_size(1) if self.early_stopping else optimizer.recipe.at(0, 0).n_initial
        folds: Any = self.cv if self.early_stopping else Folds(self.cv) if hasattr(self.cv, "split") else None
        while len(candidates) < n_candidates:
            trials = optimizer.ask(min(n_next, n_candidates - len(candidates)))
            batch = [Candidate(search_space.params(t.config), t.origin.value, t.reason) for t in trials]
            if self.early_stopping:
                self._race(fits, batch, folds, candidates)
            else:
                fits.run(batch, folds)
            for trial, candidate in zip(trials, batch, strict=True):
                _tell(optimizer, trial, candidate)
            candidates += batch
            n_folds = len(folds.pairs) if self.early_stopping else max(len(c.outcomes) for c in candidates)
            n_next = self._batch_size(1 if self.early_stopping else n_folds)
        self._finish(fits, candidates, n_folds)

    def _race(self, fits: Fits, batch: Sequence[Candidate], folds: Folds, before: Sequence[Candidate]) -> None:
        """Run a batch fold by fold; stop a candidate that failed, or is hopeless compared with the ones ``before``."""
        complete = [c.scores for c in before if not c.is_stopped and math.isfinite(c.mean)]
        running = list(batch)
        for j in count(1):
            fits.run(running, OneFold(folds, j - 1))
            n_folds = len(folds.pairs)
            if j == n_folds:
                return
            for candidate in running:
                if math.isnan(candidate.scores[-1]):
                    candidate.stop(f"failed on fold {j} of {n_folds}")
                elif complete:
                    behind = lag(np.array(candidate.scores), np.array(complete), len(before))
                    if behind.is_hopeless:
                        why = f"{behind.mean:.3g} behind the best third, where noise explains {behind.bound:.3g}"
                        candidate.stop(f"stopped after {j} of {n_folds} folds: {why}", behind.estimate)
            running = [candidate for candidate in running if not candidate.is_stopped]
            if not running:
                return

    def _finish(self, fits: Fits, candidates: Sequence[Candidate], n_folds: int) -> None:
        """Fill ``cv_results_`` with all candidates."""
        outcomes = fits.padded(candidates, n_folds)
        more: dict[str, Any] = {
            "origin": [candidate.origin for candidate in candidates],
            "reason": [candidate.reason for candidate in candidates],
        }
        if self.early_stopping:
            more["is_stopped"] = [candidate.is_stopped for candidate in candidates]
        params = [candidate.params for candidate in candidates]
        with warnings.catch_warnings():
            if all(math.isfinite(score) for candidate in candidates for score in candidate.scores):
                # scores that are missing because a candidate was stopped are no reason for a warning
                warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite")
            table = super()._format_results(params, n_folds, outcomes, more)
        fits.results.clear()
        fits.results.update(table, **times(outcomes, n_folds))

    def _format_results(self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None) -> Any:
        """Keep the outcomes of all batches so far as they are: `_finish` makes the table, once."""
        return {"out": out}

    def _batch_size(self, n_fits: int) -> int:
        """The number of candidates to suggest at a time, when ``n_fits`` fits of each run together."""
        return self.batch_size or batch_size(effective_n_jobs(self.n_jobs), n_fits)

    def _n_candidates(self, space: Space) -> int:
        size = len(space.members) if space.cardinality <= EXHAUSTIVE_LIMIT else math.inf
        if not size or size >= self.n_iter:  # for an empty space, the optimizer raises an error
            return self.n_iter
        warnings.warn(
            f"The space has {size} configurations, fewer than n_iter={self.n_iter}: each is tried once.",
            UserWarning,
            stacklevel=6,  # the line that calls fit
        )
        return int(size)


def batch_size(n_jobs: int, n_fits: int) -> int:
    """The fewest candidates, with ``n_fits`` fits each, that keep the jobs busy nine tenths of the time.

    Fits that take equally long run in rounds of ``n_jobs``, and the last round may be short.

    Example:
        >>> [batch_size(n_jobs, n_fits=5) for n_jobs in (1, 2, 4, 5, 8, 64)]
        [1, 2, 3, 1, 3, 12]
    """
    return next(k for k in count(1) if k * n_fits >= _BUSY * n_jobs * math.ceil(k * n_fits / n_jobs))


def _seed(random_state: Any) -> int:
    """A whole number is the optimizer's own seed; otherwise one is drawn, as scikit-learn does."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _tell(optimizer: Optimizer, trial: Trial, candidate: Candidate) -> None:
    """Scores are maximized, values minimized: the sign changes here, and nowhere else."""
    value = -(candidate.estimate if candidate.is_stopped else candidate.mean)
    if math.isnan(value):
        optimizer.tell(trial, error=candidate.error)
    else:
        optimizer.tell(trial, value, pruned=candidate.is_stopped)
