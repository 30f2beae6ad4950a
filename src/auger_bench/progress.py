"""The progress of a benchmark: bars in a terminal, elsewhere one line per finished run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from auger.text.format import duration
from auger_bench.task import Task

if TYPE_CHECKING:
    from rich.progress import TaskID


class Progress:
    """Counts what the runner reports, and prints nothing. `Bars` and `Lines` print."""

    def start(self, left: Mapping[Task, int], *, n_before: int) -> AbstractContextManager[Any]:
        """Begin, with the tasks to run and the evaluations to come of each; `n_before` other runs are complete."""
        self.n_before, self.n_runs, self.n_finished = n_before, len(left), 0
        self.to_come = dict(left)
        self._n_evals, self._since = 0, time.monotonic()
        return nullcontext()

    def begin(self, task: Task) -> None:
        """Note that a task starts."""

    def advance(self, task: Task) -> None:
        """Note that a task has finished one more evaluation."""
        self.to_come[task] -= 1
        self._n_evals += 1

    def finish(self, task: Task, crash: str) -> None:
        """Note that a task has ended; ``crash`` is the reason if it is not complete, else empty."""
        del self.to_come[task]
        self.n_finished += 1

    @property
    def left(self) -> str:
        """The time left as text: the evaluations to come, at the average pace since the start.

        Methods differ in pace, but the runner takes one seed after the other, and each seed has every method.
        """
        if not self._n_evals:
            return "time left unknown"
        pace = (time.monotonic() - self._since) / self._n_evals
        return f"{duration(pace * sum(self.to_come.values()))} left"


class Lines(Progress):
    """One line per finished run: for logs and pipes.

    Args:
        write: prints a line.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def start(self, left: Mapping[Task, int], *, n_before: int) -> AbstractContextManager[Any]:
        """Write how many runs there are."""
        self._write(f"{len(left)} runs to do, {n_before} are complete already")
        return super().start(left, n_before=n_before)

    def finish(self, task: Task, crash: str) -> None:
        """Write how the run ended."""
        super().finish(task, crash)
        outcome = f"crashed: {crash.splitlines()[-1]}" if crash else "done"
        self._write(f"[{self.n_finished}/{self.n_runs}] {task} {outcome}; {self.left}")


class Bars(Progress):
    """A bar for all evaluations, and one for each run under way."""

    def start(self, left: Mapping[Task, int], *, n_before: int) -> AbstractContextManager[Any]:
        """Draw the bar for all evaluations."""
        from rich.console import Console  # only where there is a terminal
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Rich

        super().start(left, n_before=n_before)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
        )
        self._bars = Rich(*columns, console=Console(stderr=True))
        self._all = self._bars.add_task("", total=sum(left.values()), note="")
        self._bar_of: dict[Task, TaskID] = {}
        self._show()
        return self._bars

    def begin(self, task: Task) -> None:
        """Add the bar of a run."""
        done = task.n_evals - self.to_come[task]
        self._bar_of[task] = self._bars.add_task(str(task), total=task.n_evals, completed=done, note="")

    def advance(self, task: Task) -> None:
        """Move the bar of a run."""
        super().advance(task)
        self._bars.advance(self._bar_of[task])
        self._bars.advance(self._all)
        self._show()

    def finish(self, task: Task, crash: str) -> None:
        """Remove the bar of a run."""
        self._bars.advance(self._all, self.to_come[task])
        super().finish(task, crash)
        self._bars.remove_task(self._bar_of.pop(task))
        if crash:
            self._bars.console.print(f"{task} crashed: {crash.splitlines()[-1]}", markup=False, highlight=False)
        self._show()

    def _show(self) -> None:
        before = f", {self.n_before} complete already" if self.n_before else ""
        self._bars.update(self._all, description=f"{self.n_finished}/{self.n_runs} runs{before}", note=self.left)
