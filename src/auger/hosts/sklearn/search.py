"""The search: scikit-learn fits and scores, an Optimizer proposes."""

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

from auger.hosts.sklearn.fits import Candidate, Fits, goal, times
from auger.hosts.sklearn.folds import Folds, OneFold
from auger.hosts.sklearn.spaces import SearchSpace, read_space
from auger.hosts.sklearn.stopping import lag
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns
from auger.space import EXHAUSTIVE_LIMIT, Space
from auger.trial import Trial

# Of the time that jobs have, what they should work and not wait for the last of a batch.
_BUSY = 0.9


class AugerSearchCV(BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """Search of an estimator's parameters with cross-validation, learning from the scores so far.

    It takes the place of RandomizedSearchCV: the same ways to fit, score, refit and predict, the same attributes
    after a fit (``best_params_``, ``best_score_``, ``best_estimator_``, ``cv_results_`` ...).

    Args:
        estimator: what to tune; pipelines name parameters of their steps as in ``"svc__C"``.
        space: what to search. A `Space` or a dict of names to `Float`, `Int`, `Categorical`, `Ordinal`, ``(low, high)``
            pairs, lists of choices (any objects), ranges, or distributions of ``scipy.stats``; or a list of such dicts,
            of which each candidate belongs to one.
        n_iter: how many candidates to try. Fewer, with a warning, when the space has no more.
        scoring: as everywhere in scikit-learn, higher is better. Of several, ``refit`` or ``target`` names the one to
            optimize.
        n_jobs: how many fits run at the same time.
        refit: fit the best candidate on all data at the end; the name of the metric to optimize where there are
            several; or a function of ``cv_results_`` that returns the index of the candidate to refit.
        cv: the folds; the same for all candidates, even where a splitter shuffles without a seed.
        target: of several metrics, the one to optimize; None: the one that ``refit`` names.
        recipe: how to propose: the name of a recipe (see `auger.RECIPES`), with options if wanted
            (``"bore-rf gamma=0.25"``); or a Recipe or Turns of your own.
        batch_size: how many candidates are proposed at a time, without knowing each other's scores. None: the fewest
            that keep ``n_jobs`` busy. The candidates depend on it: set it where they should be the same on any machine.
            (Without ``early_stopping``, those before the first model, ten with most recipes, are one batch always.)
        early_stopping: run candidates fold by fold, and stop those that are clearly worse than the best third. Their
            further folds are NaN in ``cv_results_`` and so is their mean score; they rank last.
        verbose, pre_dispatch, error_score, return_train_score: as for RandomizedSearchCV. A candidate that fails (NaN)
            is learned from as a bad one.
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
        # the host passes on much of what its estimator says of itself, but not which targets it takes
        is_required = tags.target_tags.required
        tags.target_tags = replace(get_tags(self.estimator).target_tags, required=is_required)
        return tags

    def fit(self, X: Any, y: Any = None, **params: Any) -> AugerSearchCV:
        """Search, then refit the best candidate on all data.

        Args:
            X: the data, as the estimator takes it.
            y: the target, where it needs one.
            params: of the estimator's ``fit``, the scorer and the splitter, such as ``sample_weight`` and ``groups``.

        Returns:
            Itself, fitted.
        """
        if not self.early_stopping:
            super().fit(X, y, **params)
            return self
        # The host asks its splitter how many folds each candidate runs on: one, when it is one after the other.
        given = self.cv
        folds = Folds(check_cv(given, y, classifier=is_classifier(self.estimator)))
        self.cv = folds
        try:
            super().fit(X, y, **params)
        finally:
            self.cv = given
        self.n_splits_ = len(folds.pairs)
        folds.pairs = []
        return self

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        """Called by the host's fit: propose, have it evaluated, learn, until there are enough."""
        name_goal = partial(goal, self.target, self.refit)
        if not callable(self.scoring):  # which may return several
            is_many = isinstance(self.scoring, list | tuple | dict)
            name_goal(list(self.scoring) if is_many else [])  # who does not say what to optimize should hear of it now
        fits = Fits(evaluate_candidates, self.error_score, name_goal)
        read = read_space(self.space)
        optimizer = Optimizer(read.space, self.recipe, seed=_seed(self.random_state))
        n_candidates = self._n_candidates(read.space)
        candidates: list[Candidate] = []
        # whoever proposes the first has no model yet, and is none the worse for not waiting; but for stopping some of
        # them, others have to be known
        n_next = self._batch_size(1) if self.early_stopping else optimizer.recipe.at(0, 0).n_initial
        folds: Any = self.cv if self.early_stopping else Folds(self.cv) if hasattr(self.cv, "split") else None
        while len(candidates) < n_candidates:
            trials = optimizer.ask(min(n_next, n_candidates - len(candidates)))
            batch = [_candidate(trial, read) for trial in trials]
            if self.early_stopping:
                self._race(fits, batch, folds, candidates)
            else:
                fits.run(batch, folds)
            for trial, candidate in zip(trials, batch, strict=True):
                _tell(optimizer, trial, candidate)
            candidates += batch
            n_folds = len(folds.pairs) if self.early_stopping else max(len(each.outcomes) for each in candidates)
            n_next = self._batch_size(1 if self.early_stopping else n_folds)
        self._finish(fits, candidates, n_folds)

    def _race(self, fits: Fits, batch: Sequence[Candidate], folds: Folds, before: Sequence[Candidate]) -> None:
        """Run a batch fold by fold, leaving out who failed or is hopeless beside those that came before."""
        complete = [each.scores for each in before if not each.is_stopped and math.isfinite(each.mean)]
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
                    found = lag(np.array(candidate.scores), np.array(complete), len(before))
                    if found.is_hopeless:
                        note = f"{found.mean:.3g} behind the best third, where noise explains {found.bound:.3g}"
                        candidate.stop(f"stopped after {j} of {n_folds} folds: {note}", found.estimate)
            running = [candidate for candidate in running if not candidate.is_stopped]
            if not running:
                return

    def _finish(self, fits: Fits, candidates: Sequence[Candidate], n_folds: int) -> None:
        """Fill the host's results with the table of everything."""
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
                # scores that are missing on purpose are nothing to warn of
                warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite")
            table = super()._format_results(params, n_folds, outcomes, more)
        fits.results.clear()
        fits.results.update(table, **times(outcomes, n_folds))

    def _format_results(self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None) -> Any:
        """What the host makes of all outcomes so far, batch after batch. Here they stay as they are, until the end."""
        return {"out": out}

    def _batch_size(self, n_fits: int) -> int:
        """How many candidates to propose at a time, when so many fits of each run together."""
        return self.batch_size or batch_size(effective_n_jobs(self.n_jobs), n_fits)

    def _n_candidates(self, space: Space) -> int:
        size = len(space.members) if space.cardinality <= EXHAUSTIVE_LIMIT else math.inf
        if not size or size >= self.n_iter:  # where there is none, the optimizer says what is wrong
            return self.n_iter
        warnings.warn(
            f"The space has {size} configurations, fewer than n_iter={self.n_iter}: each is tried once.",
            UserWarning,
            stacklevel=6,  # the line that calls fit
        )
        return int(size)


def batch_size(n_jobs: int, n_fits: int) -> int:
    """The fewest candidates, of so many fits each, that keep the jobs busy nine tenths of the time.

    Fits that take equally long run in rounds of ``n_jobs``, of which the last may be short.

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


def _candidate(trial: Trial, read: SearchSpace) -> Candidate:
    return Candidate(read.params(trial.config), trial.origin.value, trial.reason)


def _tell(optimizer: Optimizer, trial: Trial, candidate: Candidate) -> None:
    """Scores are maximized, values minimized: the sign changes here, and nowhere else."""
    value = -(candidate.estimate if candidate.is_stopped else candidate.mean)
    if math.isnan(value):
        optimizer.tell(trial, error=candidate.error)
    else:
        optimizer.tell(trial, value, pruned=candidate.is_stopped)
