"""What was asked, what came back, and what is still pending.

A History is append-only: a trial is added once and finished once. It keeps its encoded rows X (n, d) and its
values in arrays beside the trials, so that nothing is encoded twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np

from auger.checks import is_number, is_whole
from auger.errors import ConfigError, TrialError
from auger.space import Space, hashable
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


@dataclass(frozen=True, slots=True)
class Trial:
    """One configuration and what became of it. A snapshot: telling a value makes a new Trial.

    Attributes:
        number: 0, 1, 2, ... in the order of asking.
        config: parameter names to values, inactive ones left out.
        state: running, complete, failed or pruned.
        value: what was measured, to be minimized, NaN and infinity allowed; None while running and when failed.
        constraints: outcome constraints, each satisfied when <= 0; never NaN.
        origin: who proposed it, and `reason` why, in words.
        error: what went wrong, for a failed trial.
        steps: values on the way, as pairs of a step (epochs, samples, seconds: whatever a budget is measured in) and
            the value after it, by step, each step once; NaN and infinity allowed.
    """

    number: int
    config: Config
    state: State = State.RUNNING
    value: float | None = None
    constraints: tuple[float, ...] = ()
    origin: Origin = Origin.GIVEN
    reason: str = ""
    error: str | None = None
    steps: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.config, Mapping):
            raise ConfigError(f"A config must map names of parameters to values. Got {self.config!r}.")
        # a copy in Python's own types: configs come from NumPy and pandas, and go to JSON
        _set(self, config={name: hashable(value) for name, value in self.config.items()})
        try:
            _set(self, state=State(self.state))
        except ValueError:
            states = ", ".join(state.value for state in State)
            raise TrialError(f"The state of trial {self.number} must be one of {states}. Got {self.state!r}.") from None
        if not isinstance(self.constraints, (tuple, list, np.ndarray)):
            raise TrialError(f"The constraints of trial {self.number} must be a list. Got {self.constraints!r}.")
        _set(self, constraints=tuple(_number(c, self.number, "constraint") for c in self.constraints))
        if any(math.isnan(c) for c in self.constraints):
            raise TrialError(f"The constraints of trial {self.number} must not be NaN. Got {self.constraints!r}.")
        if self.value is not None:
            _set(self, value=_number(self.value, self.number))
        if self.value is None and self.state is State.COMPLETE:
            raise TrialError(f"Trial {self.number} must have a value to be complete. Got None.")
        if self.value is not None and self.state in (State.RUNNING, State.FAILED):
            raise TrialError(f"Trial {self.number} is {self.state.value} and must have no value. Got {self.value!r}.")
        if self.steps:
            _set(self, steps=_checked_steps(self.steps, self.number))

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

    Trials given at the start count as answered one by one, in the order of their numbers.

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
    finished: list[int] = field(default_factory=list, init=False)
    marks: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._X = np.empty((0, len(self.space)))
        self._y = np.empty(0)
        self._violation = np.empty(0)
        self._last = np.empty((0, 2))
        self._state = np.empty(0, dtype=np.int8)
        self._rows: set[bytes] = set()
        given, self.trials = self.trials, []
        if given:
            self.extend(given)
            self.marks = list(range(1, len(self.finished) + 1))

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

    @property
    def last(self) -> Array:
        """The last step that finished trials reported, and the value there, shape (n, 2); NaN where there is none."""
        return _view(self._last, len(self))

    def has_state(self, state: State) -> Mask:
        """Which trials are in ``state``, shape (n,)."""
        return np.asarray(self._state[: len(self)] == _CODE[state])

    @property
    def best(self) -> Trial | None:
        """The complete, feasible trial with the lowest value; None when there is none. The earliest of several."""
        ok = np.flatnonzero(self.has_state(State.COMPLETE) & (self.violation == 0) & ~np.isnan(self.y))
        return self.trials[ok[np.argmin(self.y[ok])]] if len(ok) else None

    def leaders(self, n: int) -> Index:
        """Numbers of the n best complete, feasible trials with a value below infinity, best first. Ties: by age."""
        ok = np.flatnonzero(self.has_state(State.COMPLETE) & (self.violation == 0) & (self.y < np.inf))
        return np.asarray(ok[lowest(self.y[ok], n)])

    def start(
        self, config: Config, *, origin: Origin = Origin.GIVEN, reason: str = "", row: Array | None = None
    ) -> Trial:
        """Add a running trial. ``row (d,)`` is its encoded form when the caller has it already."""
        X = self.space.encode([config]) if row is None else row[np.newaxis]
        trial = Trial(len(self), config, origin=origin, reason=reason)
        self._append([trial], X)
        return trial

    def report(self, number: int, step: float, value: float) -> Trial:
        """Record a value on the way of a running trial."""
        trial = self._running(number)
        trial = replace(trial, steps=(*trial.steps, (step, value)))
        self.trials[trial.number] = trial
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
        """Record the answer to a running trial. A pruned one without a value has the last one on its way."""
        trial = self._running(number)
        if value is None and trial.steps and state == State.PRUNED:
            value = trial.steps[-1][1]
        given: Any = constraints  # Trial checks what they are
        done = replace(trial, state=state, value=value, constraints=given, error=error)
        if not done.is_finished:
            raise TrialError(f"Trial {number} can finish as complete, failed or pruned. Got {state!r}.")
        self.trials[done.number] = done
        self._record([done])
        self.finished.append(done.number)
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

    @contextmanager
    def pending(self, X: Array) -> Iterator[None]:
        """For the length of a block, have running trials with the rows X (m, d) as well; then be as before.

        For hosts that are told of running trials anew each time, and to whom they are not known by a number of ours.
        """
        n, new = len(self), set(_bytes(X)) - self._rows
        self._append([Trial(n + i, {}) for i in range(len(X))], X)
        try:
            yield
        finally:
            del self.trials[n:]
            self._rows -= new

    def moved(self, space: Space, X: Array) -> History:
        """The same trials in another space, where they have the rows X (n, d)."""
        twin = History(space)
        twin._append(self.trials, X)
        twin.finished, twin.marks = list(self.finished), list(self.marks)
        return twin

    def revalue(self, y: Array) -> None:
        """Give the complete trials the values y (n,) instead: where a value is a rank among the others, it changes."""
        done = self.has_state(State.COMPLETE)
        for i in np.flatnonzero(done & (self.y != y)).tolist():
            self.trials[i] = copy(self.trials[i])  # not dataclasses.replace, which checks everything again
            _set(self.trials[i], value=float(y[i]))
        self._y[: len(self)][done] = y[done]

    def contains(self, X: Array) -> Mask:
        """Which snapped rows (m, d) were evaluated already or are pending, shape (m,)."""
        rows = _bytes(X)
        if self._rows.isdisjoint(rows):  # the usual case, at the speed of C
            return np.zeros(len(X), dtype=bool)
        return np.fromiter((row in self._rows for row in rows), dtype=bool, count=len(X))

    def seen_by(self, n_finished: int) -> Index:
        """Numbers of the first ``n_finished`` trials to finish, in ascending order."""
        return np.sort(np.array(self.finished[:n_finished], dtype=np.intp))

    def _append(self, trials: list[Trial], X: Array) -> None:
        assert X.shape == (len(trials), len(self.space))
        n = len(self)
        self._reserve(n + len(trials))
        self._X[n : n + len(trials)] = X
        self._record(trials)
        self._rows.update(_bytes(X))
        self.trials += trials  # last: an interrupt before this leaves the history as it was

    def _record(self, trials: list[Trial]) -> None:
        numbers = [trial.number for trial in trials]
        self._y[numbers] = [np.nan if trial.value is None else trial.value for trial in trials]
        self._violation[numbers] = [trial.violation for trial in trials]
        lasts = [trial.steps[-1] if trial.steps else (np.nan, np.nan) for trial in trials]
        self._last[numbers] = np.reshape(lasts, (-1, 2))
        self._state[numbers] = [_CODE[trial.state] for trial in trials]

    def _reserve(self, n: int) -> None:
        if n > len(self._state):  # the last to grow, so that an interrupted growth is repeated
            room = max(64, 2 * len(self._state), n)  # doubling: appending stays O(1) on average
            self._X, self._y = _longer(self._X, room), _longer(self._y, room)
            self._violation, self._last = _longer(self._violation, room), _longer(self._last, room)
            self._state = _longer(self._state, room)

    def _running(self, number: Any) -> Trial:
        if not is_whole(number) or not 0 <= number < len(self):
            known = f"0 to {len(self) - 1}" if len(self) else "of which there is none yet"
            raise TrialError(f"A trial must be one that was asked for, {known}. Got {number!r}.")
        trial = self.trials[int(number)]
        if trial.is_finished:
            raise TrialError(f"Trial {number} must be running to be told. It is {trial.state.value} already.")
        return trial


def lowest(values: Array, n: int) -> Index:
    """Where the n lowest values are, lowest first; ties in the order they have, NaN last. All of them when fewer.

    What ``np.argsort(values, kind="stable")[:n]`` returns, without sorting the others.
    """
    bound = np.partition(values, n - 1)[n - 1] if 0 < n < len(values) else np.nan
    if np.isnan(bound):
        return np.argsort(values, kind="stable")[: max(n, 0)]
    few = np.flatnonzero(values <= bound)
    return np.asarray(few[np.argsort(values[few], kind="stable")[:n]])


def _set(frozen: Trial, **values: Any) -> None:
    for key, value in values.items():
        object.__setattr__(frozen, key, value)


def _checked_steps(steps: Any, number: int) -> tuple[tuple[float, float], ...]:
    """Pairs of a step and a value, by step."""
    try:
        pairs = [(_number(step, number, "step"), _number(value, number, "value on the way")) for step, value in steps]
    except (TypeError, ValueError) as error:
        if isinstance(error, TrialError):
            raise
        raise TrialError(f"The steps of trial {number} must be pairs of a step and a value. Got {steps!r}.") from None
    pairs.sort(key=lambda pair: pair[0])
    for step, _ in pairs:
        if not 0 <= step < math.inf:
            raise TrialError(f"A step of trial {number} must be a finite number of at least 0. Got {step!r}.")
    for (step, _), (following, _) in pairwise(pairs):
        if step == following:
            raise TrialError(f"Trial {number} must have one value at step {step:g}. Got another.")
    return tuple(pairs)


def _bytes(X: Array) -> list[bytes]:
    """Each row as bytes, to look it up. Adding 0.0 turns -0.0, which is equal but has bits of its own, into 0.0."""
    X = np.ascontiguousarray(X, dtype=np.float64) + 0.0
    rows: list[bytes] = X.view(np.dtype((np.void, X.itemsize * X.shape[1])))[:, 0].tolist()
    return rows


def _longer(array: Any, n: int) -> Any:
    """A copy with room for n rows; what is beyond the old ones is arbitrary."""
    longer = np.empty((n, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _view(array: Array, n: int) -> Array:
    view = array[:n]
    view.flags.writeable = False
    return view


def _number(value: Any, number: int, what: str = "value") -> float:
    """Any real scalar, NumPy's and zero-dimensional arrays included; NaN and infinity are allowed."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not is_number(value):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise TrialError(
            f"The {what} of trial {number} must be one number. Got {value!r} ({type(value).__name__}{shape})."
        )
    try:
        return float(value)
    except OverflowError:
        raise TrialError(f"The {what} of trial {number} must fit in double precision. Got {value!r}.") from None


def given_trials(start: int, configs: Iterable[Config], values: Iterable[Any], reason: str) -> list[Trial]:
    """Past results as complete trials numbered from ``start``."""
    configs, values = list(configs), list(values)
    if len(configs) != len(values):
        raise TrialError(f"`values` must have one entry for each of the {len(configs)} configs. Got {len(values)}.")
    return [
        Trial(start + i, config, State.COMPLETE, value, reason=reason)
        for i, (config, value) in enumerate(zip(configs, values, strict=True))
    ]
