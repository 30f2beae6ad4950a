"""What was asked, what came back, and what is still pending.

A History is append-only: a trial is added once and finished once. It keeps its encoded rows X (n, d) and its
values in arrays beside the trials, so that nothing is encoded twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from auger.checks import is_whole
from auger.errors import TrialError
from auger.provenance import Provenance
from auger.space import Space
from auger.trial import State, Trial, best_of
from auger.types import Array, Config, Index, Mask

_CODE = {state: code for code, state in enumerate(State)}


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
        trials, self.trials = self.trials, []
        if trials:
            self.extend(trials, one_by_one=True)

    @classmethod
    def restore(
        cls,
        space: Space,
        trials: Sequence[Trial],
        finished: Sequence[int],
        marks: Sequence[int],
        X: Array | None = None,
    ) -> History:
        """A history as it was: its trials, and when their answers came. Lists that do not match are refused.

        An interrupt in the middle of a tell may have left the last answers out of the lists: they are added as one.
        """
        history = cls(space)
        history.extend(trials, X)
        finished, marks = list(finished), list(marks)
        listed = set(finished)
        finished += [number for number in history.finished if number not in listed]
        if sorted(finished) != history.finished:
            raise TrialError("The list of finished trials does not match the trials.")
        if marks != sorted(set(marks)) or any(not 0 < mark <= len(finished) for mark in marks):
            raise TrialError("The order of the results does not match the finished trials.")
        if finished and marks[-1:] != [len(finished)]:
            marks.append(len(finished))
        history.finished, history.marks = finished, marks
        return history

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
        """The value that each trial is ranked by, or what `rank_by` was told; NaN without one. Shape (n,)."""
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
        """The best trial, by `auger.trial.best_of`."""
        return best_of(self.trials)

    def leaders(self, n: int) -> Index:
        """Numbers of the n best complete, feasible trials with a value below infinity, best first. Ties: by age."""
        ok = np.flatnonzero(self.has_state(State.COMPLETE) & (self.violation == 0) & (self.y < np.inf))
        return np.asarray(ok[lowest(self.y[ok], n)])

    def start(self, config: Config, provenance: Provenance = Provenance(), *, row: Array | None = None) -> Trial:
        """Add a running trial. ``row (d,)`` is its encoded form when the caller has it already."""
        X = self.space.encode([config]) if row is None else row[np.newaxis]
        trial = Trial(len(self), config, provenance=provenance)
        self._append([trial], X)
        return trial

    def report(self, number: int, step: float, value: float) -> Trial:
        """Record an intermediate value of a running trial."""
        trial = self._running(number)
        trial = replace(trial, intermediate_values=(*trial.intermediate_values, (step, value)))
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
        """Record the answer to a running trial. A pruned one without a value takes its last intermediate value."""
        trial = self._running(number)
        if value is None and trial.intermediate_values and state == State.PRUNED:
            value = trial.intermediate_values[-1][1]
        values = () if value is None else (value,)
        checked_by_trial: Any = constraints
        done = replace(trial, state=state, values=values, constraints=checked_by_trial, error=error)
        if not done.state.is_answer:
            raise TrialError(f"Trial {number} can finish as complete, failed or pruned. Got {state!r}.")
        self.trials[done.number] = done
        self._record([done])
        self.finished.append(done.number)
        self.marks.append(len(self.finished))
        return done

    def extend(self, trials: Sequence[Trial], X: Array | None = None, *, one_by_one: bool = False) -> None:
        """Add many trials at once, finished or running; they are encoded in one call.

        Those that are finished count as one answer, or, ``one_by_one``, as an answer each.
        """
        trials = list(trials)
        n = len(self)
        if [trial.number for trial in trials] != list(range(n, n + len(trials))):
            raise TrialError(f"Added trials must be numbered {n}, {n + 1}, ... Got {[t.number for t in trials][:5]!r}.")
        self._append(trials, self.space.encode([trial.config for trial in trials]) if X is None else X)
        done = [trial.number for trial in trials if trial.is_finished]
        if done:
            n_before = len(self.finished)
            self.finished += done
            n_after = len(self.finished)
            self.marks += range(n_before + 1, n_after + 1) if one_by_one else [n_after]

    @contextmanager
    def pending(self, X: Array) -> Iterator[None]:
        """For the length of a block, count the rows X (m, d) as running trials, too.

        For hosts that list their running trials with every question, under numbers of their own.
        """
        n, new = len(self), set(_bytes(X)) - self._rows
        self._append([Trial(n + i, {}) for i in range(len(X))], X)
        try:
            yield
        finally:
            del self.trials[n:]
            self._rows -= new

    def in_space(self, space: Space, X: Array) -> History:
        """The same trials in another space, where they have the rows X (n, d)."""
        twin = History(space)
        twin._append(self.trials, X)
        twin.rank_by(self.y)
        twin.finished, twin.marks = list(self.finished), list(self.marks)
        return twin

    def rank_by(self, y: Array) -> None:
        """Rank trials by y (n,) instead of their values: of several objectives, by their place among each other."""
        self._y[: len(self)] = y

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
        self._y[numbers] = [trial.values[0] if trial.values else np.nan for trial in trials]
        self._violation[numbers] = [trial.violation if trial.constraints else 0.0 for trial in trials]
        lasts = [trial.intermediate_values[-1] if trial.intermediate_values else (np.nan, np.nan) for trial in trials]
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


def past_trials(start: int, configs: Iterable[Config], values: Iterable[Any]) -> list[Trial]:
    """Past results as complete trials numbered from ``start``."""
    configs, values = list(configs), list(values)
    if len(configs) != len(values):
        raise TrialError(f"`values` must have one entry for each of the {len(configs)} configs. Got {len(values)}.")
    provenance = Provenance(notes=("a past result",))
    return [
        Trial(start + i, config, State.COMPLETE, (value,), provenance=provenance)
        for i, (config, value) in enumerate(zip(configs, values, strict=True))
    ]
