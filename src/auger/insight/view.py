"""A run as it is looked at, wherever it was made: an Optimizer, a Result, a History, or a study of Optuna's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from auger.errors import AugerError
from auger.history import History, State, Trial
from auger.minimize import Result
from auger.optimizer import Optimizer
from auger.recipes import Recipe, Turns, as_recipe
from auger.types import Config, Index


@dataclass(frozen=True)
class Row:
    """One trial, as people look at it.

    Attributes:
        number: of the trial in its run.
        state: complete, failed, pruned, running or waiting; died or stopped for a trial that failed through no fault of
            its own.
        config: parameter names to values, inactive ones left out.
        values: what was measured, one for each objective, in the user's own sign; empty where there is none.
        is_feasible: whether it satisfies every outcome constraint.
        origin: who proposed it, and `reason` why; empty where nobody knows.
        error: what went wrong.
        worker: who ran it.
        started: when, where it is known, without a time zone; `finished` likewise, and `seconds` is how long it took.
        steps: step -> value on the way, in the order of the steps.
    """

    number: int
    state: str
    config: Config
    values: tuple[float, ...] = ()
    is_feasible: bool = True
    origin: str = ""
    reason: str = ""
    error: str = ""
    worker: str = ""
    started: datetime | None = None
    finished: datetime | None = None
    seconds: float | None = None
    steps: Mapping[float, float] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The recipe that proposed it, such as ``"auto, trees"``; empty where no model did."""
        return self.reason.partition(": score ")[0] if self.origin == "model" else ""


@dataclass(frozen=True)
class View:
    """Everything that reports, plots and explanations are made from.

    Attributes:
        name: of the run.
        directions: "minimize" or "maximize", one for each objective.
        objectives: their names.
        rows: every trial, by number.
        history: the trials that can be learned from, encoded, with values to be minimized (of several objectives, the
            place among the others); its space has the user's own values. None as long as no parameter is known.
        numbers: shape (len(history),): trial i of the history is the one numbered ``numbers[i]``.
        recipe: what proposes, and is judged; the default where the run was made by somebody else.
        is_ours: whether it was that recipe which proposed.
        facts: what else to tell about the run: label -> text.
    """

    name: str
    directions: tuple[str, ...]
    objectives: tuple[str, ...]
    rows: tuple[Row, ...]
    history: History | None
    numbers: Index
    recipe: Recipe | Turns
    is_ours: bool = True
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def signs(self) -> tuple[float, ...]:
        """What values are multiplied with to be minimized."""
        return tuple(-1.0 if each == "maximize" else 1.0 for each in self.directions)

    @property
    def complete(self) -> list[Row]:
        """The trials that have their values, feasible or not."""
        return [row for row in self.rows if row.state == "complete" and row.values]

    @cached_property
    def by_number(self) -> dict[int, Row]:
        """The rows by the number of the trial, which need not be without gaps."""
        return {row.number: row for row in self.rows}

    @cached_property
    def best(self) -> Row | None:
        """The complete, feasible trial with the best value, the first of several; None with several objectives."""
        if len(self.directions) > 1:
            return None
        able = [row for row in self.complete if row.is_feasible and not np.isnan(row.values[0])]
        return min(able, key=lambda row: self.signs[0] * row.values[0], default=None)


def view(source: Any, *, name: str | None = None) -> View:
    """Look at a run.

    Args:
        source: an Optimizer, the Result of `minimize`, a History, an Optuna study, or a study of `auger tune`. A View
            is returned as it is.
        name: what to call it; studies have a name of their own.

    Example:
        >>> optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
        >>> _ = optimizer.tell(optimizer.ask(), 0.5)
        >>> view(optimizer).best.values
        (0.5,)
    """
    if isinstance(source, View):
        return source
    if isinstance(source, Result):
        return view(source.optimizer, name=name)
    if isinstance(source, Optimizer):
        return _of_history(source.history, source.recipe, name or "run", {"seed": str(source.seed)})
    if isinstance(source, History):
        return _of_history(source, as_recipe("auto"), name or "run", {})
    for module, kind, reader in _READERS:
        if module in sys.modules and isinstance(source, getattr(sys.modules[module], kind)):
            return _read(reader, source)
    raise AugerError(
        f"What is looked at must be an Optimizer, a Result, a History or a study. Got {type(source).__name__}."
    )


# Where a kind of study comes from, and who reads it: nothing is imported for a source that cannot be of that kind.
_READERS = (("auger.studies.study", "Study", "auger.studies.view"), ("optuna", "Study", "auger.hosts.optuna.view"))


def _read(reader: str, study: Any) -> View:
    from importlib import import_module

    made: View = import_module(reader).view_of(study)
    return made


def _of_history(history: History, recipe: Recipe | Turns, name: str, facts: Mapping[str, str]) -> View:
    rows = tuple(_row(trial) for trial in history)
    return View(name, ("minimize",), ("value",), rows, history, np.arange(len(rows)), recipe, facts=facts)


def _row(trial: Trial) -> Row:
    return Row(
        trial.number,
        trial.state.value,
        dict(trial.config),
        (trial.value,) if trial.state is State.COMPLETE and trial.value is not None else (),
        trial.violation == 0,
        trial.origin.value,
        trial.reason,
        trial.error or "",
        steps=dict(trial.steps),
    )
