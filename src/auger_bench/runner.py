"""Many runs at once: a process each, one thread each, so that none can slow down or bring down another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from auger.checks import is_whole
from auger.errors import AugerError
from auger_bench.methods import method
from auger_bench.progress import Progress
from auger_bench.records import Evaluation, ResultsError, RunFile, check_agrees, check_version, read
from auger_bench.run import Task, execute

# Everything that may start threads of its own.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """What became of the tasks.

    Attributes:
        n_found: were complete before.
        n_done: were completed now.
        crashes: task -> why it stopped early. The same call tries them again.
    """

    n_found: int
    n_done: int
    crashes: dict[Task, str] = field(default_factory=dict)


def tasks(problems: Iterable[str], methods: Sequence[str], *, n_evals: int, n_seeds: int) -> list[Task]:
    """Every combination, one seed after the other, so that an early stop leaves all methods equally far."""
    for name, count in (("n_evals", n_evals), ("n_seeds", n_seeds)):
        _check_count(name, count)
    names = list(problems)
    return [Task(p, m, seed, n_evals) for seed in range(n_seeds) for p in names for m in methods]


def _check_count(name: str, count: int) -> None:
    if not is_whole(count) or count < 1:
        raise ValueError(f"`{name}` must be a whole number of at least 1. Got {count!r}.")


def run(todo: Sequence[Task], folder: str | Path, *, n_jobs: int = 1, progress: Progress | None = None) -> Outcome:
    """Run every task that the folder does not hold complete yet, ``n_jobs`` at a time.

    Each evaluation is in the folder as soon as it is made. Killed at any moment, the same call goes on where it
    was; a run that crashes is recorded and the others go on.

    Args:
        todo: what to run, see `tasks`.
        folder: where the results go; made if it is not there.
        n_jobs: processes at a time; each has one thread.
        progress: is told how far it is.

    Raises:
        ResultsError: the folder cannot be written, or holds runs of other settings or versions. Nothing has been
            run or changed then.
    """
    _check_count("n_jobs", n_jobs)
    folder, progress = Path(folder), progress or Progress()
    left = _missing(todo, folder)
    crashes: dict[Task, str] = {}
    waiting, working = deque(left), dict[BaseProcess, _Worker]()
    with _one_thread(), progress.start(left, n_found=len(todo) - len(left), n_jobs=n_jobs):
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
    """The tasks that are not complete, with how many evaluations they lack; everything there is checked first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(f"--out must be a folder that can be made. Got {str(folder)!r}: {error}.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ResultsError(f"--out must be a folder that can be written. Got {str(folder)!r}.")
    check_version(folder)
    left = {}
    for task in todo:
        path = task.path(folder)
        found = read(path)
        if found is not None:
            check_agrees(found.head, task.head(), path)
        if found is None or not found.is_complete:
            left[task] = task.n_evals - (0 if found is None else len(found.evaluations))
    return left


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started meanwhile use one thread each: libraries read these when they are imported."""
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
    """Processes that start with the libraries imported, where the system can do that; importing takes seconds."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    modules = {module for name in {task.method for task in todo} for module in method(name).modules}
    context.set_forkserver_preload([__name__, *sorted(modules)])
    return context


@dataclass
class _Worker:
    """A process at work on a task, and our end of the pipe through which it tells of each evaluation.

    Attributes:
        reason: why the process gave up, if it could say so; a run that breaks says so in its file instead.
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
            found = read(self.task.path(folder))
            if found is not None and found.is_complete:
                return ""
            if found is not None and found.crash and self.process.exitcode == 0:
                return found.crash
            file = RunFile(self.task.path(folder), self.task.head())
            try:
                file.crash(reason)
            finally:
                file.close()
        except (OSError, AugerError) as error:  # a full disk, a damaged file: the others go on
            if str(error) not in reason:
                reason += f", and that could not be recorded: {error}"
        return reason


def _listen(workers: Iterable[_Worker], progress: Progress) -> list[_Worker]:
    """Pass on what the workers tell; returns those that have hung up."""
    gone = []
    by_pipe = {worker.pipe: worker for worker in workers}
    for pipe in wait(list(by_pipe)):
        worker = by_pipe[pipe]  # type: ignore[index]
        try:
            told = worker.pipe.recv()
            if isinstance(told, str):
                worker.reason = told
            else:
                progress.advance(worker.task)
        except EOFError:
            worker.pipe.close()
            gone.append(worker)
    return gone


def _work(task: Task, folder: Path, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    warnings.simplefilter("ignore")  # libraries that warn at every suggestion would tear the bars apart

    def heard(evaluation: Evaluation) -> None:
        pipe.send(evaluation.number)  # fails once the parent is gone, and so ends this process

    try:
        execute(task, folder, heard)
    except ConnectionError:
        raise SystemExit(1) from None
    except (OSError, AugerError) as error:  # its file cannot be read or written, so this is not in it
        pipe.send(str(error))
        raise SystemExit(1) from None
