"""`minimize`: one call for a whole run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from auger.checks import check_whole
from auger.errors import NoCompletedTrialError, SearchError, TrialError
from auger.evidence import Evidence
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns
from auger.recommend import Recommendation
from auger.space import Space
from auger.trial import State, Trial
from auger.types import Config

_log = logging.getLogger("auger")

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """What `minimize` found.

    Attributes:
        config: the configuration to use: the one with the lowest value or, where there is evidence that values are
            noisy, with the lowest expected value.
        value: what ``fun`` returned for it, noise included.
        trials: everything that was tried, by number.
        is_interrupted: whether Ctrl-C ended the run early, or the recommendation at its end.
        optimizer: continues from here: ask, tell, save.
        recommendation: why this configuration and, where values are noisy, what to expect of it.
    """

    config: Config
    value: float
    trials: list[Trial]
    is_interrupted: bool
    optimizer: Optimizer
    recommendation: Recommendation


def minimize(
    fun: Callable[[Config], float],
    space: Space | Mapping[str, Any],
    *,
    n_trials: int,
    recipe: str | Recipe | Turns = "auto",
    seed: int | None = None,
    callback: Callable[[Trial], object] | None = None,
    raise_errors: bool = False,
) -> Result:
    """Find the configuration for which ``fun`` returns the lowest number.

    Args:
        fun: called with one config at a time; returns a number. NaN and infinity count as bad values.
        space: a Space or a plain dict of parameters.
        n_trials: how many configurations to try.
        recipe: the name of a recipe, with options if wanted, or a Recipe or Turns of your own.
        seed: for the same trials every time.
        callback: called with each finished trial, for progress.
        raise_errors: let an exception of ``fun`` through. By default it makes a failed trial, which is learned
            from like any other bad value. A returned value that is not a number fails the trial in the same way,
            unless it is the first: then it is refused at once.

    Returns:
        The configuration to use, and all trials. Ctrl-C ends the run early and returns the result so far; while
        the recommendation is computed at the end, it returns the lowest value.

    Raises:
        NoCompletedTrialError: every trial failed; the last error is its cause.
        SearchError: something other than ``fun`` failed, such as the callback; its ``.optimizer`` has the trials.

    Example:
        >>> result = minimize(lambda config: (config["x"] - 2) ** 2, {"x": (-10, 10)}, n_trials=21, seed=1)
        >>> result.config
        {'x': 2}
    """
    if not callable(fun):
        raise TypeError(f"`fun` must be a function that takes a config. Got {fun!r}.")
    check_whole(n_trials, 1, "`n_trials`")
    optimizer = Optimizer(space, recipe, seed=seed)
    last_error: BaseException | None = None
    is_interrupted = False
    try:
        for _ in range(n_trials):
            trial = _outside(optimizer, optimizer.ask)
            try:
                done = _evaluate(optimizer, trial, fun)
            except (Exception, SystemExit) as error:
                if raise_errors or isinstance(error, _NoNumberError):
                    raise
                last_error = error
                done = optimizer.tell(trial, error=error)
                _log.warning("trial %d failed: %s", done.number, done.error)
            _log.info("trial %d %s: %s", done.number, done.state.value, done.value)
            if callback is not None:
                _outside(optimizer, partial(callback, done))
    except KeyboardInterrupt as error:
        last_error, is_interrupted = error, True
    try:
        recommendation = _outside(optimizer, optimizer.recommend)
    except KeyboardInterrupt:
        recommendation, is_interrupted = _unchecked(optimizer), True
    if recommendation is None or recommendation.trial.value is None:
        raise _nothing(optimizer.trials, last_error) from last_error
    trial, value = recommendation.trial, recommendation.trial.value
    return Result(trial.config, value, optimizer.trials, is_interrupted, optimizer, recommendation)


class _NoNumberError(TrialError):
    """The first value of a run is not a number: a mistake in the function, not in a trial."""


def _evaluate(optimizer: Optimizer, trial: Trial, fun: Callable[[Config], float]) -> Trial:
    value = fun(dict(trial.config))
    try:
        return optimizer.tell(trial, value)
    except TrialError as error:
        if optimizer.best is None:
            raise _NoNumberError(f"`fun` must return a number. {error}") from error
        raise


def _outside(optimizer: Optimizer, call: Callable[[], T]) -> T:
    """Call something other than the objective. If it fails, the run is over, and the error carries the trials."""
    try:
        return call()
    except Exception as error:
        raise SearchError(
            f"The run ended after {len(optimizer.history)} trials with {type(error).__name__}: {error} "
            "The trials so far are in `.optimizer` of this exception.",
            optimizer,
        ) from error


def _unchecked(optimizer: Optimizer) -> Recommendation | None:
    best = optimizer.best
    return None if best is None else Recommendation(best, Evidence.NOT_CHECKED, direction=optimizer.direction)


def _nothing(trials: list[Trial], last_error: BaseException | None) -> NoCompletedTrialError:
    if isinstance(last_error, KeyboardInterrupt):
        return NoCompletedTrialError("The run was interrupted before any trial returned a value.", trials)
    n_failed = sum(trial.state is State.FAILED for trial in trials)
    last = f" The last error: {type(last_error).__name__}: {last_error}" if last_error else " No value was finite."
    return NoCompletedTrialError(f"No trial returned a value: {n_failed} of {len(trials)} failed.{last}", trials)
