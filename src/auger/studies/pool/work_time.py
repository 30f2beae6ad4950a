"""How long a study has been at work, all its processes together, without the pauses between them.

A process is at work from its first trial to the end of its last one. It measures this with a clock that nobody can
set: a trial holds how many seconds its process had been at work when the trial began. The clock of the system only
tells which processes worked at the same time, and how long a trial has run that runs in another process: up to what
its beats tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from optuna.trial import FrozenTrial

from auger.checks import is_whole
from auger.hosts.optuna.trials import is_duration
from auger.schema import AT_WORK, BEAT
from auger.studies.pool.owners import BEAT_EVERY, owner_of
from auger.trial import State, Trial

# The most beats of a trial, which are six years: of more, another program wrote them.
_MOST_BEATS = 10_000_000


@dataclass(frozen=True)
class _Stretch:
    """One trial: seconds its process had been at work before, when it began by the system's clock, how long it ran."""

    before: float | None
    start: datetime
    seconds: float


@dataclass
class _Process:
    """The trials of one process."""

    stretches: list[_Stretch] = field(default_factory=list)

    def span(self) -> tuple[datetime, datetime]:
        """When the process was at work: as long as its own clock says, up to its end by the clock of the system."""
        first = min(stretch.start for stretch in self.stretches)
        # a trial of an earlier version does not hold what its process measured
        before = [
            (stretch.start - first).total_seconds() if stretch.before is None else stretch.before
            for stretch in self.stretches
        ]
        seconds, last = max(zip(before, self.stretches, strict=True), key=lambda pair: pair[0])
        begin = last.start - timedelta(seconds=seconds)
        # trials that ended after the last one had begun, by both clocks: that of the system may have been set meanwhile
        ends = [
            min((stretch.start - begin).total_seconds(), before_it) + stretch.seconds
            for before_it, stretch in zip(before, self.stretches, strict=True)
        ]
        return begin, begin + timedelta(seconds=max(seconds, *ends))


class WorkTime:
    """The time that finished trials tell of, to which `seconds` adds what runs at the moment."""

    def __init__(self) -> None:
        self._processes: dict[str, _Process] = {}
        self._spans: dict[str, tuple[datetime, datetime]] = {}

    def take(self, frozen: FrozenTrial, trial: Trial) -> None:
        """Take in a finished trial. A trial without a cost was imported."""
        if trial.started is None or trial.cost is None:
            return
        # when a trial ended that died is not known, only when that was noticed
        seconds = 0.0 if trial.state is State.DIED else max(trial.cost, 0.0)
        process = self._processes.setdefault(_name(frozen), _Process())
        process.stretches.append(_Stretch(_before(frozen), trial.started, seconds))
        self._spans.pop(_name(frozen), None)

    def seconds(self, running: Iterable[FrozenTrial], now: datetime, own: Mapping[str, float] | None = None) -> float:
        """How long the study has been at work.

        Args:
            running: trials that run at the moment.
            now: by the clock of the system.
            own: name of this process -> how long it has been at work, by its own clock; None for a process that only
                reads.
        """
        for name, process in self._processes.items():
            if name not in self._spans:
                self._spans[name] = process.span()
        spans = {**self._spans, **self._running_spans(running, now)}
        for name, seconds in (own or {}).items():
            spans[name] = now - timedelta(seconds=seconds), now
        return _union(spans.values())

    def _running_spans(self, running: Iterable[FrozenTrial], now: datetime) -> dict[str, tuple[datetime, datetime]]:
        processes: dict[str, _Process] = {}
        for frozen in running:
            if frozen.datetime_start is None:
                continue
            name, start = _name(frozen), frozen.datetime_start
            if name not in processes:
                finished = self._processes.get(name, _Process())
                processes[name] = _Process(list(finished.stretches))
            processes[name].stretches.append(_Stretch(_before(frozen), start, _running_for(frozen, start, now)))
        return {name: process.span() for name, process in processes.items()}


def _running_for(frozen: FrozenTrial, start: datetime, now: datetime) -> float:
    """How long a running trial has run by the clock of the system, which may have been set: its beats tell about."""
    seconds = max((now - start).total_seconds(), 0.0)
    if owner_of(frozen.user_attrs) is None:  # a trial of another program has none
        return seconds
    beat: Any = frozen.user_attrs.get(BEAT, 0)
    n_beats = beat if is_whole(beat) and 0 <= beat <= _MOST_BEATS else 0
    return min(max(seconds, (n_beats - 1) * BEAT_EVERY), (n_beats + 2) * BEAT_EVERY)


def _before(frozen: FrozenTrial) -> float | None:
    """How long the process of a trial had been at work before it; None where it does not say."""
    seconds: Any = frozen.user_attrs.get(AT_WORK)
    return float(seconds) if is_duration(seconds) else None


def _name(frozen: FrozenTrial) -> str:
    """The name of the process that ran a trial; a trial of another program counts as a process of its own."""
    owner = owner_of(frozen.user_attrs)
    return f"trial {frozen.number}" if owner is None else owner.worker


def _union(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Seconds that are inside at least one span."""
    total, end = 0.0, datetime.min
    for start, stop in sorted(spans):
        total += max((stop - max(start, end)).total_seconds(), 0.0)
        end = max(end, stop)
    return total
