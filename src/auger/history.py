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
from datetime import datetime
from operator import index
from typing import Any

import numpy as np

from auger import text
from auger.checks import is_whole
from auger.errors import TrialError
from auger.objectives import Objectives
from auger.pareto import Fronts, front
from auger.provenance import Provenance
from auger.space import Space
from auger.trial import State, Trial, as_value, best_of, checked_attributes
from auger.types import Array, Config, Index, Mask

_CODE = {state: code for code, state in enumerate(State)}
_NO_ANSWER = (State.FAILED, State.DIED, State.STOPPED)


@dataclass(repr=False)
class History:
    """Trials of one space, with their encoded rows.

    Trials given at the start count as answered one by one, in the order of their numbers. All values are minimized;
    `objectives` says how the user knows them.

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
    objectives: Objectives = field(default_factory=Objectives, kw_only=True)
    #: Numbers of finished trials in the order their answers came, and how many there were after each tell or
    #: add: what a classifier that learns from iteration to iteration has seen, and when.
    finished: list[int] = field(default_factory=list, init=False)
    marks: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._X = np.empty((0, len(self.space)))
        self._y = np.empty(0)
        self._losses = np.empty((0, len(self.objectives)))
        self._constraints = np.empty((0, 0))
        self._violation = np.empty(0)
        self._fronts: Fronts | None = Fronts()
        self._ranked: list[int] = []  # numbers of the trials in these fronts, in the order in which they came
        self._last = np.empty((0, 1 + len(self.objectives)))
        self._state = np.empty(0, dtype=np.int8)
        self._is_failure = np.empty(0, dtype=bool)
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
        *,
        objectives: Objectives | None = None,
    ) -> History:
        """A history as it was: its trials, and when their answers came. Lists that do not match are refused.

        An interrupt in the middle of a tell may have left the last answers out of the lists: they are added as one.
        """
        history = cls(space, objectives=objectives or Objectives())
        history.extend(trials, X)
        finished, marks = list(map(index, finished)), list(map(index, marks))
        listed = set(finished)
        finished += [number for number in history.finished if number not in listed]
        if sorted(finished) != history.finished:
            raise TrialError("The list of finished trials does not match the trials.")
        if marks != sorted(set(marks)) or any(not 0 < mark <= len(finished) for mark in marks):
            raise TrialError("The order of the results does not match the finished trials.")
        if finished and marks[-1:] != [len(finished)]:
            marks.append(len(finished))
        history.finished, history.marks = finished, marks
        history._rank_anew()
        return history

    def __len__(self) -> int:
        return len(self.trials)

    def __repr__(self) -> str:
        best, parameters = self.best, ", ".join(self.space.names)
        shown = "" if best is None else "; " + text.best(self.objectives.original(best.values)[0], best.config)
        return f"History({parameters}; {text.trials(trial.state.value for trial in self.trials)}{shown})"

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    @property
    def X(self) -> Array:
        """Encoded rows of all trials, shape (n, d). A read-only view."""
        return _view(self._X, len(self))

    @property
    def y(self) -> Array:
        """The finite value that each trial is ranked by; NaN without one. Shape (n,).

        With several objectives, complete and feasible trials have their rank, see `auger.pareto`, and the others the
        value of the first objective.
        """
        return _view(self._y, len(self))

    @property
    def losses(self) -> Array:
        """The values of all trials, one per objective, shape (n, k); NaN in all of them if one is not finite."""
        return _view(self._losses, len(self))

    @property
    def constraints(self) -> Array:
        """The outcome constraints of all trials, shape (n, m); NaN where a trial has none."""
        return _view(self._constraints, len(self))

    @property
    def violation(self) -> Array:
        """Total outcome-constraint violation of all trials, shape (n,)."""
        return _view(self._violation, len(self))

    @property
    def last(self) -> Array:
        """The last step that finished trials reported, and the values there, shape (n, 1 + k); NaN without any."""
        return _view(self._last, len(self))

    def has_state(self, state: State) -> Mask:
        """Which trials are in ``state``, shape (n,)."""
        return np.asarray(self._state[: len(self)] == _CODE[state])

    @property
    def is_failure(self) -> Mask:
        """Which trials failed, or have a value that is NaN or infinite, which counts the same. Shape (n,)."""
        return np.asarray(self._is_failure[: len(self)])

    @property
    def best(self) -> Trial | None:
        """The best trial, by `auger.trial.best_of`; None with several objectives."""
        return best_of(self.trials)

    @property
    def front(self) -> list[Trial]:
        """The trials that no other beats in all objectives, the best in the first objective first.

        Complete and feasible ones with finite values; with one objective, those with the best value.
        """
        usable = np.flatnonzero(self.is_comparable)
        members = usable[front(self.losses[usable])]
        return [self.trials[i] for i in members[np.argsort(self.losses[members, 0], kind="stable")].tolist()]

    @property
    def is_comparable(self) -> Mask:
        """Which trials are complete and feasible, with finite values, shape (n,)."""
        return np.asarray(self.has_state(State.COMPLETE) & (self.violation == 0) & ~self.is_failure)

    def leaders(self, n: int) -> Index:
        """Numbers of the n best complete, feasible trials with a finite value, best first. Ties: by age."""
        ok = np.flatnonzero(self.is_comparable)
        return np.asarray(ok[lowest(self.y[ok], n)])

    def start(
        self,
        config: Config,
        provenance: Provenance = Provenance(),
        *,
        row: Array | None = None,
        started: datetime | None = None,
    ) -> Trial:
        """Add a running trial. ``row (d,)`` is its encoded form when the caller has it already."""
        X = self.space.encode([config]) if row is None else row[np.newaxis]
        trial = Trial(len(self), config, provenance=provenance, started=started)
        self._append([trial], X)
        return trial

    def report(self, number: int, step: float, *values: float) -> Trial:
        """Record an intermediate value of a running trial, one per objective."""
        trial = self.running(number)
        self._check_step(trial.number, step, values)
        trial = replace(trial, intermediate_values=(*trial.intermediate_values, (step, *values)))
        self.trials[trial.number] = trial
        return trial

    def annotate(self, number: int, attributes: Mapping[str, Any]) -> Trial:
        """Attach attributes to a trial, running or finished. Those of the same name are replaced."""
        trial = self.find(number)
        trial = replace(trial, attributes={**trial.attributes, **checked_attributes(attributes, trial.number)})
        self.trials[trial.number] = trial
        return trial

    def finish(
        self,
        number: int,
        *,
        value: float | tuple[float, ...] | None = None,
        state: State = State.COMPLETE,
        constraints: Sequence[float] = (),
        error: str | None = None,
        config: Config | None = None,
        attributes: Mapping[str, Any] | None = None,
        cost: float | None = None,
        finished: datetime | None = None,
    ) -> Trial:
        """Record the answer to a running trial. A pruned one without a value takes its last intermediate value.

        Args:
            number: of the trial.
            value: minimized; a tuple of one per objective where there are several.
            state: complete, pruned or failed.
            constraints: outcome constraints, each satisfied when <= 0.
            error: what went wrong.
            config: what ran, where that is not what was asked for. Its row is learned from, and neither of the two is
                new to `contains`.
            attributes: to attach to it.
            cost: what it took.
            finished: when it ended.
        """
        trial = self.running(number)
        if value is None and trial.intermediate_values and state == State.PRUNED:
            value = trial.intermediate_values[-1][1:]
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        checked_by_trial: Any = constraints
        done = replace(
            trial,
            state=state,
            values=values,
            constraints=checked_by_trial,
            error=error,
            attributes={**trial.attributes, **checked_attributes(attributes or {}, trial.number)},
            cost=None if cost is None else as_value(cost, trial.number, "cost"),
            finished=finished,
        )
        self._check_values(done)
        if not done.state.is_answer:
            raise TrialError(f"Trial {number} can finish as complete, failed or pruned. Got {state!r}.")
        if config is not None:
            row = self.space.encode([config])
            if not np.array_equal(row[0], self._X[done.number], equal_nan=True):
                done = replace(done, config=config, asked=trial.config)
                self._X[done.number] = row[0]
                self._rows.update(_bytes(row))
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
        for trial in trials:
            self._check_values(trial)
            for step, *values in trial.intermediate_values:
                self._check_step(trial.number, step, values)
        self._append(trials, self.space.encode([trial.config for trial in trials]) if X is None else X)
        asked = [trial.asked for trial in trials if trial.asked is not None]
        if asked:
            self._rows.update(_bytes(self.space.encode(asked)))
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
        twin = History(space, objectives=self.objectives)
        twin._append(self.trials, X)
        twin.finished, twin.marks = list(self.finished), list(self.marks)
        twin._rank_anew()
        return twin

    def answered(self) -> History:
        """The finished trials only, numbered in the order their answers came, with the same rows."""
        if self.finished == list(range(len(self))):
            return self
        answered = History(self.space, objectives=self.objectives)
        trials = [replace(self.trials[number], number=i) for i, number in enumerate(self.finished)]
        answered.extend(trials, np.array(self.X[self.finished]))
        answered.marks = list(self.marks)
        return answered

    def restricted_to(self, numbers: Index) -> History:
        """Some trials, ascending, as if there were no others: those of several objectives rank among each other."""
        place = {number: i for i, number in enumerate(numbers.tolist())}
        part = History(self.space, objectives=self.objectives)
        part.extend([replace(self.trials[number], number=i) for number, i in place.items()], np.array(self.X[numbers]))
        part.finished = [place[number] for number in self.finished if number in place]
        part._rank_anew()
        return part

    def contains(self, X: Array) -> Mask:
        """Which snapped rows (m, d) were evaluated already or are pending, shape (m,)."""
        rows = _bytes(X)
        if self._rows.isdisjoint(rows):  # the usual case, at the speed of C
            return np.zeros(len(X), dtype=bool)
        return np.fromiter((row in self._rows for row in rows), dtype=bool, count=len(X))

    def allowing_repeats(self) -> History:
        """The same trials, of which `contains` knows none: for a search that may propose them again. To read only."""
        history = copy(self)
        history._rows = set()
        return history

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
        is_finite = [all(map(math.isfinite, trial.values)) for trial in trials]
        pairs = list(zip(trials, is_finite, strict=True))
        n_values = len(self.objectives)
        losses = [trial.values if trial.values and is_ok else (np.nan,) * n_values for trial, is_ok in pairs]
        self._losses[numbers] = np.reshape(losses, (-1, n_values))
        self._y[numbers] = self._losses[numbers, 0]
        self._is_failure[numbers] = [trial.state in _NO_ANSWER or not is_ok for trial, is_ok in pairs]
        self._record_constraints(trials)
        missing = (np.nan,) * (1 + n_values)
        lasts = [trial.intermediate_values[-1] if trial.intermediate_values else missing for trial in trials]
        self._last[numbers] = np.reshape(lasts, (-1, 1 + n_values))
        self._state[numbers] = [_CODE[trial.state] for trial in trials]
        if len(self.objectives) > 1:
            self._rank(trials)

    def _record_constraints(self, trials: Sequence[Trial]) -> None:
        """Take in outcome constraints; a column for each, more of them where a trial has more than those before."""
        missing = max(len(trial.constraints) for trial in trials) - self._constraints.shape[1] if trials else 0
        if missing > 0:
            self._constraints = np.pad(self._constraints, ((0, 0), (0, missing)), constant_values=np.nan)
        for trial in trials:
            self._constraints[trial.number] = np.nan
            self._constraints[trial.number, : len(trial.constraints)] = trial.constraints
            self._violation[trial.number] = trial.violation if trial.constraints else 0.0

    def _rank(self, trials: Iterable[Trial]) -> None:
        """Rank trials by several objectives, and those before them anew."""
        new = [
            trial.number
            for trial in trials
            if trial.state is State.COMPLETE
            and not self._is_failure[trial.number]
            and not self._violation[trial.number]
        ]
        if new:
            order = self._ranked + new
            fronts, self._fronts = self._fronts, None
            if fronts is None:  # an interrupt left them half done
                fronts, new = Fronts(), order
            self._y[order] = fronts.add(self._losses[new])
            self._fronts, self._ranked = fronts, order

    def _rank_anew(self) -> None:
        """Rank all trials by several objectives, in the order in which they finished: ties go to the earlier one."""
        if len(self.objectives) > 1:
            self._fronts, self._ranked = Fronts(), []
            self._rank(self.trials[number] for number in self.finished)

    def _check_values(self, trial: Trial) -> None:
        """Refuse values that are not one per objective."""
        n = len(self.objectives)
        if trial.values and len(trial.values) != n:
            values = trial.values[0] if len(trial.values) == 1 else trial.values
            raise TrialError(f"Trial {trial.number} must have {n} values, {self._named}. Got {values!r}.")

    def _check_step(self, number: int, step: float, values: Sequence[float]) -> None:
        """Refuse intermediate values that are not one per objective."""
        if len(values) != len(self.objectives):
            raise TrialError(
                f"The intermediate values of trial {number} at step {step!r} must be {len(self.objectives)} numbers, "
                f"{self._named}. Got {tuple(values)!r}."
            )

    @property
    def _named(self) -> str:
        return f"one per objective ({', '.join(map(repr, self.objectives.names))})"

    def _reserve(self, n: int) -> None:
        if n > len(self._state):  # the last to grow, so that an interrupted growth is repeated
            room = max(64, 2 * len(self._state), n)  # doubling: appending stays O(1) on average
            self._X, self._y = _longer(self._X, room), _longer(self._y, room)
            self._losses, self._constraints = _longer(self._losses, room), _longer(self._constraints, room)
            self._violation, self._last = _longer(self._violation, room), _longer(self._last, room)
            self._is_failure = _longer(self._is_failure, room)
            self._state = _longer(self._state, room)

    def find(self, number: Any) -> Trial:
        """The trial with a number, or a TrialError."""
        if not is_whole(number) or not 0 <= number < len(self):
            known = f"0 to {len(self) - 1}" if len(self) else "of which there is none yet"
            raise TrialError(f"A trial must be one that was asked for, {known}. Got {number!r}.")
        return self.trials[int(number)]

    def running(self, number: Any) -> Trial:
        """The running trial with a number, or a TrialError."""
        trial = self.find(number)
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
