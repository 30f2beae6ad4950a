"""How far a benchmark is: bars in a terminal, a line for each finished run elsewhere."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from auger_bench.run import Task

if TYPE_CHECKING:
    from rich.progress import TaskID


class Pace:
    """The time left: the evaluations to come, each at the pace of its method so far.

    A plain average over all would not do: one method's suggestion costs a thousand times another's.

    Args:
        left: task -> evaluations to come.
        n_jobs: tasks at work at a time.
        clock: a function that returns seconds.
    """

    def __init__(self, left: Mapping[Task, int], n_jobs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._n_jobs, self._n_tasks = clock, n_jobs, len(left)
        self._left: Counter[str] = Counter()
        for task, n in left.items():
            self._left[task.method] += n
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._n_done: Counter[str] = Counter()
        self._since: dict[Task, float] = {}

    def begin(self, task: Task) -> None:
        """A task starts now."""
        self._since[task] = self._clock()

    def advance(self, task: Task) -> None:
        """It has made one more evaluation."""
        now = self._clock()
        self._seconds[task.method] += now - self._since[task]
        self._since[task] = now
        self._n_done[task.method] += 1
        self._left[task.method] -= 1

    def drop(self, task: Task, n: int) -> None:
        """It has ended, and will not make its last ``n``."""
        self._left[task.method] -= n
        self._n_tasks -= 1

    @property
    def seconds_left(self) -> float | None:
        """An estimate; None before the first evaluation."""
        if not self._n_done:
            return None
        overall = sum(self._seconds.values()) / self._n_done.total()
        total = 0.0
        for method, n in self._left.items():
            own = self._n_done[method]
            total += n * (self._seconds[method] / own if own else overall)
        return total / max(min(self._n_jobs, self._n_tasks), 1)  # the last tasks do not fill every place


class Progress:
    """Is told what happens; says nothing. `Bars` and `Lines` do."""

    def start(self, left: Mapping[Task, int], *, n_found: int, n_jobs: int) -> AbstractContextManager[Any]:
        """There are these tasks to do, with so many evaluations each; others were found complete."""
        self.n_found, self.n_runs, self.n_finished = n_found, len(left), 0
        self.to_come = dict(left)
        self.pace = Pace(left, n_jobs)
        return nullcontext()

    def begin(self, task: Task) -> None:
        """A task starts."""
        self.pace.begin(task)

    def advance(self, task: Task) -> None:
        """A task has made one more evaluation."""
        self.to_come[task] -= 1
        self.pace.advance(task)

    def finish(self, task: Task, crash: str) -> None:
        """A task has ended; ``crash`` says why if it is not complete."""
        self.pace.drop(task, self.to_come.pop(task))
        self.n_finished += 1

    @property
    def left(self) -> str:
        """The time left, for people."""
        seconds = self.pace.seconds_left
        if seconds is None:
            return "time left unknown"
        minutes, hours = int(seconds // 60) % 60, int(seconds // 3600)
        return f"{hours} h {minutes:02} min left" if hours else f"{minutes} min {int(seconds) % 60:02} s left"


class Lines(Progress):
    """A line for each finished run: for logs and pipes.

    Args:
        say: takes a line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def start(self, left: Mapping[Task, int], *, n_found: int, n_jobs: int) -> AbstractContextManager[Any]:
        """Say what there is to do."""
        self._say(f"{len(left)} runs to do, {n_found} found complete")
        return super().start(left, n_found=n_found, n_jobs=n_jobs)

    def finish(self, task: Task, crash: str) -> None:
        """Say that it has."""
        super().finish(task, crash)
        what = f"crashed: {crash.splitlines()[-1]}" if crash else "done"
        self._say(f"[{self.n_finished}/{self.n_runs}] {task} {what}; {self.left}")


class Bars(Progress):
    """A bar for all evaluations, and one for each run at work."""

    def start(self, left: Mapping[Task, int], *, n_found: int, n_jobs: int) -> AbstractContextManager[Any]:
        """Draw them."""
        from rich.console import Console  # only where there is a terminal
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Rich

        super().start(left, n_found=n_found, n_jobs=n_jobs)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
        )
        self._bars = Rich(*columns, console=Console(stderr=True))
        self._all = self._bars.add_task("", total=sum(left.values()), note="")
        self._of: dict[Task, TaskID] = {}
        self._show()
        return self._bars

    def begin(self, task: Task) -> None:
        """Draw its bar."""
        super().begin(task)
        done = task.n_evals - self.to_come[task]
        self._of[task] = self._bars.add_task(str(task), total=task.n_evals, completed=done, note="")

    def advance(self, task: Task) -> None:
        """Move its bar."""
        super().advance(task)
        self._bars.advance(self._of[task])
        self._bars.advance(self._all)
        self._show()

    def finish(self, task: Task, crash: str) -> None:
        """Take its bar away."""
        self._bars.advance(self._all, self.to_come[task])
        super().finish(task, crash)
        self._bars.remove_task(self._of.pop(task))
        if crash:
            self._bars.console.print(f"{task} crashed: {crash.splitlines()[-1]}", markup=False, highlight=False)
        self._show()

    def _show(self) -> None:
        found = f", {self.n_found} found complete" if self.n_found else ""
        self._bars.update(self._all, description=f"{self.n_finished}/{self.n_runs} runs{found}", note=self.left)
