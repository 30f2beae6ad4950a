"""What was asked, what came back, and what is still pending.

A History is append-only: a trial is added once and finished once. It keeps its encoded rows X (n, d) and its
values in arrays beside the trials, so that nothing is encoded twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from auger.errors import TrialError
from auger.space import Space
from auger.types import Array, Config, Index, Mask


class State(str, Enum):
    """Where a trial stands."""

    RUNNING = "running"  # asked, no answer yet: pending
    COMPLETE = "complete"  # has a value, which may be NaN or infinite
    FAILED = "failed"  # crashed, timed out, or was given up
    PRUNED = "pruned"  # stopped early; its value, if any, is of fewer steps


_CODE = {state: code for code, state in enumerate(State)}


class Origin(str, Enum):
    """Who proposed a trial."""

    INITIAL = "initial"  # the space-filling start
    MODEL = "model"  # the classifier
    RANDOM = "random"  # drawn at random, for the given reason
    GIVEN = "given"  # handed in by the user


@dataclass(frozen=True)
class Trial:
    """One configuration and what became of it. A snapshot: telling a value makes a new Trial.

    Attributes:
        number: 0, 1, 2, ... in the order of asking.
        config: parameter names to values, inactive ones left out.
        state: running, complete, failed or pruned.
        value: what was measured, to be minimized; None while running and when failed.
        constraints: outcome constraints, each satisfied when <= 0.
        origin: who proposed it, and `reason` why, in words.
        error: what went wrong, for a failed trial.
    """

    number: int
    config: Config
    state: State = State.RUNNING
    value: float | None = None
    constraints: tuple[float, ...] = ()
    origin: Origin = Origin.GIVEN
    reason: str = ""
    error: str | None = None

    @property
    def is_finished(self) -> bool:
        """Whether an answer has come back, of whatever kind."""
        return self.state is not State.RUNNING

    @property
    def violation(self) -> float:
        """How far the outcome constraints are missed in total; 0 when feasible."""
        return float(sum(max(c, 0.0) for c in self.constraints))


@dataclass
class History:
    """Trials of one space, with their encoded rows.

    Example:
        >>> history = History(Space({"x": (0.0, 1.0)}))
        >>> trial = history.start({"x": 0.25})
        >>> history.finish(trial.number, value=3.0).state.value
        'complete'
        >>> history.X.tolist(), history.y.tolist()
        ([[0.25]], [3.0])
    """

    space: Space
    trials: list[Trial] = field(default_factory=list)
    #: Numbers of finished trials in the order their answers came, and how many there were after each tell or
    #: add: what a classifier that learns from iteration to iteration has seen, and when.
    finished: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._X = np.empty((0, len(self.space)))
        self._y = np.empty(0)
        self._violation = np.empty(0)
        self._state = np.empty(0, dtype=np.int8)
        self._rows: set[bytes] = set()
        given, self.trials = self.trials, []
        if given:
            self.extend(given)

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    @property
    def X(self) -> Array:
        """Encoded rows of all trials, shape (n, d). A read-only view."""
        return _view(self._X, len(self))

    @property
    def y(self) -> Array:
        """Values of all trials, shape (n,); NaN where there is none. A read-only view."""
        return _view(self._y, len(self))

    @property
    def violation(self) -> Array:
        """Total outcome-constraint violation of all trials, shape (n,)."""
        return _view(self._violation, len(self))

    def has_state(self, state: State) -> Mask:
        """Which trials are in ``state``, shape (n,)."""
        return np.asarray(self._state[: len(self)] == _CODE[state])

    @property
    def best(self) -> Trial | None:
        """The complete, feasible trial with the lowest value; None when there is none. Ties: the earliest."""
        ok = self.has_state(State.COMPLETE) & (self.violation == 0) & ~np.isnan(self.y)
        return self.trials[int(np.argmin(np.where(ok, self.y, np.inf)))] if ok.any() else None

    def start(
        self, config: Config, *, origin: Origin = Origin.GIVEN, reason: str = "", row: Array | None = None
    ) -> Trial:
        """Add a running trial. ``row (d,)`` is its encoded form when the caller has it already."""
        X = self.space.encode([config]) if row is None else row[np.newaxis]
        trial = Trial(len(self), dict(config), origin=origin, reason=reason)
        self._append([trial], X)
        return trial

    def finish(
        self,
        number: int,
        *,
        value: float | None = None,
        state: State = State.COMPLETE,
        constraints: Sequence[float] = (),
        error: str | None = None,
    ) -> Trial:
        """Record the answer to a running trial."""
        trial = self._running(number)
        if state is State.RUNNING:
            raise TrialError(f"Trial {number} can finish as complete, failed or pruned. Got {state.value!r}.")
        done = replace(
            trial,
            state=state,
            value=_number(value, number) if value is not None else None,
            constraints=tuple(_number(c, number, "constraint") for c in constraints),
            error=error,
        )
        if state is State.COMPLETE and done.value is None:
            raise TrialError(f"Trial {number} must have a value to be complete. Got None.")
        if any(math.isnan(c) for c in done.constraints):
            raise TrialError(f"Constraints of trial {number} must not be NaN. Got {done.constraints!r}.")
        self.trials[number] = done
        self._record(done)
        self.finished.append(number)
        self.marks.append(len(self.finished))
        return done

    def extend(self, trials: Sequence[Trial], X: Array | None = None) -> None:
        """Add many trials at once, finished or running; they are encoded in one call and count as one answer."""
        trials = list(trials)
        n = len(self)
        if [trial.number for trial in trials] != list(range(n, n + len(trials))):
            raise TrialError(f"Added trials must be numbered {n}, {n + 1}, ... Got {[t.number for t in trials][:5]!r}.")
        self._append(trials, self.space.encode([trial.config for trial in trials]) if X is None else X)
        done = [trial.number for trial in trials if trial.is_finished]
        if done:
            self.finished += done
            self.marks.append(len(self.finished))

    def contains(self, X: Array) -> Mask:
        """Which snapped rows (m, d) were evaluated already or are pending, shape (m,)."""
        rows = self._rows
        return np.array([row.tobytes() in rows for row in np.ascontiguousarray(X)], dtype=bool)

    def seen_by(self, n_finished: int) -> Index:
        """Numbers of the first ``n_finished`` trials to finish, in ascending order."""
        return np.sort(np.array(self.finished[:n_finished], dtype=np.intp))

    def _append(self, trials: list[Trial], X: Array) -> None:
        n = len(self)
        self._reserve(n + len(trials))
        self.trials += trials
        self._X[n : len(self)] = X
        for trial in trials:
            self._record(trial)
        self._rows.update(row.tobytes() for row in self._X[n : len(self)])

    def _record(self, trial: Trial) -> None:
        self._y[trial.number] = np.nan if trial.value is None else trial.value
        self._violation[trial.number] = trial.violation
        self._state[trial.number] = _CODE[trial.state]

    def _reserve(self, n: int) -> None:
        if n > len(self._y):
            room = max(64, 2 * len(self._y), n)  # doubling: appending stays O(1) on average
            self._X = (
                np.resize(self._X, (room, self._X.shape[1])) if len(self._X) else np.empty((room, len(self.space)))
            )
            self._y, self._violation = np.resize(self._y, room), np.resize(self._violation, room)
            self._state = np.resize(self._state, room)

    def _running(self, number: Any) -> Trial:
        is_number = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not is_number or not 0 <= number < len(self):
            raise TrialError(f"A trial must be one that was asked for, 0 to {len(self) - 1}. Got {number!r}.")
        trial = self.trials[int(number)]
        if trial.is_finished:
            raise TrialError(f"Trial {number} must be running to be told. It is {trial.state.value} already.")
        return trial


def _view(array: Array, n: int) -> Array:
    view = array[:n]
    view.flags.writeable = False
    return view


def _number(value: Any, number: int, what: str = "value") -> float:
    """Any real scalar, NumPy's and zero-dimensional arrays included; NaN and infinity are allowed."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number:
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise TrialError(
            f"The {what} of trial {number} must be one number. Got {value!r} ({type(value).__name__}{shape})."
        )
    try:
        return float(value)
    except OverflowError:
        raise TrialError(f"The {what} of trial {number} must fit in double precision. Got {value!r}.") from None


def given_trials(start: int, configs: Sequence[Mapping[str, Any]], values: Sequence[Any], reason: str) -> list[Trial]:
    """Past results as complete trials numbered from ``start``."""
    if len(configs) != len(values):
        raise TrialError(f"`values` must have one entry for each of the {len(configs)} configs. Got {len(values)}.")
    return [
        Trial(start + i, dict(config), State.COMPLETE, _number(value, start + i), reason=reason)
        for i, (config, value) in enumerate(zip(configs, values, strict=True))
    ]
