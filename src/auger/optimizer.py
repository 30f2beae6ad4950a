"""Ask and tell: for users who run the evaluations themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from auger import saved_runs
from auger.checks import check_seed, check_whole
from auger.errors import ConfigError, RecipeError, TrialError
from auger.history import History, past_trials
from auger.recipes import Recipe, Turns, as_recipe, is_named
from auger.recommend import Recommendation, recommend
from auger.space import Space, as_space
from auger.suggest import Memory, suggest
from auger.trial import State, Trial
from auger.types import Config


class Optimizer:
    """Proposes configurations and learns from their values, which are minimized.

    Args:
        space: a Space, or a plain dict such as ``{"lr": Float(1e-5, 1e-1, log=True), "depth": (1, 12)}``.
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        seed: a whole number >= 0. Same seed and same answers give the same suggestions, in any process and after
            any resume. None draws one, which is then in `seed`.

    Example:
        >>> optimizer = Optimizer({"x": (-5.0, 5.0)}, seed=0)
        >>> for _ in range(12):
        ...     trial = optimizer.ask()
        ...     _ = optimizer.tell(trial, (trial.config["x"] - 1.0) ** 2)
        >>> optimizer.best.state.value
        'complete'
    """

    def __init__(
        self, space: Space | Mapping[str, Any], recipe: str | Recipe | Turns = "auto", *, seed: int | None = None
    ) -> None:
        self.recipe = as_recipe(recipe)
        self.seed = check_seed(seed)
        self.history = History(as_space(space))
        self._memory = Memory()

    @property
    def space(self) -> Space:
        """The search space."""
        return self.history.space

    @property
    def trials(self) -> list[Trial]:
        """All trials so far, by number."""
        return [_copy(trial) for trial in self.history]

    @property
    def best(self) -> Trial | None:
        """The complete, feasible trial with the lowest value; None before there is one."""
        best = self.history.best
        return None if best is None else _copy(best)

    def recommend(self) -> Recommendation | None:
        """The trial whose configuration to use in the end; None before one is complete and feasible.

        It is `best`, unless there is evidence that values are noisy: then it is the one with the lowest expected
        value, with an estimate of it. Computed at each call, in up to a second or so.
        """
        recommendation = recommend(self.history)
        return None if recommendation is None else replace(recommendation, trial=_copy(recommendation.trial))

    @overload
    def ask(self, n: None = None) -> Trial: ...

    @overload
    def ask(self, n: int) -> list[Trial]: ...

    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """Propose a trial, or a list of ``n`` different ones to run at the same time.

        Each counts as pending until it is told, and pending trials are learned as not good, so that those
        running together spread out.
        """
        if n is None:
            return self._ask()
        return [self._ask() for _ in range(check_whole(n, 1, "`n`"))]

    def _ask(self) -> Trial:
        suggestion = suggest(self.history, self.recipe, seed=self.seed, memory=self._memory)
        config = self.space.decode(suggestion.row[np.newaxis])[0]
        return _copy(self.history.start(config, suggestion.provenance, row=suggestion.row))

    def report(self, trial: Trial | int, step: float, value: float) -> Trial:
        """Record an intermediate value: what the trial would be worth if it ended here.

        A trial that is then told as pruned ranks by its predicted final value, which is learned from the intermediate
        and final values of all trials. A trial that is told a value ranks by that value.

        Args:
            trial: one that `ask` returned and that is still running.
            step: how far it is, in epochs, samples, seconds, or whatever else: a number of at least 0, each once.
            value: the number to minimize; NaN and infinity are allowed.

        Returns:
            The trial, still running.
        """
        return _copy(self.history.report(trial.number if isinstance(trial, Trial) else trial, step, value))

    def tell(
        self,
        trial: Trial | int,
        value: float | None = None,
        *,
        error: str | BaseException | None = None,
        pruned: bool = False,
        constraints: Sequence[float] = (),
    ) -> Trial:
        """Record the result of a trial, passed as a Trial or by its number.

        Args:
            trial: one that `ask` returned and that is still running.
            value: the number to minimize. NaN and infinity are allowed, and count like failures.
            error: why there is no value: the trial failed. Failures teach the classifier where not to go.
            pruned: whether the trial was stopped early; ``value`` is its last value, by default the last one reported.
            constraints: outcome constraints, each satisfied when <= 0. Infeasible trials rank behind feasible ones.

        Returns:
            The finished trial.
        """
        number = trial.number if isinstance(trial, Trial) else trial
        if error is not None and (value is not None or pruned):
            raise TrialError(f"Trial {number} takes a value or an error, not both. Got {value!r} and {error!r}.")
        if error is not None:
            text = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else str(error)
            return _copy(self.history.finish(number, state=State.FAILED, error=text, constraints=constraints))
        state = State.PRUNED if pruned else State.COMPLETE
        return _copy(self.history.finish(number, value=value, state=state, constraints=constraints))

    def add(self, configs: Iterable[Config], values: Iterable[float]) -> list[Trial]:
        """Take in past results in one call. All of them are checked before any is added.

        They may break a constraint of the space; new proposals will not.
        """
        if isinstance(configs, Mapping):
            raise ConfigError(f"`configs` must be a list of configs. Got one config: {configs!r}. Put it in a list.")
        trials = past_trials(len(self.history), configs, values)
        self.history.extend(trials)
        return [_copy(trial) for trial in trials]

    def save(self, path: str | Path) -> None:
        """Write everything to a JSON file. The old file stays whole until the new one is complete."""
        saved_runs.write(path, self._to_json())

    def _to_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "recipe": self.recipe.name,
            "is_own_recipe": not is_named(self.recipe),
            "space": self.space.to_json(),
            "history": saved_runs.history_to_json(self.history),
        }

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        recipe: str | Recipe | Turns | None = None,
        constraints: Iterable[Callable[[Config], bool]] = (),
    ) -> Optimizer:
        """Read what `save` wrote; the next suggestions are those of the run that was saved.

        Args:
            path: the file.
            recipe: needed when the run used a recipe of your own: a file holds its name only.
            constraints: the functions among the space's constraints, in order, for the same reason.
        """
        data = saved_runs.read(path)
        with saved_runs.blame(path):
            name, is_own, seed = data["recipe"], data["is_own_recipe"], int(data["seed"])
            space = Space.from_json(data["space"], functions=constraints)
            history = saved_runs.history_from_json(data["history"], space)
        if recipe is None and is_own:
            raise RecipeError(
                f"{path} was saved with your own recipe {name!r}, which a file cannot hold. Pass it again: recipe=..."
            )
        used = as_recipe(name if recipe is None else recipe)
        if used.name != name or is_named(used) == is_own:
            whose = "your own" if is_own else "the built-in"
            raise RecipeError(
                f"{path} was saved with {whose} recipe {name!r}. Got another: {used.name!r}. Pass the same recipe."
            )
        optimizer = cls(space, used, seed=seed)
        optimizer.history = history
        return optimizer


def _copy(trial: Trial) -> Trial:
    """A trial that the user may change without changing the history."""
    twin = object.__new__(
        Trial
    )  # not dataclasses.replace, which checks everything again; copy takes four times as long
    for name in Trial.__slots__:
        object.__setattr__(twin, name, getattr(trial, name))
    object.__setattr__(twin, "config", dict(trial.config))
    return twin
