"""How a study goes: a live picture in a terminal, one line per trial elsewhere, or JSON for programs."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from auger import text
from auger.cli.echo import echo, echo_json
from auger.cli.sparkline import sparkline
from auger.objectives import Direction
from auger.provenance import Origin
from auger.studies.pool import events
from auger.studies.pool.events import Counts, Event, Listener
from auger.studies.study import Study
from auger.studies.view import baseline_name, view_of
from auger.trial import State, Trial, best_of
from auger.types import Config
from auger.view import Baseline

# Failures that are shown at once.
_N_FAILURES = 3

# Beside the best value, a sparkline has at least and at most so many characters; below it where there is no room.
_LEAST_SPARKS, _MOST_SPARKS = 10, 60

# The width of the names of the facts.
_NAMES = 9

# Of the bar and the sparkline: readable on a dark and on a light background, and no alarm.
_CALM = "cyan"


@dataclass
class Running:
    """A trial that runs: since when, what it has reported last, and which of its runs has ended."""

    since: float
    is_confirmation: bool = False
    step: int | None = None
    value: str = ""
    run: str = ""

    def seen_at(self, now: float) -> str:
        """What is known of it, in words."""
        step = "" if self.step is None else f"step {self.step}: {self.value}"
        seconds = now - self.since
        since = f"{seconds:.0f} s" if seconds < 59.5 else text.duration(seconds)
        return ", ".join(filter(None, ("confirming" if self.is_confirmation else "", self.run, step, since)))


class Display:
    """Keeps what there is to show. `Lines` and `Picture` show it.

    Args:
        series: the best value so far, after each complete trial.
        clock: a function that returns seconds.
        baseline: what the best is compared with, if it is known.
        first: the settings to compare with, until then; None: those of the first feasible trial that has a value.
        name: what to call them.
    """

    def __init__(
        self,
        series: list[float],
        clock: Callable[[], float] = time.monotonic,
        *,
        baseline: Baseline | None = None,
        first: Config | None = None,
        name: str = "the first trial",
    ) -> None:
        self.series, self._clock = series, clock
        self.baseline, self._first, self._name = baseline, first, name
        self._began = self._clock()
        self.started: events.Started | None = None
        self.counts = Counts(0, 0, 0, 0, 0, None)
        self.running: dict[int, Running] = {}  # by number
        self.failures: deque[str] = deque(maxlen=_N_FAILURES)
        self._confirmations: set[int] = set()  # numbers of those that this process has started

    def take(self, event: Event) -> None:
        """Remember what an event tells."""
        if isinstance(event, events.Started):
            self.started, self._began = event, self._clock()
        if isinstance(event, (events.Started, events.TrialStarted, events.TrialFinished, events.Finished)):
            self.counts = event.counts
        if isinstance(event, events.TrialStarted):
            is_confirmation = event.origin is Origin.CONFIRMATION
            self.running[event.number] = Running(self._clock(), is_confirmation)
            if is_confirmation:
                self._confirmations.add(event.number)
        elif isinstance(event, (events.TrialReported, events.RunFinished)) and event.number in self.running:
            self._take_news(self.running[event.number], event)
        elif isinstance(event, (events.TrialFinished, events.TrialLost)):
            self.running.pop(event.number, None)
        if isinstance(event, events.TrialFinished):
            self._take_result(event)

    def _take_news(self, running: Running, event: events.TrialReported | events.RunFinished) -> None:
        if isinstance(event, events.TrialReported):
            value = text.numbers(event.values) if event.value is None else text.number(event.value)
            running.step, running.value = event.step, value
        else:
            running.run, running.step = f"run {min(event.run + 1, event.of)}/{event.of}", None

    def _take_result(self, event: events.TrialFinished) -> None:
        if event.counts.best is not None:
            self.series.append(event.counts.best.value)
        if event.state is State.FAILED:
            self.failures.append(f"#{event.number}: {text.clean(event.error or '')}")
        is_first = self._first is None or event.config == self._first
        is_baseline = self.baseline is None and is_first and event.is_feasible
        if is_baseline and event.value is not None and math.isfinite(event.value):
            self.baseline = Baseline(event.number, event.value, self._name)

    @property
    def extreme(self) -> str:
        """What the live display calls the best value so far: noise may have made it, so that it is not "the best"."""
        is_maximized = self.started is not None and self.started.direction == Direction.MAXIMIZE.value
        return "highest" if is_maximized else "lowest"

    @property
    def gain(self) -> str | None:
        """How much better the best value is than the baseline, in words; None where it is not, or nobody knows."""
        leader, baseline = self.counts.best, self.baseline
        if leader is None or baseline is None or not baseline.value or leader.number == baseline.number:
            return None
        sign = -1 if self.extreme == "highest" else 1
        gain = sign * (baseline.value - leader.value) / abs(baseline.value)
        percent = text.percent_gained(gain)
        return None if gain <= 0 or percent is None else f"{percent} better than {baseline.name}"

    @property
    def total(self) -> int | None:
        """The budget of trials."""
        return None if self.started is None else self.started.trials

    @property
    def spent(self) -> float:
        """Seconds of the budget of time that are used up."""
        return 0.0 if self.started is None else self.started.spent + self._clock() - self._began

    @property
    def rate(self) -> float:
        """Trials per second of all workers, since this process began; 0 before the first trial."""
        passed = self._clock() - self._began
        n_done = self.counts.finished - (self.started.counts.finished if self.started else 0)
        return n_done / passed if passed > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How many seconds the study will take from now; None before that can be estimated."""
        left = []
        if self.total is not None and self.rate > 0:
            left.append(max(self.total - self.counts.finished, 0) / self.rate)
        if self.started is not None and self.started.time is not None:
            left.append(max(self.started.time - self.spent, 0.0))
        return min(left, default=None)

    @property
    def done(self) -> str:
        """How many trials have ended, of how many."""
        return f"{self.counts.finished}/{self.total}" if self.total else f"{self.counts.finished}"


@contextmanager
def shown(study: Study, *, is_json: bool) -> Iterator[Listener]:
    """A listener that shows what happens in a study, for the length of a block: on stdout as JSON, or on stderr."""
    if is_json:
        yield lambda event: echo_json(event.to_json())
        return
    settings = _beginning(study)
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield Lines(**settings).take
        return
    picture = Picture(**settings)
    with picture.drawn():
        yield picture.take


def _beginning(study: Study) -> dict[str, Any]:
    """What there is to show before anything happens: the arguments of a Display."""
    view, definition = view_of(study), study.definition
    best: Trial | None = None
    series: list[float] = []
    for trial in view.trials:
        best = best_of([trial] if best is None else [best, trial])
        if best is not None and trial.state is State.COMPLETE:
            series += study.objectives.original(best.values)
    first = definition.first[0] if definition.first else None
    return {"series": series, "baseline": view.baseline, "first": first, "name": baseline_name(definition)}


def news(event: Event) -> str | None:
    """What the user must know of an event, in words; None for an event that is expected."""
    if isinstance(event, events.StorageLost):
        return (
            f"The storage {event.storage} does not answer ({event.reason}). Results wait; trying again until it does."
        )
    if isinstance(event, events.StorageBack):
        return f"The storage {event.storage} is back after {text.duration(event.seconds)}."
    if isinstance(event, events.TrialGivenUp):
        is_lost = event.state is State.DIED
        result = "it will be run again" if is_lost else f"its result was found: {event.state.value}"
        return f"The worker of trial {event.number} ({event.process}) has died; {result}."
    if isinstance(event, events.ReportsIgnored):
        return f"Trial {event.number}: {text.ignored_report(event.why.value, event.line)}."
    if isinstance(event, events.ValueDoubted):
        return text.doubted_value(event.number, event.read, event.line, event.named, event.named_line, event.pattern)
    if isinstance(event, events.ValuesEqual):
        if event.value is None:
            return text.equal_outcomes(event.values, event.settings)
        return text.equal_values(text.number(event.value), event.settings)
    if isinstance(event, events.TrialLost):
        return f"Trial {event.number} was given up by others, who had not heard of this worker; its result is dropped."
    if isinstance(event, events.Stopping):
        if event.is_now:
            return f"Stopping {text.count(event.running, 'running trial')}, to be run again next time."
        running, them = text.count(event.running, "running trial"), "it" if event.running == 1 else "them"
        return f"No new trials; waiting for {running}. Ctrl-C again stops {them}."
    return None


class Lines(Display):
    """One line per trial: for logs and pipes."""

    def take(self, event: Event) -> None:
        """Print what an event tells."""
        super().take(event)
        line = news(event)
        if isinstance(event, events.Started):
            study = f"study {text.shown(event.study)} in {event.storage}"
            line = f"{study}: {self.done} trials done, {event.workers} at a time"
        elif isinstance(event, events.TrialFinished):
            line = self._result(event)
        if line is not None:
            echo(line, err=True)

    def _result(self, event: events.TrialFinished) -> str:
        result = self._numbers(event)
        if event.error:
            result = f"{event.state.value}: {text.clean(event.error)}"
        best = "" if event.is_feasible else "  infeasible"
        if event.is_best:
            best = f"  {self.extreme} so far" if event.counts.front is None else "  on the front"
        seconds = text.duration(event.seconds)
        lead = "confirmation, " if event.number in self._confirmations else ""
        return f"[{self.done}] {lead}trial {event.number}  {result}  ({seconds})  {text.settings(event.config)}{best}"

    def _numbers(self, event: events.TrialFinished) -> str:
        """What a trial gave."""
        if event.value is None and not event.numbers:
            return event.state.value
        if event.value is None or len(event.numbers) > 1:
            return text.numbers(event.numbers)
        return text.number(event.value)


class Picture(Display):
    """A region at the bottom of a terminal that is drawn again and again, by a thread of its own."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._drawing = threading.Lock()

    @contextmanager
    def drawn(self) -> Iterator[None]:
        """Draw the picture for the length of a block."""
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(get_renderable=self._render, console=self._console, refresh_per_second=5, transient=True)
        with _without_echo_of_keys(), self._live:
            yield

    def take(self, event: Event) -> None:
        """Remember what an event tells, for the next drawing. News stay above the picture."""
        with self._drawing:
            super().take(event)
        line = news(event)
        if line is not None:
            self._console.print(_plain(line, style="yellow"))

    def _render(self) -> RenderableType:
        with self._drawing:
            return self._drawn()

    def _drawn(self) -> RenderableType:
        facts = Table.grid(padding=(0, 2, 0, 0))
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column(overflow="fold")
        for name, fact in self._facts():
            facts.add_row(name, fact)
        return Group(self._bar(), facts)

    def _bar(self) -> RenderableType:
        row = Table.grid(expand=True, padding=(0, 1, 0, 0))
        name = self.started.study if self.started else ""
        cells: list[RenderableType] = [_plain(text.shown(name), style="bold", overflow="ellipsis", no_wrap=True)]
        row.add_column()
        row.add_column(ratio=1)
        row.add_column(no_wrap=True)
        if self.started is not None and self.total is None and self.started.time is not None:
            cells.append(_bar(self.started.time, min(self.spent, self.started.time)))
        else:
            total = self.total and float(self.total)
            cells.append(_bar(total, self.counts.finished))
        left = self.seconds_left
        pace = f"{self.done}  {_pace(self.rate)}  {'' if left is None else text.duration(left) + ' left'}"
        if any(trial.is_confirmation for trial in self.running.values()):
            pace = f"{self.done}  confirming the best"
        row.add_row(*cells, _plain(pace))
        return row

    def _facts(self) -> Iterator[tuple[str, RenderableType]]:
        width = self._console.width
        yield from self._best(width)
        if self.counts.front is not None and self.counts.complete:
            yield from self._front(self.counts.front, width - _NAMES)
        elif self.counts.infeasible:
            yield "limits", _plain(text.infeasible(self.counts.infeasible, self.counts.complete))
        if self.running:
            yield "running", _plain(self._running(width - _NAMES))
        if self.counts.failed or self.counts.pruned:
            yield "ended", _plain(text.ended(self.counts.complete, self.counts.failed, self.counts.pruned))
        for i, failure in enumerate(self.failures):
            yield "" if i else "failed", _plain(failure, style="red", no_wrap=True, overflow="ellipsis")

    def _best(self, width: int) -> Iterator[tuple[str, RenderableType]]:
        leader = self.counts.best
        if leader is None:
            return
        facts = [text.number(leader.value), f"#{leader.number}", *filter(None, [self.gain])]
        line = Text.assemble((facts[0], "bold"), *(f"  {fact}" for fact in facts[1:]))
        room = width - _NAMES - len(line) - 2
        if room >= _LEAST_SPARKS:
            line.append(f"  {sparkline(self.series, min(room, _MOST_SPARKS))}", style=_CALM)
        yield self.extreme, line
        if room < _LEAST_SPARKS:
            yield "", Text(sparkline(self.series, max(width - _NAMES, 1)), style=_CALM)
        yield "", _plain(_cut(text.settings(leader.config), 4 * (width - _NAMES)))

    def _front(self, front: events.Front, width: int) -> Iterator[tuple[str, RenderableType]]:
        """How many trials no other beats, and the best in each objective."""
        members = text.front(len(front.numbers), self.counts.infeasible, self.counts.complete)
        yield "front", _plain(_cut(members, width))
        directions = {} if self.started is None else self.started.objectives
        for is_maximized, extreme in ((False, "lowest"), (True, "highest")):
            leaders = {
                name: leader
                for name, leader in front.leaders.items()
                if (directions.get(name) == Direction.MAXIMIZE.value) == is_maximized
            }
            if leaders:
                words = [f"{text.shown(n)} {text.number(one.value)} (#{one.number})" for n, one in leaders.items()]
                yield extreme, _plain(_in_lines([_cut(entry, width) for entry in words], width), style="bold")

    def _running(self, width: int) -> str:
        """The first running trials; a line ends between two of them, not inside."""
        now, n_shown = self._clock(), 4
        listed = [f"#{number} ({trial.seen_at(now)})" for number, trial in sorted(self.running.items())[:n_shown]]
        if len(self.running) > n_shown:
            listed.append(f"and {len(self.running) - n_shown} more")
        return _in_lines(listed, width)


def _in_lines(entries: Sequence[str], width: int) -> str:
    """Entries beside each other; a line ends between two of them, not inside."""
    lines = [""]
    for words in entries:
        if lines[-1] and len(lines[-1]) + 2 + len(words) > width:
            lines.append(words)
        else:
            lines[-1] += f"{'  ' if lines[-1] else ''}{words}"
    return "\n".join(lines)


@contextmanager
def _without_echo_of_keys() -> Iterator[None]:
    """Ctrl-C must not write "^C" into the picture."""
    import termios  # POSIX only

    handle = sys.stderr.fileno()
    before = termios.tcgetattr(handle)
    after = [*before[:3], before[3] & ~termios.ECHOCTL, *before[4:]]
    termios.tcsetattr(handle, termios.TCSANOW, after)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)


def _bar(total: float | None, completed: float) -> ProgressBar:
    return ProgressBar(
        total=total,
        completed=completed,
        pulse=total is None,
        style="dim",
        complete_style=_CALM,
        finished_style=_CALM,
        pulse_style=_CALM,
    )


def _plain(words: str, **looks: Any) -> Text:
    """A text for the picture, without markup, fit to be shown: rich passes on most of what a terminal obeys."""
    return Text(text.shown_lines(words), **looks)


def _pace(rate: float) -> str:
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        if rate * seconds >= 1 or unit == "h":
            return f"{rate * seconds:.2g}/{unit}" if rate else ""
    raise AssertionError


def _cut(line: str, n: int) -> str:
    return line if len(line) <= n else f"{line[: n - 1]}…"
