"""The search: an Optimizer suggests, scikit-learn fits and scores."""

from __future__ import annotations

import math
import numbers
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import Interval

from auger.errors import AugerError, ConfigError, RecipeError, ScoringError, SpaceError, StopSearch
from auger.hosts.sklearn import progress
from auger.hosts.sklearn.fits import (
    Candidate,
    Fits,
    example_of,
    metrics_of,
    padded,
    times,
    without_infinities,
)
from auger.hosts.sklearn.folds import Folds, KeptFolds, OneFold
from auger.hosts.sklearn.run import Run
from auger.hosts.sklearn.spaces import SearchSpace, is_same_space, may_be_same, read_space
from auger.hosts.sklearn.stopping import lag
from auger.hosts.sklearn.targets import TIMES, metrics_to_optimize, preference_of, several_objectives
from auger.optimizer import Optimizer
from auger.preference import Preference
from auger.recipes import Recipe, Turns, as_recipe
from auger.space import Space
from auger.trial import Trial

# The share of their time that jobs should be busy, and not wait for the last fit of a batch.
_BUSY = 0.9

# What a fit learns of the best candidate.
_OF_THE_BEST = ("best_index_", "best_params_", "best_score_", "best_estimator_", "refit_time_")


@dataclass
class _Fit:
    """One call of `fit`.

    Attributes:
        run: what was tried so far, in earlier fits that it continues, too.
        n_more: the number of candidates to try; None if only time limits them.
        folds: the folds.
        verbose: what the user set.
        began: when, on a clock that only goes forward.
        preference: which candidate of the front is refitted; None for a single objective, and where that is the
            matter of a function or of nobody.
    """

    run: Run
    n_more: int | None
    folds: Folds
    verbose: int
    began: float
    preference: Preference | None = None

    def __post_init__(self) -> None:
        self.n_before = len(self.run.candidates)

    @property
    def n_done(self) -> int:
        """The number of candidates with a result."""
        return len(self.run.candidates) - self.n_before

    @property
    def n_all(self) -> int | None:
        """The number of candidates that there will be, with those of earlier fits."""
        return None if self.n_more is None else self.n_before + self.n_more

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began


class AugerSearchCV(BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """Search of an estimator's parameters with cross-validation, learning from the scores so far.

    It takes the place of RandomizedSearchCV: the same arguments, the same ways to fit, score, refit and predict, the
    same attributes after a fit (``best_params_``, ``best_score_``, ``best_estimator_``, ``cv_results_`` ...).

    Args:
        estimator: the estimator to tune; pipelines name parameters of their steps as in ``"svc__C"``.
        param_distributions: the parameters to search. A `Space`; or a dict of names to `Float`, `Int`, `Categorical`,
            `Ordinal`, ``(low, high)`` pairs of numbers, lists of choices (any objects), ranges, or distributions of
            ``scipy.stats``; or a list of such dicts, where each candidate takes its parameters from one dict. A tuple
            that is not two numbers is a list of choices: ``("linear", "rbf")``, ``(True, False)``, ``(1, 2, 4)``.
        n_iter: the number of candidates to try. Fewer, with a warning, when the space is smaller. None: until
            ``timeout`` ends the search, a callback does, or the whole space was tried.
        scoring: as everywhere in scikit-learn, higher is better. Of several metrics, ``refit`` or ``target`` names the
            one to optimize, or ``target`` lists several.
        n_jobs: the number of fits that run at the same time.
        refit: fit the best candidate on all data at the end; the name of the metric to optimize where there are
            several; or a function of ``cv_results_`` that returns the index of the candidate to refit. Where ``target``
            lists several objectives, it names the candidate of the front: the name of an objective for the best in it,
            a preference such as ``"accuracy >= 0.9, fit_time"``, a dict of names and weights (see `auger.preference`),
            or such a function; True is refused.
        cv: the folds; the same for all candidates, even where a splitter shuffles without a seed.
        space: another name of ``param_distributions``. Setting one of them with ``set_params`` unsets the other.
        target: of several metrics, the one to optimize; None: the one that ``refit`` names. A list optimizes several
            objectives at once: metrics of ``scoring`` (``"score"`` where it has no names), which are maximized, and
            ``"fit_time"`` and ``"score_time"``, the seconds per fold that scikit-learn measures, which are minimized.
        recipe: how to suggest: the name of a recipe (see `auger.RECIPES`), with options if wanted
            (``"bore-rf gamma=0.25"``); or a Recipe or Turns of your own.
        batch_size: the number of candidates suggested at a time, without the scores of the others. None: the fewest
            that keep ``n_jobs`` busy. The candidates depend on it: set it to get the same ones on any machine.
        early_stopping: run candidates fold by fold, and stop a candidate that is clearly worse than the best third.
            Its other folds and its mean score are NaN in ``cv_results_``, and it ranks last. Not for several
            objectives.
        enqueue: candidates to try before any other, as a list of dicts such as ``[{"C": 1.0}]``. The search suggests
            what a dict leaves out. They count towards ``n_iter``.
        timeout: seconds after which no new candidate begins; those that run are finished. One batch always runs.
        callback: a function, or a list of functions, called with each finished `Trial` in the order of their numbers;
            its value is the mean score. A callback ends the search by raising `auger.StopSearch`.
        warm_start: let another ``fit`` continue this search: it tries ``n_iter`` more candidates, learns from the
            earlier ones, and keeps them in ``cv_results_``. Pass the same data: scores on other data cannot be
            compared. Another space, estimator, metric or recipe, other folds and another number of rows are refused;
            other data with as many rows are not noticed. ``random_state`` stays that of the first fit.
        verbose: 1 prints a line per candidate: its score, the best so far, and the seconds; 2 and more also print what
            scikit-learn says of each fold.
        pre_dispatch, error_score, return_train_score: as for RandomizedSearchCV. A candidate whose score is NaN or
            infinite counts as failed, ranks last, and is learned as a bad one.
        random_state: for the same candidates every time.

    Beside the usual columns, ``cv_results_`` has ``origin`` and ``reason``, why a candidate was tried, and with
    ``early_stopping`` the column ``is_stopped``. With several objectives, ``front_`` has the indices of the candidates
    that no other beats in all of them, the best in the first objective first; ``best_index_`` and ``best_params_`` are
    those of the one that ``refit`` names, and there is a ``best_score_`` where it names a metric. ``optimizer_`` is an
    `auger.Optimizer` with all trials, for `auger.plots`, `auger.insight` and `auger.report`, which take the search
    itself, too.

    Ctrl-C ends the search, not the fit: the finished candidates are kept, and the best is refitted. A second Ctrl-C
    ends the refit. Whatever ends a fit early, ``cv_results_`` and ``optimizer_`` have the finished candidates.

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
    verbose: int
    refit: Any
    front_: Any
    best_index_: int
    best_score_: Any
    best_params_: dict[str, Any]
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "param_distributions": [dict, list, tuple, Space, None],
        "space": [dict, list, tuple, Space, None],
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "refit": ["boolean", str, dict, callable],
        "target": [str, list, tuple, None],
        "recipe": [str, Recipe, Turns],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "early_stopping": ["boolean"],
        "enqueue": [list, tuple, None],
        "timeout": [Interval(numbers.Real, 0, None, closed="neither"), None],
        "callback": [callable, list, tuple, None],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        n_iter: int | None = 50,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        space: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        target: str | Sequence[str] | None = None,
        recipe: str | Recipe | Turns = "auto",
        batch_size: int | None = None,
        early_stopping: bool = False,
        enqueue: Sequence[Mapping[str, Any]] | None = None,
        timeout: float | None = None,
        callback: Callable[[Trial], object] | Sequence[Callable[[Trial], object]] | None = None,
        warm_start: bool = False,
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
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.space = space
        self.target = target
        self.recipe = recipe
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.enqueue = enqueue
        self.timeout = timeout
        self.callback = callback
        self.warm_start = warm_start
        self.random_state = random_state

    def set_params(self, **params: Any) -> AugerSearchCV:
        """Set parameters. ``param_distributions`` and ``space`` are the same: setting one unsets the other."""
        for name, other in (("param_distributions", "space"), ("space", "param_distributions")):
            if params.get(name) is not None and other not in params:
                params[other] = None
        super().set_params(**params)
        return self

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
        self._validate_params()
        run = self._begin()
        n_more = self._n_more(run)
        if n_more == 0:
            warnings.warn("Every configuration of the space was tried. Nothing was fitted.", UserWarning, stacklevel=2)
            return self
        cv, verbose, refit = self.cv, self.verbose, self.refit
        splitter = check_cv(cv, y, classifier=is_classifier(self.estimator))
        folds = Folds(splitter, is_one_by_one=self.early_stopping, earlier=run.folds)
        preference = self._preference
        fit = _Fit(run, n_more, folds, verbose, time.monotonic(), preference)
        self._fit, self.cv = fit, folds
        if preference is not None:  # scikit-learn takes a function
            self.refit = lambda results: run.chosen(preference)
        try:
            super().fit(X, y, **params)
        except BaseException:
            self._keep_after_error(fit)
            raise
        finally:
            del self._fit
            self.cv, self.verbose, self.refit = cv, verbose, refit
        self._keep(fit)
        return self

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """The score of the refitted estimator, by the metric that was optimized, or that ``refit`` names.

        Of several metrics, one must be named: `scorer_` has them all.
        """
        if getattr(self, "multimetric_", False) and self.refit and f"mean_test_{self.refit}" not in self.cv_results_:
            raise ScoringError(
                "`score` needs the name of a single metric in `refit`. Got "
                f"{self.refit!r}. `scorer_` has all metrics: search.scorer_[name](search.best_estimator_, X, y)."
            )
        score: float = super().score(X, y, **params)
        return score

    @property
    def _preference(self) -> Preference | None:
        """Which candidate of the front ``refit`` names; None where there is no front, or no name."""
        objectives = several_objectives(self.target)
        return None if objectives is None else preference_of(self.refit, objectives)

    def _check_refit_for_multimetric(self, scores: Any) -> None:
        if several_objectives(self.target) is None:
            super()._check_refit_for_multimetric(scores)

    def _begin(self) -> Run:
        """The run of the fit that is continued, or a new one, with the first candidates in its queue."""
        names = ("param_distributions", "space")
        passed = [name for name in names if getattr(self, name) is not None]
        if len(passed) != 1:
            n_passed = "both" if passed else "neither"
            raise SpaceError(
                f"`param_distributions` must hold the parameters to search, or `space`, which is another name of it. "
                f"Got {n_passed}."
            )
        search_space = read_space(getattr(self, passed[0]))
        for function in self._callbacks:
            if not callable(function):
                raise TypeError(f"`callback` must be a function of a trial, or a list of functions. Got {function!r}.")
        objectives = several_objectives(self.target)
        if objectives is not None and self.early_stopping:
            raise ScoringError(
                "`early_stopping` must be False where `target` lists several objectives: a candidate is stopped by how "
                f"far a single score is behind. Got {self.target!r}."
            )
        self._preference  # noqa: B018  refused now, not after the fits
        run: Run | None = getattr(self, "_run", None) if self.warm_start else None
        if run is None:
            seed = _seed(self.random_state)
            directions = {"direction": "maximize"} if objectives is None else {"directions": objectives.described()}
            optimizer = Optimizer(search_space.space, self.recipe, seed=seed, **directions)
            run = Run(search_space, optimizer, clone(self.estimator), self.scoring)
        else:
            self._check_same(run, search_space, passed[0])
        first = [] if self.enqueue is None else list(self.enqueue)
        if self.n_iter is not None and len(first) > self.n_iter:
            raise ConfigError(
                f"`n_iter` must be at least the number of candidates in `enqueue`, {len(first)}. Got {self.n_iter}."
            )
        run.enqueue(first)
        return run

    def _check_same(self, run: Run, search_space: SearchSpace, name: str) -> None:
        """Refuse to continue a run with settings that make its scores another thing, or another recipe's."""
        then = "Got another. For a new search, set `warm_start` to False."
        if not is_same_space(search_space, run.search_space):
            raise SpaceError(f"`{name}` must be the space of the fit that `warm_start` continues. {then}")
        if as_recipe(self.recipe).name != run.optimizer.recipe.name:
            raise RecipeError(f"`recipe` must be that of the fit that `warm_start` continues. {then}")
        objectives = several_objectives(self.target)
        names = ("value",) if objectives is None else objectives.names
        if names != run.optimizer.objectives.names:
            raise ScoringError(f"`target` must list the objectives of the fit that `warm_start` continues. {then}")
        if not may_be_same(clone(self.estimator), run.estimator):
            raise ScoringError(
                f"`estimator` must be that of the fit that `warm_start` continues, with the same parameters. {then}"
            )
        if not may_be_same(self.scoring, run.scoring):
            raise ScoringError(f"`scoring` must be that of the fit that `warm_start` continues. {then}")

    @property
    def _callbacks(self) -> Sequence[Any]:
        if self.callback is None:
            return ()
        return self.callback if isinstance(self.callback, list | tuple) else (self.callback,)

    def _n_more(self, run: Run) -> int | None:
        """The number of candidates to try in this fit; None if only time, or a callback, limits them."""
        n_all, n_left = run.n_configs, run.n_left
        if n_all == 0:
            return 1  # for an empty space, the optimizer raises an error
        if self.n_iter is None:
            if math.isinf(n_left) and self.timeout is None and self.callback is None:
                raise ValueError(
                    "`n_iter` must be a number unless `timeout`, a `callback` or a finite space ends the search. "
                    "Got None, and none of these."
                )
            return None if math.isinf(n_left) else int(n_left)
        if n_left >= self.n_iter:
            return self.n_iter
        if n_left:
            what = "configurations" if n_left == n_all else "configurations left"
            message = f"The space has {n_left} {what}, fewer than n_iter={self.n_iter}: each is tried once."
            warnings.warn(message, UserWarning, stacklevel=3)  # the line that calls fit
        return int(n_left)

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        """Suggest, evaluate and learn until there are enough candidates. scikit-learn's `fit` calls this."""
        fit = self._fit
        # scikit-learn has noted how verbose to be about each fit; what it says of each batch would be a flood
        self.verbose = 0
        choose_metrics = partial(self._choose_metrics, fit.run)
        if not callable(self.scoring):  # the metrics of a function are known after the first fit only
            is_many = isinstance(self.scoring, list | tuple | dict)
            choose_metrics(list(self.scoring) if is_many else [])  # raises before the first fit, not after it
        objectives = several_objectives(self.target)
        names = [None] if objectives is None else objectives.names
        failed = tuple(math.nan if name in TIMES else self.error_score for name in names)
        fits = Fits(evaluate_candidates, self.error_score, choose_metrics, failed, example_of(fit.run.candidates))
        try:
            while self._is_going(fit):
                self._run_batch(fit, fits)
        except StopSearch:
            pass
        except KeyboardInterrupt:
            if not fits.results or not fit.n_done:  # nothing was paid for yet
                raise
            then = " The best of them is refitted on all data; interrupt once more to end that." if self.refit else ""
            n_all = "" if fit.n_all is None else f" of {fit.n_all}"
            warnings.warn(
                f"The search was interrupted after {len(fit.run.candidates)}{n_all} candidates, which are kept.{then}",
                UserWarning,
                stacklevel=5,  # the line that calls fit
            )
        if not fits.results:  # every fit of this call failed
            assert fits.last_error is not None
            raise fits.last_error
        self._warn_of_failures(fit, fits)
        fits.results.clear()
        fits.results.update(self._table(fit))

    def _choose_metrics(self, run: Run, metrics: Sequence[str]) -> tuple[str | None, ...]:
        """What is optimized, which stays the same when a run is continued."""
        chosen = metrics_to_optimize(self.target, self.refit, metrics)
        if run.candidates and chosen != run.metrics:
            raise ScoringError(
                f"`refit` or `target` must name the metric that the fit optimized which `warm_start` continues, "
                f"{run.metrics[0]!r}. Got {chosen[0]!r}. For a new search, set `warm_start` to False."
            )
        run.metrics = chosen
        return chosen

    def _is_going(self, fit: _Fit) -> bool:
        if fit.n_more is not None and fit.n_done >= fit.n_more:
            return False
        return not fit.n_done or self.timeout is None or fit.seconds < self.timeout

    def _run_batch(self, fit: _Fit, fits: Fits) -> None:
        run, folds = fit.run, fit.folds
        batch = run.ask(self._batch_size(fit))
        is_evaluated = False
        try:
            if self.early_stopping:
                self._race(fits, batch, folds, run.candidates)
            else:
                fits.run(batch, None)
            is_evaluated = True
            trials = run.record(batch)
        except KeyboardInterrupt:
            if is_evaluated:
                run.record(batch)
            raise
        self._tell_the_user(fit, batch, trials)

    def _tell_the_user(self, fit: _Fit, batch: Sequence[Candidate], trials: Sequence[Trial]) -> None:
        """Print a line and call the callbacks for each candidate of a batch, even if a callback ends the search."""
        is_single = len(fit.run.metrics) == 1
        names = ["score"] if is_single else [str(name) for name in fit.run.metrics]
        best = max((c.mean for c in fit.run.candidates[: -len(batch)] if c.is_complete), default=math.nan)
        first_number = len(fit.run.candidates) - len(batch) + 1
        stop: StopSearch | None = None
        for number, candidate, trial in zip(count(first_number), batch, trials, strict=False):
            if candidate.is_complete and not best >= candidate.mean:
                best = candidate.mean
            if fit.verbose > 0:
                leader = progress.best_so_far(best) if is_single else progress.on_the_front(len(fit.run.front))
                print(progress.line(candidate, number, fit.n_all, leader, fit.seconds, names), flush=True)
            for function in self._callbacks:
                try:
                    function(trial)
                except StopSearch as error:
                    stop = error
        if stop is not None:
            raise stop

    def _batch_size(self, fit: _Fit) -> int:
        """The number of candidates to suggest next."""
        n_fits = 1 if self.early_stopping else fit.folds.n_folds
        size = self.batch_size or batch_size(effective_n_jobs(self.n_jobs), n_fits)
        optimizer = fit.run.optimizer
        n_initial = optimizer.recipe.at(0, 0).n_initial - len(optimizer.history.finished)
        if n_initial > 0 and not self.early_stopping:
            size = min(size, n_initial)  # the first model knows all answers before it, whatever the size of a batch
        return size if fit.n_more is None else min(size, fit.n_more - fit.n_done)

    def _race(self, fits: Fits, batch: Sequence[Candidate], folds: Folds, before: Sequence[Candidate]) -> None:
        """Run a batch fold by fold; stop a candidate that failed, or is hopeless compared with the ones ``before``."""
        complete = [_column(c) for c in before if not c.is_stopped and math.isfinite(c.mean)]
        running = list(batch)
        for j in count(1):
            fits.run(running, OneFold(folds, j - 1))
            n_folds = len(folds.pairs)
            if j == n_folds:
                return
            for candidate in running:
                if not math.isfinite(candidate.scores[-1][0]):
                    candidate.stop(f"failed on fold {j} of {n_folds}")
                elif complete:
                    behind = lag(np.array(_column(candidate)), np.array(complete), len(before))
                    if behind.is_hopeless:
                        why = f"{behind.mean:.3g} behind the best third, where noise explains {behind.bound:.3g}"
                        candidate.stop(f"stopped after {j} of {n_folds} folds: {why}", behind.estimate)
            running = [candidate for candidate in running if not candidate.is_stopped]
            if not running:
                return

    def _table(self, fit: _Fit) -> dict[str, Any]:
        """All candidates as ``cv_results_``."""
        candidates, n_folds = fit.run.candidates, len(fit.folds.pairs)
        outcomes = padded(candidates, n_folds, self.error_score)
        more: dict[str, Any] = {
            "origin": [candidate.origin for candidate in candidates],
            "reason": [candidate.reason for candidate in candidates],
        }
        if self.early_stopping or any(candidate.is_stopped for candidate in candidates):
            more["is_stopped"] = [candidate.is_stopped for candidate in candidates]
        params = [candidate.params for candidate in candidates]
        with warnings.catch_warnings():
            if all(math.isfinite(score) for c in candidates for scores in c.scores for score in scores):
                # scores that are missing because a candidate was stopped are no reason for a warning
                warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite")
            finite = [without_infinities(outcome) for outcome in outcomes]
            table: dict[str, Any] = super()._format_results(params, n_folds, finite, more)
        for metric in metrics_of(outcomes[0]):  # the scores of each fold as they are
            for i in range(n_folds):
                scores = [outcome["test_scores"] for outcome in outcomes[i::n_folds]]
                column = [score[metric] if isinstance(score, Mapping) else score for score in scores]
                table[f"split{i}_test_{metric}"] = np.array(column, dtype=np.float64)
        return {**table, **times(outcomes, n_folds)}

    def _warn_of_failures(self, fit: _Fit, fits: Fits) -> None:
        n_failed = sum(candidate.is_failed for candidate in fit.run.candidates[fit.n_before :])
        if fits.n_reported is not None and n_failed > fits.n_reported:
            warnings.warn(
                f"{n_failed} of {fit.n_done} candidates failed. A warning told of the first; the error of each is in "
                "`optimizer_.trials`.",
                FitFailedWarning,
                stacklevel=6,  # the line that calls fit
            )

    def _keep(self, fit: _Fit) -> None:
        """What a fit leaves beside scikit-learn's attributes."""
        fit.run.folds = KeptFolds(fit.folds, is_whole=self.warm_start)
        self._run = fit.run
        self.optimizer_ = fit.run.optimizer
        self._keep_front(fit)
        self.n_splits_ = len(fit.folds.pairs)

    def _keep_front(self, fit: _Fit) -> None:
        """The front, and the score of the candidate that `refit` has chosen from it, if it names a metric."""
        if hasattr(self, "front_"):
            del self.front_
        if several_objectives(self.target) is None:
            return
        self.front_ = np.array(fit.run.front, dtype=np.intp)
        if fit.preference is not None and hasattr(self, "best_index_"):
            if hasattr(self, "best_score_"):
                del self.best_score_
            column = self.cv_results_.get(f"mean_test_{self.refit}")
            if column is not None:
                self.best_score_ = column[self.best_index_]

    def _keep_after_error(self, fit: _Fit) -> None:
        """Keep the candidates that were finished before an error, or an interrupt of the refit, ended the fit."""
        example = example_of(fit.run.candidates)
        if not fit.n_done or example is None:
            return
        for name in _OF_THE_BEST:
            if hasattr(self, name):
                delattr(self, name)
        metrics = metrics_of(example)
        self.multimetric_ = isinstance(example["test_scores"], Mapping)
        self.cv_results_ = self._table(fit)
        metric = self.refit if self.multimetric_ else "score"
        if isinstance(metric, str) and metric in metrics and not callable(self.refit):
            self.best_index_ = self._select_best_index(self.refit, metric, self.cv_results_)
            self.best_params_ = self.cv_results_["params"][self.best_index_]
            self.best_score_ = self.cv_results_[f"mean_test_{metric}"][self.best_index_]
        if fit.preference is not None and fit.run.front:
            with suppress(AugerError):  # there may be no such candidate
                self.best_index_ = fit.run.chosen(fit.preference)
                self.best_params_ = self.cv_results_["params"][self.best_index_]
        self._keep(fit)

    def _format_results(self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None) -> Any:
        """Keep the outcomes of all batches so far as they are: `_table` makes the table, once."""
        return {"out": out}


def _column(candidate: Candidate) -> list[float]:
    """The scores of a single objective."""
    return [scores[0] for scores in candidate.scores]


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
