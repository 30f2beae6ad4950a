"""How a study goes: a live picture in a terminal, one line per trial elsewhere, or JSON for programs."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from auger import text
from auger.studies.pool import events
from auger.studies.pool.events import Counts, Event, Listener
from auger.studies.study import Study
from auger.trial import State, Trial, best_of

# Failures that are shown at once.
_N_FAILURES = 3

_SPARKS = "▁▂▃▄▅▆▇█"


class Display:
    """Keeps what there is to show. `Lines` and `Picture` show it.

    Args:
        series: the best value so far, after each complete trial.
        clock: a function that returns seconds.
    """

    def __init__(self, series: list[float], clock: Callable[[], float] = time.monotonic) -> None:
        self.series, self._clock = series, clock
        self._began = self._clock()
        self.started: events.Started | None = None
        self.counts = Counts(0, 0, 0, 0, 0, None)
        self.running: dict[int, tuple[float, str]] = {}  # number -> since when, and the last intermediate value
        self.failures: deque[str] = deque(maxlen=_N_FAILURES)

    def take(self, event: Event) -> None:
        """Remember what an event tells."""
        if isinstance(event, events.Started):
            self.started, self._began = event, self._clock()
        if isinstance(event, (events.Started, events.TrialStarted, events.TrialFinished, events.Finished)):
            self.counts = event.counts
        if isinstance(event, events.TrialStarted):
            self.running[event.number] = (self._clock(), "")
        elif isinstance(event, events.TrialReported) and event.number in self.running:
            since, _ = self.running[event.number]
            self.running[event.number] = (since, f"step {event.step}: {text.number(event.value)}")
        elif isinstance(event, (events.TrialFinished, events.TrialLost)):
            self.running.pop(event.number, None)
        if isinstance(event, events.TrialFinished):
            self._take_result(event)

    def _take_result(self, event: events.TrialFinished) -> None:
        if event.counts.best is not None:
            self.series.append(event.counts.best.value)
        if event.state is State.FAILED:
            self.failures.append(f"trial {event.number}: {text.clean(event.error or '')}")

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
        yield lambda event: print(json.dumps(event.to_json()), flush=True)
        return
    series = _best_so_far(study)
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield Lines(series).take
        return
    picture = Picture(series)
    with picture.drawn():
        yield picture.take


def _best_so_far(study: Study) -> list[float]:
    """The best value after each complete trial."""
    best: Trial | None = None
    series: list[float] = []
    for trial in study.translate(study.trials()):
        best = best_of([trial] if best is None else [best, trial])
        if best is not None and trial.state is State.COMPLETE:
            series += study.objectives.original(best.values)
    return series


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
    if isinstance(event, events.ValuesEqual):
        return text.equal_values(text.number(event.value), event.settings)
    if isinstance(event, events.TrialLost):
        return f"Trial {event.number} was given up by others, who had not heard of this worker; its result is dropped."
    if isinstance(event, events.Stopping):
        if event.is_now:
            return f"Stopping {text.count(event.running, 'running trial')}, to be run again next time."
        return f"No new trials; waiting for {text.count(event.running, 'running trial')}. Ctrl-C again stops them."
    return None


class Lines(Display):
    """One line per trial: for logs and pipes."""

    def take(self, event: Event) -> None:
        """Print what an event tells."""
        super().take(event)
        line = news(event)
        if isinstance(event, events.Started):
            line = f"study {event.study} in {event.storage}: {self.done} trials done, {event.workers} at a time"
        elif isinstance(event, events.TrialFinished):
            line = self._result(event)
        if line is not None:
            print(line, file=sys.stderr, flush=True)

    def _result(self, event: events.TrialFinished) -> str:
        result = event.state.value if event.value is None else text.number(event.value)
        if event.error:
            result = f"{event.state.value}: {text.clean(event.error)}"
        best = "  best so far" if event.is_best else ""
        seconds = text.duration(event.seconds)
        return f"[{self.done}] trial {event.number}  {result}  ({seconds})  {text.settings(event.config)}{best}"


class Picture(Display):
    """A region at the bottom of a terminal that is drawn again and again, by a thread of its own."""

    def __init__(self, series: list[float], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(series, clock)
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
            self._console.print(line, markup=False, style="yellow")

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
        cells: list[RenderableType] = [Text(text.clean(name), style="bold", overflow="ellipsis", no_wrap=True)]
        row.add_column()
        row.add_column(ratio=1)
        row.add_column(no_wrap=True)
        if self.started is not None and self.total is None and self.started.time is not None:
            cells.append(ProgressBar(total=self.started.time, completed=min(self.spent, self.started.time)))
        else:
            total = self.total and float(self.total)
            cells.append(ProgressBar(total=total, completed=self.counts.finished, pulse=total is None))
        left = self.seconds_left
        pace = f"{self.done}  {_pace(self.rate)}  {'' if left is None else text.duration(left) + ' left'}"
        row.add_row(*cells, Text(pace))
        return row

    def _facts(self) -> Iterator[tuple[str, RenderableType]]:
        leader, width = self.counts.best, self._console.width
        if leader is not None:
            best = Text.assemble((text.number(leader.value), "bold green"), f"  trial {leader.number}")
            best.append(f"  {sparkline(self.series, max(width - 40, 10))}", style="cyan")
            yield "best", best
            yield "", Text(_cut(text.settings(leader.config), 4 * (width - 12)))
        if self.running:
            yield "running", Text(self._running())
        for i, failure in enumerate(self.failures):
            name = f"failed {self.counts.failed}" if i == 0 else ""
            yield name, Text(failure, style="red", no_wrap=True, overflow="ellipsis")

    def _running(self) -> str:
        now, n_shown = self._clock(), 4
        listed = [
            f"{number} ({now - since:.0f} s{', ' + intermediate if intermediate else ''})"
            for number, (since, intermediate) in sorted(self.running.items())[:n_shown]
        ]
        more = f" and {len(self.running) - n_shown} more" if len(self.running) > n_shown else ""
        return ", ".join(listed) + more


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


def _pace(rate: float) -> str:
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600)):
        if rate * seconds >= 1 or unit == "h":
            return f"{rate * seconds:.2g}/{unit}" if rate else ""
    raise AssertionError


def _cut(line: str, n: int) -> str:
    return line if len(line) <= n else f"{line[: n - 1]}…"


def sparkline(series: list[float], width: int) -> str:
    """The best values in up to ``width`` characters, on a logarithmic scale of the distance to the last value.

    Example:
        >>> sparkline([100.0, 10.0, 1.0, 0.9, 0.0], width=5)
        '█▆▃▃▁'
        >>> sparkline([1.0, 2.0, 3.0], width=8)
        '▁▂█'
    """
    series = [value for value in series if math.isfinite(value)]
    if len(series) < 2:
        return ""
    n_shown = min(len(series), width)
    picked = [series[round(i * (len(series) - 1) / (n_shown - 1))] for i in range(n_shown)]
    last, is_rising = picked[-1], picked[-1] > picked[0]
    far = max(abs(value - last) for value in picked) or 1.0
    heights = [math.log1p(1e3 * abs(value - last) / far) / math.log1p(1e3) for value in picked]
    top = len(_SPARKS) - 1
    return "".join(_SPARKS[round(top * (1 - height if is_rising else height))] for height in heights)
