"""A run as it is looked at, wherever it was made: an Optimizer, a Result, a History, or a study.

Reports, plots and explanations know runs as Views only. A host, or whoever else keeps runs, registers a reader under
the entry point group "auger.views": the name is that of the class of its runs, the value a function that makes a View.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from auger import pareto
from auger.errors import AugerError, ObjectiveError
from auger.history import History
from auger.minimize import FrontResult, Result
from auger.objectives import Objectives
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns, as_recipe
from auger.standing import Standing, standing_of
from auger.trial import State, Trial, best_of
from auger.types import Array, Config, Index


@dataclass(frozen=True)
class Baseline:
    """What the best is compared with: the defaults, or whatever came first.

    Attributes:
        number: of its trial.
        value: of its trial, in the user's own sign; of several objectives, that of the first (see `View.only`).
        name: what to call it.
    """

    number: int
    value: float
    name: str


@dataclass(frozen=True)
class View:
    """Everything that reports, plots and explanations are made from.

    Attributes:
        name: of the run.
        objectives: their names and directions.
        trials: every trial, by number; values and intermediate values are minimized (`objectives.original` undoes it).
        history: the trials that can be learned from, encoded; its space has the user's own values. None as long as no
            parameter is known.
        numbers: shape (len(history),): trial i of the history is the one numbered ``numbers[i]``.
        recipe: what proposes, and is judged; the default where another program made the run.
        is_ours: whether it was that recipe which proposed.
        facts: what else to tell about the run: label -> text.
        baseline: what the best is compared with; None where there is nothing yet. It is feasible.
        is_default_infeasible: whether there is no baseline because the defaults break an outcome constraint.
        budget: how many trials are to be run in all; None without a limit.
        seconds: how long the run has been at work; None where it is not known.
        is_done: whether nothing more will come, as far as can be told.
        counted: where the run stands, by whoever keeps it; None where all trials count, each once: see `standing`.
        superseded: numbers of trials that were stopped, or whose worker died, and that were run again.
        command: the command line that runs a trial's settings; None where there is no command.
        named_constraints: names of the outcome constraints; those that are left out are called "constraint 0", ...
    """

    name: str
    objectives: Objectives
    trials: tuple[Trial, ...]
    history: History | None
    numbers: Index
    recipe: Recipe | Turns
    is_ours: bool = True
    facts: Mapping[str, str] = field(default_factory=dict)
    baseline: Baseline | None = None
    is_default_infeasible: bool = False
    budget: int | None = None
    seconds: float | None = None
    is_done: bool = False
    counted: Standing | None = None
    superseded: frozenset[int] = frozenset()
    command: Callable[[int, Config], str] | None = None
    named_constraints: tuple[str, ...] = ()

    @property
    def complete(self) -> list[Trial]:
        """The trials that have their values, feasible or not."""
        return [trial for trial in self.trials if trial.state is State.COMPLETE]

    @cached_property
    def standing(self) -> Standing:
        """How many trials ended how, and how many are left."""
        return standing_of(self.trials) if self.counted is None else self.counted

    @cached_property
    def by_number(self) -> dict[int, Trial]:
        """The trials by number; numbers may have gaps."""
        return {trial.number: trial for trial in self.trials}

    @cached_property
    def best(self) -> Trial | None:
        """The best trial, by `auger.trial.best_of`; None with several objectives."""
        return best_of(self.trials)

    def values_of(self, trial: Trial) -> tuple[float, ...]:
        """The values of a complete trial as the user knows them; empty for others: a pruned trial had fewer steps."""
        return self.objectives.original(trial.values) if trial.state is State.COMPLETE else ()

    @cached_property
    def losses(self) -> Array:
        """Values to be minimized, shape (n, k), of complete and feasible trials; NaN for others, and where infinite."""
        losses = np.full((len(self.trials), len(self.objectives)), np.nan)
        for i, trial in enumerate(self.trials):
            if trial.state is State.COMPLETE and trial.is_feasible:
                losses[i] = trial.values
        losses[~np.isfinite(losses)] = np.nan
        return losses

    @cached_property
    def front(self) -> list[Trial]:
        """The trials that no other beats in all objectives, the best in the first objective first."""
        usable = np.flatnonzero(~np.isnan(self.losses).any(axis=1))
        members = usable[pareto.front(self.losses[usable])]
        return [self.trials[i] for i in members[np.argsort(self.losses[members, 0], kind="stable")]]

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The names of the outcome constraints, as many as the trial with the most of them has."""
        n = max((len(trial.constraints) for trial in self.trials), default=0)
        return self.named_constraints[:n] + tuple(f"constraint {i}" for i in range(len(self.named_constraints), n))

    @cached_property
    def limits(self) -> Array:
        """The outcome constraints of complete trials, each satisfied where <= 0, shape (n, m); NaN where not known."""
        limits = np.full((len(self.trials), len(self.constraints)), np.nan)
        for i, trial in enumerate(self.trials):
            if trial.state is State.COMPLETE:
                limits[i, : len(trial.constraints)] = trial.constraints
        return limits

    def only(self, objective: int) -> View:
        """The same run as if it had one of its objectives only: for whatever is explained per objective."""
        if len(self.objectives) == 1:
            return self
        if objective not in self._single:
            self._single[objective] = _of_one_objective(self, objective)
        return self._single[objective]

    @cached_property
    def _single(self) -> dict[int, View]:
        return {}


def view(source: Any, *, name: str | None = None) -> View:
    """Look at a run.

    Args:
        source: an Optimizer, what `minimize` or `minimize_several` returned, a History, an Optuna study, a study of
            `auger tune`, a fitted AugerSearchCV, or an AugerSearch of Ray Tune. A View is returned as it is.
        name: what to call it; studies have a name of their own.

    Example:
        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        >>> _ = optimizer.tell(optimizer.ask(), 0.5)
        >>> view(optimizer).best.value
        0.5
    """
    if isinstance(source, View):
        return source
    if isinstance(source, (Result, FrontResult)):
        return view(source.optimizer, name=name)
    if isinstance(source, Optimizer):
        return _of_history(source.history, source.recipe, name or "run", {"seed": str(source.seed)})
    if isinstance(source, History):
        return _of_history(source, as_recipe("auto"), name or "run", {})
    reader = _reader(type(source))
    if reader is None:
        raise AugerError(
            f"What is looked at must be an Optimizer, a Result, a History or a study. Got {type(source).__name__}."
        )
    return reader(source)


def _reader(run: type) -> Callable[[Any], View] | None:
    """The registered reader of a class of runs, or of the nearest class it inherits from."""
    readers = {entry.name: entry for entry in entry_points(group="auger.views")}
    for ancestor in run.__mro__:
        entry = readers.get(f"{ancestor.__module__}.{ancestor.__qualname__}")
        if entry is not None:
            reader: Callable[[Any], View] = entry.load()
            return reader
    return None


def index_of(view: View, objective: Any) -> int:
    """The index of an objective that was passed as index or name."""
    names = view.objectives.names
    if isinstance(objective, str) and objective in names:
        return names.index(objective)
    if isinstance(objective, (int, np.integer)) and not isinstance(objective, bool) and 0 <= objective < len(names):
        return int(objective)
    choices = ", ".join(f"{i} ({name!r})" for i, name in enumerate(names))
    raise ObjectiveError(f"An objective must be one of {choices}. Got {objective!r}.")


def first_complete(trials: Iterable[Trial], objectives: Objectives) -> Baseline | None:
    """The first feasible trial with finite values as what the best is compared with."""
    for trial in trials:
        if trial.state is State.COMPLETE and trial.is_feasible and all(map(math.isfinite, trial.values)):
            name = "the first feasible trial" if trial.constraints else "the first trial"
            return Baseline(trial.number, objectives.original(trial.values)[0], name)
    return None


def _of_history(history: History, recipe: Recipe | Turns, name: str, facts: Mapping[str, str]) -> View:
    trials, objectives = tuple(history), history.objectives
    numbers, baseline = np.arange(len(trials)), first_complete(trials, objectives)
    return View(name, objectives, trials, history, numbers, recipe, facts=facts, baseline=baseline)


def _of_one_objective(view: View, objective: int) -> View:
    """A run with several objectives as one with a single objective."""
    objectives = Objectives((view.objectives.directions[objective],), (view.objectives.names[objective],))
    trials = tuple(_with_one_value(trial, objective) for trial in view.trials)
    history, baseline = view.history, view.baseline
    if history is not None:
        single = History(history.space, objectives=objectives)
        single.extend([_with_one_value(trial, objective) for trial in history], np.array(history.X))
        single.finished, single.marks = list(history.finished), list(history.marks)
        history = single
    if baseline is not None:
        values = view.values_of(view.by_number[baseline.number])
        baseline = replace(baseline, value=values[objective])
    return replace(view, objectives=objectives, trials=trials, history=history, baseline=baseline)


def _with_one_value(trial: Trial, objective: int) -> Trial:
    """A trial of several objectives with one value; intermediate values stay where they have that objective."""
    if not trial.values and not trial.intermediate_values:
        return trial
    steps = tuple((row[0], row[1 + objective]) for row in trial.intermediate_values if len(row) > 1 + objective)
    return replace(trial, values=trial.values[objective : objective + 1], intermediate_values=steps)
