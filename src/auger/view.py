"""A run as it is looked at, wherever it was made: an Optimizer, a Result, a History, or a study.

Reports, plots and explanations know runs as Views only. A host, or whoever else keeps runs, registers a reader under
the entry point group "auger.views": the name is that of the class of its runs, the value a function that makes a View.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from auger import pareto
from auger.errors import AugerError
from auger.history import History
from auger.minimize import Result
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
        value: of its trial, in the user's own sign.
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
        baseline: what the best is compared with; None where there is nothing yet.
        budget: how many trials are to be run in all; None without a limit.
        seconds: how long the run has been at work; None where it is not known.
        is_done: whether nothing more will come, as far as can be told.
        counted: where the run stands, by whoever keeps it; None where all trials count, each once: see `standing`.
        superseded: numbers of trials that were stopped, or whose worker died, and that were run again.
        command: the command line that runs a trial's settings; None where there is no command.
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
    budget: int | None = None
    seconds: float | None = None
    is_done: bool = False
    counted: Standing | None = None
    superseded: frozenset[int] = frozenset()
    command: Callable[[int, Config], str] | None = None

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


def view(source: Any, *, name: str | None = None) -> View:
    """Look at a run.

    Args:
        source: an Optimizer, the Result of `minimize`, a History, an Optuna study, a study of `auger tune`, a fitted
            AugerSearchCV, or an AugerSearch of Ray Tune. A View is returned as it is.
        name: what to call it; studies have a name of their own.

    Example:
        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        >>> _ = optimizer.tell(optimizer.ask(), 0.5)
        >>> view(optimizer).best.value
        0.5
    """
    if isinstance(source, View):
        return source
    if isinstance(source, Result):
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


def first_complete(trials: Iterable[Trial], objectives: Objectives) -> Baseline | None:
    """The first trial with a finite value as what the best is compared with; None with several objectives."""
    for trial in trials:
        if trial.state is State.COMPLETE and trial.value is not None and math.isfinite(trial.value):
            return Baseline(trial.number, objectives.original(trial.values)[0], "the first trial")
    return None


def _of_history(history: History, recipe: Recipe | Turns, name: str, facts: Mapping[str, str]) -> View:
    trials, objectives = tuple(history), history.objectives
    numbers, baseline = np.arange(len(trials)), first_complete(trials, objectives)
    return View(name, objectives, trials, history, numbers, recipe, facts=facts, baseline=baseline)
