"""`minimize` and `minimize_several`: one call for a whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auger import notebook, table, text
from auger.errors import ObjectiveError
from auger.evidence import Evidence
from auger.files import write_whole
from auger.loop import Callback, check_function, nothing_returned, outside, run_trials
from auger.objectives import Direction
from auger.optimizer import Optimizer
from auger.preference import Prefer
from auger.recipes import Recipe, Turns
from auger.recommend import Recommendation
from auger.space import Space
from auger.trial import Trial
from auger.types import Config

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Result:
    """What `minimize` found.

    Attributes:
        config: the configuration to use: the one with the best value or, where there is evidence that values are
            noisy, with the best expected value.
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

    def to_pandas(self) -> pd.DataFrame:
        """The trials as a DataFrame, with the columns of `Optimizer.to_pandas`. Needs pandas."""
        return table.to_frame(self.trials, self.optimizer.space.names)

    def to_csv(self, path: str | Path) -> None:
        """Write the trials to a CSV file, with the columns of `Optimizer.to_pandas`."""
        write_whole(Path(path), table.to_csv(self.trials, self.optimizer.space.names))

    def __repr__(self) -> str:
        counts = text.trials(trial.state.value for trial in self.trials)
        interrupted = "; interrupted" if self.is_interrupted else ""
        return f"Result({text.best(self.value, self.config)}; {counts}{interrupted})"

    def _repr_html_(self) -> str:
        best, direction = self.recommendation.trial, self.optimizer.direction
        return notebook.run_html(self.trials, best, direction, self.recommendation.reason)


def minimize(
    fun: Callable[[Config], float],
    space: Space | Mapping[str, Any],
    *,
    n_trials: int | None = None,
    timeout: float | None = None,
    n_jobs: int = 1,
    direction: str | Direction = "minimize",
    recipe: str | Recipe | Turns = "auto",
    seed: int | None = None,
    enqueue: Iterable[Mapping[str, Any]] = (),
    fixed: Mapping[str, Any] | None = None,
    callback: Callback | Iterable[Callback] | None = None,
    raise_errors: bool = False,
) -> Result:
    """Find the configuration for which ``fun`` returns the lowest number; or the highest, with ``direction``.

    To stop single trials early, run the loop yourself, with `Optimizer.report` and `Optimizer.should_prune`.

    Args:
        fun: called with one config at a time; returns a number. NaN and infinity count as failures.
        space: a Space or a plain dict of parameters.
        n_trials: how many configurations to try; None for as many as ``timeout`` allows.
        timeout: seconds after which no new trial starts. Trials that are running are waited for, and at least one is
            run.
        n_jobs: how many trials run at the same time, in threads; -1 for as many as there are cores. A trial is learned
            from when it is complete, so that with several threads the same seed does not give the same trials. Python
            runs one thread at a time unless ``fun`` waits, or calculates outside of Python; for processes, see
            `Optimizer.ask`.
        direction: "minimize" or "maximize".
        recipe: the name of a recipe, with options if wanted, or a Recipe or Turns of your own.
        seed: for the same trials every time.
        enqueue: configs to try first, whole or in part; see `Optimizer.enqueue`.
        fixed: parameters and values that all trials must have.
        callback: called with each finished trial; or several, called in order. One call at a time, in the thread that
            called `minimize`. A callback that raises `auger.StopSearch` ends the run.
        raise_errors: let an exception of ``fun`` through. By default it makes a failed trial, which is learned
            from like any other bad value. A returned value that is not a number fails the trial in the same way,
            unless it is the first: then it is refused at once.

    Returns:
        The configuration to use, and all trials. Ctrl-C ends the run early and returns the result so far, after
        waiting for the trials that run in threads (a second Ctrl-C does not wait); while the recommendation is computed
        at the end, it returns the best value.

    Raises:
        NoCompletedTrialError: every trial failed; the last error is its cause.
        SearchError: something other than ``fun`` failed, such as the callback; its ``.optimizer`` has the trials.

    Example:
        >>> result = minimize(lambda config: (config["x"] - 2) ** 2, {"x": (-10, 10)}, n_trials=21, seed=1)
        >>> result.config
        {'x': 2}
    """
    check_function(fun)
    optimizer = Optimizer(space, recipe, direction=direction, seed=seed)
    run = run_trials(
        optimizer,
        fun,
        n_trials=n_trials,
        timeout=timeout,
        n_jobs=n_jobs,
        enqueue=enqueue,
        fixed=fixed,
        callback=callback,
        raise_errors=raise_errors,
    )
    try:
        recommendation = outside(optimizer, optimizer.recommend)
    except KeyboardInterrupt:
        recommendation, run.is_interrupted = _unchecked(optimizer), True
    if recommendation is None:
        raise nothing_returned(optimizer.trials, run.last_error) from run.last_error
    trial = recommendation.trial
    return Result(trial.config, trial.values[0], optimizer.trials, run.is_interrupted, optimizer, recommendation)


@dataclass(frozen=True, repr=False)
class FrontResult:
    """What `minimize_several` found.

    Attributes:
        front: the trials that no other beats in all objectives, the best in the first objective first.
        trials: everything that was tried, by number.
        is_interrupted: whether Ctrl-C ended the run early.
        optimizer: continues from here: ask, tell, save.
    """

    front: list[Trial]
    trials: list[Trial]
    is_interrupted: bool
    optimizer: Optimizer

    def choose(self, prefer: Prefer = None) -> Trial:
        """One trial of the front, by what you prefer, see `Optimizer.choose`."""
        chosen = self.optimizer.choose(prefer)
        assert chosen is not None  # there is a front
        return chosen

    def to_pandas(self) -> pd.DataFrame:
        """The trials as a DataFrame, with the columns of `Optimizer.to_pandas`. Needs pandas."""
        return self.optimizer.to_pandas()

    def to_csv(self, path: str | Path) -> None:
        """Write the trials to a CSV file, with the columns of `Optimizer.to_pandas`."""
        self.optimizer.to_csv(path)

    def __repr__(self) -> str:
        counts = text.trials(trial.state.value for trial in self.trials)
        interrupted = "; interrupted" if self.is_interrupted else ""
        return f"FrontResult({text.count(len(self.front), 'trial')} on the front; {counts}{interrupted})"

    def _repr_html_(self) -> str:
        return notebook.front_html(self.trials, self.front, self.optimizer.objectives)


def minimize_several(
    fun: Callable[[Config], Sequence[float] | Mapping[str, float]],
    space: Space | Mapping[str, Any],
    *,
    directions: Sequence[str | Direction] | Mapping[str, str | Direction],
    reference: Sequence[float] | Mapping[str, float] | None = None,
    n_trials: int | None = None,
    timeout: float | None = None,
    n_jobs: int = 1,
    recipe: str | Recipe | Turns = "auto",
    seed: int | None = None,
    enqueue: Iterable[Mapping[str, Any]] = (),
    fixed: Mapping[str, Any] | None = None,
    callback: Callback | Iterable[Callback] | None = None,
    raise_errors: bool = False,
) -> FrontResult:
    """Find the configurations with the best trade-offs between several numbers that ``fun`` returns.

    Args:
        fun: called with one config at a time; returns one number per objective, as a list or a dict of names. An
            infinity counts as a failure, and so does NaN.
        space: a Space or a plain dict of parameters.
        directions: "minimize" or "maximize" per objective: a list, or a dict of names and directions.
        reference: the worst values of interest, see `Optimizer`.
        n_trials, timeout, n_jobs, recipe, seed, enqueue, fixed, callback, raise_errors: as in `minimize`.

    Returns:
        The front, and all trials; `FrontResult.choose` takes one trial of it.

    Raises:
        NoCompletedTrialError: every trial failed; the last error is its cause.
        SearchError: something other than ``fun`` failed, such as the callback; its ``.optimizer`` has the trials.

    Example:
        >>> def build(config):
        ...     return {"size": config["x"] ** 2, "seconds": (config["x"] - 2) ** 2}
        >>> result = minimize_several(
        ...     build, {"x": (-10, 10)}, directions={"size": "minimize", "seconds": "minimize"}, n_trials=21, seed=0
        ... )
        >>> [trial.config["x"] for trial in result.front]
        [0, 1, 2]
        >>> result.choose("size <= 2, seconds").config
        {'x': 1}
    """
    check_function(fun)
    optimizer = Optimizer(space, recipe, directions=directions, reference=reference, seed=seed)
    if len(optimizer.objectives) == 1:
        raise ObjectiveError(f"`minimize_several` needs several `directions`. Got {directions!r}. Use `minimize`.")
    run = run_trials(
        optimizer,
        fun,
        n_trials=n_trials,
        timeout=timeout,
        n_jobs=n_jobs,
        enqueue=enqueue,
        fixed=fixed,
        callback=callback,
        raise_errors=raise_errors,
    )
    front = optimizer.front
    if not front:
        raise nothing_returned(optimizer.trials, run.last_error) from run.last_error
    return FrontResult(front, optimizer.trials, run.is_interrupted, optimizer)


def _unchecked(optimizer: Optimizer) -> Recommendation | None:
    best = optimizer.best
    return None if best is None else Recommendation(best, Evidence.NOT_CHECKED, direction=optimizer.direction)
