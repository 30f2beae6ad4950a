"""The searcher: Ray Tune's trials on one side, an Optimizer on the other."""

from __future__ import annotations

import logging
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from ray import cloudpickle
from ray.tune.search import Searcher

from auger import saved_runs
from auger.checks import check_seed, is_number, unwrapped
from auger.errors import AugerError, ConfigError, ObjectiveError, RecipeError, SpaceError, TrialError
from auger.history import History
from auger.hosts.ray.domains import Domains, read_domains
from auger.objectives import Direction, Objectives, as_objectives
from auger.old_formats import load_pickle
from auger.optimizer import Optimizer
from auger.outcome_constraints import as_outcome_constraints
from auger.past_results import minimized_values
from auger.provenance import Provenance
from auger.recipes import Recipe, Turns, as_recipe
from auger.space import Space
from auger.suggest import suggest
from auger.trial import State
from auger.types import Array, Config

_log = logging.getLogger(__name__)

STEP = "training_iteration"

#: One metric or mode, or several, or None where the Tuner brings it.
Metric = str | list[str] | None

_DIRECTIONS = {"min": Direction.MINIMIZE, "max": Direction.MAXIMIZE}


@dataclass
class _Progress:
    """How far one of Ray's trials has come.

    Attributes:
        number: of our trial.
        step: the last step with a value.
        told: the last step that Ray reported while the trial was running. A trial that a scheduler stopped ends with a
            step that was not reported before.
        was_paused: whether it was stopped while it was paused, as Hyperband does: then it ends without a result.
        outcomes: the last numbers that it reported for the constraints, if they are finite.
    """

    number: int
    step: int = 0
    told: int = 0
    was_paused: bool = False
    outcomes: tuple[float, ...] | None = None

    @property
    def is_cut(self) -> bool:
        """Whether a scheduler or a stopping rule ended it."""
        return self.was_paused or self.step > self.told


class AugerSearch(Searcher):  # type: ignore[misc]
    """Proposes the configurations of Ray Tune's trials.

    Args:
        space: a dict of Ray's domains, nested or not, or an auger `Space`, which has ordinals and constraints too;
            None: the ``param_space`` of the Tuner.
        metric, mode: what is optimized, and "min" or "max"; None: those of the Tuner's configuration. For several
            objectives, two lists: ``metric=["loss", "size"], mode=["min", "min"]``. A Tuner has one metric or none.
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        seed: a whole number >= 0; same seed and same answers, same suggestions. None draws one.
        points_to_evaluate: configurations to try first. Parameters that a configuration leaves out are proposed.
        evaluated_rewards: their values, if they were evaluated before: then they are learned from, not tried. With
            several metrics, a list or a dict of values each.
        constraints: limits of what trials report, such as ``{"memory_mb": "<= 512"}``: a trial beyond one of them ranks
            behind all that are not. A trial that does not report one of these numbers at its end failed.
        reference: with several metrics, the worst values of interest, see `auger.Optimizer`.

    `optimizer` has the results: with several metrics, its ``front`` and ``choose``.

    A trial that a scheduler has stopped early ranks by its predicted final value.

    Example:
        >>> from ray import tune
        >>> search = AugerSearch({"lr": tune.loguniform(1e-4, 1e-1)}, metric="loss", mode="min", seed=0)
        >>> sorted(search.suggest("one"))
        ['lr']
    """

    def __init__(
        self,
        space: Mapping[str, Any] | Space | None = None,
        metric: str | Sequence[str] | None = None,
        mode: str | Sequence[str] | None = None,
        *,
        recipe: str | Recipe | Turns = "auto",
        seed: int | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] | None = None,
        evaluated_rewards: Sequence[Any] | None = None,
        constraints: Mapping[str, Any] | None = None,
        reference: Sequence[float] | Mapping[str, float] | None = None,
    ) -> None:
        self._metric, self._mode = checked_metric(metric, mode)
        super().__init__(metric=self._metric, mode=self._mode)
        self._limits = as_outcome_constraints(constraints)
        self._constraints = None if constraints is None else dict(constraints)
        self._reference = reference
        if reference is not None:
            _objectives(self._metric, self._mode, reference)  # refused now
        self._recipe = as_recipe(recipe)
        self._seed = check_seed(seed)
        self._points = _checked_points(points_to_evaluate, evaluated_rewards)
        self._rewards = None if evaluated_rewards is None else list(evaluated_rewards)
        self._given: Mapping[str, Any] | Space | None = None  # the space as the user passed it
        self._domains: Domains | None = None
        self._optimizer: Optimizer | None = None
        self._progress: dict[str, _Progress] = {}
        self._longest = 0  # the most steps of any trial
        if space is not None:
            self._search(space)

    @property
    def optimizer(self) -> Optimizer:
        """The Optimizer behind the search. Its values are those of the metric; a choice is the index in its list."""
        return self._ready()

    @property
    def domains(self) -> Domains:
        """The search space as Ray has it, beside ours."""
        self._ready()
        assert self._domains is not None
        return self._domains

    # -- what Ray calls ---------------------------------------------------------------------------------

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        """Take over the metric, mode and space of the Tuner. False if there is a space already."""
        _check_tuner(self._metric, self._mode, metric, mode)
        self._metric, self._mode = self._metric or metric, self._mode or mode
        if self._domains is not None:
            self._set_direction()
            return False
        self._search(config)
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | None:
        """The configuration of a new trial, which counts as running until it is complete."""
        optimizer, domains = self._ready(), self._domains
        assert domains is not None
        if trial_id in self._progress:  # asked again
            number = self._progress[trial_id].number
            return domains.to_ray(optimizer.history.trials[number].config)
        trial = self._start(self._points.pop(0)) if self._points else optimizer.ask()
        self._progress[trial_id] = _Progress(trial.number)
        return domains.to_ray(trial.config)

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Record an intermediate value of a trial that continues."""
        progress = self._progress.get(trial_id)
        if progress is not None and not self._ready().history.trials[progress.number].is_finished:
            self._report(progress, result)
            progress.told = progress.step

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Record the result of a trial."""
        progress = self._progress.get(trial_id)
        if progress is None:
            _log.warning(
                "Ray completed the trial %s, which was not proposed here; nothing is learned from it.", trial_id
            )
            return
        if self._ready().history.trials[progress.number].is_finished:
            _log.warning("Ray completed the trial %s once more; its first result is kept.", trial_id)
            return
        progress.was_paused = result is None and not error
        wrong = "the trial failed" if error else self._complaint(result, progress)
        if wrong:
            self._ready().tell(progress.number, error=wrong, cost=_seconds(result))
            return
        values = self._last(progress) if result is None else self._values(result)
        outcomes = progress.outcomes or () if result is None else self._outcomes(result)
        self._report(progress, result or {})
        assert values is not None and outcomes is not None
        self._ready().tell(
            progress.number,
            values if len(values) > 1 else values[0],
            pruned=progress.is_cut and progress.step < self._longest,
            constraints=[limit.excess(value) for limit, value in zip(self._limits, outcomes, strict=True)],
            cost=_seconds(result),
        )

    def add_evaluated_point(
        self,
        parameters: Mapping[str, Any],
        value: Any,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: Sequence[float] | None = None,
    ) -> None:
        """Learn from a result of another run, with one value per metric."""
        optimizer = self._ready()
        number = value if isinstance(self._metric, list) or error else _number(value)
        if not error:  # refused now, not when the trial has begun
            minimized_values(optimizer.objectives, number, len(optimizer.history))
        trial = self._start(parameters, "a past result", is_whole=True)
        if error:
            optimizer.tell(trial.number, error="failed in another run")
        else:
            optimizer.tell(trial.number, number, pruned=pruned)

    def save(self, checkpoint_path: str) -> None:
        """Write everything to a JSON file. The old file stays whole until the new one is complete."""
        saved_runs.write(checkpoint_path, self.get_state())

    def restore(self, checkpoint_path: str) -> None:
        """Continue the run that `save` wrote: the next suggestions are those of that run."""
        data = saved_runs.read(checkpoint_path)
        with saved_runs.blame(checkpoint_path):
            added = {"constraints": None, "reference": None}  # since format version 5
            self.set_state({key: {**added, **data}[key] for key in self.get_state()})

    def get_state(self) -> dict[str, Any]:
        """Everything as JSON types.

        A choice is saved as its index. The space, and the points yet to be tried, may hold any object: they are pickled
        as Ray does it, because a Tuner that is restored does not pass them again.
        """
        history = None if self._optimizer is None else saved_runs.history_to_json(self._optimizer.history)
        return {
            "recipe": self._recipe.name,
            "seed": self._seed,
            "metric": self._metric,
            "mode": self._mode,
            "constraints": self._constraints,
            "reference": None if self._reference is None else list(self._original_reference),
            "space": None if self._domains is None else self._domains.space.to_json(),
            "given": b64encode(cloudpickle.dumps((self._given, self._points))).decode(),
            "history": history,
            "progress": {key: asdict(value) for key, value in self._progress.items()},
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Undo `get_state`. If the searcher has a space already, it must be the same one."""
        if state["recipe"] != self._recipe.name:
            raise RecipeError(
                f"The run was saved with the recipe {state['recipe']!r}. Got {self._recipe.name!r}. "
                "Pass the same recipe, or start a new run."
            )
        self._seed = int(state["seed"])
        self._take_objectives(state)
        if state["space"] is None:
            return
        space, self._points = load_pickle(b64decode(state["given"]))
        if self._domains is None:
            self._given, self._domains = space, read_domains(space)
        assert self._domains is not None
        space = self._domains.space
        if state["space"] != space.to_json():
            raise SpaceError(
                "The space must be the one that the run was saved with. Got another. Pass it, or start a new run."
            )
        self._optimizer = self._new_optimizer(space)
        objectives = self._optimizer.objectives
        self._optimizer.history = saved_runs.history_from_json(state["history"], space, objectives)
        self._progress = {key: _Progress(**value) for key, value in state["progress"].items()}
        self._longest = max((progress.step for progress in self._progress.values()), default=0)

    # -- inside -----------------------------------------------------------------------------------------

    def _search(self, space: Mapping[str, Any] | Space) -> None:
        domains = read_domains(space)
        if domains is None:
            raise SpaceError(
                "The search space must have a domain, such as tune.uniform or tune.choice. Got none. Parameters "
                "of auger are passed as AugerSearch(Space({...}), metric=..., mode=...), without a param_space."
            )
        self._given, self._domains = space if isinstance(space, Space) else dict(space), domains
        self._optimizer = self._new_optimizer(domains.space)
        for point in self._points:
            self._check_point(point)  # refused now, not in the middle of the run
        if self._rewards is not None:
            for point, reward in zip(self._points, self._rewards, strict=True):
                self.add_evaluated_point(point, reward)
            self._points = []

    def _ready(self) -> Optimizer:
        if self._optimizer is None:
            raise SpaceError(
                "AugerSearch has no search space yet. Pass one: AugerSearch({...}), or "
                "tune.Tuner(..., param_space={...})."
            )
        if self._metric is None or self._mode is None:
            raise AugerError(
                'AugerSearch must have a metric and a mode: AugerSearch(..., metric="loss", mode="min"). Those of '
                "tune.TuneConfig reach it only together with a param_space. "
                f"Got metric={self._metric!r}, mode={self._mode!r}."
            )
        return self._optimizer

    def _new_optimizer(self, space: Space) -> Optimizer:
        optimizer = Optimizer(space, self._recipe, seed=self._seed)
        optimizer.history = History(space, objectives=_objectives(self._metric, self._mode, self._reference))
        return optimizer

    def _set_direction(self) -> None:
        """Tell the optimizer the mode of a single metric, which a Tuner may bring later than the space."""
        assert self._optimizer is not None
        if not isinstance(self._metric, list):
            self._optimizer.history.objectives = _objectives(self._metric, self._mode)

    def _take_objectives(self, state: Mapping[str, Any]) -> None:
        """Take over metrics, modes and constraints of a saved run; others that were passed are refused."""
        for name, own in (("metric", self._metric), ("mode", self._mode), ("constraints", self._constraints)):
            saved = state.get(name)
            if own is not None and saved is not None and own != saved:
                raise ObjectiveError(
                    f"The run was saved with {name}={saved!r}. Got {own!r}. Pass the same, or start a new run."
                )
        self._metric, self._mode = checked_metric(self._metric or state["metric"], self._mode or state["mode"])
        self._constraints = self._constraints or state.get("constraints")
        self._limits = as_outcome_constraints(self._constraints)
        saved = state.get("reference")
        if self._reference is not None and saved is not None and list(self._original_reference) != saved:
            raise ObjectiveError(f"The run was saved with reference={saved!r}. Got {self._reference!r}.")
        self._reference = saved if self._reference is None else self._reference

    @property
    def _original_reference(self) -> tuple[float, ...]:
        objectives = _objectives(self._metric, self._mode, self._reference)
        assert objectives.reference is not None
        return objectives.original(objectives.reference)

    @property
    def _metrics(self) -> list[str]:
        """The names of what is optimized."""
        return self._metric if isinstance(self._metric, list) else [self._metric or ""]

    def _values(self, result: Mapping[str, Any]) -> tuple[float, ...] | None:
        """The values of all metrics; None unless there is a number for each."""
        return _numbers(result, self._metrics)

    def _outcomes(self, result: Mapping[str, Any]) -> tuple[float, ...] | None:
        """What the constraints limit; None unless there is a number for each."""
        return _numbers(result, [limit.name for limit in self._limits])

    def _last(self, progress: _Progress) -> tuple[float, ...] | None:
        """The last intermediate values."""
        history = self._ready().history
        curve = history.trials[progress.number].intermediate_values
        return history.objectives.original(curve[-1][1:]) if curve else None

    def _complaint(self, result: Mapping[str, Any] | None, progress: _Progress) -> str:
        """What is missing in the result of a trial, or in its last one where it ended without; empty if nothing is."""
        names = [*self._metrics, *(limit.name for limit in self._limits)]
        if result is None:
            is_known = self._last(progress) is not None and (progress.outcomes is not None or not self._limits)
            return "" if is_known else f"it reported no {names[0]!r}"
        for name in names:
            if name not in result:
                return f"it reported no {name!r}"
            number = _as_number(result[name])
            if number is None:
                return f"it reported {str(result[name])[:80]!r} for {name!r}, which is not a number"
            if math.isnan(number) and len(names) > 1:
                return f"it reported NaN for {name!r}"
        return ""

    def _report(self, progress: _Progress, result: Mapping[str, Any]) -> None:
        """Record intermediate values, each step once."""
        step, values, outcomes = _step(result), self._values(result), self._outcomes(result)
        if step > progress.step:
            progress.step = step
            if outcomes is not None and all(map(math.isfinite, outcomes)):
                progress.outcomes = outcomes
            if values is not None and (len(values) == 1 or not any(map(math.isnan, values))):
                self._ready().report(progress.number, step, values if len(values) > 1 else values[0])
        if step > self._longest:
            self._longest = step
            self._look_again()

    def _look_again(self) -> None:
        """Trials that were cut at the last step of all trials are complete, and pruned once another goes further."""
        optimizer = self._ready()
        trials = optimizer.history.trials
        short = {trial.number for trial in self._progress.values() if trial.is_cut and trial.step < self._longest}
        short = {number for number in short if trials[number].state is State.COMPLETE}
        if short:
            optimizer.history = _demoted(optimizer.history, short)

    def _start(self, point: Mapping[str, Any], reason: str = "a point to evaluate", *, is_whole: bool = False) -> Any:
        """Begin a trial with a configuration of Ray's; parameters that it leaves out are proposed."""
        optimizer, domains = self._ready(), self._domains
        assert domains is not None
        config = domains.from_ray(point, is_partial=not is_whole)
        try:
            config = optimizer.space.walk(lambda name, _: config[name])
        except KeyError as missing:
            if is_whole:
                raise ConfigError(f"Parameter {missing} must have a value. The config has none.") from missing
            config = self._completed(config)
        return optimizer.history.start(config, Provenance(notes=(reason,)))

    def _check_point(self, point: Mapping[str, Any]) -> None:
        """Refuse a point that is not in the space, or that cannot be completed under the constraints."""
        assert self._domains is not None
        space = self._domains.space
        limits = _limits(self._domains.from_ray(point, is_partial=True), space)
        try:
            space.within(limits, limits).sample(1, np.random.default_rng(0))
        except SpaceError as error:
            raise ConfigError(f"A point to evaluate must satisfy the constraints. Got {point!r}.") from error

    def _completed(self, config: Config) -> Config:
        """A suggestion that keeps the values of a config that leaves parameters out."""
        optimizer = self._ready()
        limits = _limits(config, optimizer.space)
        suggestion = suggest(optimizer.history, self._recipe, seed=self._seed, within=(limits, limits))
        return optimizer.space.decode(suggestion.row[np.newaxis])[0]


def _limits(config: Config, space: Space) -> Array:
    """The values of a config as limits of their columns, NaN for the others, as `Space.within` takes them."""
    limits = np.full(len(space), np.nan)
    for j, (name, parameter) in enumerate(space.parameters.items()):
        if name in config:
            limits[j] = parameter.encode([config[name]], name)[0]
    return limits


def _demoted(history: History, short: set[int]) -> History:
    """The same trials, some of them pruned instead of complete."""
    trials = [replace(trial, state=State.PRUNED) if trial.number in short else trial for trial in history.trials]
    X = np.array(history.X)
    return History.restore(history.space, trials, history.finished, history.marks, X, objectives=history.objectives)


def _step(result: Mapping[str, Any]) -> int:
    step = result.get(STEP, 0)
    return int(step) if is_number(step) and math.isfinite(step) else 0


def _as_number(value: Any) -> float | None:
    """A reported value as a float, also of an array or tensor with one element; None for others."""
    number = unwrapped(value)
    return float(number) if is_number(number) else None


def _seconds(result: Mapping[str, Any] | None) -> float | None:
    """How long Ray says that a trial has run; None where it does not."""
    return _as_number((result or {}).get("time_total_s"))


def _numbers(result: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...] | None:
    """What was reported under these names; None unless all are numbers."""
    numbers = [_as_number(result.get(name)) for name in names]
    return None if None in numbers else tuple(number for number in numbers if number is not None)


def _number(value: Any) -> float:
    if not is_number(value):
        raise TrialError(f"The value of a point must be a number. Got {value!r}.")
    return float(value)


def _objectives(metric: Metric, mode: Metric, reference: Any = None) -> Objectives:
    """What is optimized, minimized without a mode; with the names of several metrics."""
    if isinstance(metric, list) and isinstance(mode, list):
        return as_objectives({name: _DIRECTIONS[m] for name, m in zip(metric, mode, strict=True)}, reference)
    return as_objectives(_DIRECTIONS[mode] if isinstance(mode, str) else Direction.MINIMIZE, reference)


def checked_metric(metric: Any, mode: Any) -> tuple[Metric, Metric]:
    """The metric and the mode of a searcher, or two lists of them; refuses anything else."""
    if isinstance(metric, (list, tuple)) or isinstance(mode, (list, tuple)):
        if (
            not isinstance(metric, (list, tuple))
            or not isinstance(mode, (list, tuple))
            or len(metric) != len(mode)
            or len(metric) < 2
            or len(set(map(str, metric))) < len(metric)
        ):
            raise ObjectiveError(
                "For several objectives, `metric` and `mode` must be lists of two or more different names, and of as "
                f'many modes: metric=["loss", "size"], mode=["min", "min"]. Got {metric!r} and {mode!r}.'
            )
        for name, m in zip(metric, mode, strict=True):
            _check_one(name, m)
        return list(metric), list(mode)
    _check_one(metric, mode)
    return metric, mode


def _check_one(metric: Any, mode: Any) -> None:
    if metric is not None and not isinstance(metric, str):
        raise ObjectiveError(f"`metric` must be the name of a value that trials report. Got {metric!r}.")
    if mode is not None and mode not in _DIRECTIONS:
        raise ObjectiveError(f'`mode` must be "min" or "max". Got {mode!r}.')


def _check_tuner(own_metric: Metric, own_mode: Metric, metric: Any, mode: Any) -> None:
    """Refuse a metric and mode of a Tuner that contradict the searcher's; its only one may be one of several."""
    if isinstance(metric, (list, tuple)) or isinstance(mode, (list, tuple)):
        raise ObjectiveError(
            f"A Tuner has one metric. Got metric={metric!r}, mode={mode!r}. Pass several to the searcher: "
            f"AugerSearch(metric={metric!r}, mode={mode!r})."
        )
    _check_one(metric, mode)
    if isinstance(own_metric, list) and isinstance(own_mode, list):
        if metric is not None and (metric not in own_metric or mode not in (None, own_mode[own_metric.index(metric)])):
            raise ObjectiveError(
                f"The metric of the Tuner must be None, or one of AugerSearch's: {own_metric!r} with mode={own_mode!r}."
                f" Got {metric!r} with mode={mode!r}."
            )
        return
    for name, old, new in (("metric", own_metric, metric), ("mode", own_mode, mode)):
        if old is not None and new is not None and old != new:
            raise ObjectiveError(f"The Tuner and AugerSearch must have the same {name}. Got {new!r} and {old!r}.")


def _checked_points(points: Any, rewards: Any) -> list[Mapping[str, Any]]:
    listed = [] if points is None else list(points)
    for point in listed:
        if not isinstance(point, Mapping):
            raise ConfigError(f"`points_to_evaluate` must be a list of configurations. Got {point!r} in it.")
    if rewards is not None and len(list(rewards)) != len(listed):
        raise ConfigError(
            f"`evaluated_rewards` must have a value for each of the {len(listed)} points. Got {len(list(rewards))}."
        )
    return listed
