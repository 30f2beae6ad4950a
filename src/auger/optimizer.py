"""Ask and tell: for users who run the evaluations themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from auger import notebook, saved_runs, table, text
from auger.checks import check_seed, check_whole
from auger.configs import tidied
from auger.curves import Judge, Stages
from auger.errors import ConfigError, ObjectiveError, RecipeError, SpaceError, TrialError
from auger.files import write_whole
from auger.history import History
from auger.objectives import Direction, Objectives, as_direction, as_objectives
from auger.past_results import check_constraints, final_values, minimized_values, past_results
from auger.preference import Prefer, as_preference, choose
from auger.provenance import Origin, Provenance
from auger.recipes import Recipe, Turns, as_recipe, is_named
from auger.recommend import Recommendation, recommend
from auger.space import Space, as_space
from auger.suggest import Memory, suggest
from auger.trial import State, Trial
from auger.types import Array, Config

if TYPE_CHECKING:
    import pandas as pd

#: What a trial is told: a number or, with several objectives, one of each as a list or a dict of names.
Values = float | Sequence[float] | Mapping[str, float]


class Optimizer:
    """Proposes configurations and learns from their values. Threads may share one: every method is safe to call.

    Args:
        space: a Space, or a plain dict such as ``{"lr": Float(1e-5, 1e-1, log=True), "depth": (1, 12)}``.
        recipe: the name of a recipe (see `auger.RECIPES`), with options if wanted (``"bore-rf gamma=0.25"``); or a
            Recipe or Turns of your own.
        direction: "minimize", or "maximize" where higher values are better. All values that go in and come out have
            your own sign; inside, in `history`, they are minimized.
        directions: of several objectives, instead of `direction`: a list, or a dict of names and directions such as
            ``{"error": "minimize", "speed": "maximize"}``. A trial is then told one value per objective, and `front`
            has the trials that no other beats.
        reference: with several objectives, the worst values of interest, as a list or a dict of names: a trial that is
            worse in one of them adds nothing to the front. None learns them from the front.
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
        self,
        space: Space | Mapping[str, Any],
        recipe: str | Recipe | Turns = "auto",
        *,
        direction: str | Direction = "minimize",
        directions: Sequence[str | Direction] | Mapping[str, str | Direction] | None = None,
        reference: Sequence[float] | Mapping[str, float] | None = None,
        seed: int | None = None,
    ) -> None:
        self.recipe = as_recipe(recipe)
        self.seed = check_seed(seed)
        self.history = History(as_space(space), objectives=_objectives(direction, directions, reference))
        self._queue: list[Config] = []
        self._memory = Memory()
        self.recipe.load()  # now, and not while a user's clock runs
        self._stages, self._judge = Stages(), Judge()
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    @property
    def space(self) -> Space:
        """The search space."""
        return self.history.space

    @property
    def objectives(self) -> Objectives:
        """The names and directions of what is optimized, and the reference."""
        return self.history.objectives

    @property
    def direction(self) -> Direction:
        """Whether lower or higher values of the only objective are better; `objectives` has those of several."""
        self._check_single("`direction`", "`objectives.directions` has one per objective")
        return self.history.objectives.directions[0]

    @property
    def trials(self) -> list[Trial]:
        """All trials so far, by number."""
        with self._lock:
            return [self._shown(trial) for trial in self.history]

    @property
    def best(self) -> Trial | None:
        """The complete, feasible trial with the best finite value; None before there is one.

        Several objectives have no single best, and that is an ObjectiveError: see `front` and `choose`.
        """
        self._check_single("`best`", "`front` has the trials that no other beats, and `choose` takes one of them")
        with self._lock:
            best = self.history.best
            return None if best is None else self._shown(best)

    @property
    def front(self) -> list[Trial]:
        """The trials that no other beats in all objectives, the best in the first objective first.

        They are complete and feasible, with finite values. With one objective, they are those with the best value.

        Example:
            >>> optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"error": "minimize", "speed": "maximize"}, seed=0)
            >>> for _ in range(10):
            ...     trial = optimizer.ask()
            ...     _ = optimizer.tell(trial, {"error": (trial.config["x"] - 0.5) ** 2, "speed": trial.config["x"]})
            >>> min(trial.config["x"] for trial in optimizer.front) > 0.3
            True
        """
        with self._lock:
            return [self._shown(trial) for trial in self.history.front]

    def choose(self, prefer: Prefer = None) -> Trial | None:
        """One trial of the front, by what you prefer; None before there is one. It needs no new trial.

        Args:
            prefer: limits and names of objectives, the most important first, such as ``"error <= 0.1, size"``; or a
                dict of names and weights; None weighs all objectives alike. See `auger.preference`.

        Example:
            >>> optimizer = Optimizer({"x": (0.0, 1.0)}, directions={"error": "minimize", "speed": "maximize"}, seed=0)
            >>> for x in (0.5, 0.6, 0.9):
            ...     _ = optimizer.add([{"x": x}], [{"error": (x - 0.5) ** 2, "speed": x}])
            >>> optimizer.choose("error <= 0.1, speed").config
            {'x': 0.6}
        """
        preference = as_preference(prefer, self.objectives)
        with self._lock:
            chosen = choose(self.history.front, self.objectives, preference)
            return None if chosen is None else self._shown(chosen)

    def _check_single(self, what: str, way_out: str) -> None:
        if len(self.objectives) > 1:
            names = ", ".join(map(repr, self.objectives.names))
            raise ObjectiveError(f"{what} is for a single objective. Got {names}: {way_out}.")

    @property
    def queue(self) -> list[Config]:
        """The enqueued configs, whole or in part, that were not asked for yet, the next one first."""
        with self._lock:
            return [dict(config) for config in self._queue]

    def recommend(self) -> Recommendation | None:
        """The trial whose configuration to use in the end; None before one is complete and feasible.

        It is `best`, unless there is evidence that values are noisy: then it is the one with the best expected
        value, with an estimate of it. Several objectives have none: see `choose`. Computed at each call, in up to a
        second or so.
        """
        self._check_single("`recommend`", "`choose` takes one trial of the front")
        with self._lock:
            recommendation = recommend(self.history)
            if recommendation is None:
                return None
            estimate = recommendation.estimate
            return replace(
                recommendation,
                trial=self._shown(recommendation.trial),
                estimate=None if estimate is None else self.direction.sign * estimate,
            )

    def enqueue(self, config: Mapping[str, Any]) -> None:
        """Have a configuration tried next, after those that are enqueued already.

        Args:
            config: a whole config or a part of one. What is missing is suggested when it is asked for, with the values
                of this part fixed. It is checked here, constraints of the space included.

        Example:
            >>> optimizer = Optimizer({"lr": (0.0, 1.0), "depth": (1, 12)}, seed=0)
            >>> optimizer.enqueue({"lr": 0.1, "depth": 3})
            >>> optimizer.enqueue({"depth": 5})
            >>> optimizer.ask().config, optimizer.ask().config["depth"]
            ({'lr': 0.1, 'depth': 3}, 5)
        """
        values = tidied(config, self.space)
        if not values:
            raise ConfigError("An enqueued config must have at least one value. Got none.")
        self._check_possible(values)
        with self._lock:
            self._queue.append(values)

    @overload
    def ask(self, n: None = None, *, fixed: Mapping[str, Any] | None = None) -> Trial: ...

    @overload
    def ask(self, n: int, *, fixed: Mapping[str, Any] | None = None) -> list[Trial]: ...

    def ask(self, n: int | None = None, *, fixed: Mapping[str, Any] | None = None) -> Trial | list[Trial]:
        """Propose a trial, or a list of ``n`` different ones to run at the same time.

        Each counts as pending until it is told, and pending trials are learned as not good, so that those
        running together spread out. Enqueued configs come first.

        Args:
            n: how many; None for one that is not in a list.
            fixed: parameters and values that the proposals must have. An enqueued config with another value of them
                waits for the next question.
        """
        values = tidied({} if fixed is None else fixed, self.space)
        with self._lock:
            if n is None:
                return self._ask(values)
            return [self._ask(values) for _ in range(check_whole(n, 1, "`n`"))]

    def _ask(self, fixed: Config) -> Trial:
        self.space.limits(fixed)  # refuses values that no config has
        queued = next((config for config in self._queue if self._agree(config, fixed)), None)
        values = fixed if queued is None else {**queued, **fixed}
        config, row, provenance = self._completed(values)
        if queued is not None:
            is_whole = provenance.origin is Origin.GIVEN
            names = () if is_whole else provenance.fixed
            provenance = replace(provenance, fixed=names, notes=("enqueued", *provenance.notes))
        trial = self.history.start(config, provenance, row=row, started=datetime.now())
        if queued is not None:
            self._queue = [config for config in self._queue if config is not queued]
        return self._shown(trial)

    def _completed(self, values: Config) -> tuple[Config, Array, Provenance]:
        """A config with these values, its row (d,), and where it comes from. Values that are whole are one already."""
        row = self._row(values)
        if row is not None:
            return values, row, Provenance(Origin.GIVEN, fixed=tuple(values))
        limits = self.space.limits(values)
        try:
            suggestion = suggest(self.history, self.recipe, seed=self.seed, within=limits, memory=self._memory)
        except SpaceError as error:
            if not values:
                raise
            raise ConfigError(f"The space must have a config with the fixed values {values!r}. {error}") from error
        # the values as they were passed: encoding moves some floats by their last digits
        config = {**self.space.decode(suggestion.row[np.newaxis])[0], **values}
        return config, suggestion.row, replace(suggestion.provenance, fixed=tuple(values))

    def _agree(self, config: Config, fixed: Config) -> bool:
        """Whether some member of the space has the values of both."""
        if any(config[name] != value for name, value in fixed.items() if name in config):
            return False
        try:
            self._check_possible({**config, **fixed})
        except ConfigError:
            return False
        return True

    def _row(self, values: Config) -> Array | None:
        """The encoded row of a whole config (d,); None for a part of one. The values must have limits."""
        if not values:
            return None
        try:
            row: Array = self.space.encode([values])[0]
        except ConfigError:
            return None
        return row

    def _check_possible(self, values: Config) -> None:
        """Refuse values that no allowed member of the space has."""
        limits, row = self.space.limits(values), self._row(values)
        if not self.space.constraints or limits is None:
            return
        if row is not None and not self.space.allowed(row[np.newaxis])[0]:
            raise ConfigError(f"A config must satisfy the constraints of the space. Got {values!r}.")
        if row is None:
            try:
                self.space.within(*limits).sample(1, np.random.default_rng(0))
            except SpaceError as error:
                raise ConfigError(f"The space must have a config with the values {values!r}. {error}") from error

    def report(self, trial: Trial | int, step: float, value: Values) -> Trial:
        """Record an intermediate value: what the trial would be worth if it ended here.

        A trial that is then told as pruned ranks by its predicted final value, which is learned from the intermediate
        and final values of all trials. A trial that is told a value ranks by that value.

        Args:
            trial: one that `ask` returned and that is still running.
            step: how far it is, in epochs, samples, seconds, or whatever else: a number of at least 0, each once.
            value: the number to optimize; NaN and infinity are allowed. With several objectives, one value of each, as
                a list or a dict of names.

        Returns:
            The trial, still running.
        """
        with self._lock:
            number = self._number(trial)
            minimized = minimized_values(self.objectives, value, number, "intermediate value")
            return self._shown(self.history.report(number, step, *minimized))

    def should_prune(self, trial: Trial | int) -> bool:
        """Whether a running trial is better stopped, by the intermediate values it has reported so far.

        It is, when its chance to become the best is not worth the rest of its cost (`auger.curves.early_stopping`). The
        rule is that of `AugerPruner` in Optuna: no trial is stopped before two are complete, and each is judged once
        per stage, at the steps 1, 2, 3, 4, 6, 8, 12, 16, ... Tell a trial that you stop as ``pruned``.

        Example:
            >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
            >>> for _ in range(20):
            ...     trial = optimizer.ask()
            ...     for epoch in range(1, 28):
            ...         value = trial.config["x"] + 1 / epoch
            ...         _ = optimizer.report(trial, epoch, value)
            ...         if optimizer.should_prune(trial):
            ...             break
            ...     _ = optimizer.tell(trial, value, pruned=epoch < 27)
            >>> "pruned" in {trial.state.value for trial in optimizer.trials}
            True
        """
        with self._lock:
            running = self.history.running(self._number(trial))
            curve = running.intermediate_values
            if not curve or not self._stages.is_new(running.number, curve[-1][0]):
                return False
            prospect = self._judge.prospect(self.history, self.history.X[running.number], curve)
            return prospect is not None and not prospect.is_worth_it

    def annotate(self, trial: Trial | int, attributes: Mapping[str, Any]) -> Trial:
        """Attach attributes to a trial, running or finished: anything that JSON can hold, for you to find again.

        They are saved with the trial, and shown in tables. No suggestion depends on them. A name that the trial has
        already gets the new value.

        Example:
            >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
            >>> trial = optimizer.annotate(optimizer.ask(), {"checkpoint": "run-17.pt"})
            >>> trial.attributes
            {'checkpoint': 'run-17.pt'}
        """
        with self._lock:
            return self._shown(self.history.annotate(self._number(trial), attributes))

    def tell(
        self,
        trial: Trial | int,
        value: Values | None = None,
        *,
        error: str | BaseException | None = None,
        pruned: bool = False,
        constraints: Sequence[float] = (),
        config: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
        cost: float | None = None,
    ) -> Trial:
        """Record the result of a trial, passed as a Trial or by its number.

        Args:
            trial: one that `ask` returned and that is still running.
            value: the number to optimize. NaN and infinity of either sign are allowed, and count like failures. With
                several objectives, one value of each, as a list or a dict of names; an infinity is a failure, and NaN
                is refused: tell an ``error`` where one of them is missing.
            error: why there is no value: the trial failed. Failures teach the classifier where not to go.
            pruned: whether the trial was stopped early; ``value`` is its last value, by default the last one reported.
            constraints: outcome constraints, each satisfied when <= 0, as many in every trial that has any. Infeasible
                trials rank behind feasible ones.
            config: the whole config that really ran, where that is not what was asked for: rounded, clipped, or the
                nearest that was available. The model learns this one; what was asked for is in `Trial.asked`.
            attributes: to attach to it; see `annotate`.
            cost: the seconds it took, where you measured them; None for the seconds since it was asked for.

        Returns:
            The finished trial.
        """
        with self._lock:
            number = self._number(trial)
            if error is not None and (value is not None or pruned):
                raise TrialError(f"Trial {number} takes a value or an error, not both. Got {value!r} and {error!r}.")
            state = State.FAILED if error is not None else State.PRUNED if pruned else State.COMPLETE
            message = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error
            if np.iterable(constraints):
                check_constraints(list(constraints), number, self.history.constraints.shape[1])
            now = datetime.now()
            done = self.history.finish(
                number,
                value=None if value is None else final_values(self.objectives, value, number),
                state=state,
                constraints=constraints,
                error=None if message is None else str(message),
                config=None if config is None else tidied(config, self.space),
                attributes=attributes,
                cost=self._seconds(number, now) if cost is None else cost,
                finished=now,
            )
            return self._shown(done)

    def _seconds(self, number: int, now: datetime) -> float | None:
        started = self.history.find(number).started
        return None if started is None else max((now - started).total_seconds(), 0.0)

    def _number(self, trial: Trial | int) -> int:
        """The number of a trial; refuses a Trial that was not asked for here."""
        if not isinstance(trial, Trial):
            return trial
        own = self.history.find(trial.number)
        if trial.config not in (own.config, own.asked):
            asked = own.config if own.asked is None else own.asked
            raise TrialError(
                f"Trial {own.number} of this optimizer was asked for with {asked!r}. Got a trial with "
                f"{trial.config!r}: it is another optimizer's, or its config was changed. If another config ran than "
                f"was asked for, tell the number and what ran: tell({own.number}, value, config=...)."
            )
        return own.number

    def add(
        self,
        configs: Any,
        values: Iterable[Values | None] | Sequence[str] | str | None = None,
        *,
        errors: Iterable[str | None] | str | None = None,
        pruned: Iterable[bool] | str | None = None,
        constraints: Iterable[Sequence[float]] | Sequence[str] | str | None = None,
        intermediate_values: Iterable[Mapping[float, float]] | str | None = None,
        attributes: Iterable[Mapping[str, Any]] | Sequence[str] | str | None = None,
    ) -> list[Trial]:
        """Take in past results in one call. All of them are checked before any is added; an error names the row.

        They count as answers, and are not proposed again. They may break a constraint of the space; new proposals will
        not.

        Args:
            configs: a list of configs; or a DataFrame with a column per parameter, empty where it is inactive. Other
                columns of a DataFrame are left alone, unless one of the following arguments names them.
            values: one per config, or the name of a column. A result whose value is None, or an empty cell, failed.
                With several objectives, a list or a dict of names per config, or the names of the columns.
            errors: why there is no value: one per config, None where there is one; or the name of a column.
            pruned: whether each was stopped early; or the name of a column.
            constraints: the outcome constraints of each, a list of numbers; or the names of columns, one for each.
            intermediate_values: what each reported, a dict of steps and values; or the name of a column of such dicts.
            attributes: a dict for each; or the names of columns.

        Returns:
            The new trials.

        Example:
            >>> optimizer = Optimizer({"x": (0.0, 1.0), "n": (1, 9)}, seed=0)
            >>> configs = [{"x": 0.5, "n": 3.0}, {"x": 0.1, "n": 4}]
            >>> [trial.state.value for trial in optimizer.add(configs, [0.25, None], errors=[None, "out of memory"])]
            ['complete', 'failed']
        """
        with self._lock:
            trials, X = past_results(
                self.space,
                self.history.objectives,
                configs,
                values,
                errors=errors,
                pruned=pruned,
                constraints=constraints,
                intermediate_values=intermediate_values,
                attributes=attributes,
                start=len(self.history),
                n_constraints=self.history.constraints.shape[1],
            )
            self.history.extend(trials, X)
            return [self._shown(trial) for trial in trials]

    def to_pandas(self) -> pd.DataFrame:
        """All trials as a DataFrame, one row per trial. Needs pandas.

        Its columns: number, state, value (several objectives have a column each, by name), feasible, cost, started,
        finished, origin, reason, error; then the parameters by name (``param:NAME`` where a column has that name), then
        the attributes (``attribute:NAME`` likewise).
        """
        return table.to_frame(self.trials, self.space.names, self.objectives.names)

    def to_csv(self, path: str | Path) -> None:
        """Write all trials to a CSV file, with the columns of `to_pandas`. Lists and dicts are written as JSON."""
        write_whole(Path(path), table.to_csv(self.trials, self.space.names, self.objectives.names))

    def __repr__(self) -> str:
        with self._lock:
            states, objectives = [trial.state.value for trial in self.history], self.objectives
            if len(objectives) > 1:
                n = len(self.history.front)
                shown, asked = f"; {text.count(n, 'trial')} on the front", f"directions={objectives.described()!r}"
            else:
                best = self.best
                shown = "" if best is None else f"; {text.best(best.values[0], best.config)}"
                asked = f"direction={self.direction.value!r}"
        return f"Optimizer({self.recipe.name!r}, {asked}, seed={self.seed}; {text.trials(states)}{shown})"

    def _repr_html_(self) -> str:
        if len(self.objectives) > 1:
            return notebook.front_html(self.trials, self.front, self.objectives)
        return notebook.run_html(self.trials, self.best, self.direction)

    def save(self, path: str | Path) -> None:
        """Write everything to a JSON file. The old file stays whole until the new one is complete."""
        with self._lock:
            data = self._to_json()
        saved_runs.write(path, data)

    def _to_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "recipe": self.recipe.name,
            "is_own_recipe": not is_named(self.recipe),
            "objectives": self.objectives.to_json(),
            "space": self.space.to_json(),
            "queue": [dict(config) for config in self._queue],
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
            name, is_own, seed = data["recipe"], data["is_own_recipe"], check_seed(index(data["seed"]))
            space = Space.from_json(data["space"], functions=constraints)
            objectives = saved_runs.objectives_from_json(data)
            queue = [tidied(config, space) for config in data.get("queue", [])]
            history = saved_runs.history_from_json(data["history"], space, objectives)
        if recipe is None and is_own:
            raise RecipeError(
                f"{path} was saved with your own recipe {name!r}, which a file cannot hold. Pass it again: recipe=..."
            )
        with saved_runs.blame(path) if recipe is None else nullcontext():
            used = as_recipe(name if recipe is None else recipe)
        if used.name != name or is_named(used) == is_own:
            whose = "your own" if is_own else "the built-in"
            raise RecipeError(
                f"{path} was saved with {whose} recipe {name!r}. Got another: {used.name!r}. Pass the same recipe."
            )
        optimizer = cls(space, used, seed=seed)
        optimizer.history, optimizer._queue = history, queue
        return optimizer

    def _shown(self, trial: Trial) -> Trial:
        """A trial in the user's own sign, which the user may change without changing the history."""
        objectives, twin = self.history.objectives, object.__new__(Trial)  # `replace` checks all again, `copy` is slow
        for name in Trial.__slots__:
            object.__setattr__(twin, name, getattr(trial, name))
        object.__setattr__(twin, "config", dict(trial.config))
        if trial.attributes:
            object.__setattr__(twin, "attributes", deepcopy(trial.attributes))
        if Direction.MAXIMIZE in objectives.directions:
            steps = tuple((step, *objectives.original(values)) for step, *values in trial.intermediate_values)
            object.__setattr__(twin, "values", objectives.original(trial.values) if trial.values else ())
            object.__setattr__(twin, "intermediate_values", steps)
        return twin


def _objectives(direction: Any, directions: Any, reference: Any) -> Objectives:
    """The objectives that the arguments of an `Optimizer` name."""
    if directions is None:
        objectives = Objectives((as_direction(direction),))
        if reference is not None:
            raise ObjectiveError(f"`reference` is for several objectives, which have `directions`. Got {reference!r}.")
        return objectives
    if direction != Direction.MINIMIZE:
        raise ObjectiveError(f"Pass `direction` or `directions`, not both. Got {direction!r} and {directions!r}.")
    if isinstance(directions, str):
        raise ObjectiveError(f"`directions` must be a list, or a dict of names. Got {directions!r}. Use `direction`.")
    return as_objectives(directions, reference)
