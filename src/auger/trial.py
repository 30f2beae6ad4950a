"""A trial: one configuration and everything that is known of it, in the one shape that all doors translate to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from auger import text
from auger.checks import is_number, json_value, unwrapped
from auger.errors import ConfigError, TrialError
from auger.provenance import Origin, Provenance
from auger.space import hashable
from auger.types import Config


class State(str, Enum):
    """Where a trial stands."""

    WAITING = "waiting"  # exists, and was not started
    RUNNING = "running"  # started, no answer yet: pending
    COMPLETE = "complete"  # has its values; NaN and infinity are allowed, and count like failures
    PRUNED = "pruned"  # stopped early; its value, if any, is of fewer steps
    FAILED = "failed"  # crashed, timed out, or was given up
    DIED = "died"  # the process that ran it is gone: no fault of the trial, which may be run again
    STOPPED = "stopped"  # the user stopped it: it may be run again

    @property
    def is_finished(self) -> bool:
        """Whether nothing more will come."""
        return self not in (State.WAITING, State.RUNNING)

    @property
    def is_answer(self) -> bool:
        """Whether there is something to learn from it."""
        return self in (State.COMPLETE, State.PRUNED, State.FAILED)


@dataclass(frozen=True, slots=True)
class Trial:
    """One configuration and what became of it. A snapshot: telling a value makes a new Trial.

    Attributes:
        number: 0, 1, 2, ... in the order of asking.
        config: parameter names to values, inactive ones left out: what ran, or is to run.
        state: where it stands.
        values: what was measured, one per objective, minimized, NaN and infinity allowed; a single number stands for
            one of them. Empty while running and when failed.
        constraints: outcome constraints, each satisfied when <= 0; never NaN.
        provenance: who proposed it, and how.
        error: what went wrong, for a failed trial.
        intermediate_values: rows of a step (epochs, samples, seconds: whatever a budget is measured in) and the value
            after it, one per objective, by step, each step once; NaN and infinity allowed.
        cost: what it took, in seconds unless the user counts something else; None where nobody measured it. Trials that
            differ only in their cost and times are equal.
        worker: who ran it.
        started: when it began, without a time zone; None where it is not known.
        finished: when it ended, likewise.
        attributes: whatever the user attached to it.
        asked: the config that was asked for, where another one ran; None where they are the same.
        runs: the value of each run, minimized, where the program ran several times for one trial; `values` then holds
            their mean. Empty where it ran once.
    """

    number: int
    config: Config
    state: State = State.RUNNING
    values: tuple[float, ...] = ()
    constraints: tuple[float, ...] = ()
    provenance: Provenance = Provenance()
    error: str | None = None
    intermediate_values: tuple[tuple[float, ...], ...] = ()
    cost: float | None = field(default=None, compare=False)
    worker: str = ""
    started: datetime | None = field(default=None, compare=False)
    finished: datetime | None = field(default=None, compare=False)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    asked: Config | None = None
    runs: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.config, Mapping):
            raise ConfigError(f"A config must map names of parameters to values. Got {self.config!r}.")
        # a copy in Python's own types: configs come from NumPy and pandas, and go to JSON
        _set(self, config={name: hashable(value) for name, value in self.config.items()})
        if self.asked is not None:
            _set(self, asked={name: hashable(value) for name, value in self.asked.items()})
        if type(self.state) is not State:
            try:
                _set(self, state=State(self.state))
            except ValueError:
                states = ", ".join(state.value for state in State)
                raise TrialError(
                    f"The state of trial {self.number} must be one of {states}. Got {self.state!r}."
                ) from None
        if type(self.constraints) is not tuple or self.constraints:  # most have none
            _set(self, constraints=_checked_constraints(self.constraints, self.number))
        _set(self, values=_checked_values(self.values, self.number))
        if not self.values and self.state is State.COMPLETE:
            raise TrialError(f"Trial {self.number} must have a value to be complete. Got None.")
        if self.values and self.state not in (State.COMPLETE, State.PRUNED):
            values = ", ".join(map(repr, self.values))
            raise TrialError(f"Trial {self.number} is {self.state.value} and must have no value. Got {values}.")
        if self.runs:
            _set(self, runs=tuple(as_value(value, self.number, "value of a run") for value in self.runs))
        if self.intermediate_values:
            _set(self, intermediate_values=_checked_steps(self.intermediate_values, self.number))

    @property
    def value(self) -> float | None:
        """The value of the only objective; None where there is none, or where there are several objectives."""
        return self.values[0] if len(self.values) == 1 else None

    @property
    def measured(self) -> tuple[float, ...]:
        """The values of all its runs, or its only value; empty without one, or with several objectives."""
        if self.runs and self.state is State.COMPLETE:
            return self.runs
        return self.values if len(self.values) == 1 else ()

    @property
    def is_finished(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state.is_finished

    @property
    def violation(self) -> float:
        """How far the outcome constraints are missed in total; 0 when feasible."""
        return float(sum(max(c, 0.0) for c in self.constraints))

    @property
    def is_feasible(self) -> bool:
        """Whether it satisfies every outcome constraint."""
        return all(c <= 0 for c in self.constraints)

    @property
    def origin(self) -> Origin:
        """Who proposed it."""
        return self.provenance.origin

    @property
    def model(self) -> str:
        """The name of the recipe whose model proposed it; empty where none did."""
        return self.provenance.model

    @property
    def score(self) -> float | None:
        """What that model gave it; None where none did."""
        return self.provenance.score

    @property
    def reason(self) -> str:
        """Why it was tried, in words."""
        return text.reason(self.provenance)


def checked_attributes(attributes: Any, number: int) -> dict[str, Any]:
    """The user's attributes of a trial as a dict of JSON types, or a TrialError."""
    if not isinstance(attributes, Mapping) or not all(isinstance(name, str) for name in attributes):
        raise TrialError(f"The attributes of trial {number} must map names to values. Got {attributes!r}.")
    return {
        name: json_value(value, f"The attribute {name!r} of trial {number}", TrialError)
        for name, value in attributes.items()
    }


def best_of(trials: Iterable[Trial]) -> Trial | None:
    """The complete, feasible trial with the lowest finite value, the first of several; None without one.

    With several objectives there is no single best: see `auger.pareto.front`.

    Example:
        >>> best_of([Trial(0, {}, State.COMPLETE, 2.0), Trial(1, {}, State.COMPLETE, 1.0), Trial(2, {})]).number
        1
    """
    return reduce(_better, trials, None)


def _better(best: Trial | None, trial: Trial) -> Trial | None:
    value = trial.value
    if value is None or trial.state is not State.COMPLETE or not math.isfinite(value) or not trial.is_feasible:
        return best
    return trial if best is None or best.value is None or value < best.value else best


def _set(trial: Trial, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(trial, name, value)


def _checked_constraints(constraints: Any, number: int) -> tuple[float, ...]:
    if not isinstance(constraints, (tuple, list, np.ndarray)):
        raise TrialError(f"The constraints of trial {number} must be a list. Got {constraints!r}.")
    checked = tuple(as_value(c, number, "constraint") for c in constraints)
    if any(math.isnan(c) for c in checked):
        raise TrialError(f"The constraints of trial {number} must not be NaN. Got {checked!r}.")
    return checked


def _checked_values(values: Any, number: int) -> tuple[float, ...]:
    if values is None:
        return ()
    if isinstance(values, (tuple, list)):
        return tuple(as_value(value, number) for value in values)
    return (as_value(values, number),)


def _checked_steps(steps: Any, number: int) -> tuple[tuple[float, ...], ...]:
    """Rows of numbers, by step."""
    try:
        rows = [
            (as_value(step, number, "step"), *(as_value(v, number, "intermediate value") for v in (value, *others)))
            for step, value, *others in steps
        ]
    except (TypeError, ValueError) as error:
        if isinstance(error, TrialError):
            raise
        raise TrialError(
            f"The intermediate values of trial {number} must be pairs of a step and a value. Got {steps!r}."
        ) from None
    rows.sort(key=lambda row: row[0])
    for step, *_ in rows:
        if not 0 <= step < math.inf:
            raise TrialError(f"A step of trial {number} must be a finite number of at least 0. Got {step!r}.")
    for (step, *_), (following, *_) in pairwise(rows):
        if step == following:
            raise TrialError(f"Trial {number} already has a value at step {step:g}. Report each step once.")
    return tuple(rows)


def as_value(value: Any, number: int, what: str = "value") -> float:
    """Any real scalar, one-element arrays and tensors included; NaN and infinity are allowed."""
    if type(value) is float:
        return value
    scalar = unwrapped(value)
    if not is_number(scalar):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise TrialError(
            f"The {what} of trial {number} must be one number. Got {value!r} ({type(value).__name__}{shape})."
        )
    try:
        return float(scalar)
    except OverflowError:
        raise TrialError(f"The {what} of trial {number} must fit in double precision. Got {value!r}.") from None
