"""Many runs at the same time: one process and one thread per run, so that no run slows down or ends another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from auger.checks import check_whole
from auger.errors import AugerError
from auger_bench.methods import method
from auger_bench.progress import Progress
from auger_bench.run_files import Evaluation, ResultsError, RunFile, check_agrees, check_version, read
from auger_bench.task import Task, execute

# The variables that limit the threads of numerical libraries.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """How the tasks of a call ended.

    Attributes:
        n_before: the number of tasks that were complete before.
        n_done: the number of tasks that this call completed.
        crashes: task -> why it stopped early. The same call tries these tasks again.
    """

    n_before: int
    n_done: int
    crashes: dict[Task, str] = field(default_factory=dict)


def tasks(
    problems: Iterable[str], methods: Sequence[str], *, n_evals: int, n_seeds: int, until_optimum: bool = False
) -> list[Task]:
    """Every combination, one seed after the other, so that an early stop leaves every method with the same seeds."""
    check_whole(n_evals, 1, "`n_evals`")
    check_whole(n_seeds, 1, "`n_seeds`")
    names = list(problems)
    return [Task(p, m, seed, n_evals, until_optimum) for seed in range(n_seeds) for p in names for m in methods]


def run(todo: Sequence[Task], folder: str | Path, *, n_jobs: int = 1, progress: Progress | None = None) -> Outcome:
    """Run every task that is not complete in the folder yet, ``n_jobs`` at a time.

    Each evaluation is written to the folder as soon as it is finished. After a kill, the same call continues where
    it was. A crash of a run is recorded, and the other runs continue.

    Args:
        todo: the tasks, see `tasks`.
        folder: the folder of the results; created if it is not there.
        n_jobs: the number of processes, of one thread each.
        progress: receives the progress.

    Raises:
        ResultsError: the folder cannot be written, or holds runs of other settings or versions. Then nothing was
            run and nothing was changed.
    """
    check_whole(n_jobs, 1, "`n_jobs`")
    folder, progress = Path(folder), progress or Progress()
    left = _missing(todo, folder)
    crashes: dict[Task, str] = {}
    waiting, working = deque(left), dict[BaseProcess, _Worker]()
    with _one_thread(), progress.start(left, n_before=len(todo) - len(left)):
        context = _context(left)
        try:
            while waiting or working:
                while waiting and len(working) < n_jobs:
                    worker = _Worker.start(context, waiting.popleft(), folder)
                    working[worker.process] = worker
                    progress.begin(worker.task)
                for worker in _listen(working.values(), progress):
                    del working[worker.process]
                    reason = worker.crash(folder)
                    if reason:
                        crashes[worker.task] = reason
                    progress.finish(worker.task, reason)
        finally:
            for process in working:
                process.terminate()
    return Outcome(len(todo) - len(left), len(left) - len(crashes), crashes)


def _missing(todo: Sequence[Task], folder: Path) -> dict[Task, int]:
    """The tasks that are not complete -> the evaluations they lack. Every file in the folder is checked first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(f"--out must be a folder that can be created. Got {str(folder)!r}: {error}.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ResultsError(f"--out must be a folder that can be written. Got {str(folder)!r}.")
    check_version(folder)
    left = {}
    for task in todo:
        path = task.path(folder)
        run = read(path)
        if run is not None:
            check_agrees(run.head, task.head(), path)
        if run is None or not run.is_complete:
            left[task] = task.n_evals - (0 if run is None else len(run.evaluations))
    return left


@contextmanager
def _one_thread() -> Iterator[None]:
    """Give one thread to each process that is started meanwhile: libraries read the variables on import."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _context(todo: Iterable[Task]) -> BaseContext:
    """Processes that start with the libraries imported, where the system allows it: importing takes seconds."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    modules = {module for name in {task.method for task in todo} for module in method(name).modules}
    context.set_forkserver_preload([__name__, *sorted(modules)])
    return context


@dataclass
class _Worker:
    """A process that executes a task, and our end of the pipe through which it reports each evaluation.

    Attributes:
        reason: why the process gave up, if it reported that. The crash of a run is in the file of the run instead.
    """

    task: Task
    process: BaseProcess
    pipe: Connection
    reason: str = ""

    @classmethod
    def start(cls, context: BaseContext, task: Task, folder: Path) -> _Worker:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(task, folder, theirs), daemon=True)  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        return cls(task, process, ours)

    def crash(self, folder: Path) -> str:
        """Why the run did not complete; empty if it did."""
        self.process.join()
        reason = self.reason or f"the process ended with exit code {self.process.exitcode}"
        try:
            run = read(self.task.path(folder))
            if run is not None and run.is_complete:
                return ""
            if run is not None and run.crash and self.process.exitcode == 0:
                return run.crash
            with closing(RunFile(self.task.path(folder), self.task.head())) as file:
                file.crash(reason)
        except (OSError, AugerError) as error:  # a full disk, a damaged file: the other runs continue
            if str(error) not in reason:
                reason += f", and that could not be recorded: {error}"
        return reason


def _listen(workers: Iterable[_Worker], progress: Progress) -> list[_Worker]:
    """Wait for messages of the workers and count them; returns the workers whose process has ended."""
    ended = []
    by_pipe = {worker.pipe: worker for worker in workers}
    for pipe in wait(list(by_pipe)):
        worker = by_pipe[pipe]  # type: ignore[index]
        try:
            message = worker.pipe.recv()
            if isinstance(message, str):
                worker.reason = message
            else:
                progress.advance(worker.task)
        except EOFError:
            worker.pipe.close()
            ended.append(worker)
    return ended


def _work(task: Task, folder: Path, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    warnings.simplefilter("ignore")  # a library that warns at every suggestion would break up the bars

    def report(evaluation: Evaluation) -> None:
        pipe.send(evaluation.number)  # fails when the parent has ended, and so ends this process

    try:
        execute(task, folder, report)
    except ConnectionError:
        raise SystemExit(1) from None
    except (OSError, AugerError) as error:  # the file of the run cannot be read or written, so the error is not in it
        pipe.send(str(error))
        raise SystemExit(1) from None
